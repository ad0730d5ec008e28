// SPDX-License-Identifier: Apache-2.0
// Properties of vdla_axi_write: every burst appears on AW once, stays until taken, lies in one block of 256 bytes, or
// of 128 where those of store do, and gets as many beats on W as its length says, the last marked; idle means that
// nothing is owed in either direction.
`include "vdla_checks.svh"

  `VDLA_CHECK_RESET
  `VDLA_ANY_BLOCK
  `VDLA_FIFO_CONTRACT(f_lengths, Outstanding, grant, len_ready, len_valid, w_beat && axi_wlast_o, len)
  `VDLA_FIFO_CONTRACT(f_responses, Outstanding, grant, resp_ready, resp_valid, axi_bvalid_i, {resp_last, resp_addr})
  `VDLA_FIFO_CONTRACT(f_beats, 8, data_valid_i && !halt_i, data_ready_o, fifo_valid, w_beat, {fifo_data, fifo_strb})

  logic [15:0] f_addressed, f_written;   // bursts that AW, W have handed over and that are not answered
  logic [7:0]  f_number;                 // number of the beat in its burst

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      f_addressed <= '0;
      f_written   <= '0;
      f_number    <= '0;
    end else begin
      f_addressed <= f_addressed + {15'd0, axi_awvalid_o && axi_awready_i} - {15'd0, axi_bvalid_i};
      f_written   <= f_written + {15'd0, axi_wvalid_o && axi_wready_i && axi_wlast_o} - {15'd0, axi_bvalid_i};
      if (axi_wvalid_o && axi_wready_i) f_number <= axi_wlast_o ? '0 : f_number + 8'd1;
    end

    // store (proof store_pack): beats in blocks; machine (proof control): a halt lasts until the reset
    if (burst_valid_i) assume (`VDLA_IN_BLOCK(burst_addr_i, burst_len_i));
    if (f_past && $past(halt_i)) assume (halt_i);
    // memory: answers only bursts whose last beat it has; AXI4 also asks that it has taken the address, AXI3 does not
    if (axi_bvalid_i) assume (f_written != '0);

    if (f_on) begin
      BurstInsideBlock: assert (!axi_awvalid_o || `VDLA_IN_BLOCK(axi_awaddr_o, axi_awlen_o));
      EachAddressOnce:  assert (f_responses == f_addressed + {15'd0, axi_awvalid_o});
      EachBurstWritten: assert (f_responses == f_written + f_lengths);
      LastBeatIsLast:   assert (!axi_wvalid_o || axi_wlast_o == (f_number == len));
      BeatsOfOneBurst:  assert (len_valid ? f_number <= len : f_number == '0);
      OwedInRange:      assert (f_addressed + {15'd0, axi_awvalid_o} <= 16'(Outstanding) && f_written <= 16'(Outstanding));
      BeatIsKnown:      assert (f_number == beat_q);
      NoBeatUnasked:    assert (!axi_wvalid_o || f_lengths != '0);
      IdleIsQuiet:      assert (!idle_o || (!axi_awvalid_o && !axi_wvalid_o && f_addressed == '0));
      HaltAsksNothing:  assert (!halt_i || !(burst_valid_i && burst_ready_o));
      EmptyBeatsWriteNothing: assert (fifo_valid || axi_wstrb_o == '0);
      AnswersAreTaken:  assert (axi_bready_o);
      DoneIsTheLast:    assert (done_o == (axi_bvalid_i && resp_last && !axi_bresp_i[1]));
      ErrorIsOne:       assert (err_valid_o == (axi_bvalid_i && axi_bresp_i[1] && !halt_i));
      if (f_past) begin
        AddressStays:   assert (`VDLA_STAYS(axi_awvalid_o, axi_awready_i, {axi_awaddr_o, axi_awlen_o}));
        DataStays:      assert (`VDLA_STAYS(axi_wvalid_o, axi_wready_i, {axi_wlast_o, axi_wstrb_o, axi_wdata_o}));
        BurstIsNext:    assert (!$past(burst_valid_i && burst_ready_o) || (axi_awvalid_o && {axi_awaddr_o, axi_awlen_o} ==
                                                                           {$past(burst_addr_i), $past(burst_len_i)}));
        NothingInvented: assert (!axi_awvalid_o || $past((burst_valid_i && burst_ready_o) || axi_awvalid_o));
      end
      TwoBurstsAnswered: cover (f_past && $past(axi_bvalid_i) && idle_o && f_number == '0 && f_past && $past(resp_last));
      AnsweredEarly:    cover (axi_bvalid_i && axi_awvalid_o && f_addressed == '0);
      HaltedBurstEnds:  cover (halt_i && !fifo_valid && axi_wvalid_o && axi_wlast_o && f_number == 8'd2);
    end
  end
