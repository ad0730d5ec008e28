// SPDX-License-Identifier: Apache-2.0
// The accumulators: two banks told apart by the top bit of the index, each with one read and one write port. gemm goes
// first; then the vector unit's read of the accumulator (c), then its operand (a). Data of a bank stay until its next
// read.

`include "vdla_stall.svh"

module vdla_acc_mem #(
  parameter  int unsigned Width,
  parameter  int unsigned Depth,
  localparam int unsigned AddrW = $clog2(Depth)
) (
  input  logic               clk_i,
  // gemm: always granted
  input  logic               gemm_re_i,
  input  logic [AddrW-1:0]   gemm_raddr_i,
  input  logic               gemm_we_i,
  input  logic [AddrW-1:0]   gemm_waddr_i,
  input  logic [Width-1:0]   gemm_wdata_i,
  // vector: want and grant first, then the access
  input  logic               c_want_i,
  output logic               c_grant_o,
  input  logic               c_re_i,
  input  logic [AddrW-1:0]   c_addr_i,
  input  logic               a_want_i,
  output logic               a_grant_o,
  input  logic               a_re_i,
  input  logic [AddrW-1:0]   a_addr_i,
  input  logic               w_want_i,
  output logic               w_grant_o,
  input  logic               we_i,
  input  logic [AddrW-1:0]   waddr_i,
  input  logic [Width-1:0]   wdata_i,
  // both banks
  output logic [2*Width-1:0] rdata_o
);

  logic gemm_rbank, gemm_wbank, c_bank, a_bank, w_bank;

  assign gemm_rbank = gemm_raddr_i[AddrW-1];
  assign gemm_wbank = gemm_waddr_i[AddrW-1];
  assign c_bank     = c_addr_i[AddrW-1];
  assign a_bank     = a_addr_i[AddrW-1];
  assign w_bank     = waddr_i[AddrW-1];

  `VDLA_STALL(c_stall)
  `VDLA_STALL(a_stall)
  `VDLA_STALL(w_stall)

  assign c_grant_o = !(gemm_re_i && gemm_rbank == c_bank) && !c_stall;
  assign a_grant_o = a_want_i && !(gemm_re_i && gemm_rbank == a_bank) && !(c_want_i && c_bank == a_bank) && !a_stall;
  assign w_grant_o = w_want_i && !(gemm_we_i && gemm_wbank == w_bank) && !w_stall;

  for (genvar b = 0; b < 2; b++) begin : gen_bank
    localparam logic Bank = b == 1;
    logic             gemm_r, gemm_w, c_r;
    logic [AddrW-2:0] raddr, waddr;

    assign gemm_r = gemm_re_i && gemm_rbank == Bank;
    assign gemm_w = gemm_we_i && gemm_wbank == Bank;
    assign c_r    = c_re_i && c_bank == Bank;
    assign raddr  = gemm_r ? gemm_raddr_i[AddrW-2:0] : (c_r ? c_addr_i[AddrW-2:0] : a_addr_i[AddrW-2:0]);
    assign waddr  = gemm_w ? gemm_waddr_i[AddrW-2:0] : waddr_i[AddrW-2:0];

    vdla_ram_1r1w #(
      .Width(Width),
      .Depth(Depth / 2)
    ) u_ram (
      .clk_i  (clk_i),
      .we_i   (gemm_w || (we_i && w_bank == Bank)),
      .waddr_i(waddr),
      .wdata_i(gemm_w ? gemm_wdata_i : wdata_i),
      .re_i   (gemm_r || c_r || (a_re_i && a_bank == Bank)),
      .raddr_i(raddr),
      .rdata_o(rdata_o[b*Width +: Width])
    );
  end

endmodule
