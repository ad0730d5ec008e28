// SPDX-License-Identifier: Apache-2.0
// The multiplier of one vector lane: 32 bits times 32 bits, signed or unsigned, in two stages. With Parts, the first stage
// makes four products of 17 and 16 bits, each of which fits a DSP, and the second adds them (proofs vector_product and
// partial_products). Without, the first stage makes the whole product, which simulates faster, and the second keeps it.

module vdla_vector_product #(
  parameter  logic        Parts    = vdla_pkg::DspProducts,
  localparam int unsigned AccBits  = vdla_pkg::AccBits,
  localparam int unsigned ProductW = 2 * AccBits
) (
  input  logic                clk_i,
  input  logic                multiply_i,  // first stage moves
  input  logic                add_i,       // second stage moves
  input  logic                signed_i,
  input  logic [AccBits-1:0]  m_i,
  input  logic [AccBits-1:0]  n_i,
  output logic [ProductW-1:0] product_o
);

  if (Parts) begin : gen_parts
    // A DSP multiplies 25 by 18 bits, signed: the low part of an operand is 17 bits, unsigned.
    localparam int unsigned LowW  = 17;
    localparam int unsigned HighW = AccBits + 1 - LowW;
    localparam int unsigned MidW  = LowW + HighW + 1;     // product of a high and a low part
    localparam int unsigned SumW  = MidW + 2;
    localparam int unsigned TopW  = ProductW - 2 * LowW;  // bits left for the product of both high parts

    logic        [LowW-1:0]   m_low, n_low;
    logic signed [HighW-1:0]  m_high, n_high;
    logic        [2*LowW-1:0] low_q;
    logic signed [MidW-1:0]   mid0_q, mid1_q;
    logic        [TopW-1:0]   high_q;
    logic signed [SumW-1:0]   mid;

    assign m_low  = m_i[LowW-1:0];
    assign n_low  = n_i[LowW-1:0];
    assign m_high = {signed_i && m_i[AccBits-1], m_i[AccBits-1:LowW]};
    assign n_high = {signed_i && n_i[AccBits-1], n_i[AccBits-1:LowW]};

    // both middle products and the upper part of the low one
    assign mid = SumW'(mid0_q) + SumW'(mid1_q) + SumW'($signed({1'b0, low_q[2*LowW-1:LowW]}));

    always_ff @(posedge clk_i) begin
      if (multiply_i) begin
        low_q  <= (2*LowW)'(m_low) * (2*LowW)'(n_low);
        mid0_q <= MidW'($signed({1'b0, m_low})) * MidW'(n_high);
        mid1_q <= MidW'(m_high) * MidW'($signed({1'b0, n_low}));
        high_q <= TopW'(m_high) * TopW'(n_high);
      end
      if (add_i) product_o <= {high_q + TopW'(mid >>> LowW), mid[LowW-1:0], low_q[LowW-1:0]};
    end

`ifdef FORMAL
    `include "vdla_vector_product.svh"
`endif
  end else begin : gen_whole
    logic signed [AccBits:0]    m_wide, n_wide;
    logic        [ProductW-1:0] product_q;

    assign m_wide = {signed_i && m_i[AccBits-1], m_i};
    assign n_wide = {signed_i && n_i[AccBits-1], n_i};

    always_ff @(posedge clk_i) begin
      if (multiply_i) product_q <= ProductW'(m_wide) * ProductW'(n_wide);
      if (add_i) product_o <= product_q;
    end
  end

endmodule
