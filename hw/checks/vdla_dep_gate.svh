// SPDX-License-Identifier: Apache-2.0
// Properties of vdla_dep_gate: the tokens in it are those given and not yet taken; the counter leaves its range in
// neither direction.
`include "vdla_checks.svh"

  `VDLA_CHECK_RESET

  logic [15:0] f_given, f_taken;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      f_given <= '0;
      f_taken <= '0;
    end else begin
      f_given <= f_given + {15'd0, push_valid_i && push_ready_o};
      f_taken <= f_taken + {15'd0, pop_valid_o && pop_ready_i};
    end

    if (f_on) begin
      TokensAreCounted:  assert (16'(count_q) == f_given - f_taken);
      NoOverflow:        assert (f_given - f_taken <= 16'(Depth));
      RoomIsOffered:     assert (push_ready_o == (f_given - f_taken != 16'(Depth)));
      TokenIsOffered:    assert (pop_valid_o == (f_given != f_taken));
      if (f_past) begin
        TokenStays:      assert (!$past(pop_valid_o && !pop_ready_i) || pop_valid_o);
        RoomStays:       assert (!$past(push_ready_o && !push_valid_i) || push_ready_o);
      end
      Full:              cover (!push_ready_o && push_valid_i);
      EmptiedAgain:      cover (!pop_valid_o && f_taken == 16'(Depth));
    end
  end
