// SPDX-License-Identifier: Apache-2.0
// Properties of vdla_unit_front: an instruction starts once, in order, after exactly its pops have been taken, each
// once; it retires once, in order, after its data path has said done and exactly its pushes have been given, each once.
`include "vdla_checks.svh"

  `VDLA_CHECK_RESET
  `VDLA_FIFO_CONTRACT(f_queued, QueueDepth, insn_valid_i, insn_ready_o, head_valid, start, {start_index_o, start_insn_o})
  `VDLA_FIFO_CONTRACT(f_flying, InflightDepth, start, inflight_ready, inflight_valid, retire, {tail_index, tail_push})

  logic [2*Units-1:0] f_pops, f_pushes;       // tokens taken for the head, given for the oldest in flight
  logic [Units-1:0]   f_pop, f_push, f_wants;
  logic               f_pops_right, f_pushes_right, f_pops_known, f_pushes_known;

  assign f_pop   = pop_valid_i & pop_ready_o;
  assign f_push  = push_valid_o & push_ready_i;
  assign f_wants = start_insn_o.pop;

  always_comb begin
    f_pops_right   = 1'b1;
    f_pushes_right = 1'b1;
    f_pops_known   = 1'b1;
    f_pushes_known = 1'b1;
    for (int u = 0; u < Units; u++) begin
      if (f_pops[2*u +: 2] + {1'b0, f_pop[u]} != {1'b0, f_wants[u]}) f_pops_right = 1'b0;
      if (f_pushes[2*u +: 2] + {1'b0, f_push[u]} != {1'b0, tail_push[u]}) f_pushes_right = 1'b0;
      if (f_pops[2*u +: 2] != {1'b0, popped_q[u]}) f_pops_known = 1'b0;
      if (f_pushes[2*u +: 2] != {1'b0, pushed_q[u]}) f_pushes_known = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int u = 0; u < Units; u++) begin
      if (rst_i || start_o) f_pops[2*u +: 2] <= '0;
      else f_pops[2*u +: 2] <= f_pops[2*u +: 2] + {1'b0, f_pop[u]};
      if (rst_i || retire_o) f_pushes[2*u +: 2] <= '0;
      else f_pushes[2*u +: 2] <= f_pushes[2*u +: 2] + {1'b0, f_push[u]};
    end
    // data path: done at most once for each start; token channels (proof dep_gate): a token stays until taken
    if (done_i) assume (16'(done_q) < f_flying);
    if (f_past) assume (($past(pop_valid_i & ~pop_ready_o) & ~pop_valid_i) == '0 && ($past(push_ready_i & ~push_valid_o) & ~push_ready_i) == '0);

    if (f_on) begin
      StartsWithItsPops:    assert (!start_o || f_pops_right);
      RetiresWithItsPushes: assert (!retire_o || f_pushes_right);
      StartsWhenOffered:    assert (start_o == (start_valid_o && start_ready_i) && (!start_o || f_queued != '0));
      RetiresAfterDone:     assert (!retire_o || (f_flying != '0 && (done_q != '0 || done_i)));
      DoneInRange:          assert (16'(done_q) <= f_flying);
      PopsAreKnown:         assert (f_pops_known && (popped_q & ~f_wants) == '0 || !head_valid && popped_q == '0 && f_pops == '0);
      PopsOfNobody:         assert (head_valid || (popped_q == '0 && pop_ready_o == '0));
      PushesAreKnown:       assert (f_pushes_known && (inflight_valid ? (pushed_q & ~tail_push) == '0 : pushed_q == '0));
      IdleIsEmpty:          assert (idle_o == (f_queued == '0 && f_flying == '0));
      HaltedIsStill:        assert (!halt_i || (f_pop == '0 && f_push == '0 && !start_o && !retire_o));
      // an instruction that has all it needs starts now; one that is done and has room for its tokens retires now
      NothingHeldBack:      assert (halt_i || f_queued == '0 || f_flying == 16'(InflightDepth) || !start_ready_i || start_o ||
                                    (f_wants & ~popped_q & ~pop_valid_i) != '0);
      DoneRetires:          assert (halt_i || f_flying == '0 || (done_q == '0 && !done_i) || retire_o ||
                                    (tail_push & ~pushed_q & ~push_ready_i) != '0);
      if (f_past) begin
        StartStays:         assert (halt_i || `VDLA_STAYS(start_valid_o, start_ready_i, {start_insn_o, start_index_o}));
        PushStays:          assert (halt_i || ($past(push_valid_o & ~push_ready_i) & ~push_valid_o) == '0);
        PopReadyStays:      assert (halt_i || ($past(pop_ready_o & ~pop_valid_i) & ~pop_ready_o) == '0);
      end
      TwoPopsApart:         cover (start_o && f_wants == 4'b0110 && popped_q == 4'b0010);
      TwoPushesApart:       cover (retire_o && tail_push == 4'b1010 && pushed_q == 4'b1000);
    end
  end
