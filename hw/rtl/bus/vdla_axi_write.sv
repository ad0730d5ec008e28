// SPDX-License-Identifier: Apache-2.0
// The AXI4 write channels, used by store alone. A burst comes with its first beat of data. After halt_i nothing new is
// asked; the beats that are still owed go out without strobes.

`include "vdla_assert.svh"

module vdla_axi_write #(
  parameter  int unsigned Outstanding = 16,  // a power of two
  localparam int unsigned AddrW       = vdla_pkg::AddrBits,
  localparam int unsigned IndexW      = vdla_pkg::InsnIndexBits,
  localparam int unsigned BeatW       = vdla_pkg::BeatBits,
  localparam int unsigned BeatBytes   = vdla_pkg::BeatBytes,
  localparam int unsigned LenW        = vdla_pkg::LenBits
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 halt_i,
  output logic                 idle_o,
  // bursts
  input  logic                 burst_valid_i,
  output logic                 burst_ready_o,
  input  logic [AddrW-1:0]     burst_addr_i,
  input  logic [LenW-1:0]      burst_len_i,    // beats - 1
  input  logic                 burst_last_i,   // last burst of its instruction
  input  logic [IndexW-1:0]    burst_insn_i,
  // data, in the order of the bursts
  input  logic                 data_valid_i,
  output logic                 data_ready_o,
  input  logic [BeatW-1:0]     data_i,
  input  logic [BeatBytes-1:0] strb_i,
  // response to the last burst of an instruction
  output logic                 done_o,
  // error
  output logic                 err_valid_o,
  output logic [IndexW-1:0]    err_insn_o,
  output logic [AddrW-1:0]     err_addr_o,
  // AXI4
  output logic                 axi_awvalid_o,
  input  logic                 axi_awready_i,
  output logic [AddrW-1:0]     axi_awaddr_o,
  output logic [LenW-1:0]      axi_awlen_o,
  output logic                 axi_wvalid_o,
  input  logic                 axi_wready_i,
  output logic [BeatW-1:0]     axi_wdata_o,
  output logic [BeatBytes-1:0] axi_wstrb_o,
  output logic                 axi_wlast_o,
  input  logic                 axi_bvalid_i,
  output logic                 axi_bready_o,
  input  logic [1:0]           axi_bresp_i
);

  logic                 aw_valid_q, aw_free, grant, resp_ready, resp_valid, resp_last, len_ready, len_valid, fifo_valid, w_beat;
  logic [AddrW-1:0]     aw_addr_q, resp_addr;
  logic [BeatW-1:0]     fifo_data;
  logic [BeatBytes-1:0] fifo_strb;
  logic [LenW-1:0]      aw_len_q, len, beat_q;

  // address
  assign aw_free       = (!aw_valid_q || axi_awready_i) && resp_ready && len_ready && !halt_i;
  assign burst_ready_o = aw_free;
  assign grant         = burst_valid_i && aw_free;

  always_ff @(posedge clk_i) begin
    if (rst_i) aw_valid_q <= 1'b0;
    else if (grant) aw_valid_q <= 1'b1;
    else if (axi_awready_i) aw_valid_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (grant) begin
      aw_addr_q <= burst_addr_i;
      aw_len_q  <= burst_len_i;
    end
  end

  assign axi_awvalid_o = aw_valid_q;
  assign axi_awaddr_o  = aw_addr_q;
  assign axi_awlen_o   = aw_len_q;

  // data
  vdla_fifo #(
    .Width(LenW),
    .Depth(Outstanding)
  ) u_lengths (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .valid_i(grant),
    .ready_o(len_ready),
    .data_i (burst_len_i),
    .valid_o(len_valid),
    .ready_i(w_beat && axi_wlast_o),
    .data_o (len)
  );

  vdla_fifo #(
    .Width(BeatW + BeatBytes),
    .Depth(8)
  ) u_data (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .valid_i(data_valid_i && !halt_i),
    .ready_o(data_ready_o),
    .data_i ({data_i, strb_i}),
    .valid_o(fifo_valid),
    .ready_i(w_beat),
    .data_o ({fifo_data, fifo_strb})
  );

  assign axi_wvalid_o = len_valid && (fifo_valid || halt_i);
  assign axi_wdata_o  = fifo_data;
  assign axi_wstrb_o  = fifo_valid ? fifo_strb : '0;
  assign axi_wlast_o  = beat_q == len;
  assign w_beat       = axi_wvalid_o && axi_wready_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) beat_q <= '0;
    else if (w_beat) beat_q <= axi_wlast_o ? '0 : beat_q + LenW'(1);
  end

  // responses
  vdla_fifo #(
    .Width(1 + IndexW + AddrW),
    .Depth(Outstanding)
  ) u_responses (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .valid_i(grant),
    .ready_o(resp_ready),
    .data_i ({burst_last_i, burst_insn_i, burst_addr_i}),
    .valid_o(resp_valid),
    .ready_i(axi_bvalid_i),
    .data_o ({resp_last, err_insn_o, resp_addr})
  );

  assign axi_bready_o = 1'b1;
  assign done_o       = axi_bvalid_i && resp_last && !axi_bresp_i[1];
  assign err_valid_o  = axi_bvalid_i && axi_bresp_i[1] && !halt_i;
  assign err_addr_o   = resp_addr;
  // An AXI3 memory may answer data whose address it has not taken.
  assign idle_o       = !resp_valid && !aw_valid_q;

  `VDLA_ASSERT(ResponseOnlyWhenAsked, axi_bvalid_i |-> resp_valid)
  `VDLA_COVER(AddressWaitsForTheBus, axi_awvalid_o && !axi_awready_i && burst_valid_i)
  `VDLA_COVER(DataWaitForTheBus, axi_wvalid_o && !axi_wready_i && !data_ready_o)
  `VDLA_COVER(ResponsesAreFull, burst_valid_i && !resp_ready)
  `VDLA_COVER(HaltedWithBeatsOwed, halt_i && axi_wvalid_o && !fifo_valid)
  `VDLA_COVER(ErrorBeforeTheLastBurst, err_valid_o && !resp_last)
  `VDLA_ASSERT(AddressStable, axi_awvalid_o && !axi_awready_i |=> axi_awvalid_o && $stable(axi_awaddr_o) && $stable(axi_awlen_o))
  `VDLA_ASSERT(DataHasAddress, fifo_valid |-> len_valid)

  logic unused;
  assign unused = axi_bresp_i[0];

`ifdef FORMAL
  `include "vdla_axi_write.svh"
`endif

endmodule
