// SPDX-License-Identifier: Apache-2.0
// Turns the beats of read bursts into a stream of chunks of 8 (or 4) consecutive bytes: drops what lies outside the
// bursts' bytes and closes the gaps. A chunk can leave in every cycle; a beat that arrives in one cycle can leave in
// the next.

`include "vdla_assert.svh"
`include "vdla_stall.svh"

module vdla_load_realign #(
  parameter  int unsigned Bursts    = 64,  // bursts that may be on their way; a power of two
  localparam int unsigned BurstW    = vdla_pkg::BurstBits,
  localparam int unsigned BeatW     = vdla_pkg::BeatBits,
  localparam int unsigned BeatBytes = vdla_pkg::BeatBytes,
  localparam int unsigned ByteW     = vdla_pkg::ByteBits
) (
  input  logic              clk_i,
  input  logic              rst_i,
  // bursts asked for: place of the first byte in its beat, number of bytes
  input  logic              burst_valid_i,
  output logic              burst_ready_o,
  input  logic [ByteW-1:0]  burst_first_i,
  input  logic [BurstW-1:0] burst_bytes_i,
  // beats
  input  logic              beat_valid_i,
  output logic              beat_ready_o,
  input  logic [BeatW-1:0]  beat_i,
  // chunks: 4 bytes wide when half_i
  input  logic              half_i,
  output logic              chunk_valid_o,
  input  logic              chunk_ready_i,
  output logic [BeatW-1:0]  chunk_o
);

  localparam int unsigned HalfW  = BeatW / 2;
  localparam int unsigned UsedW  = $clog2(BeatBytes + 1);
  localparam int unsigned CountW = $clog2(2 * BeatBytes + 1);

  logic              burst_valid, burst_pop, started_q, beat, chunk;
  logic [ByteW-1:0]  burst_first, first;
  logic [BurstW-1:0] burst_bytes, left_q, left;
  logic [UsedW-1:0]  room, used;
  logic [BeatW-1:0]  low_q, high_q, fresh, mask;
  logic [CountW-1:0] count_q, kept;

  vdla_fifo #(
    .Width(ByteW + BurstW),
    .Depth(Bursts)
  ) u_bursts (
    .clk_i  (clk_i),
    .rst_i  (rst_i),
    .valid_i(burst_valid_i),
    .ready_o(burst_ready_o),
    .data_i ({burst_first_i, burst_bytes_i}),
    .valid_o(burst_valid),
    .ready_i(burst_pop),
    .data_o ({burst_first, burst_bytes})
  );

  // bytes of this beat that belong to the burst
  assign first     = started_q ? '0 : burst_first;
  assign left      = started_q ? left_q : burst_bytes;
  assign room      = UsedW'(BeatBytes) - UsedW'(first);
  assign used      = left < BurstW'(room) ? left[UsedW-1:0] : room;
  assign burst_pop = beat && left == BurstW'(used);

  `VDLA_STALL(beat_stall)

  // bytes that stay in the buffer after this cycle's chunk, and room for a beat beside them
  assign chunk_valid_o = half_i ? count_q >= CountW'(BeatBytes / 2) : count_q >= CountW'(BeatBytes);
  assign chunk         = chunk_valid_o && chunk_ready_i;
  assign kept          = chunk ? (half_i ? count_q - CountW'(BeatBytes / 2) : count_q - CountW'(BeatBytes)) : count_q;
  assign beat_ready_o  = burst_valid && kept <= CountW'(BeatBytes) && !beat_stall;
  assign beat          = beat_valid_i && beat_ready_o;
  assign chunk_o       = low_q;

  assign mask  = {BeatW{1'b1}} >> {UsedW'(BeatBytes) - used, 3'd0};
  assign fresh = (beat_i >> {first, 3'd0}) & mask;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      started_q <= 1'b0;
      count_q   <= '0;
    end else begin
      if (beat) started_q <= !burst_pop;
      count_q <= kept + (beat ? CountW'(used) : '0);
    end
  end

  logic [BeatW-1:0] low_kept, high_kept;
  always_comb begin
    low_kept  = low_q;
    high_kept = high_q;
    if (chunk) begin
      low_kept  = half_i ? {high_q[HalfW-1:0], low_q[BeatW-1:HalfW]} : high_q;
      high_kept = half_i ? BeatW'(high_q[BeatW-1:HalfW]) : '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (beat) left_q <= left - BurstW'(used);
    if (rst_i) begin
      low_q  <= '0;
      high_q <= '0;
    end else if (beat) begin
      low_q  <= low_kept | (kept[ByteW] ? '0 : fresh << {kept[ByteW-1:0], 3'd0});
      high_q <= high_kept | (kept[ByteW] ? fresh : (kept[ByteW-1:0] == '0 ? '0 : fresh >> {UsedW'(BeatBytes) - UsedW'(kept[ByteW-1:0]), 3'd0}));
    end else if (chunk) begin
      low_q  <= low_kept;
      high_q <= high_kept;
    end
  end

  `VDLA_ASSERT(BufferHoldsTwoBeats, count_q <= CountW'(2 * BeatBytes))
  `VDLA_ASSERT(BeatHasBurst, beat_valid_i |-> burst_valid)

`ifdef FORMAL
  `include "vdla_load_realign.svh"
`endif

endmodule
