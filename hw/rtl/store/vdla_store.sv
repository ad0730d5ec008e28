// SPDX-License-Identifier: Apache-2.0
// The store unit: entries of out to DRAM. One walker asks for bursts (vdla_dma_request), another reads pieces of
// entries; chunks of pieces meet their burst in vdla_store_pack. The next instruction starts while writes of this one
// are still unanswered.

`include "vdla_assert.svh"
`include "vdla_stall.svh"

module vdla_store #(
  parameter  int unsigned BurstBytes,
  parameter  int unsigned Batch,
  parameter  int unsigned BlockIn,
  parameter  int unsigned BlockOut,
  parameter  int unsigned OutDepth,
  localparam int unsigned AddrW      = vdla_pkg::AddrBits,
  localparam int unsigned EntryW     = vdla_isa_pkg::IndexBits,
  localparam int unsigned IndexW     = vdla_pkg::InsnIndexBits,
  localparam int unsigned BurstW     = vdla_pkg::BurstBits,
  localparam int unsigned WindowsW   = vdla_isa_pkg::Windows * vdla_pkg::AddrBits,
  localparam int unsigned ErrorW     = vdla_isa_pkg::ErrorBits,
  localparam int unsigned BeatW      = vdla_pkg::BeatBits,
  localparam int unsigned BeatBytes  = vdla_pkg::BeatBytes,
  localparam int unsigned LenW       = vdla_pkg::LenBits,
  localparam int unsigned OutAW      = $clog2(OutDepth),
  localparam int unsigned OutWidth   = Batch * BlockOut * vdla_pkg::OperandBits
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
  // out buffer: always granted
  output logic                  out_re_o,
  output logic [OutAW-1:0]      out_addr_o,
  input  logic [OutWidth-1:0]   out_i,
  // write bursts and their beats
  output logic                  write_valid_o,
  input  logic                  write_ready_i,
  output logic [AddrW-1:0]      write_addr_o,
  output logic [LenW-1:0]       write_len_o,
  output logic                  write_last_o,
  output logic [IndexW-1:0]     write_insn_o,
  output logic                  beat_valid_o,
  input  logic                  beat_ready_i,
  output logic [BeatW-1:0]      beat_o,
  output logic [BeatBytes-1:0]  beat_strb_o,
  // errors, what happens
  output logic                  err_valid_o,
  output logic [ErrorW-1:0]     err_code_o,
  output logic [IndexW-1:0]     err_insn_o,
  output logic [AddrW-1:0]      err_addr_o,
  output logic                  busy_o
);

  localparam logic        Half      = BlockOut == 4;
  localparam int unsigned PieceBits = OutWidth / Batch;
  localparam int unsigned ChunkBits = Half ? BeatW / 2 : BeatW;
  localparam int unsigned Chunks    = PieceBits / ChunkBits;
  localparam int unsigned ChunkW    = Chunks > 1 ? $clog2(Chunks) : 1;
  localparam int unsigned RowW      = Batch > 1 ? $clog2(Batch) : 1;
  localparam int unsigned RowsW     = vdla_pkg::RowBits;

  // fields of an instruction that the walk over pieces needs
  typedef struct packed {
    logic [IndexW-1:0]                               index;
    logic [vdla_isa_pkg::MemorySramBaseWidth-1:0]    sram_base;
    logic [vdla_isa_pkg::MemoryRunWidth-1:0]         run;
    logic [vdla_isa_pkg::MemoryXCountWidth-1:0]      x_count;
    logic [vdla_isa_pkg::MemoryYCountWidth-1:0]      y_count;
    logic [vdla_isa_pkg::MemoryZCountWidth-1:0]      z_count;
    logic [vdla_isa_pkg::MemoryYSramStrideWidth-1:0] y_stride;
    logic [vdla_isa_pkg::MemoryZSramStrideWidth-1:0] z_stride;
  } reading_t;

  logic     req_ready, wait_ready, wait_valid, take_insn;
  reading_t wait_in, wait_out, at_q;  // at_q: of the instruction that reads

  assign start_ready_o = req_ready && wait_ready;

  // --- bursts ---
  logic              burst_valid, burst_ready, burst_last, window_error;
  logic [AddrW-1:0]  burst_addr, window_error_addr;
  logic [BurstW-1:0] burst_bytes;
  logic [IndexW-1:0] window_error_insn, burst_insn;

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
    .burst_insn_o (burst_insn),
    .err_valid_o  (window_error),
    .err_insn_o   (window_error_insn),
    .err_addr_o   (window_error_addr)
  );

  // --- the walk over pieces ---
  always_comb begin
    wait_in           = '0;
    wait_in.index     = start_index_i;
    wait_in.sram_base = start_insn_i.sram_base;
    wait_in.run       = start_insn_i.run;
    wait_in.x_count   = start_insn_i.x_count;
    wait_in.y_count   = start_insn_i.y_count;
    wait_in.z_count   = start_insn_i.z_count;
    wait_in.y_stride  = start_insn_i.y_sram_stride;
    wait_in.z_stride  = start_insn_i.z_sram_stride;
  end

  vdla_fifo #(
    .Width($bits(wait_in)),
    .Depth(4)
  ) u_waiting (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .valid_i(start_valid_i && start_ready_o),
    .ready_o(wait_ready),
    .data_i (wait_in),
    .valid_o(wait_valid),
    .ready_i(take_insn),
    .data_o (wait_out)
  );

  logic              active_q, walk_last, insn_last, step, in_bounds, space;
  logic [EntryW-1:0] x, y, z, number, entry;  // number: of the piece in its position
  logic [RowsW-1:0]  row;

  `VDLA_STALL(read_stall)

  assign in_bounds  = {1'b0, entry} < (EntryW+1)'(OutDepth);
  assign step       = active_q && in_bounds && space && !halt_i && !read_stall;
  assign insn_last  = step && walk_last;
  assign take_insn  = wait_valid && (!active_q || insn_last) && !halt_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) active_q <= 1'b0;
    else if (take_insn) active_q <= 1'b1;
    else if (insn_last) active_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (take_insn) at_q <= wait_out;
  end

  vdla_walk u_walk (
    .clk_i     (clk_i),
    .load_i    (take_insn),
    .base_i    (wait_out.sram_base),
    .pieces_i  (at_q.run),
    .rows_i    (RowsW'(Batch)),
    .x_count_i (at_q.x_count),
    .y_count_i (at_q.y_count),
    .z_count_i (at_q.z_count),
    .x_stride_i(at_q.run),
    .y_stride_i(at_q.y_stride),
    .z_stride_i(at_q.z_stride),
    .step_i    (step),
    .piece_o   (number),
    .row_o     (row),
    .x_o       (x),
    .y_o       (y),
    .z_o       (z),
    .index_o   (entry),
    .last_o    (walk_last)
  );

  assign out_re_o   = step;
  assign out_addr_o = entry[OutAW-1:0];

  // --- pieces that have been read, cut into chunks ---
  logic                 read_q, piece_valid, piece_pop, chunk_ready, piece_room;
  logic [RowW-1:0]      read_row_q;
  logic [2:0]           pieces_q;   // being read or waiting
  logic [PieceBits-1:0] piece;
  logic [ChunkW-1:0]    chunk_q;
  logic [ChunkBits-1:0] chunk;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      read_q   <= 1'b0;
      pieces_q <= '0;
      chunk_q  <= '0;
    end else begin
      read_q   <= step;
      pieces_q <= pieces_q + {2'd0, step} - {2'd0, piece_pop};
      if (piece_valid && chunk_ready) chunk_q <= piece_pop ? '0 : chunk_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (step) read_row_q <= row[RowW-1:0];
  end

  vdla_fifo #(
    .Width (PieceBits),
    .Depth (4),
    .Stalls(1'b0)
  ) u_pieces (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .valid_i(read_q),
    .ready_o(piece_room),
    .data_i (out_i[read_row_q*PieceBits +: PieceBits]),
    .valid_o(piece_valid),
    .ready_i(piece_pop),
    .data_o (piece)
  );

  assign space     = pieces_q < 3'd3;
  assign piece_pop = piece_valid && chunk_ready && chunk_q == ChunkW'(Chunks - 1);
  assign chunk     = piece[chunk_q*ChunkBits +: ChunkBits];

  vdla_store_pack #(
    .Half(Half)
  ) u_pack (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .burst_valid_i(burst_valid),
    .burst_ready_o(burst_ready),
    .burst_addr_i (burst_addr),
    .burst_bytes_i(burst_bytes),
    .burst_last_i (burst_last),
    .burst_insn_i (burst_insn),
    .chunk_valid_i(piece_valid && !halt_i),
    .chunk_ready_o(chunk_ready),
    .chunk_i      (BeatW'(chunk)),
    .write_valid_o(write_valid_o),
    .write_ready_i(write_ready_i),
    .write_addr_o (write_addr_o),
    .write_len_o  (write_len_o),
    .write_last_o (write_last_o),
    .write_insn_o (write_insn_o),
    .beat_valid_o (beat_valid_o),
    .beat_ready_i (beat_ready_i && !halt_i),
    .beat_o       (beat_o),
    .beat_strb_o  (beat_strb_o)
  );

  logic bounds_error;
  assign bounds_error = active_q && !in_bounds && !halt_i;
  assign err_valid_o  = window_error || bounds_error;
  assign err_code_o   = bounds_error ? vdla_isa_pkg::ErrorSramBounds : vdla_isa_pkg::ErrorWindow;
  assign err_insn_o   = bounds_error ? at_q.index : window_error_insn;
  assign err_addr_o   = bounds_error ? AddrW'(entry) : window_error_addr;
  assign busy_o       = step || (beat_valid_o && beat_ready_i);

  `VDLA_ASSERT(PieceHasRoom, read_q |-> piece_room)

  logic unused;
  assign unused = piece_room ^ (|at_q.sram_base) ^ (|{number, x, y, z}) ^ (|row);

endmodule
