// SPDX-License-Identifier: Apache-2.0
// One dependence channel: a counter of tokens. A full counter pushes back on the producer, so a token is never lost; a
// token pushed in one cycle can be popped from the next on.

`include "vdla_assert.svh"
`include "vdla_stall.svh"

module vdla_dep_gate #(
  parameter  int unsigned Depth,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input  logic clk_i,
  input  logic rst_i,
  // producer
  input  logic push_valid_i,
  output logic push_ready_o,
  // consumer
  output logic pop_valid_o,
  input  logic pop_ready_i
);

  logic [CountW-1:0] count_q;
  logic              push, pop;

  `VDLA_STALL(push_stall)
  `VDLA_STALL(pop_stall)

  assign push_ready_o = count_q != CountW'(Depth) && !push_stall;
  assign pop_valid_o  = count_q != '0 && !pop_stall;
  assign push         = push_valid_i && push_ready_o;
  assign pop          = pop_valid_o && pop_ready_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) count_q <= '0;
    else       count_q <= count_q + CountW'(push) - CountW'(pop);
  end

  `VDLA_ASSERT_INIT(DepthPositive, Depth > 0)
  `VDLA_ASSERT(TokensNeverLost, push |-> count_q != CountW'(Depth))
  `VDLA_COVER(FullAndPushed, push_valid_i && count_q == CountW'(Depth))
  `VDLA_COVER(PushedAndPoppedAtOnce, push && pop)
  `VDLA_ASSERT(PopOnlyWithToken, pop |-> count_q != '0)

`ifdef FORMAL
  `include "vdla_dep_gate.svh"
`endif

endmodule
