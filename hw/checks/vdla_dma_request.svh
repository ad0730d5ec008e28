// SPDX-License-Identifier: Apache-2.0
// Properties of vdla_dma_request. The bytes of a request, in the order x, y, z, are numbered (modulo 2^64); f_nth is
// any number. The byte asked for as number f_nth is the byte of the request with that number: so each is asked for
// once, in order. No burst leaves a block of BurstBytes (so none crosses 4 KiB) and none leaves the window that stood
// in the registers when the instruction started.
`include "vdla_checks.svh"

  `VDLA_CHECK_RESET

  // --- what the instruction says ---
  logic [63:0]       f_base, f_size;
  logic [47:0]       f_offset;
  logic [31:0]       f_x_stride, f_y_stride, f_z_stride;
  logic [15:0]       f_x_count, f_y_count, f_z_count;
  logic [27:0]       f_run, f_bytes, f_run_bytes;
  logic [3:0]        f_buffer, f_window;

  assign f_buffer = start_insn_i.buffer;
  assign f_window = start_insn_i.window;
  assign f_run = {12'd0, start_insn_i.run};
  always_comb begin
    f_bytes = f_run * 28'(BlockOut);                                                     // out, and par when widened
    if (f_buffer == vdla_isa_pkg::BufferInp) f_bytes = f_run * 28'(BlockIn);
    if (f_buffer == vdla_isa_pkg::BufferWgt) f_bytes = f_run * 28'(BlockIn * BlockOut);
    if (f_buffer == vdla_isa_pkg::BufferUop) f_bytes = f_run * 28'd8;
    if (f_buffer == vdla_isa_pkg::BufferPar && !start_insn_i.widen) f_bytes = f_run * 28'(4 * BlockOut);
  end

  always_ff @(posedge clk_i) begin
    // fetch lets only legal instructions through (proof legality)
    if (start_valid_i) assume (start_insn_i.run != 16'd0 && f_window < 4'd8 &&
                               start_insn_i.z_count != 16'd0);
    if (start_valid_i && start_ready_o) begin
      f_base      <= window_base_i[64*f_window[2:0] +: 64];
      f_size      <= window_size_i[64*f_window[2:0] +: 64];
      f_offset    <= start_insn_i.dram_offset;
      f_x_stride  <= start_insn_i.x_dram_stride;
      f_y_stride  <= start_insn_i.y_dram_stride;
      f_z_stride  <= start_insn_i.z_dram_stride;
      f_x_count   <= start_insn_i.x_count;
      f_y_count   <= start_insn_i.y_count;
      f_z_count   <= start_insn_i.z_count;
      f_run_bytes <= f_bytes;
    end
  end

  // --- the walk: that its offset is affine in the position is proof walk ---
  logic f_x_end, f_y_end, f_z_end;
  assign f_x_end = x == f_x_count - 16'd1;
  assign f_y_end = y == f_y_count - 16'd1;
  assign f_z_end = z == f_z_count - 16'd1;

  // --- the numbered bytes ---
  logic [63:0]                f_walked, f_taken, f_asked;   // bytes that the walk, the cut and the bursts have passed on
  (* anyconst *) logic [63:0] f_nth;
  logic [63:0]                f_run_bias, f_grow_bias, f_nth_bias;   // address less number: of the run's bytes, the burst's, of byte f_nth
  logic                       f_nth_in_window;              // its run does not leave the window
  logic                       f_sent;
  logic                       f_started, f_was_walking, f_stepped, f_ended, f_erred;   // a cycle ago
  logic [47:0]                f_position, f_next;

  assign f_sent = emit && fifo_ready;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      f_walked <= '0;
      f_taken  <= '0;
      f_asked  <= '0;
    end else begin
      if (walk_step) f_walked <= f_walked + {36'd0, f_run_bytes};
      if (take) f_taken <= f_taken + {55'd0, part};
      if (f_sent) f_asked <= f_asked + {55'd0, grow_bytes_q};
    end
    if (walk_step) f_run_bias <= f_base + {16'd0, offset} - f_walked;
    if (take && !joins) f_grow_bias <= f_run_bias;
    if (walk_step && f_nth - f_walked < {36'd0, f_run_bytes}) begin
      f_nth_bias      <= f_base + {16'd0, offset} - f_walked;
      f_nth_in_window <= {16'd0, offset} + {36'd0, f_run_bytes} <= f_size;   // with its whole run
    end
    f_started     <= start;
    f_was_walking <= walk_q;
    f_stepped     <= walk_step;
    f_ended       <= walk_step && f_x_end && f_y_end && f_z_end;
    f_erred       <= err_valid_o;
    f_position    <= {z, y, x};
    f_next        <= !f_x_end ? {z, y, x + 16'd1} : (!f_y_end ? {z, y + 16'd1, 16'd0} : {z + 16'd1, 32'd0});

    if (f_on) begin
      JoinedRuns:       cover (f_sent && grow_addr_q == f_base + 64'd8 && grow_bytes_q > 9'd40 && f_x_stride == 32'd40);
      CutRun:           cover (f_sent && grow_addr_q[BlockW-1:0] == '0 && grow_bytes_q == 9'(BurstBytes) && run_valid_q);
      WholeRequest:     cover (f_sent && !pieces_left && f_x_count == 16'd2 && f_y_count == 16'd2);
    end
  end

  // checked at once, not at the next clock edge: an induction of one step is enough
  always_comb begin
    if (f_on) begin
      // the walk visits each position once, in order, and knows its offset
      if (walk_q) begin
        PositionInside: assert (x < f_x_count && y < f_y_count && z < f_z_count);
        FieldsAreKept:  assert (x_count_q == f_x_count && y_count_q == f_y_count && z_count_q == f_z_count && x_stride_q == f_x_stride &&
                                y_stride_q == f_y_stride && z_stride_q == f_z_stride && base_q == f_base && size_q == f_size);
        OnePiece:       assert (piece == '0 && row == '0);
        RunIsKept:      assert (run_bytes_q == f_run_bytes && f_run_bytes != '0);
      end
      if (f_past && f_started) FirstOffset: assert (!walk_q || offset == f_offset);
      if (f_past && f_started) FromTheFirst: assert (walk_q == (f_x_count != '0 && f_y_count != '0) && {z, y, x} == '0);
      if (f_past && !f_started && f_was_walking) begin
        NextInOrder:    assert (!f_stepped || !walk_q || {z, y, x} == f_next);
        UntilTheLast:   assert (walk_q == !f_ended);
        NothingSkipped: assert (f_stepped || {z, y, x} == f_position);
      end
      // each byte of a run is asked for once, in order
      RunCount:         assert (run_valid_q ? {36'd0, run_left_q} == f_walked - f_taken && run_left_q != '0 && run_left_q <= f_run_bytes
                                            : f_walked == f_taken);
      GrowCount:        assert (grow_valid_q ? {55'd0, grow_bytes_q} == f_taken - f_asked && grow_bytes_q != '0 : f_taken == f_asked);
      GrowEndInBlock:   assert (!grow_valid_q || grow_end_q[BlockW-1:0] == BlockW'(grow_addr_q[BlockW-1:0] + grow_bytes_q[BlockW-1:0]));
      ReadyWhenDone:    assert (!start_ready_o || f_asked == f_walked);
      LastIsLast:       assert (!f_sent || !pieces_left == (!walk_q && f_asked + {55'd0, grow_bytes_q} == f_walked));
      // bounds of bursts
      InsideBlock:      assert (!grow_valid_q || 10'(grow_addr_q[BlockW-1:0]) + {1'b0, grow_bytes_q} <= 10'(BurstBytes));
`ifdef VDLA_CHECK_ADDRESSES
      // a byte's address is the window's base plus its offset (address less number is the same in all bytes of a
      // burst), and its offset lies in the window
      RunAddress:       assert (!run_valid_q || run_addr_q == f_run_bias + f_taken);
      GrowAddress:      assert (!grow_valid_q || grow_addr_q == f_grow_bias + f_asked);
      GrowEnd:          assert (!grow_valid_q || grow_end_q == f_grow_bias + f_taken);
      RunByte:          assert (f_nth - f_taken >= f_walked - f_taken || f_nth_bias == f_run_bias);
      GrowByte:         assert (f_nth - f_asked >= f_taken - f_asked || f_nth_bias == f_grow_bias);
      RunInWindow:      assert (f_nth - f_asked >= f_walked - f_asked || f_nth_in_window);
`endif
      // an error is raised for the run that leaves its window, and stays until the halt; nothing moves after that
      ErrorIsOne:       assert (err_valid_o == (walk_q && !halt_i && {16'd0, offset} + {36'd0, f_run_bytes} > f_size));
      ErrorStays:       assert (!f_past || !f_erred || halt_i || err_valid_o);
      HaltedIsStill:    assert (!halt_i || (!f_sent && !walk_step && !take));
      // progress: an instruction that is neither held up nor wrong does something in each cycle
      NeverStuck:       assert (start_ready_o || halt_i || err_valid_o || walk_step || take || emit);
    end
  end
