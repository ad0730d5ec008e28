// SPDX-License-Identifier: Apache-2.0
// The load unit: DRAM to SRAM. Two walkers of the same pattern: one asks for bursts (vdla_dma_request), the other
// places chunks and padding into SRAM entries, so that the next instruction's requests go out while data of this one
// arrive.

`include "vdla_assert.svh"
`include "vdla_stall.svh"

module vdla_load #(
  parameter  int unsigned BurstBytes  = 256,
  parameter  int unsigned Batch       = 1,
  parameter  int unsigned BlockIn     = 16,
  parameter  int unsigned BlockOut    = 16,
  parameter  int unsigned InpDepth    = 2048,
  parameter  int unsigned WgtDepth    = 128,
  parameter  int unsigned OutDepth    = 512,
  parameter  int unsigned ParDepth    = 128,
  parameter  int unsigned UopDepth    = 4096,
  parameter  int unsigned Outstanding = 64,
  localparam int unsigned AddrW       = vdla_pkg::AddrBits,
  localparam int unsigned EntryW      = vdla_isa_pkg::IndexBits,
  localparam int unsigned IndexW      = vdla_pkg::InsnIndexBits,
  localparam int unsigned BurstW      = vdla_pkg::BurstBits,
  localparam int unsigned WindowsW    = vdla_isa_pkg::Windows * vdla_pkg::AddrBits,
  localparam int unsigned BeatW       = vdla_pkg::BeatBits,
  localparam int unsigned BeatBytes   = vdla_pkg::BeatBytes,
  localparam int unsigned ByteW       = vdla_pkg::ByteBits,
  localparam int unsigned LenW        = vdla_pkg::LenBits,
  localparam int unsigned ChunkW      = vdla_pkg::ChunkBits
) (
  input  logic                                clk_i,
  input  logic                                rst_i,
  input  logic                                halt_i,
  input  logic [WindowsW-1:0]                 window_base_i,
  input  logic [WindowsW-1:0]                 window_size_i,
  // instruction
  input  logic                                start_valid_i,
  output logic                                start_ready_o,
  input  vdla_isa_pkg::memory_t               start_insn_i,
  input  logic [IndexW-1:0]                   start_index_i,
  output logic                                done_o,
  // read bursts and their beats
  output logic                                read_valid_o,
  input  logic                                read_ready_i,
  output logic [AddrW-1:0]                    read_addr_o,
  output logic [LenW-1:0]                     read_len_o,
  output logic [IndexW-1:0]                   read_insn_o,
  input  logic                                beat_valid_i,
  output logic                                beat_ready_o,
  input  logic [BeatW-1:0]                    beat_i,
  // SRAM: one chunk, or with fill the whole piece that begins at the chunk
  output logic                                write_valid_o,
  output logic [vdla_isa_pkg::BufferBits-1:0] write_buffer_o,
  output logic                                write_widen_o,
  output logic                                write_fill_o,
  output logic [EntryW-1:0]                   write_entry_o,
  output logic [ChunkW-1:0]                   write_chunk_o,  // place in the entry, in chunks of the buffer
  output logic [BeatW-1:0]                    write_data_o,
  // errors, what happens
  output logic                                err_valid_o,
  output logic [vdla_isa_pkg::ErrorBits-1:0]  err_code_o,
  output logic [IndexW-1:0]                   err_insn_o,
  output logic [AddrW-1:0]                    err_addr_o,
  output logic                                busy_o          // a chunk or a padding piece is placed
);

  localparam int unsigned LogBatch = $clog2(Batch);
  localparam int unsigned LogW     = vdla_pkg::PieceLogBits;
  // log2 of the chunks of a piece
  localparam logic [LogW-1:0] ChunksInp = LogW'(BlockIn > BeatBytes ? $clog2(BlockIn) - ByteW : 0);
  localparam logic [LogW-1:0] ChunksOut = LogW'(BlockOut > BeatBytes ? $clog2(BlockOut) - ByteW : 0);
  localparam logic [LogW-1:0] ChunksWgt = LogW'($clog2(BlockIn * BlockOut) - ByteW);
  localparam logic [LogW-1:0] ChunksPar = LogW'($clog2(BlockOut * vdla_pkg::AccBits / 8) - ByteW);

  localparam int unsigned CountW = vdla_isa_pkg::MemoryXCountWidth + 2;  // a position with padding before and behind it
  localparam int unsigned DepthW = EntryW + 1;                           // entries of a buffer
  localparam int unsigned RowW   = vdla_pkg::RowBits;
  localparam int unsigned EndW   = BurstW + ByteW;                       // bytes of a burst and those before it in its first beat

  // fields of an instruction that the receiver needs
  typedef struct packed {
    logic [IndexW-1:0]                               index;
    logic [vdla_isa_pkg::MemoryBufferWidth-1:0]      buffer;
    logic                                            widen;
    logic [vdla_isa_pkg::MemoryPadValueWidth-1:0]    pad_value;
    logic [vdla_isa_pkg::MemorySramBaseWidth-1:0]    sram_base;
    logic [vdla_isa_pkg::MemoryRunWidth-1:0]         run;
    logic [vdla_isa_pkg::MemoryXCountWidth-1:0]      x_count;
    logic [vdla_isa_pkg::MemoryYCountWidth-1:0]      y_count;
    logic [vdla_isa_pkg::MemoryZCountWidth-1:0]      z_count;
    logic [vdla_isa_pkg::MemoryYSramStrideWidth-1:0] y_stride;
    logic [vdla_isa_pkg::MemoryZSramStrideWidth-1:0] z_stride;
    logic [vdla_isa_pkg::MemoryXPadBeforeWidth-1:0]  x_before;
    logic [vdla_isa_pkg::MemoryXPadAfterWidth-1:0]   x_after;
    logic [vdla_isa_pkg::MemoryYPadBeforeWidth-1:0]  y_before;
    logic [vdla_isa_pkg::MemoryYPadAfterWidth-1:0]   y_after;
  } placing_t;

  logic     req_ready, wait_ready, wait_valid, start, take_insn;
  placing_t wait_in, wait_out, at_q;  // at_q: of the instruction that places

  assign start         = start_valid_i && start_ready_o;
  assign start_ready_o = req_ready && wait_ready;

  // --- requests ---
  logic              burst_valid, burst_ready, realign_ready, window_error;
  logic [AddrW-1:0]  burst_addr, window_error_addr;
  logic [BurstW-1:0] burst_bytes;
  logic              burst_last;
  logic [IndexW-1:0] window_error_insn;
  logic [EndW-1:0]   burst_beat_bytes;

  vdla_dma_request #(
    .BurstBytes(BurstBytes),
    .BlockIn   (BlockIn),
    .BlockOut  (BlockOut)
  ) u_request (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .halt_i       (halt_i),
    .window_base_i(window_base_i),
    .window_size_i(window_size_i),
    .start_valid_i(start_valid_i && wait_ready),
    .start_ready_o(req_ready),
    .start_insn_i (start_insn_i),
    .start_index_i(start_index_i),
    .burst_valid_o(burst_valid),
    .burst_ready_i(burst_ready),
    .burst_addr_o (burst_addr),
    .burst_bytes_o(burst_bytes),
    .burst_last_o (burst_last),
    .burst_insn_o (read_insn_o),
    .err_valid_o  (window_error),
    .err_insn_o   (window_error_insn),
    .err_addr_o   (window_error_addr)
  );

  assign burst_beat_bytes = EndW'(burst_bytes) + EndW'(burst_addr[ByteW-1:0]) + EndW'(BeatBytes - 1);
  assign read_valid_o     = burst_valid && realign_ready;
  assign read_addr_o      = {burst_addr[AddrW-1:ByteW], ByteW'(0)};
  assign read_len_o       = LenW'(burst_beat_bytes[EndW-1:ByteW] - BurstW'(1));
  assign burst_ready      = read_ready_i && realign_ready;

  // --- the receiver's instruction ---
  always_comb begin
    wait_in           = '0;
    wait_in.index     = start_index_i;
    wait_in.buffer    = start_insn_i.buffer;
    wait_in.widen     = start_insn_i.widen;
    wait_in.pad_value = start_insn_i.pad_value;
    wait_in.sram_base = start_insn_i.sram_base;
    wait_in.run       = start_insn_i.run;
    wait_in.x_count   = start_insn_i.x_count;
    wait_in.y_count   = start_insn_i.y_count;
    wait_in.z_count   = start_insn_i.z_count;
    wait_in.y_stride  = start_insn_i.y_sram_stride;
    wait_in.z_stride  = start_insn_i.z_sram_stride;
    wait_in.x_before  = start_insn_i.x_pad_before;
    wait_in.x_after   = start_insn_i.x_pad_after;
    wait_in.y_before  = start_insn_i.y_pad_before;
    wait_in.y_after   = start_insn_i.y_pad_after;
  end

  vdla_fifo #(
    .Width($bits(wait_in)),
    .Depth(4)
  ) u_waiting (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .valid_i(start),
    .ready_o(wait_ready),
    .data_i (wait_in),
    .valid_o(wait_valid),
    .ready_i(take_insn),
    .data_o (wait_out)
  );

  always_ff @(posedge clk_i) begin
    if (take_insn) at_q <= wait_out;
  end

  // --- the walk over positions, pieces and chunks ---
  logic              active_q;
  logic [CountW-1:0] x, y, x_total, y_total, x_begin, x_end, y_begin, y_end;  // begin, end: of what comes from DRAM
  logic [EntryW-1:0] z, piece, entry;
  logic [RowW-1:0]   row, rows;
  logic [ChunkW-1:0] chunk_q, chunk_count;
  logic [LogW-1:0]   chunks_log;
  logic              x_pad, y_pad, pad, half, chunk_valid, step, chunk_last, walk_last, insn_last, has_rows;
  logic [BeatW-1:0]  chunk;
  logic              in_bounds;

  always_comb begin
    has_rows   = 1'b0;
    half       = 1'b0;
    in_bounds  = 1'b1;
    case (at_q.buffer)
      vdla_isa_pkg::BufferInp: begin
        chunks_log = ChunksInp;
        half       = BlockIn == 4;
        has_rows   = 1'b1;
        in_bounds  = {1'b0, entry} < DepthW'(InpDepth);
      end
      vdla_isa_pkg::BufferWgt: begin
        chunks_log = ChunksWgt;
        in_bounds  = {1'b0, entry} < DepthW'(WgtDepth);
      end
      vdla_isa_pkg::BufferPar: begin
        chunks_log = at_q.widen ? ChunksOut : ChunksPar;
        half       = at_q.widen && BlockOut == 4;
        in_bounds  = {1'b0, entry} < DepthW'(ParDepth);
      end
      vdla_isa_pkg::BufferUop: begin
        chunks_log = '0;
        in_bounds  = {1'b0, entry} < DepthW'(UopDepth);
      end
      default: begin
        chunks_log = ChunksOut;
        half       = BlockOut == 4;
        has_rows   = 1'b1;
        in_bounds  = {1'b0, entry} < DepthW'(OutDepth);
      end
    endcase
  end

  assign chunk_count = ChunkW'(1) << chunks_log;
  assign rows        = has_rows ? RowW'(Batch) : RowW'(1);
  assign x_begin     = CountW'(at_q.x_before);
  assign y_begin     = CountW'(at_q.y_before);
  assign x_end       = x_begin + CountW'(at_q.x_count);
  assign y_end       = y_begin + CountW'(at_q.y_count);
  assign x_total     = x_end + CountW'(at_q.x_after);
  assign y_total     = y_end + CountW'(at_q.y_after);
  assign x_pad       = x < x_begin || x >= x_end;
  assign y_pad       = y < y_begin || y >= y_end;
  assign pad         = x_pad || y_pad;

  `VDLA_STALL(place_stall)

  assign step       = active_q && in_bounds && (pad || chunk_valid) && !halt_i && !place_stall;
  assign chunk_last = pad || chunk_q == chunk_count - ChunkW'(1);
  assign insn_last  = step && chunk_last && walk_last;
  assign take_insn  = wait_valid && (!active_q || insn_last) && !halt_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) active_q <= 1'b0;
    else if (take_insn) active_q <= 1'b1;
    else if (insn_last) active_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (take_insn) chunk_q <= '0;
    else if (step) chunk_q <= chunk_last ? '0 : chunk_q + ChunkW'(1);
  end

  vdla_walk #(
    .CountW(CountW)
  ) u_walk (
    .clk_i     (clk_i),
    .load_i    (take_insn),
    .base_i    (wait_out.sram_base),
    .pieces_i  (at_q.run),
    .rows_i    (rows),
    .x_count_i (x_total),
    .y_count_i (y_total),
    .z_count_i (at_q.z_count),
    .x_stride_i(at_q.run),
    .y_stride_i(at_q.y_stride),
    .z_stride_i(at_q.z_stride),
    .step_i    (step && chunk_last),
    .piece_o   (piece),
    .row_o     (row),
    .x_o       (x),
    .y_o       (y),
    .z_o       (z),
    .index_o   (entry),
    .last_o    (walk_last)
  );

  vdla_load_realign #(
    .Bursts(Outstanding)
  ) u_realign (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .burst_valid_i(read_valid_o && read_ready_i),
    .burst_ready_o(realign_ready),
    .burst_first_i(burst_addr[ByteW-1:0]),
    .burst_bytes_i(burst_bytes),
    .beat_valid_i (beat_valid_i),
    .beat_ready_o (beat_ready_o),
    .beat_i       (beat_i),
    .half_i       (half),
    .chunk_valid_o(chunk_valid),
    .chunk_ready_i(active_q && !pad && in_bounds && !halt_i && !place_stall),
    .chunk_o      (chunk)
  );

  assign write_valid_o  = step;
  assign write_buffer_o = at_q.buffer;
  assign write_widen_o  = at_q.widen;
  assign write_fill_o   = pad;
  assign write_entry_o  = entry;
  assign write_chunk_o  = has_rows && LogBatch != 0 ? (ChunkW'(row) << chunks_log) + chunk_q : chunk_q;
  assign write_data_o   = pad ? {BeatBytes{at_q.pad_value}} : chunk;
  assign done_o         = insn_last;
  assign busy_o         = step;

  logic bounds_error;
  assign bounds_error = active_q && !in_bounds && !halt_i;
  assign err_valid_o  = window_error || bounds_error;
  assign err_code_o   = bounds_error ? vdla_isa_pkg::ErrorSramBounds : vdla_isa_pkg::ErrorWindow;
  assign err_insn_o   = bounds_error ? at_q.index : window_error_insn;
  assign err_addr_o   = bounds_error ? AddrW'(entry) : window_error_addr;

  logic unused;
  assign unused = burst_last ^ (|burst_beat_bytes[ByteW-1:0]) ^ burst_beat_bytes[EndW-1] ^ (|at_q.sram_base) ^ (|{piece, z});

`ifdef FORMAL
  `include "vdla_load.svh"
`endif

endmodule
