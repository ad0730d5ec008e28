// SPDX-License-Identifier: Apache-2.0
// First-in first-out queue. A word pushed in one cycle can be popped from the next on; data_o is the oldest word, from
// a register.

`include "vdla_assert.svh"
`include "vdla_stall.svh"

module vdla_fifo #(
  parameter  int unsigned Width,
  parameter  int unsigned Depth,  // a power of two
  parameter  logic        Stalls = 1'b1,  // a test may hold the input back
  localparam int unsigned AddrW  = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic             rst_i,
  // input port
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  // output port
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);

  logic [Width-1:0] mem [0:Depth-1];
  logic [Width-1:0] data_q;
  logic [AddrW:0]   count_q;
  logic [AddrW-1:0] head_q, tail_q;
  logic [AddrW-1:0] second;
  logic             push, pop, single;

  `VDLA_STALL(stall)

  assign ready_o = !count_q[AddrW] && !(Stalls && stall);
  assign valid_o = count_q != '0;
  assign data_o  = data_q;
  assign single  = count_q == (AddrW+1)'(1);
  assign second  = head_q + 1'b1;
  assign push    = valid_i && ready_o;
  assign pop     = valid_o && ready_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      count_q <= '0;
      head_q  <= '0;
      tail_q  <= '0;
    end else begin
      if (push) tail_q <= tail_q + 1'b1;
      if (pop) head_q <= head_q + 1'b1;
      if (push && !pop) count_q <= count_q + 1'b1;
      if (pop && !push) count_q <= count_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) mem[tail_q] <= data_i;
    if (pop && !single) data_q <= mem[second];
    else if (push && (pop || !valid_o)) data_q <= data_i;
  end

  `VDLA_ASSERT_INIT(DepthIsPowerOfTwo, Depth >= 2 && (1 << AddrW) == Depth)
  `VDLA_ASSERT(CountInRange, 32'(count_q) <= Depth)

`ifdef FORMAL
  `include "vdla_fifo.svh"
`endif

endmodule
