// SPDX-License-Identifier: Apache-2.0
// Turns the DRAM side of a LOAD or STORE into bursts. Walks the runs of bytes of the pattern, one each cycle, checks
// each against its window before anything of it is requested, joins what is contiguous and cuts at multiples of
// BurstBytes (so no burst crosses 4 KiB).

`include "vdla_assert.svh"
`include "vdla_stall.svh"

module vdla_dma_request #(
  parameter  int unsigned BurstBytes = 256,
  parameter  int unsigned BlockIn    = 16,
  parameter  int unsigned BlockOut   = 16,
  localparam int unsigned AddrW      = vdla_pkg::AddrBits,
  localparam int unsigned IndexW     = vdla_pkg::InsnIndexBits,
  localparam int unsigned WindowsW   = vdla_isa_pkg::Windows * vdla_pkg::AddrBits,
  localparam int unsigned BurstW     = vdla_pkg::BurstBits,
  localparam int unsigned BlockW     = $clog2(BurstBytes)
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic                  halt_i,
  input  logic [WindowsW-1:0]   window_base_i,
  input  logic [WindowsW-1:0]   window_size_i,
  // instruction
  input  logic                  start_valid_i,
  output logic                  start_ready_o,
  input  vdla_isa_pkg::memory_t start_insn_i,
  input  logic [IndexW-1:0]     start_index_i,
  // bursts
  output logic                  burst_valid_o,
  input  logic                  burst_ready_i,
  output logic [AddrW-1:0]      burst_addr_o,
  output logic [BurstW-1:0]     burst_bytes_o,
  output logic                  burst_last_o,   // last burst of its instruction
  output logic [IndexW-1:0]     burst_insn_o,
  // error
  output logic                  err_valid_o,
  output logic [IndexW-1:0]     err_insn_o,
  output logic [AddrW-1:0]      err_addr_o
);

  localparam int unsigned CountW  = vdla_isa_pkg::MemoryXCountWidth;
  localparam int unsigned StrideW = vdla_isa_pkg::MemoryXDramStrideWidth;
  localparam int unsigned OffsetW = vdla_isa_pkg::MemoryDramOffsetWidth;
  // Bits of a legal instruction's window.
  localparam int unsigned WindowW = $clog2(vdla_isa_pkg::Windows);
  localparam int unsigned RunW    = vdla_isa_pkg::MemoryRunWidth + vdla_pkg::EntryByteBits;  // bytes of a run

  localparam int unsigned     LogW     = vdla_pkg::PieceLogBits;
  localparam int unsigned     LogIn    = $clog2(BlockIn);
  localparam int unsigned     LogOut   = $clog2(BlockOut);
  localparam logic [LogW-1:0] PieceInp = LogW'(LogIn);
  localparam logic [LogW-1:0] PieceWgt = LogW'(LogIn + LogOut);
  localparam logic [LogW-1:0] PieceOut = LogW'(LogOut);
  localparam logic [LogW-1:0] PiecePar = LogW'(LogOut + $clog2(vdla_pkg::AccBits / 8));
  localparam logic [LogW-1:0] PieceUop = LogW'($clog2(vdla_isa_pkg::UopBytes));

  // --- the walk: x, y, z of the part that comes from DRAM ---
  logic               walk_q;
  logic [IndexW-1:0]  index_q;
  logic [AddrW-1:0]   base_q, size_q;
  logic [CountW-1:0]  x_count_q, y_count_q, z_count_q, x, y, z;
  logic [StrideW-1:0] x_stride_q, y_stride_q, z_stride_q;
  logic [OffsetW-1:0] offset;                    // offset of the run at x, y, z
  logic [RunW-1:0]    run_bytes_q;

  logic [LogW-1:0]    piece_log;
  logic [AddrW-1:0]   run_end;
  logic               walk_last, walk_step, in_range, start, empty_pattern;
  logic [WindowW-1:0] window;

  always_comb begin
    case (start_insn_i.buffer)
      vdla_isa_pkg::BufferInp: piece_log = PieceInp;
      vdla_isa_pkg::BufferWgt: piece_log = PieceWgt;
      vdla_isa_pkg::BufferPar: piece_log = start_insn_i.widen ? PieceOut : PiecePar;
      vdla_isa_pkg::BufferUop: piece_log = PieceUop;
      default:                 piece_log = PieceOut;
    endcase
  end

  assign window        = start_insn_i.window[WindowW-1:0];
  assign empty_pattern = start_insn_i.x_count == '0 || start_insn_i.y_count == '0;
  assign start         = start_valid_i && start_ready_o;
  assign run_end       = AddrW'(offset) + AddrW'(run_bytes_q);
  assign in_range      = run_end <= size_q;

  assign err_valid_o = walk_q && !in_range && !halt_i;
  assign err_insn_o  = index_q;
  assign err_addr_o  = AddrW'(offset);

  always_ff @(posedge clk_i) begin
    if (start) begin
      index_q     <= start_index_i;
      base_q      <= window_base_i[window*AddrW +: AddrW];
      size_q      <= window_size_i[window*AddrW +: AddrW];
      run_bytes_q <= RunW'(start_insn_i.run) << piece_log;
      x_count_q   <= start_insn_i.x_count;
      y_count_q   <= start_insn_i.y_count;
      z_count_q   <= start_insn_i.z_count;
      x_stride_q  <= start_insn_i.x_dram_stride;
      y_stride_q  <= start_insn_i.y_dram_stride;
      z_stride_q  <= start_insn_i.z_dram_stride;
    end
  end

  // each position is a run of bytes: one piece
  logic piece, row;

  vdla_walk #(
    .CountW (CountW),
    .IndexW (OffsetW),
    .StrideW(StrideW),
    .PieceW (1),
    .RowW   (1)
  ) u_walk (
    .clk_i     (clk_i),
    .load_i    (start),
    .base_i    (start_insn_i.dram_offset),
    .pieces_i  (1'b1),
    .rows_i    (1'b1),
    .x_count_i (x_count_q),
    .y_count_i (y_count_q),
    .z_count_i (z_count_q),
    .x_stride_i(x_stride_q),
    .y_stride_i(y_stride_q),
    .z_stride_i(z_stride_q),
    .step_i    (walk_step),
    .piece_o   (piece),
    .row_o     (row),
    .x_o       (x),
    .y_o       (y),
    .z_o       (z),
    .index_o   (offset),
    .last_o    (walk_last)
  );

  // --- cut and join: the run at hand, the burst that grows ---
  logic              run_valid_q, grow_valid_q, pieces_left, joins, emit, take, fifo_ready;
  logic [AddrW-1:0]  run_addr_q, grow_addr_q, grow_end_q;
  logic [RunW-1:0]   run_left_q;
  logic [BurstW-1:0] grow_bytes_q, room, part;
  logic              run_done;

  `VDLA_STALL(walk_stall)

  assign room        = BurstW'(BurstBytes) - BurstW'(run_addr_q[BlockW-1:0]);
  assign part        = run_left_q < RunW'(room) ? run_left_q[BurstW-1:0] : room;
  assign run_done    = run_left_q == RunW'(part);
  assign joins       = grow_valid_q && grow_end_q == run_addr_q && run_addr_q[BlockW-1:0] != '0;
  assign pieces_left = run_valid_q || walk_q;
  // The growing burst leaves when a part comes that does not join it, or nothing more can come.
  assign emit        = grow_valid_q && ((run_valid_q && !joins) || !pieces_left) && !halt_i;
  assign take        = run_valid_q && (joins || !grow_valid_q || fifo_ready) && !halt_i;
  assign walk_step   = walk_q && in_range && !halt_i && !walk_stall && (!run_valid_q || (take && run_done));

  assign start_ready_o = !walk_q && !run_valid_q && !grow_valid_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      walk_q       <= 1'b0;
      run_valid_q  <= 1'b0;
      grow_valid_q <= 1'b0;
    end else begin
      if (start) walk_q <= !empty_pattern;
      else if (walk_step && walk_last) walk_q <= 1'b0;
      if (walk_step) run_valid_q <= 1'b1;
      else if (take && run_done) run_valid_q <= 1'b0;
      if (take) grow_valid_q <= 1'b1;
      else if (emit && fifo_ready) grow_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (walk_step) begin
      run_addr_q <= base_q + AddrW'(offset);
      run_left_q <= run_bytes_q;
    end else if (take) begin
      run_addr_q <= run_addr_q + AddrW'(part);
      run_left_q <= run_left_q - RunW'(part);
    end
    if (take) begin
      grow_end_q <= run_addr_q + AddrW'(part);
      if (joins) begin
        grow_bytes_q <= grow_bytes_q + part;
      end else begin
        grow_addr_q  <= run_addr_q;
        grow_bytes_q <= part;
      end
    end
  end

  vdla_fifo #(
    .Width(IndexW + AddrW + BurstW + 1),
    .Depth(4)
  ) u_bursts (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .valid_i(emit),
    .ready_o(fifo_ready),
    .data_i ({index_q, grow_addr_q, grow_bytes_q, !pieces_left}),
    .valid_o(burst_valid_o),
    .ready_i(burst_ready_i),
    .data_o ({burst_insn_o, burst_addr_o, burst_bytes_o, burst_last_o})
  );

  `VDLA_ASSERT(BurstInsideBlock, emit |-> (BurstW+1)'(grow_addr_q[BlockW-1:0]) + {1'b0, grow_bytes_q} <= (BurstW+1)'(BurstBytes))

  logic unused;
  assign unused = (^start_insn_i) ^ (^{piece, row, x, y, z});  // fields of others

`ifdef FORMAL
  `include "vdla_dma_request.svh"
`endif

endmodule
