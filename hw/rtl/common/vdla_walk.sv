// SPDX-License-Identifier: Apache-2.0
// Walks the positions of a memory pattern, x innermost, then y, then z, and the pieces of each position: one each
// cycle. The index of a piece is the base, plus a stride for each position, row and plane that lies before it, plus its
// number in the position, modulo 2^IndexW. Positions that are rows of one batch share their entries: the index moves
// along x with the last of them. No multiplier: each level keeps the index at which it began.

module vdla_walk #(
  parameter  int unsigned CountW  = vdla_isa_pkg::IndexBits,  // bits of x and y, which may have padding around them
  parameter  int unsigned IndexW  = vdla_isa_pkg::IndexBits,
  parameter  int unsigned StrideW = IndexW,
  parameter  int unsigned PieceW  = vdla_isa_pkg::MemoryRunWidth,
  parameter  int unsigned RowW    = vdla_pkg::RowBits,
  localparam int unsigned PlaneW  = vdla_isa_pkg::MemoryZCountWidth
) (
  input  logic               clk_i,
  // begin at the first piece of the first position
  input  logic               load_i,
  input  logic [IndexW-1:0]  base_i,
  // the pattern, from the cycle after the begin to the end; counts are at least 1
  input  logic [PieceW-1:0]  pieces_i,
  input  logic [RowW-1:0]    rows_i,
  input  logic [CountW-1:0]  x_count_i,
  input  logic [CountW-1:0]  y_count_i,
  input  logic [PlaneW-1:0]  z_count_i,
  input  logic [StrideW-1:0] x_stride_i,
  input  logic [StrideW-1:0] y_stride_i,
  input  logic [StrideW-1:0] z_stride_i,
  // go to the next piece
  input  logic               step_i,
  // place of the current piece
  output logic [PieceW-1:0]  piece_o,
  output logic [RowW-1:0]    row_o,
  output logic [CountW-1:0]  x_o,
  output logic [CountW-1:0]  y_o,
  output logic [PlaneW-1:0]  z_o,
  output logic [IndexW-1:0]  index_o,
  output logic               last_o
);

  logic [PieceW-1:0] piece_q;
  logic [RowW-1:0]   row_q;
  logic [CountW-1:0] x_q, y_q;
  logic [PlaneW-1:0] z_q;
  logic [IndexW-1:0] x_begin_q, y_begin_q, z_begin_q;  // index at the begin of this position, row, plane
  logic              piece_last, row_last, x_last, y_last, z_last;

  assign piece_last = piece_q == pieces_i - PieceW'(1);
  assign row_last   = row_q == rows_i - RowW'(1);
  assign x_last     = x_q == x_count_i - CountW'(1);
  assign y_last     = y_q == y_count_i - CountW'(1);
  assign z_last     = z_q == z_count_i - PlaneW'(1);

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      {piece_q, row_q, x_q, y_q, z_q} <= '0;
      x_begin_q <= base_i;
      y_begin_q <= base_i;
      z_begin_q <= base_i;
    end else if (step_i) begin
      piece_q <= piece_last ? '0 : piece_q + PieceW'(1);
      if (piece_last) begin
        if (!x_last) begin
          x_q   <= x_q + CountW'(1);
          row_q <= row_last ? '0 : row_q + RowW'(1);
          if (row_last) x_begin_q <= x_begin_q + IndexW'(x_stride_i);
        end else begin
          x_q   <= '0;
          row_q <= '0;
          if (!y_last) begin
            y_q       <= y_q + CountW'(1);
            y_begin_q <= y_begin_q + IndexW'(y_stride_i);
            x_begin_q <= y_begin_q + IndexW'(y_stride_i);
          end else begin
            y_q       <= '0;
            z_q       <= z_q + PlaneW'(1);
            z_begin_q <= z_begin_q + IndexW'(z_stride_i);
            y_begin_q <= z_begin_q + IndexW'(z_stride_i);
            x_begin_q <= z_begin_q + IndexW'(z_stride_i);
          end
        end
      end
    end
  end

  assign piece_o = piece_q;
  assign row_o   = row_q;
  assign x_o     = x_q;
  assign y_o     = y_q;
  assign z_o     = z_q;
  assign index_o = x_begin_q + IndexW'(piece_q);
  assign last_o  = piece_last && x_last && y_last && z_last;

`ifdef VDLA_CHECK_WALK
  `include "vdla_walk.svh"
`endif

endmodule
