// SPDX-License-Identifier: Apache-2.0
// Turns a stream of chunks of 8 (or 4) bytes into the beats of write bursts: moves bytes to their places in the beat
// and sets strobes. Bytes of a chunk beyond the end of a burst belong to the next one, which continues it.

`include "vdla_assert.svh"
`include "vdla_stall.svh"

module vdla_store_pack #(
  parameter  logic        Half      = 1'b0,  // chunks of half a beat
  localparam int unsigned AddrW     = vdla_pkg::AddrBits,
  localparam int unsigned IndexW    = vdla_pkg::InsnIndexBits,
  localparam int unsigned BurstW    = vdla_pkg::BurstBits,
  localparam int unsigned BeatW     = vdla_pkg::BeatBits,
  localparam int unsigned BeatBytes = vdla_pkg::BeatBytes,
  localparam int unsigned ByteW     = vdla_pkg::ByteBits,
  localparam int unsigned LenW      = vdla_pkg::LenBits
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  // bursts
  input  logic                 burst_valid_i,
  output logic                 burst_ready_o,
  input  logic [AddrW-1:0]     burst_addr_i,
  input  logic [BurstW-1:0]    burst_bytes_i,
  input  logic                 burst_last_i,
  input  logic [IndexW-1:0]    burst_insn_i,
  // chunks
  input  logic                 chunk_valid_i,
  output logic                 chunk_ready_o,
  input  logic [BeatW-1:0]     chunk_i,
  // to the bus: a burst with its first beat
  output logic                 write_valid_o,
  input  logic                 write_ready_i,
  output logic [AddrW-1:0]     write_addr_o,
  output logic [LenW-1:0]      write_len_o,
  output logic                 write_last_o,
  output logic [IndexW-1:0]    write_insn_o,
  output logic                 beat_valid_o,
  input  logic                 beat_ready_i,
  output logic [BeatW-1:0]     beat_o,
  output logic [BeatBytes-1:0] beat_strb_o
);

  localparam int unsigned UsedW    = $clog2(BeatBytes + 1);
  localparam int unsigned FillW    = $clog2(2 * BeatBytes + 1);
  localparam int unsigned MissingW = BurstW + 1;

  localparam logic [FillW-1:0] ChunkBytes = Half ? FillW'(BeatBytes / 2) : FillW'(BeatBytes);

  logic                       active_q, first_q, last_q, load, beat, complete, chunk, final_beat;
  logic [AddrW-1:0]           addr_q;
  logic [BeatW-1:0]           low_q, high_q;
  logic [IndexW-1:0]          insn_q;
  logic [BurstW-1:0]          bytes_q, unsent_q;   // bytes of the burst; not yet sent
  logic signed [MissingW-1:0] missing_q;           // not yet received; negative: bytes of the next burst are here
  logic [ByteW-1:0]           offset, carry_offset;
  logic [FillW-1:0]           fill_q, fill_kept;   // bytes of the buffer that are taken
  logic [UsedW-1:0]           room, used;
  logic [BurstW-1:0]          beats;

  // the beat at hand
  assign offset     = first_q ? addr_q[ByteW-1:0] : '0;
  assign room       = UsedW'(BeatBytes) - UsedW'(offset);
  assign used       = unsent_q < BurstW'(room) ? unsent_q[UsedW-1:0] : room;
  assign complete   = active_q && fill_q >= FillW'(offset) + FillW'(used);
  assign final_beat = unsent_q == BurstW'(used);
  assign beats      = (bytes_q + BurstW'(addr_q[ByteW-1:0]) + BurstW'(BeatBytes - 1)) >> ByteW;

  // the burst goes out with its first beat
  assign write_valid_o = complete && first_q && beat_ready_i;
  assign beat_valid_o  = complete && (!first_q || write_ready_i);
  assign beat          = beat_valid_o && beat_ready_i;
  assign write_addr_o  = {addr_q[AddrW-1:ByteW], ByteW'(0)};
  assign write_len_o   = LenW'(beats - BurstW'(1));
  assign write_last_o  = last_q;
  assign write_insn_o  = insn_q;
  assign beat_o        = low_q;
  assign beat_strb_o   = ({BeatBytes{1'b1}} >> (UsedW'(BeatBytes) - used)) << offset;

  // next burst
  assign burst_ready_o = !active_q || (beat && final_beat);
  assign load          = burst_valid_i && burst_ready_o;

  // the buffer after this cycle's beat; a burst that ends inside a beat leaves nothing behind
  always_comb begin
    fill_kept = fill_q;
    if (beat) fill_kept = fill_q > FillW'(BeatBytes) ? fill_q - FillW'(BeatBytes) : '0;
  end
  `VDLA_STALL(chunk_stall)

  assign carry_offset  = fill_kept == '0 ? burst_addr_i[ByteW-1:0] : '0;
  assign chunk_ready_o = active_q && missing_q > $signed(MissingW'(0)) && fill_kept <= FillW'(BeatBytes) && !chunk_stall;
  assign chunk         = chunk_valid_i && chunk_ready_o;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      active_q <= 1'b0;
      fill_q   <= '0;
    end else begin
      if (load) active_q <= 1'b1;
      else if (beat && final_beat) active_q <= 1'b0;
      fill_q <= fill_kept + (load ? FillW'(carry_offset) : '0) + (chunk ? ChunkBytes : '0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (load) begin
      addr_q    <= burst_addr_i;
      bytes_q   <= burst_bytes_i;
      unsent_q  <= burst_bytes_i;
      missing_q <= $signed(MissingW'(burst_bytes_i)) - $signed(MissingW'(fill_kept));
      last_q    <= burst_last_i;
      insn_q    <= burst_insn_i;
      first_q   <= 1'b1;
    end else begin
      if (beat) begin
        unsent_q <= unsent_q - BurstW'(used);
        first_q  <= 1'b0;
      end
      if (chunk) missing_q <= missing_q - $signed(MissingW'(ChunkBytes));
    end
  end

  logic [BeatW-1:0] low_kept, high_kept, low_mask;
  assign low_kept  = beat ? high_q : low_q;
  assign high_kept = beat ? '0 : high_q;
  assign low_mask  = Half ? BeatW'(chunk_i[BeatW/2-1:0]) : chunk_i;

  always_ff @(posedge clk_i) begin
    // New bytes are put in by or: whatever a reset interrupts must not stay.
    if (rst_i) begin
      low_q  <= '0;
      high_q <= '0;
    end else if (chunk) begin
      low_q  <= fill_kept[ByteW] ? low_kept : (fill_kept[ByteW-1:0] == '0 ? low_mask : low_kept | low_mask << {fill_kept[ByteW-1:0], 3'd0});
      high_q <= fill_kept[ByteW] ? low_mask :
                (fill_kept[ByteW-1:0] == '0 ? '0 : low_mask >> {UsedW'(BeatBytes) - UsedW'(fill_kept[ByteW-1:0]), 3'd0});
    end else if (beat) begin
      low_q  <= low_kept;
      high_q <= high_kept;
    end
  end

  `VDLA_ASSERT(BufferHoldsTwoBeats, fill_q <= FillW'(2 * BeatBytes))
  `VDLA_ASSERT(NoChunkWithNewBurst, !(load && chunk))

`ifdef FORMAL
  `include "vdla_store_pack.svh"
`endif

endmodule
