// SPDX-License-Identifier: Apache-2.0
// A buffer of int8 entries (inp, out): one read port shared by a first and a second reader, one write port shared by
// load (first, chunks or whole rows) and the vector unit (whole entries).

`include "vdla_stall.svh"

module vdla_byte_mem #(
  parameter  int unsigned Rows,
  parameter  int unsigned RowBytes,
  parameter  int unsigned Depth,
  localparam int unsigned AddrW       = $clog2(Depth),
  localparam int unsigned OperandBits = vdla_pkg::OperandBits,
  localparam int unsigned BeatW       = vdla_pkg::BeatBits,
  localparam int unsigned ChunkW      = vdla_pkg::ChunkBits,
  localparam int unsigned Width       = Rows * RowBytes * OperandBits,
  localparam int unsigned Chunk       = RowBytes < vdla_pkg::BeatBytes ? RowBytes : vdla_pkg::BeatBytes,
  localparam int unsigned PerRow      = RowBytes / Chunk,
  localparam int unsigned Lanes       = Rows * PerRow
) (
  input  logic              clk_i,
  // first reader: always granted
  input  logic              first_re_i,
  input  logic [AddrW-1:0]  first_addr_i,
  // second reader
  output logic              second_grant_o,
  input  logic              second_re_i,
  input  logic [AddrW-1:0]  second_addr_i,
  output logic [Width-1:0]  rdata_o,
  // load: always granted
  input  logic              load_we_i,
  input  logic              load_fill_i,
  input  logic [AddrW-1:0]  load_addr_i,
  input  logic [ChunkW-1:0] load_chunk_i,
  input  logic [BeatW-1:0]  load_data_i,
  // vector
  output logic              vector_grant_o,
  input  logic              vector_we_i,
  input  logic [AddrW-1:0]  vector_addr_i,
  input  logic [Width-1:0]  vector_data_i
);

  logic [Lanes-1:0] load_lanes;

  always_comb begin
    load_lanes = '0;
    if (load_we_i) begin
      for (int i = 0; i < Lanes; i++) begin
        load_lanes[i] = load_fill_i ? load_chunk_i / ChunkW'(PerRow) == ChunkW'(i / PerRow) : load_chunk_i == ChunkW'(i);
      end
    end
  end

  `VDLA_STALL(second_stall)
  `VDLA_STALL(vector_stall)

  assign second_grant_o = !first_re_i && !second_stall;
  assign vector_grant_o = !load_we_i && !vector_stall;

  vdla_ram_1r1w #(
    .Width(Width),
    .Depth(Depth),
    .Lanes(Lanes)
  ) u_ram (
    .clk_i  (clk_i),
    .we_i   (load_we_i ? load_lanes : {Lanes{vector_we_i}}),
    .waddr_i(load_we_i ? load_addr_i : vector_addr_i),
    .wdata_i(load_we_i ? {Lanes{load_data_i[Chunk*OperandBits-1:0]}} : vector_data_i),
    .re_i   (first_re_i || second_re_i),
    .raddr_i(first_re_i ? first_addr_i : second_addr_i),
    .rdata_o(rdata_o)
  );

  logic unused;
  assign unused = ^load_data_i;

endmodule
