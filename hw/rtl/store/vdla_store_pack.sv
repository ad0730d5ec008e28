// SPDX-License-Identifier: Apache-2.0
// Turns a stream of chunks of 8 (or 4) bytes into the beats of write bursts: moves bytes to their places in the beat and sets strobes.
// Bytes of a chunk beyond the end of a burst belong to the next one, which continues it.

`include "vdla_assert.svh"
`include "vdla_stall.svh"

module vdla_store_pack #(
  parameter logic Half = 1'b0  // chunks of 4 bytes
) (
  input  logic        clk_i,
  input  logic        rst_i,
  // bursts
  input  logic        burst_valid_i,
  output logic        burst_ready_o,
  input  logic [63:0] burst_addr_i,
  input  logic [8:0]  burst_bytes_i,
  input  logic        burst_last_i,
  input  logic [31:0] burst_insn_i,
  // chunks
  input  logic        chunk_valid_i,
  output logic        chunk_ready_o,
  input  logic [63:0] chunk_i,
  // to the bus: a burst with its first beat
  output logic        write_valid_o,
  input  logic        write_ready_i,
  output logic [63:0] write_addr_o,
  output logic [7:0]  write_len_o,
  output logic        write_last_o,
  output logic [31:0] write_insn_o,
  output logic        beat_valid_o,
  input  logic        beat_ready_i,
  output logic [63:0] beat_o,
  output logic [7:0]  beat_strb_o
);

  localparam logic [4:0] ChunkBytes = Half ? 5'd4 : 5'd8;

  logic        active_q, first_q, last_q, load, beat, complete, chunk, final_beat;
  logic [63:0] addr_q, low_q, high_q;
  logic [31:0] insn_q;
  logic [8:0]  bytes_q, unsent_q;       // of the burst; not yet sent
  logic signed [9:0] missing_q;         // not yet received; negative: bytes of the next burst are here
  logic [2:0]  offset, carry_offset;
  logic [4:0]  fill_q, fill_kept;       // bytes of the buffer that are taken
  logic [3:0]  room, used;
  logic [8:0]  beats;

  // the beat at hand
  assign offset     = first_q ? addr_q[2:0] : 3'd0;
  assign room       = 4'd8 - {1'b0, offset};
  assign used       = unsent_q < {5'd0, room} ? unsent_q[3:0] : room;
  assign complete   = active_q && fill_q >= {2'd0, offset} + {1'b0, used};
  assign final_beat = unsent_q == {5'd0, used};
  assign beats      = (bytes_q + {6'd0, addr_q[2:0]} + 9'd7) >> 3;

  // the burst goes out with its first beat
  assign write_valid_o = complete && first_q && beat_ready_i;
  assign beat_valid_o  = complete && (!first_q || write_ready_i);
  assign beat          = beat_valid_o && beat_ready_i;
  assign write_addr_o  = {addr_q[63:3], 3'd0};
  assign write_len_o   = 8'(beats - 9'd1);
  assign write_last_o  = last_q;
  assign write_insn_o  = insn_q;
  assign beat_o        = low_q;
  assign beat_strb_o   = (8'hff >> (4'd8 - used)) << offset;

  // next burst
  assign burst_ready_o = !active_q || (beat && final_beat);
  assign load          = burst_valid_i && burst_ready_o;

  // the buffer after this cycle's beat; a burst that ends inside a beat leaves nothing behind
  always_comb begin
    fill_kept = fill_q;
    if (beat) fill_kept = fill_q > 5'd8 ? fill_q - 5'd8 : 5'd0;
  end
  `VDLA_STALL(chunk_stall)

  assign carry_offset  = fill_kept == 5'd0 ? burst_addr_i[2:0] : 3'd0;
  assign chunk_ready_o = active_q && missing_q > 10'sd0 && fill_kept <= 5'd8 && !chunk_stall;
  assign chunk         = chunk_valid_i && chunk_ready_o;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      active_q <= 1'b0;
      fill_q   <= '0;
    end else begin
      if (load) active_q <= 1'b1;
      else if (beat && final_beat) active_q <= 1'b0;
      fill_q <= fill_kept + (load ? {2'd0, carry_offset} : 5'd0) + (chunk ? ChunkBytes : 5'd0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (load) begin
      addr_q    <= burst_addr_i;
      bytes_q   <= burst_bytes_i;
      unsent_q  <= burst_bytes_i;
      missing_q <= $signed({1'b0, burst_bytes_i}) - $signed({5'd0, fill_kept});
      last_q    <= burst_last_i;
      insn_q    <= burst_insn_i;
      first_q   <= 1'b1;
    end else begin
      if (beat) begin
        unsent_q <= unsent_q - {5'd0, used};
        first_q  <= 1'b0;
      end
      if (chunk) missing_q <= missing_q - $signed({5'd0, ChunkBytes});
    end
  end

  logic [63:0] low_kept, high_kept, low_mask;
  assign low_kept  = beat ? high_q : low_q;
  assign high_kept = beat ? '0 : high_q;
  assign low_mask  = Half ? {32'd0, chunk_i[31:0]} : chunk_i;

  always_ff @(posedge clk_i) begin
    // New bytes are put in by or: whatever a reset interrupts must not stay.
    if (rst_i) begin
      low_q  <= '0;
      high_q <= '0;
    end else if (chunk) begin
      low_q  <= fill_kept[3] ? low_kept : (fill_kept[2:0] == 3'd0 ? low_mask : low_kept | low_mask << {fill_kept[2:0], 3'd0});
      high_q <= fill_kept[3] ? low_mask : (fill_kept[2:0] == 3'd0 ? '0 : low_mask >> {4'd8 - {1'b0, fill_kept[2:0]}, 3'd0});
    end else if (beat) begin
      low_q  <= low_kept;
      high_q <= high_kept;
    end
  end

  `VDLA_ASSERT(BufferHoldsTwoBeats, fill_q <= 5'd16)
  `VDLA_ASSERT(NoChunkWithNewBurst, !(load && chunk))

`ifdef FORMAL
  `include "vdla_store_pack.svh"
`endif

endmodule
