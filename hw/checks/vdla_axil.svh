// SPDX-License-Identifier: Apache-2.0
// Properties of vdla_axil: each write that is taken reaches the registers once, in that cycle, and is answered once;
// each read is answered once, with what the registers show in the cycle in which it is taken; beyond the registers
// nothing is written and 0 is read; answers stay until taken.
`include "vdla_checks.svh"

  `VDLA_CHECK_RESET

  logic f_write_beyond, f_read_beyond;
  assign f_write_beyond = axil_awaddr_i >= PageW'(1 << AddrW);
  assign f_read_beyond  = axil_araddr_i >= PageW'(1 << AddrW);

  logic [15:0] f_writes, f_write_answers, f_reads, f_read_answers, f_effects;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      f_writes        <= '0;
      f_write_answers <= '0;
      f_reads         <= '0;
      f_read_answers  <= '0;
      f_effects       <= '0;
    end else begin
      f_writes        <= f_writes + {15'd0, axil_awvalid_i && axil_awready_o};
      f_write_answers <= f_write_answers + {15'd0, axil_bvalid_o && axil_bready_i};
      f_reads         <= f_reads + {15'd0, axil_arvalid_i && axil_arready_o};
      f_read_answers  <= f_read_answers + {15'd0, axil_rvalid_o && axil_rready_i};
      f_effects       <= f_effects + {15'd0, wr_en_o} + {15'd0, axil_awvalid_i && axil_awready_o && f_write_beyond};
    end
    // master (AXI4-Lite): valid and payload stay until taken
    if (f_past) begin
      assume (`VDLA_STAYS(axil_awvalid_i, axil_awready_o, axil_awaddr_i));
      assume (`VDLA_STAYS(axil_wvalid_i, axil_wready_o, {axil_wdata_i, axil_wstrb_i}));
      assume (`VDLA_STAYS(axil_arvalid_i, axil_arready_o, axil_araddr_i));
    end

    if (f_on) begin
      BothPartsTogether: assert ((axil_awvalid_i && axil_awready_o) == (axil_wvalid_i && axil_wready_o));
      WriteHasEffect:    assert (wr_en_o == (axil_awvalid_i && axil_awready_o && !f_write_beyond));
      EffectIsTheWrite:  assert (!wr_en_o || (wr_addr_o == {axil_awaddr_i[AddrW-1:2], 2'b00} && wr_data_o == axil_wdata_i && wr_strb_o == axil_wstrb_i));
      OneEffectEach:     assert (f_effects == f_writes);
      WritesAreAnswered: assert (f_writes == f_write_answers + {15'd0, axil_bvalid_o});
      ReadsAreAnswered:  assert (f_reads == f_read_answers + {15'd0, axil_rvalid_o});
      ReadSeesAddress:   assert (rd_addr_o == {axil_araddr_i[AddrW-1:2], 2'b00});
      NeverStuck:        assert ((!(axil_awvalid_i && axil_wvalid_i) || axil_awready_o || axil_bvalid_o) &&
                                 (!axil_arvalid_i || axil_arready_o || axil_rvalid_o));
      if (f_past) begin
        ReadIsOfThatCycle: assert (!$past(axil_arvalid_i && axil_arready_o) ||
                                   (axil_rvalid_o && axil_rdata_o == ($past(f_read_beyond) ? 32'd0 : $past(rd_data_i))));
        AnswerStays:       assert (`VDLA_STAYS(axil_bvalid_o, axil_bready_i, 1'b0));
        ReadDataStays:     assert (`VDLA_STAYS(axil_rvalid_o, axil_rready_i, axil_rdata_o));
      end
      ReadBeyond:        cover (f_past && $past(f_read_beyond && axil_arvalid_i && axil_arready_o && rd_data_i != '0));
      BackToBack:        cover (f_past && $past(axil_bvalid_o && axil_bready_i) && wr_en_o);
      ReadHeldUp:        cover (f_past && $past(axil_rvalid_o && !axil_rready_i) && axil_arvalid_i && axil_rready_i);
    end
  end
