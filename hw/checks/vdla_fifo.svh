// SPDX-License-Identifier: Apache-2.0
// Properties of vdla_fifo: nothing is lost, invented or reordered. f_nth names any word: the one pushed as number f_nth
// is the one popped as number f_nth (numbers modulo 2^16).
`include "vdla_checks.svh"

  `VDLA_CHECK_RESET

  logic [15:0]                    f_sent, f_taken;
  (* anyconst *) logic [15:0]     f_nth;
  logic [Width-1:0]               f_word;
  logic                           f_live;

  assign f_live = f_nth - f_taken < f_sent - f_taken;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      f_sent  <= '0;
      f_taken <= '0;
    end else begin
      f_sent  <= f_sent + {15'd0, valid_i && ready_o};
      f_taken <= f_taken + {15'd0, valid_o && ready_i};
    end
    if (valid_i && ready_o && f_sent == f_nth) f_word <= data_i;

    if (f_on) begin
      // at the ports
      NothingInvented: assert (valid_o == (f_sent != f_taken));
      NothingLost:     assert (ready_o == (f_sent - f_taken != 16'(Depth)) && f_sent - f_taken <= 16'(Depth));
      InOrder:         assert (!(valid_o && f_taken == f_nth) || data_o == f_word);
      if (f_past) begin
        ValidStays:    assert (!$past(valid_o && !ready_i) || (valid_o && $stable(data_o)));
        // Holds for an empty queue too.
        WordStays:     assert (!$past(!valid_o && !(valid_i && ready_o)) || $stable(data_o));
        ReadyStays:    assert (!$past(ready_o && !valid_i) || ready_o);
      end
      // invariants that make them inductive
      CountIsRight:    assert (16'(count_q) == f_sent - f_taken);
      HeadIsRight:     assert (head_q == f_taken[AddrW-1:0] && tail_q == f_sent[AddrW-1:0]);
      WordIsKept:      assert (!f_live || f_nth == f_taken || mem[f_nth[AddrW-1:0]] == f_word);

      Full:            cover (!ready_o);
      EmptiedAgain:    cover (!valid_o && f_sent == 16'(Depth + 1));
    end
  end
