// SPDX-License-Identifier: Apache-2.0
// Turns the beats of read bursts into a stream of chunks of 8 (or 4) consecutive bytes: drops what lies outside the bursts' bytes and
// closes the gaps. A chunk can leave in every cycle; a beat that arrives in one cycle can leave in the next.

`include "vdla_assert.svh"
`include "vdla_stall.svh"

module vdla_load_realign #(
  parameter int unsigned Bursts = 64  // that may be on their way; a power of two
) (
  input  logic        clk_i,
  input  logic        rst_i,
  // bursts asked for: first byte in its beat, bytes
  input  logic        burst_valid_i,
  output logic        burst_ready_o,
  input  logic [2:0]  burst_first_i,
  input  logic [8:0]  burst_bytes_i,
  // beats
  input  logic        beat_valid_i,
  output logic        beat_ready_o,
  input  logic [63:0] beat_i,
  // chunks: 4 bytes wide when half_i
  input  logic        half_i,
  output logic        chunk_valid_o,
  input  logic        chunk_ready_i,
  output logic [63:0] chunk_o
);

  logic        burst_valid, burst_pop, started_q, beat, chunk;
  logic [2:0]  burst_first, first;
  logic [8:0]  burst_bytes, left_q, left;
  logic [3:0]  room, used;
  logic [63:0] low_q, high_q, fresh, mask;
  logic [4:0]  count_q, kept;

  vdla_fifo #(
    .Width(12),
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
  assign first     = started_q ? 3'd0 : burst_first;
  assign left      = started_q ? left_q : burst_bytes;
  assign room      = 4'd8 - {1'b0, first};
  assign used      = left < {5'd0, room} ? left[3:0] : room;
  assign burst_pop = beat && left == {5'd0, used};

  `VDLA_STALL(beat_stall)

  // what stays after this cycle's chunk
  assign chunk_valid_o = half_i ? count_q >= 5'd4 : count_q >= 5'd8;
  assign chunk         = chunk_valid_o && chunk_ready_i;
  assign kept          = chunk ? (half_i ? count_q - 5'd4 : count_q - 5'd8) : count_q;
  assign beat_ready_o  = burst_valid && kept <= 5'd8 && !beat_stall;
  assign beat          = beat_valid_i && beat_ready_o;
  assign chunk_o       = low_q;

  assign mask  = 64'hffff_ffff_ffff_ffff >> {4'd8 - used, 3'd0};
  assign fresh = (beat_i >> {first, 3'd0}) & mask;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      started_q <= 1'b0;
      count_q   <= '0;
    end else begin
      if (beat) started_q <= !burst_pop;
      count_q <= kept + (beat ? {1'b0, used} : 5'd0);
    end
  end

  logic [63:0] low_kept, high_kept;
  always_comb begin
    low_kept  = low_q;
    high_kept = high_q;
    if (chunk) begin
      low_kept  = half_i ? {high_q[31:0], low_q[63:32]} : high_q;
      high_kept = half_i ? {32'd0, high_q[63:32]} : '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (beat) left_q <= left - {5'd0, used};
    if (rst_i) begin
      low_q  <= '0;
      high_q <= '0;
    end else if (beat) begin
      low_q  <= low_kept | (kept[3] ? '0 : fresh << {kept[2:0], 3'd0});
      high_q <= high_kept | (kept[3] ? fresh : (kept[2:0] == 3'd0 ? '0 : fresh >> {4'd8 - {1'b0, kept[2:0]}, 3'd0}));
    end else if (chunk) begin
      low_q  <= low_kept;
      high_q <= high_kept;
    end
  end

  `VDLA_ASSERT(BufferHoldsTwoBeats, count_q <= 5'd16)
  `VDLA_ASSERT(BeatHasBurst, beat_valid_i |-> burst_valid)

`ifdef FORMAL
  `include "vdla_load_realign.svh"
`endif

endmodule
