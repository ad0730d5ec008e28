// SPDX-License-Identifier: Apache-2.0
// Properties of vdla_fetch: it asks for the bytes of the stream once, in order, inside blocks of BurstBytes and inside
// window insn; its buffer always has room for what it asked; eight beats become one instruction; no illegal instruction
// reaches a queue; offers stay until taken.
`include "vdla_checks.svh"

  `VDLA_CHECK_RESET
  `VDLA_FIFO_CONTRACT(f_buffered, BufferBeats, beat_valid_i, fifo_ready, fifo_valid, beat_used, fifo_beat)

  logic [63:0]         f_base, f_size;
  logic [31:0]         f_offset;
  logic [32:0]         f_insns;      // whole instructions that the window holds, at most those wanted
  logic [35:0]         f_asked;      // beats
  logic [6:0]          f_owed;       // beats asked for and not delivered
  logic [31:0]         f_dispatched;
  logic [63:0]         f_first;      // address of the first instruction
  logic [InsnBits-1:0] f_words;

  logic [Units-1:0]    f_queue_held;
  logic [InsnBits-1:0] f_insn_held;
  logic [31:0]         f_index_held;
  logic                f_read_held, f_finished;
  logic [71:0]         f_read;

  assign f_first = f_base + {32'd0, f_offset};
  logic [63:0] f_asked_for;
  assign f_asked_for = window_base_i + {32'd0, insn_offset_i};

  // the beats of an unfinished instruction are not those that came
  logic f_torn;
  always_comb begin
    f_torn = 1'b0;
    for (int k = 1; k < 8; k++)
      if (beat_q == 3'(k) && insn_q >> (64 * (8 - k)) != (f_words & ((512'd1 << (64 * k)) - 512'd1))) f_torn = 1'b1;
  end

  // the verdict of the check, and on which word (the check itself is proof legality)
  logic                f_illegal;
  logic [7:0]          f_rule;
  logic [InsnBits-1:0] f_judged_insn;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      f_base   <= window_base_i;
      f_size   <= window_size_i;
      f_offset <= insn_offset_i;
      f_insns  <= f_asked_for[5:0] != '0 || window_size_i <= {32'd0, insn_offset_i} ? '0 :   // only at multiples of an instruction
                  ((window_size_i - {32'd0, insn_offset_i}) >> 6 < {32'd0, insn_count_i} ? 33'((window_size_i - {32'd0, insn_offset_i}) >> 6)
                                                                                         : {1'b0, insn_count_i});
    end
    if (rst_i) begin
      f_asked      <= '0;
      f_owed       <= '0;
      f_dispatched <= '0;
    end else begin
      if (read_valid_o && read_ready_i) f_asked <= f_asked + {28'd0, read_len_o} + 36'd1;
      f_owed       <= f_owed + (read_valid_o && read_ready_i ? read_len_o[6:0] + 7'd1 : 7'd0) - {6'd0, beat_valid_i};
      f_dispatched <= f_dispatched + {31'd0, dispatch_o};
    end
    if (check) begin
      f_illegal     <= illegal;
      f_rule        <= rule;
      f_judged_insn <= insn_q;
    end
    if (beat_used) f_words[64*beat_q +: 64] <= fifo_beat;

    // offers of the cycle before
    f_queue_held <= (queue_valid_o & queue_ready_i) == '0 ? queue_valid_o : '0;
    f_insn_held  <= insn_o;
    f_index_held <= index_o;
    f_read_held  <= read_valid_o && !read_ready_i;
    f_read       <= {read_addr_o, read_len_o};
    f_finished   <= finish_o;

    if (f_on && f_past) begin
      Finishes:           cover (finish_o && f_dispatched == 32'd0);
      SecondRequest:      cover (read_valid_o && f_asked == 36'd8 && f_owed != '0);
    end
  end

  always_comb begin
    // control (proof control): a start comes in the cycle after a reset
    assume (start_i == (f_seen && !f_past && !rst_i));
    // proof legality: what is legal has an opcode of the table
    if (check && !illegal) assume (insn_q[3:0] >= vdla_isa_pkg::OpcodeLoad && insn_q[3:0] <= vdla_isa_pkg::OpcodeFinish);
    // axi_read: only beats that were asked for
    if (beat_valid_i) assume (f_owed != '0);
  end

  // checked at once, not at the next clock edge: an induction of one step is enough
  always_comb begin
    if (f_on && !f_past)
      ResetIsClean: assert (!active_q && !insn_valid_q && !checked_q && beat_q == '0 && reserved_q == '0 && f_owed == '0 && f_asked == '0 &&
                            f_buffered == '0 && f_dispatched == '0);
    if (f_on && f_past) begin
      // requests
      if (read_valid_o) begin
        ReadInsideBlock:  assert (9'(read_addr_o[BlockW-1:3]) + {1'b0, read_len_o} < 9'(BurstBytes / 8) && read_addr_o[2:0] == '0);
      end
`ifdef VDLA_CHECK_ADDRESSES
      // the beats of the whole instructions inside the window, each once, in order
      StreamIsAligned:    assert (f_insns == '0 || f_first[5:0] == '0);
      AvailableIsRight:   assert (available_q == f_insns);
      ReadNoMore:         assert (f_asked + unasked_q == {f_insns, 3'd0} && f_asked <= {f_insns, 3'd0});
      AddressIsRight:     assert (addr_q == f_first + {25'd0, f_asked, 3'd0});
      ReadInOrder:        assert (!read_valid_o || read_addr_o == f_first + {25'd0, f_asked, 3'd0});
      InsnsInsideWindow:  assert (f_insns == '0 || {32'd0, f_offset} + {25'd0, f_insns, 6'd0} <= f_size);
      ReadInsideInsns:    assert (!read_valid_o || {1'b0, f_asked} + {29'd0, read_len_o} + 37'd1 <= {1'b0, f_insns, 3'd0});
      ReadInsideWindow:   assert (!read_valid_o || {32'd0, f_offset} + {25'd0, f_asked, 3'd0} + {53'd0, read_len_o, 3'd0} + 64'd8 <= f_size);
`endif
      // the buffer
      RoomIsReserved:     assert ({9'd0, reserved_q} == {9'd0, f_owed} + f_buffered && reserved_q <= 7'd64);
      BeatHasRoom:        assert (!beat_valid_i || fifo_ready);
      // instructions
      EightBeats:         assert (!insn_valid_q || (beat_q == '0 && insn_q == f_words));
      WordsInOrder:       assert (!f_torn);
      CheckIsRight:       assert (!checked_q || (insn_valid_q && insn_q == f_judged_insn && illegal_q == f_illegal && rule_q == f_rule));
      LegalIsKnown:       assert (!checked_q || illegal_q || (insn_q[3:0] >= vdla_isa_pkg::OpcodeLoad && insn_q[3:0] <= vdla_isa_pkg::OpcodeFinish));
      OnlyLegalLeaves:    assert (!((|queue_valid_o) || finish_o) || (!f_illegal && f_judged_insn == insn_o && insn_valid_q));
      OneQueue:           assert ((queue_valid_o & (queue_valid_o - 4'd1)) == '0);
      RightQueue:         assert ((queue_valid_o == '0 || finish_o == '0) &&
                                  (!queue_valid_o[0] || insn_o[3:0] == vdla_isa_pkg::OpcodeLoad) &&
                                  (!queue_valid_o[1] || insn_o[3:0] == vdla_isa_pkg::OpcodeGemm) &&
                                  (!queue_valid_o[2] || insn_o[3:0] == vdla_isa_pkg::OpcodeVector) &&
                                  (!queue_valid_o[3] || insn_o[3:0] == vdla_isa_pkg::OpcodeStore));
      FinishWhenIdle:     assert (!finish_o || (insn_o[3:0] == vdla_isa_pkg::OpcodeFinish && (&unit_idle_i)));
      IndexCounts:        assert (index_o == f_dispatched);
      HaltIsStill:        assert (!halt_i || (!read_valid_o && queue_valid_o == '0 && !finish_o && !err_valid_o));
      IllegalIsNamed:     assert (!(err_valid_o && err_code_o == vdla_isa_pkg::ErrorIllegalInsn) || (f_illegal && err_addr_o == {56'd0, f_rule}));
      // never stuck: a checked instruction is offered, ends the run or is an error
      CheckedMovesOn:     assert (!(active_q && checked_q && !halt_i) || (|queue_valid_o) || err_valid_o || finish_o || (drain_o && !(&unit_idle_i)));
      // offers stay (but for reads beyond a finish)
      QueueOfferStays:    assert (halt_i || f_queue_held == '0 ||
                                  (queue_valid_o == f_queue_held && insn_o == f_insn_held && index_o == f_index_held));
      ReadOfferStays:     assert (halt_i || f_finished || !f_read_held || (read_valid_o && {read_addr_o, read_len_o} == f_read));
    end
  end
