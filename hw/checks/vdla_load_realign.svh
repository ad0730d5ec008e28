// SPDX-License-Identifier: Apache-2.0
// Properties of vdla_load_realign: the bytes of the bursts, numbered (modulo 64; 16 are held at most) in the order of
// the beats, leave in chunks in the same order; none is lost, none outside a burst gets in. f_nth is any number.
`include "vdla_checks.svh"

  `VDLA_CHECK_RESET
  `VDLA_FIFO_CONTRACT(f_bursts, Bursts, burst_valid_i, burst_ready_o, burst_valid, burst_pop, {burst_first, burst_bytes})

  logic [5:0]                 f_in, f_out;     // bytes that came, that left
  logic [8:0]                 f_got;           // bytes of the burst at hand that came
  (* anyconst *) logic [5:0]  f_nth;
  logic [7:0]                 f_byte, f_left_byte;
  logic [5:0]                 f_new, f_chunk_bytes, f_ahead;
  logic [2:0]                 f_lane;
  logic [127:0]               f_buffer;

  assign f_chunk_bytes = half_i ? 6'd4 : 6'd8;
  assign f_new         = f_nth - f_in;
  assign f_ahead       = f_nth - f_out;
  assign f_lane        = f_got == '0 ? burst_first : 3'd0;   // lane of the burst's next byte in the beat
  assign f_buffer      = {high_q, low_q};
  assign f_left_byte   = f_buffer[8*f_ahead[3:0] +: 8];

  always_ff @(posedge clk_i) begin
    // dma_request: a burst has 1 to 256 bytes
    if (f_on && burst_valid) assume (burst_bytes != '0 && burst_bytes <= 9'd256);
    if (rst_i) begin
      f_in  <= '0;
      f_out <= '0;
      f_got <= '0;
    end else begin
      if (beat) f_in <= f_in + {2'd0, used};
      if (chunk) f_out <= f_out + f_chunk_bytes;
      if (beat) f_got <= burst_pop ? '0 : f_got + {5'd0, used};
    end
    if (beat && f_new < {2'd0, used}) f_byte <= beat_i[8*(f_lane + f_new[2:0]) +: 8];

    if (f_on) begin
      CountIsRight:     assert ({1'b0, count_q} == f_in - f_out && count_q <= 5'd16);
      ByteIsKept:       assert (f_ahead >= {1'b0, count_q} || f_left_byte == f_byte);
      ChunkIsInOrder:   assert (!chunk || f_ahead >= f_chunk_bytes || chunk_o[8*f_ahead[2:0] +: 8] == f_byte);
      NothingBehind:    assert ((f_buffer >> (8 * count_q)) == '0);
      ChunkIsWhole:     assert (chunk_valid_o == (f_in - f_out >= f_chunk_bytes));
      BurstIsKnown:     assert (started_q == (f_got != '0) && (!started_q || (burst_valid && left_q == burst_bytes - f_got && f_got < burst_bytes)));
      WholeBurst:       assert (!burst_pop || f_got + {5'd0, used} == burst_bytes);
      BytesOfTheBeat:   assert (!beat || ({1'b0, f_lane} + used <= 4'd8 && used != '0 && (burst_pop || {1'b0, f_lane} + used == 4'd8)));
      // when the consumer takes a chunk or the buffer has room, a beat of a known burst is taken
      BeatIsTaken:      assert (!(burst_valid && count_q <= 5'd8) || beat_ready_o);
      AcrossBursts:     cover (chunk && f_in == 6'd11 && f_out == 6'd0 && f_nth == 6'd4);
      UnalignedBurst:   cover (burst_pop && f_got == 9'd13);
    end
  end
