// SPDX-License-Identifier: Apache-2.0
// The buffers that only load writes: wgt, par and uop.

module vdla_load_mem #(
  parameter  int unsigned BlockIn,
  parameter  int unsigned BlockOut,
  parameter  int unsigned WgtDepth,
  parameter  int unsigned ParDepth,
  parameter  int unsigned UopDepth,
  localparam int unsigned WgtAW       = $clog2(WgtDepth),
  localparam int unsigned ParAW       = $clog2(ParDepth),
  localparam int unsigned UopAW       = $clog2(UopDepth),
  localparam int unsigned EntryW      = vdla_isa_pkg::IndexBits,
  localparam int unsigned ChunkW      = vdla_pkg::ChunkBits,
  localparam int unsigned BeatW       = vdla_pkg::BeatBits,
  localparam int unsigned OperandBits = vdla_pkg::OperandBits,
  localparam int unsigned AccBits     = vdla_pkg::AccBits,
  localparam int unsigned WgtWidth    = BlockOut * BlockIn * OperandBits,
  localparam int unsigned ParWidth    = BlockOut * AccBits,
  localparam int unsigned UopWidth    = vdla_isa_pkg::UopBits
) (
  input  logic                clk_i,
  // load
  input  logic                wgt_we_i,
  input  logic                par_we_i,
  input  logic                uop_we_i,
  input  logic                load_fill_i,
  input  logic                load_widen_i,
  input  logic [EntryW-1:0]   load_addr_i,
  input  logic [ChunkW-1:0]   load_chunk_i,
  input  logic [BeatW-1:0]    load_data_i,
  // gemm
  input  logic                wgt_re_i,
  input  logic [WgtAW-1:0]    wgt_addr_i,
  output logic [WgtWidth-1:0] wgt_o,
  input  logic                uop_re_i,
  input  logic [UopAW-1:0]    uop_addr_i,
  output logic [UopWidth-1:0] uop_o,
  // vector
  input  logic                par_re_i,
  input  logic [ParAW-1:0]    par_addr_i,
  output logic [ParWidth-1:0] par_o
);

  localparam int unsigned BeatBytes = vdla_pkg::BeatBytes;
  localparam int unsigned WgtLanes  = WgtWidth / BeatW;
  localparam int unsigned ParLanes  = ParWidth / BeatW;
  // Bytes of a chunk of a widened piece.
  localparam int unsigned WideBytes = BlockOut < BeatBytes ? BlockOut : BeatBytes;
  localparam int unsigned WideLanes = WideBytes * AccBits / BeatW;                  // lanes that it fills
  localparam int unsigned ParWrite  = WideLanes * BeatW;

  logic [WgtLanes-1:0] wgt_lanes;
  logic [ParLanes-1:0] par_lanes;
  logic [ParWrite-1:0] par_data;

  always_comb begin
    wgt_lanes = '0;
    if (wgt_we_i) begin
      if (load_fill_i) wgt_lanes = '1;
      else for (int i = 0; i < WgtLanes; i++) wgt_lanes[i] = load_chunk_i == ChunkW'(i);
    end
    par_lanes = '0;
    par_data  = '0;
    if (par_we_i) begin
      if (load_fill_i) par_lanes = '1;
      else for (int i = 0; i < ParLanes; i++) par_lanes[i] = load_chunk_i == (load_widen_i ? ChunkW'(i / WideLanes) : ChunkW'(i));
      if (load_widen_i) begin
        for (int i = 0; i < WideBytes; i++) par_data[i*AccBits +: AccBits] = AccBits'($signed(load_data_i[i*OperandBits +: OperandBits]));
      end else begin
        par_data = {WideLanes{load_data_i}};
      end
    end
  end

  vdla_ram_1r1w #(
    .Width     (WgtWidth),
    .Depth     (WgtDepth),
    .Lanes     (WgtLanes),
    .WriteWidth(BeatW)
  ) u_wgt (
    .clk_i  (clk_i),
    .we_i   (wgt_lanes),
    .waddr_i(load_addr_i[WgtAW-1:0]),
    .wdata_i(load_data_i),
    .re_i   (wgt_re_i),
    .raddr_i(wgt_addr_i),
    .rdata_o(wgt_o)
  );

  vdla_ram_1r1w #(
    .Width     (ParWidth),
    .Depth     (ParDepth),
    .Lanes     (ParLanes),
    .WriteWidth(ParWrite)
  ) u_par (
    .clk_i  (clk_i),
    .we_i   (par_lanes),
    .waddr_i(load_addr_i[ParAW-1:0]),
    .wdata_i(par_data),
    .re_i   (par_re_i),
    .raddr_i(par_addr_i),
    .rdata_o(par_o)
  );

  vdla_ram_1r1w #(
    .Width(UopWidth),
    .Depth(UopDepth)
  ) u_uop (
    .clk_i  (clk_i),
    .we_i   (uop_we_i),
    .waddr_i(load_addr_i[UopAW-1:0]),
    .wdata_i(load_data_i),
    .re_i   (uop_re_i),
    .raddr_i(uop_addr_i),
    .rdata_o(uop_o)
  );

  logic unused;
  assign unused = ^load_addr_i;

endmodule
