// SPDX-License-Identifier: Apache-2.0
// Properties of vdla_axi_read: every burst that a client hands over appears on AR once, in order, stays there until
// taken, and lies in one block of 256 bytes, or of 128 where the clients' do; every beat goes to the client whose burst
// it answers.
`include "vdla_checks.svh"

  `VDLA_CHECK_RESET
  `VDLA_ANY_BLOCK
  `VDLA_FIFO_CONTRACT(f_open, Outstanding, grant, order_ready, order_valid, beat && axi_rlast_i, {order_load, order_addr})

  logic [15:0] f_accepted;   // bursts that AR has handed over and that are not answered
  logic        f_load_taken, f_fetch_taken;
  assign f_load_taken  = load_valid_i && load_ready_o;
  assign f_fetch_taken = fetch_valid_i && fetch_ready_o;

  always_ff @(posedge clk_i) begin
    if (rst_i) f_accepted <= '0;
    else f_accepted <= f_accepted + {15'd0, axi_arvalid_o && axi_arready_i} - {15'd0, beat && axi_rlast_i};

    // clients (proofs fetch and load): aligned bursts inside a block that stay until taken
    if (fetch_valid_i) assume (`VDLA_IN_BLOCK(fetch_addr_i, fetch_len_i));
    if (load_valid_i) assume (`VDLA_IN_BLOCK(load_addr_i, load_len_i));
    // memory (AXI4): answers only what was asked
    if (axi_rvalid_i) assume (f_accepted != '0);

    if (f_on) begin
      OneAtATime:       assert (!(f_load_taken && f_fetch_taken));
      BurstInsideBlock: assert (!axi_arvalid_o || `VDLA_IN_BLOCK(axi_araddr_o, axi_arlen_o));
      EachAskedOnce:    assert (f_open == f_accepted + {15'd0, axi_arvalid_o});
      IdleIsQuiet:      assert (!idle_o || (!axi_arvalid_o && f_accepted == '0));
      HaltAsksNothing:  assert (!halt_i || !(f_load_taken || f_fetch_taken));
      BeatHasOneClient: assert (!beat || halt_i || fetch_rvalid_o != (load_rvalid_o && load_rready_i));
      ClientOfTheOldest: assert ((!fetch_rvalid_o || !order_load) && (!load_rvalid_o || order_load));
      LoadCanWait:      assert (!(load_rvalid_o && !load_rready_i) || !axi_rready_o);
      HaltDrains:       assert (!halt_i || (axi_rready_o && !fetch_rvalid_o && !load_rvalid_o));
      ErrorIsOne:       assert (err_valid_o == (axi_rvalid_i && axi_rready_o && axi_rresp_i[1] && order_load && !halt_i));
      if (f_past) begin
        AddressStays:   assert (`VDLA_STAYS(axi_arvalid_o, axi_arready_i, {axi_araddr_o, axi_arlen_o, ar_load_o}));
        FetchIsNext:    assert (!$past(f_fetch_taken) || (axi_arvalid_o && {axi_araddr_o, axi_arlen_o, ar_load_o} ==
                                                          {$past(fetch_addr_i), $past(fetch_len_i), 1'b0}));
        LoadIsNext:     assert (!$past(f_load_taken) || (axi_arvalid_o && {axi_araddr_o, axi_arlen_o, ar_load_o} ==
                                                         {$past(load_addr_i), $past(load_len_i), 1'b1}));
        NothingInvented: assert (!axi_arvalid_o || $past(f_fetch_taken || f_load_taken || axi_arvalid_o));
      end
      AnswerToBoth:     cover (f_past && $past(fetch_rvalid_o && axi_rlast_i) && load_rvalid_o && load_rready_i);
      DrainedByHalt:    cover (f_past && $past(halt_i && axi_rvalid_i) && idle_o);
    end
  end
