// SPDX-License-Identifier: Apache-2.0
// Properties of vdla_store_pack: each burst goes out once, with its first beat; its beats write exactly its bytes, in
// order, and with the bytes of the chunks in their order: f_nth is the number (modulo 64; 16 are held at most) of any
// byte.
`include "vdla_checks.svh"

  `VDLA_CHECK_RESET
  `VDLA_ANY_BLOCK

  logic [63:0]                f_addr;
  logic [8:0]                 f_bytes, f_sent;       // bytes of the burst at hand
  logic [9:0]                 f_block, f_new_place, f_end;   // size of a block; place in it of the burst that comes; of the end of that at hand
  logic [5:0]                 f_in, f_out;           // bytes that came in chunks, that left in beats
  (* anyconst *) logic [5:0]  f_nth;
  logic [7:0]                 f_byte, f_left_byte, f_out_byte;
  logic [5:0]                 f_new, f_ahead, f_held;
  logic [63:0]                f_at;                  // address of the next byte
  logic [3:0]                 f_room, f_used;
  logic [2:0]                 f_pad;                 // bytes of the first beat before the burst
  logic [4:0]                 f_place, f_lane;
  logic [5:0]                 f_beats;               // beats that went out
  logic [127:0]               f_buffer;

  assign f_block     = {1'b0, f_block_beats, 3'd0};
  assign f_new_place = {2'd0, burst_addr_i[7] && !f_short, burst_addr_i[6:0]};
  assign f_end       = {2'd0, f_addr[7] && !f_short, f_addr[6:0]} + {1'b0, f_bytes};
  assign f_new       = f_nth - f_in;
  assign f_ahead     = f_nth - f_out;
  assign f_held      = f_in - f_out;
  assign f_at        = f_addr + {55'd0, f_sent};
  assign f_room      = 4'd8 - {1'b0, f_at[2:0]};
  assign f_used      = f_bytes - f_sent < {5'd0, f_room} ? 4'(f_bytes - f_sent) : f_room;
  assign f_pad       = active_q && first_q ? addr_q[2:0] : 3'd0;
  assign f_buffer    = {high_q, low_q};
  assign f_place     = {2'd0, f_pad} + f_ahead[4:0];
  assign f_left_byte = f_buffer[8*f_place[3:0] +: 8];
  assign f_lane      = {2'd0, f_at[2:0]} + f_ahead[4:0];
  assign f_out_byte  = beat_o[8*f_lane[2:0] +: 8];

  always_ff @(posedge clk_i) begin
    // dma_request: bursts inside a block; they are cut only at its end, and pieces are whole chunks, so a chunk that
    // reaches beyond a burst means that the burst ends with its block and that the next one begins with one and has the
    // chunk's rest
    if (burst_valid_i) assume (burst_bytes_i != '0 && burst_bytes_i <= f_block[8:0] && f_new_place + {1'b0, burst_bytes_i} <= f_block);
    if (f_on && chunk && missing_q < $signed({5'd0, ChunkBytes})) assume (f_end == f_block);
    if (f_on && load && fill_kept != '0) assume (f_new_place == '0 && burst_bytes_i >= {4'd0, fill_kept});
    if (rst_i) begin
      f_in  <= '0;
      f_out <= '0;
    end else begin
      if (chunk) f_in <= f_in + {1'b0, ChunkBytes};
      if (beat) f_out <= f_out + {2'd0, used};
    end
    if (load) begin
      f_addr  <= burst_addr_i;
      f_bytes <= burst_bytes_i;
      f_sent  <= '0;
      f_beats <= '0;
    end else if (beat) begin
      f_sent  <= f_sent + {5'd0, used};
      f_beats <= f_beats + 6'd1;
    end
    if (chunk && f_new < {1'b0, ChunkBytes}) f_byte <= chunk_i[8*f_new[2:0] +: 8];

    if (f_on) begin
      if (active_q) begin
        BurstIsKnown:   assert (addr_q == f_addr && bytes_q == f_bytes && f_bytes != '0 && f_bytes <= f_block[8:0] && f_end <= f_block);
        UnsentIsRight:  assert (unsent_q == f_bytes - f_sent && f_sent < f_bytes && first_q == (f_sent == '0) && first_q == (f_beats == '0));
        BeatsAligned:   assert (first_q || f_at[2:0] == '0);
        BeatCount:      assert (first_q || {f_addr[63:3] + {55'd0, f_beats}, 3'd0} == f_at);
        MissingIsRight: assert (missing_q == {1'b0, unsent_q} - {4'd0, f_held});
        LittleBeyond:   assert (missing_q > -$signed({5'd0, ChunkBytes}));
        CarryAtBlock:   assert (missing_q >= 10'sd0 || f_end == f_block);
      end
      FillIsRight:      assert (f_held <= 6'd16 && {1'b0, fill_q} == f_held + {3'd0, f_pad} && fill_q <= 5'd16);
      NothingBehind:    assert ((f_buffer >> (8 * fill_q)) == '0);
      PadIsEmpty:       assert (f_pad == '0 || f_held != '0 || low_q == '0);
      LittleLeft:       assert (active_q || f_held < 6'd8);
      ByteIsKept:       assert (f_ahead >= f_held || f_left_byte == f_byte);
      if (write_valid_o) AddressIsRight: assert (write_addr_o == {f_addr[63:3], 3'd0} && `VDLA_IN_BLOCK(write_addr_o, write_len_o));
      BurstWithFirst:   assert ((write_valid_o && write_ready_i) == (beat && first_q));
      if (beat) begin
        OnlyItsBytes:   assert (beat_strb_o == ((8'hff >> (4'd8 - f_used)) << f_at[2:0]));
        BytesInOrder:   assert (f_ahead >= {2'd0, f_used} || f_out_byte == f_byte);
        LastBeat:       assert ((f_sent + {5'd0, f_used} == f_bytes) == ({2'd0, f_beats} == write_len_o));
      end
      HeadRoom:         assert (!(load && chunk));
      UnalignedBurst:   cover (beat && f_sent == 9'd11 && f_addr[2:0] == 3'd5 && final_beat);
      CarriedChunk:     cover (active_q && first_q && f_held != '0 && f_out != '0 && f_addr[7:0] == '0);
    end
  end
