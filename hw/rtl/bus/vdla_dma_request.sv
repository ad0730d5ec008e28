// SPDX-License-Identifier: Apache-2.0
// Turns the DRAM side of a LOAD or STORE into bursts. Walks the runs of bytes of the pattern, one each cycle, checks each against its
// window before anything of it is requested, joins what is contiguous and cuts at 256-byte boundaries (so no burst crosses 4 KiB).

`include "vdla_assert.svh"
`include "vdla_stall.svh"

module vdla_dma_request #(
  parameter  int unsigned BlockIn    = 16,
  parameter  int unsigned BlockOut   = 16,
  localparam int unsigned InsnBits   = vdla_isa_pkg::InsnBits,
  localparam int unsigned BurstBytes = 256
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
  // bursts
  output logic                burst_valid_o,
  input  logic                burst_ready_i,
  output logic [63:0]         burst_addr_o,
  output logic [8:0]          burst_bytes_o,
  output logic                burst_last_o,   // of its instruction
  output logic [31:0]         burst_insn_o,
  // error
  output logic                err_valid_o,
  output logic [31:0]         err_insn_o,
  output logic [63:0]         err_addr_o
);

  localparam int unsigned LogIn    = $clog2(BlockIn);
  localparam int unsigned LogOut   = $clog2(BlockOut);
  localparam logic [3:0]  PieceInp = 4'(LogIn);
  localparam logic [3:0]  PieceWgt = 4'(LogIn + LogOut);
  localparam logic [3:0]  PieceOut = 4'(LogOut);
  localparam logic [3:0]  PiecePar = 4'(LogOut + 2);
  localparam logic [3:0]  PieceUop = 4'd3;

  // --- the walk: x, y, z of the part that comes from DRAM ---
  logic        walk_q;
  logic [31:0] index_q;
  logic [63:0] base_q, size_q;
  logic [15:0] x_count_q, y_count_q, z_count_q, x_q, y_q, z_q;
  logic [31:0] x_stride_q, y_stride_q, z_stride_q;
  logic [47:0] x_offset_q, y_offset_q, z_offset_q;
  logic [27:0] run_bytes_q;

  logic [3:0]  piece_log;
  logic [63:0] run_end;
  logic        x_last, y_last, z_last, walk_step, in_range, start, empty_pattern;
  logic [2:0]  window;
  logic [15:0] run;

  always_comb begin
    case (start_insn_i[vdla_isa_pkg::MemoryBufferLsb +: vdla_isa_pkg::MemoryBufferWidth])
      vdla_isa_pkg::BufferInp: piece_log = PieceInp;
      vdla_isa_pkg::BufferWgt: piece_log = PieceWgt;
      vdla_isa_pkg::BufferPar: piece_log = start_insn_i[vdla_isa_pkg::MemoryWidenLsb] ? PieceOut : PiecePar;
      vdla_isa_pkg::BufferUop: piece_log = PieceUop;
      default:                 piece_log = PieceOut;
    endcase
  end

  assign window        = start_insn_i[vdla_isa_pkg::MemoryWindowLsb +: 3];
  assign run           = start_insn_i[vdla_isa_pkg::MemoryRunLsb +: vdla_isa_pkg::MemoryRunWidth];
  assign empty_pattern = start_insn_i[vdla_isa_pkg::MemoryXCountLsb +: vdla_isa_pkg::MemoryXCountWidth] == 16'd0 ||
                         start_insn_i[vdla_isa_pkg::MemoryYCountLsb +: vdla_isa_pkg::MemoryYCountWidth] == 16'd0;
  assign start         = start_valid_i && start_ready_o;

  assign x_last  = x_q == x_count_q - 16'd1;
  assign y_last  = y_q == y_count_q - 16'd1;
  assign z_last  = z_q == z_count_q - 16'd1;
  assign run_end = {16'd0, x_offset_q} + {36'd0, run_bytes_q};
  assign in_range  = run_end <= size_q;

  assign err_valid_o = walk_q && !in_range && !halt_i;
  assign err_insn_o  = index_q;
  assign err_addr_o  = {16'd0, x_offset_q};

  always_ff @(posedge clk_i) begin
    if (start) begin
      index_q     <= start_index_i;
      base_q      <= window_base_i[{window, 6'd0} +: 64];
      size_q      <= window_size_i[{window, 6'd0} +: 64];
      run_bytes_q <= {12'd0, run} << piece_log;
      x_count_q   <= start_insn_i[vdla_isa_pkg::MemoryXCountLsb +: vdla_isa_pkg::MemoryXCountWidth];
      y_count_q   <= start_insn_i[vdla_isa_pkg::MemoryYCountLsb +: vdla_isa_pkg::MemoryYCountWidth];
      z_count_q   <= start_insn_i[vdla_isa_pkg::MemoryZCountLsb +: vdla_isa_pkg::MemoryZCountWidth];
      x_stride_q  <= start_insn_i[vdla_isa_pkg::MemoryXDramStrideLsb +: vdla_isa_pkg::MemoryXDramStrideWidth];
      y_stride_q  <= start_insn_i[vdla_isa_pkg::MemoryYDramStrideLsb +: vdla_isa_pkg::MemoryYDramStrideWidth];
      z_stride_q  <= start_insn_i[vdla_isa_pkg::MemoryZDramStrideLsb +: vdla_isa_pkg::MemoryZDramStrideWidth];
      x_q         <= '0;
      y_q         <= '0;
      z_q         <= '0;
      x_offset_q  <= start_insn_i[vdla_isa_pkg::MemoryDramOffsetLsb +: vdla_isa_pkg::MemoryDramOffsetWidth];
      y_offset_q  <= start_insn_i[vdla_isa_pkg::MemoryDramOffsetLsb +: vdla_isa_pkg::MemoryDramOffsetWidth];
      z_offset_q  <= start_insn_i[vdla_isa_pkg::MemoryDramOffsetLsb +: vdla_isa_pkg::MemoryDramOffsetWidth];
    end else if (walk_step) begin
      if (!x_last) begin
        x_q        <= x_q + 16'd1;
        x_offset_q <= x_offset_q + {16'd0, x_stride_q};
      end else if (!y_last) begin
        x_q        <= '0;
        y_q        <= y_q + 16'd1;
        x_offset_q <= y_offset_q + {16'd0, y_stride_q};
        y_offset_q <= y_offset_q + {16'd0, y_stride_q};
      end else begin
        x_q        <= '0;
        y_q        <= '0;
        z_q        <= z_q + 16'd1;
        x_offset_q <= z_offset_q + {16'd0, z_stride_q};
        y_offset_q <= z_offset_q + {16'd0, z_stride_q};
        z_offset_q <= z_offset_q + {16'd0, z_stride_q};
      end
    end
  end

  // --- cut and join: the run at hand, the burst that grows ---
  logic        run_valid_q, grow_valid_q, pieces_left, joins, emit, take, fifo_ready;
  logic [63:0] run_addr_q, grow_addr_q, grow_end_q;
  logic [27:0] run_left_q;
  logic [8:0]  grow_bytes_q, room, part;
  logic        run_done;

  `VDLA_STALL(walk_stall)

  assign room        = 9'(BurstBytes) - {1'b0, run_addr_q[7:0]};
  assign part        = run_left_q < {19'd0, room} ? run_left_q[8:0] : room;
  assign run_done    = run_left_q == {19'd0, part};
  assign joins       = grow_valid_q && grow_end_q == run_addr_q && run_addr_q[7:0] != 8'd0;
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
      else if (walk_step && x_last && y_last && z_last) walk_q <= 1'b0;
      if (walk_step) run_valid_q <= 1'b1;
      else if (take && run_done) run_valid_q <= 1'b0;
      if (take) grow_valid_q <= 1'b1;
      else if (emit && fifo_ready) grow_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (walk_step) begin
      run_addr_q <= base_q + {16'd0, x_offset_q};
      run_left_q <= run_bytes_q;
    end else if (take) begin
      run_addr_q <= run_addr_q + {55'd0, part};
      run_left_q <= run_left_q - {19'd0, part};
    end
    if (take) begin
      grow_end_q <= run_addr_q + {55'd0, part};
      if (joins) begin
        grow_bytes_q <= grow_bytes_q + part;
      end else begin
        grow_addr_q  <= run_addr_q;
        grow_bytes_q <= part;
      end
    end
  end

  vdla_fifo #(
    .Width(32 + 64 + 9 + 1),
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

  `VDLA_ASSERT(BurstInsideBlock, emit |-> {2'd0, grow_addr_q[7:0]} + {1'b0, grow_bytes_q} <= 10'(BurstBytes))

`ifdef FORMAL
  `include "vdla_dma_request.svh"
`endif

endmodule
