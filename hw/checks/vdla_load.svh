// SPDX-License-Identifier: Apache-2.0
// Properties of vdla_load: the bus is asked for exactly the beats that hold each burst, once; nothing is written
// outside a buffer; the walk over pieces visits positions, pieces and chunks in order; offers stay until taken.
`include "vdla_checks.svh"

  `VDLA_CHECK_RESET

  localparam int unsigned FBlockW = $clog2(BurstBytes);
  logic [63:0] f_first, f_behind;     // byte addresses of the burst
  logic [63:0] f_read_behind;
  logic [16:0] f_depth;
  logic        f_x_end, f_y_end, f_z_end, f_piece_end, f_chunk_end;

  assign f_first       = burst_addr;
  assign f_behind      = burst_addr + {55'd0, burst_bytes};
  assign f_read_behind = read_addr_o + {53'd0, read_len_o, 3'd0} + 64'd8;
  assign f_piece_end   = piece == at_q.run - 16'd1;
  assign f_x_end       = x + 18'd1 == x_total;
  assign f_y_end       = y + 18'd1 == y_total;
  assign f_z_end       = z == at_q.z_count - 16'd1;
  assign f_chunk_end   = write_fill_o || chunk_q + 9'd1 == chunk_count;
  always_comb begin
    f_depth = 17'(OutDepth);
    if (write_buffer_o == vdla_isa_pkg::BufferInp) f_depth = 17'(InpDepth);
    if (write_buffer_o == vdla_isa_pkg::BufferWgt) f_depth = 17'(WgtDepth);
    if (write_buffer_o == vdla_isa_pkg::BufferPar) f_depth = 17'(ParDepth);
    if (write_buffer_o == vdla_isa_pkg::BufferUop) f_depth = 17'(UopDepth);
  end

  always_ff @(posedge clk_i) begin
    // dma_request: bursts inside a block, that stay until taken; queues (proof fifo): room stays
    if (burst_valid) assume (burst_bytes != '0 && 10'(burst_addr[FBlockW-1:0]) + {1'b0, burst_bytes} <= 10'(BurstBytes));
    if (f_past) assume (`VDLA_STAYS(burst_valid, burst_ready, {burst_addr, burst_bytes}));
    if (f_past) assume (!$past(realign_ready && !(read_valid_o && read_ready_i)) || realign_ready);

    if (f_on) begin
      BeatsHoldTheBurst: assert (!read_valid_o || (read_addr_o[2:0] == '0 && f_first - read_addr_o < 64'd8 && f_read_behind - f_behind < 64'd8));
      ReadInsideBlock:   assert (!read_valid_o || 9'(read_addr_o[FBlockW-1:3]) + {1'b0, read_len_o} < 9'(BurstBytes / 8));
      AskedOnce:         assert ((read_valid_o && read_ready_i) == (burst_valid && burst_ready));
      WriteInsideBuffer: assert (!write_valid_o || {1'b0, write_entry_o} < f_depth);
      HaltedIsStill:     assert (!halt_i || (!write_valid_o && !done_o && !take_insn));
      DoneIsTheLast:     assert (!done_o || (write_valid_o && f_chunk_end && f_piece_end && f_x_end && f_y_end && f_z_end));
      BoundsNeverPass:   assert (!(active_q && !halt_i && {1'b0, entry} >= f_depth) || (err_valid_o && !write_valid_o));
      if (f_past) begin
        ReadStays:       assert (`VDLA_STAYS(read_valid_o, read_ready_i, {read_addr_o, read_len_o}));
        StepsInOrder:    assert (!$past(write_valid_o) || $past(take_insn) ||
                                 (chunk_q == $past(f_chunk_end ? 9'd0 : chunk_q + 9'd1) &&
                                  piece == $past(f_chunk_end ? (f_piece_end ? 16'd0 : piece + 16'd1) : piece) &&
                                  x == $past(f_chunk_end && f_piece_end ? (f_x_end ? 18'd0 : x + 18'd1) : x)));
        NothingSkipped:  assert ($past(write_valid_o) || $past(take_insn) || ({z, y, x, piece, chunk_q} ==
                                                                              $past({z, y, x, piece, chunk_q})));
        ActiveUntilDone: assert (!$past(active_q) || active_q || $past(done_o));
      end
      UnalignedRead:     cover (read_valid_o && burst_addr[2:0] == 3'd5 && read_len_o == 8'd2);
      SecondRow:         cover (write_valid_o && y == 18'd1);
    end
  end
