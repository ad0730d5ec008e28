// SPDX-License-Identifier: Apache-2.0
// The load unit: DRAM to SRAM. Two walkers of the same pattern: one asks for bursts (vdla_dma_request), the other places chunks and
// padding into SRAM entries, so that the next instruction's requests go out while data of this one arrive.

`include "vdla_assert.svh"
`include "vdla_stall.svh"

module vdla_load #(
  parameter  int unsigned Batch       = 1,
  parameter  int unsigned BlockIn     = 16,
  parameter  int unsigned BlockOut    = 16,
  parameter  int unsigned InpDepth    = 2048,
  parameter  int unsigned WgtDepth    = 128,
  parameter  int unsigned OutDepth    = 512,
  parameter  int unsigned ParDepth    = 128,
  parameter  int unsigned UopDepth    = 4096,
  parameter  int unsigned Outstanding = 64,
  localparam int unsigned InsnBits    = vdla_isa_pkg::InsnBits
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                halt_i,
  input  logic [511:0]        window_base_i,
  input  logic [511:0]        window_size_i,
  // instruction
  input  logic                start_valid_i,
  output logic                start_ready_o,
  input  logic [InsnBits-1:0] start_insn_i,
  input  logic [31:0]         start_index_i,
  output logic                done_o,
  // read bursts and their beats
  output logic                read_valid_o,
  input  logic                read_ready_i,
  output logic [63:0]         read_addr_o,
  output logic [7:0]          read_len_o,
  output logic [31:0]         read_insn_o,
  input  logic                beat_valid_i,
  output logic                beat_ready_o,
  input  logic [63:0]         beat_i,
  // SRAM: one chunk, or with fill the whole piece that begins at the chunk
  output logic                write_valid_o,
  output logic [3:0]          write_buffer_o,
  output logic                write_widen_o,
  output logic                write_fill_o,
  output logic [15:0]         write_entry_o,
  output logic [8:0]          write_chunk_o,  // in the entry, in chunks of the buffer
  output logic [63:0]         write_data_o,
  // errors, what happens
  output logic                err_valid_o,
  output logic [3:0]          err_code_o,
  output logic [31:0]         err_insn_o,
  output logic [63:0]         err_addr_o,
  output logic                busy_o          // a chunk or a padding piece is placed
);

  localparam int unsigned LogBatch = $clog2(Batch);
  // log2 of the chunks of a piece
  localparam logic [3:0] ChunksInp = 4'(BlockIn > 8 ? $clog2(BlockIn) - 3 : 0);
  localparam logic [3:0] ChunksOut = 4'(BlockOut > 8 ? $clog2(BlockOut) - 3 : 0);
  localparam logic [3:0] ChunksWgt = 4'($clog2(BlockIn * BlockOut) - 3);
  localparam logic [3:0] ChunksPar = 4'($clog2(BlockOut) - 1);

  // fields that the receiver needs, as they wait
  localparam int unsigned WaitW = 32 + 4 + 1 + 8 + 16 * 11;

  logic             req_ready, wait_ready, wait_valid, start, take_insn;
  logic [WaitW-1:0] wait_in, wait_out;

  assign start         = start_valid_i && start_ready_o;
  assign start_ready_o = req_ready && wait_ready;

  // --- requests ---
  logic        burst_valid, burst_ready, realign_ready, window_error;
  logic [63:0] burst_addr, window_error_addr;
  logic [8:0]  burst_bytes;
  logic        burst_last;
  logic [31:0] window_error_insn;
  logic [11:0] burst_beat_bytes;

  vdla_dma_request #(
    .BlockIn (BlockIn),
    .BlockOut(BlockOut)
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

  assign burst_beat_bytes = {3'd0, burst_bytes} + {9'd0, burst_addr[2:0]} + 12'd7;
  assign read_valid_o     = burst_valid && realign_ready;
  assign read_addr_o      = {burst_addr[63:3], 3'd0};
  assign read_len_o       = 8'(burst_beat_bytes[11:3] - 9'd1);
  assign burst_ready      = read_ready_i && realign_ready;

  // --- the receiver's instruction ---
  assign wait_in = {start_index_i,
                    start_insn_i[vdla_isa_pkg::MemoryBufferLsb +: 4],
                    start_insn_i[vdla_isa_pkg::MemoryWidenLsb],
                    start_insn_i[vdla_isa_pkg::MemoryPadValueLsb +: 8],
                    start_insn_i[vdla_isa_pkg::MemorySramBaseLsb +: 16],
                    start_insn_i[vdla_isa_pkg::MemoryRunLsb +: 16],
                    start_insn_i[vdla_isa_pkg::MemoryXCountLsb +: 16],
                    start_insn_i[vdla_isa_pkg::MemoryYCountLsb +: 16],
                    start_insn_i[vdla_isa_pkg::MemoryZCountLsb +: 16],
                    start_insn_i[vdla_isa_pkg::MemoryYSramStrideLsb +: 16],
                    start_insn_i[vdla_isa_pkg::MemoryZSramStrideLsb +: 16],
                    start_insn_i[vdla_isa_pkg::MemoryXPadBeforeLsb +: 16],
                    start_insn_i[vdla_isa_pkg::MemoryXPadAfterLsb +: 16],
                    start_insn_i[vdla_isa_pkg::MemoryYPadBeforeLsb +: 16],
                    start_insn_i[vdla_isa_pkg::MemoryYPadAfterLsb +: 16]};

  vdla_fifo #(
    .Width(WaitW),
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

  logic        active_q, widen_q;
  logic [31:0] index_q;
  logic [3:0]  buffer_q;
  logic [7:0]  pad_value_q;
  logic [15:0] run_q, x_count_q, y_count_q, z_count_q, y_stride_q, z_stride_q;
  logic [15:0] x_before_q, x_after_q, y_before_q, y_after_q, sram_base_q;

  always_ff @(posedge clk_i) begin
    if (take_insn) begin
      {index_q, buffer_q, widen_q, pad_value_q, sram_base_q, run_q, x_count_q, y_count_q, z_count_q, y_stride_q, z_stride_q,
       x_before_q, x_after_q, y_before_q, y_after_q} <= wait_out;
    end
  end

  // --- the walk over positions, pieces and chunks ---
  logic [17:0] x_q, y_q, x_total, y_total;
  logic [15:0] z_q, piece_q, z_base_q, y_base_q, x_base_q, entry;
  logic [4:0]  row_q, rows;
  logic [8:0]  chunk_q, chunk_count;
  logic [3:0]  chunks_log;
  logic        x_pad, y_pad, pad, half, chunk_valid, step, chunk_last, piece_last, row_last, x_last, y_last, z_last, insn_last, has_rows;
  logic [63:0] chunk;
  logic        in_bounds;

  always_comb begin
    has_rows   = 1'b0;
    half       = 1'b0;
    in_bounds  = 1'b1;
    case (buffer_q)
      vdla_isa_pkg::BufferInp: begin
        chunks_log = ChunksInp;
        half       = BlockIn == 4;
        has_rows   = 1'b1;
        in_bounds  = {1'b0, entry} < 17'(InpDepth);
      end
      vdla_isa_pkg::BufferWgt: begin
        chunks_log = ChunksWgt;
        in_bounds  = {1'b0, entry} < 17'(WgtDepth);
      end
      vdla_isa_pkg::BufferPar: begin
        chunks_log = widen_q ? ChunksOut : ChunksPar;
        half       = widen_q && BlockOut == 4;
        in_bounds  = {1'b0, entry} < 17'(ParDepth);
      end
      vdla_isa_pkg::BufferUop: begin
        chunks_log = '0;
        in_bounds  = {1'b0, entry} < 17'(UopDepth);
      end
      default: begin
        chunks_log = ChunksOut;
        half       = BlockOut == 4;
        has_rows   = 1'b1;
        in_bounds  = {1'b0, entry} < 17'(OutDepth);
      end
    endcase
  end

  assign chunk_count = 9'd1 << chunks_log;
  assign rows        = has_rows ? 5'(Batch) : 5'd1;
  assign x_total     = {2'd0, x_before_q} + {2'd0, x_count_q} + {2'd0, x_after_q};
  assign y_total     = {2'd0, y_before_q} + {2'd0, y_count_q} + {2'd0, y_after_q};
  assign x_pad       = x_q < {2'd0, x_before_q} || x_q >= {2'd0, x_before_q} + {2'd0, x_count_q};
  assign y_pad       = y_q < {2'd0, y_before_q} || y_q >= {2'd0, y_before_q} + {2'd0, y_count_q};
  assign pad         = x_pad || y_pad;
  assign entry       = x_base_q + piece_q;

  `VDLA_STALL(place_stall)

  assign step       = active_q && in_bounds && (pad || chunk_valid) && !halt_i && !place_stall;
  assign chunk_last = pad || chunk_q == chunk_count - 9'd1;
  assign piece_last = chunk_last && piece_q == run_q - 16'd1;
  assign row_last   = row_q == rows - 5'd1;
  assign x_last     = x_q == x_total - 18'd1;
  assign y_last     = y_q == y_total - 18'd1;
  assign z_last     = z_q == z_count_q - 16'd1;
  assign insn_last  = step && piece_last && x_last && y_last && z_last;
  assign take_insn  = wait_valid && (!active_q || insn_last) && !halt_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) active_q <= 1'b0;
    else if (take_insn) active_q <= 1'b1;
    else if (insn_last) active_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (take_insn) begin
      {x_q, y_q, z_q, piece_q, row_q, chunk_q} <= '0;
      x_base_q <= wait_out[10*16 +: 16];
      y_base_q <= wait_out[10*16 +: 16];
      z_base_q <= wait_out[10*16 +: 16];
    end else if (step) begin
      chunk_q <= chunk_last ? '0 : chunk_q + 9'd1;
      if (chunk_last) piece_q <= piece_last ? '0 : piece_q + 16'd1;
      if (piece_last) begin
        if (!x_last) begin
          x_q   <= x_q + 18'd1;
          row_q <= row_last ? '0 : row_q + 5'd1;
          if (row_last) x_base_q <= x_base_q + run_q;
        end else begin
          x_q   <= '0;
          row_q <= '0;
          if (!y_last) begin
            y_q      <= y_q + 18'd1;
            y_base_q <= y_base_q + y_stride_q;
            x_base_q <= y_base_q + y_stride_q;
          end else begin
            y_q      <= '0;
            z_q      <= z_q + 16'd1;
            z_base_q <= z_base_q + z_stride_q;
            y_base_q <= z_base_q + z_stride_q;
            x_base_q <= z_base_q + z_stride_q;
          end
        end
      end
    end
  end

  vdla_load_realign #(
    .Bursts(Outstanding)
  ) u_realign (
    .clk_i        (clk_i),
    .rst_i        (rst_i),
    .burst_valid_i(read_valid_o && read_ready_i),
    .burst_ready_o(realign_ready),
    .burst_first_i(burst_addr[2:0]),
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
  assign write_buffer_o = buffer_q;
  assign write_widen_o  = widen_q;
  assign write_fill_o   = pad;
  assign write_entry_o  = entry;
  assign write_chunk_o  = has_rows && LogBatch != 0 ? ({4'd0, row_q} << chunks_log) + chunk_q : chunk_q;
  assign write_data_o   = pad ? {8{pad_value_q}} : chunk;
  assign done_o         = insn_last;
  assign busy_o         = step;

  logic bounds_error;
  assign bounds_error = active_q && !in_bounds && !halt_i;
  assign err_valid_o  = window_error || bounds_error;
  assign err_code_o   = bounds_error ? vdla_isa_pkg::ErrorSramBounds : vdla_isa_pkg::ErrorWindow;
  assign err_insn_o   = bounds_error ? index_q : window_error_insn;
  assign err_addr_o   = bounds_error ? {48'd0, entry} : window_error_addr;

  logic unused;
  assign unused = burst_last ^ (|burst_beat_bytes[2:0]) ^ burst_beat_bytes[11] ^ (|sram_base_q);

`ifdef FORMAL
  `include "vdla_load.svh"
`endif

endmodule
