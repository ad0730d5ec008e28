// SPDX-License-Identifier: Apache-2.0
// Properties of vdla_control at its ports: what the other proofs assume of halt, reset and start, and what the driver
// sees.
`include "vdla_checks.svh"

  `VDLA_CHECK_RESET

  logic f_idle, f_busy, f_done, f_error;
  assign f_idle  = (status_o & vdla_isa_pkg::StatusIdle) != '0;
  assign f_busy  = (status_o & vdla_isa_pkg::StatusBusy) != '0;
  assign f_done  = (status_o & vdla_isa_pkg::StatusDone) != '0;
  assign f_error = (status_o & vdla_isa_pkg::StatusError) != '0;

  always_ff @(posedge clk_i) begin
    if (f_seen && $past(unit_rst_o)) begin
      CountersStartAtZero: assert (cycles_o == '0 && read_bytes_o == '0 && write_bytes_o == '0 && busy_o == '0 && token_stall_o == '0 && since_o == '0);
      ErrorStartsAtNone:   assert (error_code_o == vdla_isa_pkg::ErrorNone && error_unit_o == '0 && error_insn_o == '0 && error_addr_o == '0);
    end
    if (f_on) begin
      IdleOrBusy:        assert (f_idle != f_busy);
      BusyIsClean:       assert (!f_busy || (!f_done && !f_error));
      DoneOrError:       assert (!(f_done && f_error));
      IrqIsOne:          assert (!(irq_set_o[0] && irq_set_o[1]) && irq_set_o[31:2] == '0);
    end
    if (f_on && f_past) begin
      HaltUntilReset:    assert (!$past(halt_o) || halt_o || unit_rst_o);
      ResetWhenQuiet:    assert (!unit_rst_o || $past(bus_idle_i && halt_o));
      StartAfterReset:   assert (!unit_start_o || $past(unit_rst_o));
      StartIsOneCycle:   assert (!unit_start_o || !$past(unit_start_o));
      DoneOnlyByFinish:  assert (!f_done || $past(f_done) || $past(irq_set_o[0] && finish_i));
      DoneStays:         assert (!$past(f_done) || f_done || $past(start_i || soft_reset_i));
      ErrorStays:        assert (!$past(f_error) || f_error || $past(start_i || soft_reset_i));
      ErrorHalts:        assert (!f_error || halt_o);
      IrqWithItsBit:     assert ($past(irq_set_o) == {30'd0, f_error && !$past(f_error), f_done && !$past(f_done)} || $past(soft_reset_i));
      FirstErrorIsKept:  assert (!$past(f_error) || !f_error || ($stable(error_code_o) && $stable(error_unit_o) && $stable(error_insn_o) &&
                                                                $stable(error_addr_o)));
      SequenceByFinish:  assert ($stable(sequence_o) || ($past(finish_i) && sequence_o == $past(sequence_i)));
      CyclesCount:       assert ($past(unit_rst_o) || cycles_o == $past(cycles_o) + {63'd0, $past(f_busy && !halt_o) && cycles_o != $past(cycles_o)});
      SoftResetStops:    assert (!$past(soft_reset_i) || (f_busy && halt_o && !f_done && !f_error));
      NoStartWhenBusy:   assert (!$past(f_busy && start_i && !soft_reset_i && !halt_o && !finish_i && err_valid_i == '0) || !unit_start_o || $past(unit_rst_o));
      RunThenDone:       cover (f_done && $past(finish_i) && cycles_o == 64'd2);
      ErrorThenRestart:  cover (unit_start_o && $past(halt_o, 2) && error_code_o == '0);
      SoftReset:         cover ($past(unit_rst_o) && f_idle && !f_done);
    end
  end
