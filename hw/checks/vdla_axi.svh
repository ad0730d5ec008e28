// SPDX-License-Identifier: Apache-2.0
// Properties of vdla_axi at its ports, in the terms of AXI. Its bursts are legal AXI4 (with Axi3: AXI3), given that
// proofs axi_read and axi_write hold for the bursts of the machine inside, and registers answer as proof axil says.
// Units and registers are cut out. The first cycle is a reset. f_past: no reset in this cycle and in the one before,
// counted as masters outside count it; they may send a request after the first clock edge with aresetn high.
`include "vdla_checks.svh"

  localparam int unsigned FBeats = Axi3 != 0 ? 16 : 32;   // beats of the longest burst

  logic        f_seen = 1'b0;
  logic        f_past = 1'b0;
  logic        f_reset = 1'b0;    // aresetn was low at the latest edge
  logic [4:0]  f_ar_place, f_aw_place;   // beats from the begin of the block
  logic [12:0] f_ar_end, f_aw_end;       // addresses of the burst, in its page
  logic [15:0] f_reads, f_read_answers, f_writes, f_write_answers;
  logic        f_read_beyond;

  assign f_ar_place    = m_axi_gmem_araddr[7:3] & 5'(FBeats - 1);
  assign f_aw_place    = m_axi_gmem_awaddr[7:3] & 5'(FBeats - 1);
  assign f_ar_end      = {1'b0, m_axi_gmem_araddr[11:0]} + 13'd8 * (13'(m_axi_gmem_arlen) + 13'd1);
  assign f_aw_end      = {1'b0, m_axi_gmem_awaddr[11:0]} + 13'd8 * (13'(m_axi_gmem_awlen) + 13'd1);
  assign f_read_beyond = s_axi_control_araddr >= 12'd1 << vdla_isa_pkg::RegisterBits;

  always_ff @(posedge aclk) begin
    f_seen  <= 1'b1;
    f_reset <= !aresetn;
    f_past  <= f_seen && !f_reset && aresetn;
    if (!f_seen) assume (!aresetn);
    if (f_reset) begin
      f_reads         <= '0;
      f_read_answers  <= '0;
      f_writes        <= '0;
      f_write_answers <= '0;
    end else begin
      f_reads         <= f_reads + {15'd0, s_axi_control_arvalid && s_axi_control_arready};
      f_read_answers  <= f_read_answers + {15'd0, s_axi_control_rvalid && s_axi_control_rready};
      f_writes        <= f_writes + {15'd0, s_axi_control_awvalid && s_axi_control_awready};
      f_write_answers <= f_write_answers + {15'd0, s_axi_control_bvalid && s_axi_control_bready};
    end

    if (f_seen) begin
      // the units (proofs axi_read, axi_write): bursts inside a block; what stands on a channel stays until taken
      if (m_axi_gmem_arvalid) assume (m_axi_gmem_araddr[2:0] == '0 && 9'(f_ar_place) + 9'(arlen) < 9'(FBeats));
      if (m_axi_gmem_awvalid) assume (m_axi_gmem_awaddr[2:0] == '0 && 9'(f_aw_place) + 9'(awlen) < 9'(FBeats));
      if (f_past) begin
        assume (`VDLA_STAYS(m_axi_gmem_arvalid, m_axi_gmem_arready, {m_axi_gmem_araddr, arlen}));
        assume (`VDLA_STAYS(m_axi_gmem_awvalid, m_axi_gmem_awready, {m_axi_gmem_awaddr, awlen}));
        // the master of the registers (AXI4-Lite)
        assume (`VDLA_STAYS(s_axi_control_awvalid, s_axi_control_awready, s_axi_control_awaddr));
        assume (`VDLA_STAYS(s_axi_control_wvalid, s_axi_control_wready, {s_axi_control_wdata, s_axi_control_wstrb}));
        assume (`VDLA_STAYS(s_axi_control_arvalid, s_axi_control_arready, s_axi_control_araddr));
      end

      ResetIsConverted: assert (rst_q == f_reset);
    end

    if (f_seen && !f_reset) begin
      if (m_axi_gmem_arvalid) begin
        ReadIsWhole:     assert (8'(m_axi_gmem_arlen) == arlen && 32'(m_axi_gmem_arlen) < FBeats);
        ReadInsidePage:  assert (f_ar_end <= 13'd4096);
        ReadIsLegal:     assert (m_axi_gmem_arsize == 3'd3 && m_axi_gmem_arburst == 2'b01 && m_axi_gmem_arlock == '0 &&
                                 (m_axi_gmem_arcache[1] || m_axi_gmem_arcache[3:2] == '0));
      end
      if (m_axi_gmem_awvalid) begin
        WriteIsWhole:    assert (8'(m_axi_gmem_awlen) == awlen && 32'(m_axi_gmem_awlen) < FBeats);
        WriteInsidePage: assert (f_aw_end <= 13'd4096);
        WriteIsLegal:    assert (m_axi_gmem_awsize == 3'd3 && m_axi_gmem_awburst == 2'b01 && m_axi_gmem_awlock == '0 &&
                                 (m_axi_gmem_awcache[1] || m_axi_gmem_awcache[3:2] == '0));
      end
      OneIdentifier:     assert ({m_axi_gmem_arid, m_axi_gmem_awid, m_axi_gmem_wid} == '0);
      ReadsAreAnswered:  assert (f_reads == f_read_answers + {15'd0, s_axi_control_rvalid});
      WritesAreAnswered: assert (f_writes == f_write_answers + {15'd0, s_axi_control_bvalid});
      AnswersAreOkay:    assert (s_axi_control_bresp == 2'b00 && s_axi_control_rresp == 2'b00);
      BothPartsTogether: assert ((s_axi_control_awvalid && s_axi_control_awready) == (s_axi_control_wvalid && s_axi_control_wready));
      if (f_past) begin
        ReadStays:       assert (`VDLA_STAYS(m_axi_gmem_arvalid, m_axi_gmem_arready,
                                             {m_axi_gmem_araddr, m_axi_gmem_arlen, m_axi_gmem_arsize, m_axi_gmem_arburst, m_axi_gmem_arprot}));
        WriteStays:      assert (`VDLA_STAYS(m_axi_gmem_awvalid, m_axi_gmem_awready,
                                             {m_axi_gmem_awaddr, m_axi_gmem_awlen, m_axi_gmem_awsize, m_axi_gmem_awburst, m_axi_gmem_awprot}));
        AnswerStays:     assert (`VDLA_STAYS(s_axi_control_bvalid, s_axi_control_bready, s_axi_control_bresp));
        ReadDataStays:   assert (`VDLA_STAYS(s_axi_control_rvalid, s_axi_control_rready, {s_axi_control_rdata, s_axi_control_rresp}));
        NothingBehind:   assert (!$past(f_read_beyond && s_axi_control_arvalid && s_axi_control_arready) || s_axi_control_rdata == '0);
      end
      FirstReadAtOnce:   cover (f_past && $past(f_reset, 2) && $past(s_axi_control_arvalid && s_axi_control_arready));
      LongestRead:       cover (m_axi_gmem_arvalid && 32'(m_axi_gmem_arlen) == FBeats - 1);
      LastOfThePage:     cover (m_axi_gmem_awvalid && f_aw_end == 13'd4096);
      ReadBehind:        cover (f_past && $past(f_read_beyond && s_axi_control_arvalid && s_axi_control_arready));
    end
  end
