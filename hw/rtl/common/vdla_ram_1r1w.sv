// SPDX-License-Identifier: Apache-2.0
// Synchronous memory with one read and one write port; maps on block RAM. A read in the cycle of a write to the same
// entry gives the old value. The word is Lanes lanes that are written apart; lane i takes the part of wdata_i at i *
// LaneWidth modulo WriteWidth, so that a narrow source reaches every lane.

`include "vdla_assert.svh"

module vdla_ram_1r1w #(
  parameter  int unsigned Width,
  parameter  int unsigned Depth,
  parameter  int unsigned Lanes      = 1,
  parameter  int unsigned WriteWidth = Width,
  localparam int unsigned AddrW      = $clog2(Depth),
  localparam int unsigned LaneW      = Width / Lanes
) (
  input  logic                  clk_i,
  // write
  input  logic [Lanes-1:0]      we_i,
  input  logic [AddrW-1:0]      waddr_i,
  input  logic [WriteWidth-1:0] wdata_i,
  // read
  input  logic                  re_i,
  input  logic [AddrW-1:0]      raddr_i,
  output logic [Width-1:0]      rdata_o
);

  logic [Width-1:0] mem [0:Depth-1];

  // One process per lane: synthesis works through a process in time that grows with the square of its lanes. They all
  // write `mem`, which always_ff does not allow.
  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    always @(posedge clk_i) begin
      if (we_i[i]) mem[waddr_i][i*LaneW +: LaneW] <= wdata_i[(i*LaneW) % WriteWidth +: LaneW];
    end
  end

  always_ff @(posedge clk_i) begin
    if (re_i) rdata_o <= mem[raddr_i];
  end

  `VDLA_ASSERT_INIT(LanesFillTheWord, LaneW * Lanes == Width && WriteWidth % LaneW == 0 && Width % WriteWidth == 0)

endmodule
