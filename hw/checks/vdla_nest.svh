// SPDX-License-Identifier: Apache-2.0
// Properties of vdla_nest: from load to last it visits every counter vector below the counts once, in lexicographic
// order, and its indices are base plus the sum over levels of counter times stride, modulo 2^16. Counts of zero are
// illegal instructions.
//
// f_product is counter times stride as a sum: it grows by the stride when the counter grows by one and is zero when the
// counter is. That this is multiplication is proof product.

  logic                 f_past = 1'b0, f_loaded = 1'b0;
  logic [47:0]          f_base;
  logic [Levels-1:0]    f_all_end, f_zero;
  logic [Levels*48-1:0] f_product, f_index;  // f_index: where the level begins in terms of the level outside it
  logic                 f_counts_positive, f_in_range, f_zero_product;

  always_comb begin
    f_counts_positive = 1'b1;
    f_in_range        = 1'b1;
    f_zero_product    = 1'b1;
    for (int l = 0; l < Levels; l++) begin
      if (levels_q[l*LevelBits +: 16] == 16'd0) f_counts_positive = 1'b0;
      if (counter_q[l*16 +: 16] >= levels_q[l*LevelBits +: 16]) f_in_range = 1'b0;
      if (counter_q[l*16 +: 16] == 16'd0 && f_product[l*48 +: 48] != 48'd0) f_zero_product = 1'b0;
      f_zero[l]    = counter_q[l*16 +: 16] == 16'd0;
      f_all_end[l] = counter_q[l*16 +: 16] == levels_q[l*LevelBits +: 16] - 16'd1;
      for (int i = 0; i < 3; i++) begin
        f_index[l*48+i*16 +: 16] = (l == 0 ? f_base[i*16 +: 16] : begin_q[(l == 0 ? 0 : l-1)*48+i*16 +: 16]) +
                                   f_product[l*48+i*16 +: 16];
      end
    end
  end

  // the counter vector with level 0 on top: the next one in lexicographic order
  logic [Levels*16-1:0] f_next;
  logic                 f_carry;
  always_comb begin
    f_carry = 1'b1;
    f_next  = counter_q;
    for (int l = Levels - 1; l >= 0; l--) begin
      if (f_carry) begin
        f_carry = f_next[l*16 +: 16] == levels_q[l*LevelBits +: 16] - 16'd1;
        f_next[l*16 +: 16] = f_carry ? 16'd0 : f_next[l*16 +: 16] + 16'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    f_past <= 1'b1;
    for (int l = 0; l < Levels; l++) if (load_i) assume (levels_i[l*LevelBits +: 16] != 16'd0);
    if (load_i) f_loaded <= 1'b1;
    if (load_i) f_base <= base_i;
    for (int l = 0; l < Levels; l++) begin
      for (int i = 0; i < 3; i++) begin
        if (load_i) f_product[l*48+i*16 +: 16] <= '0;
        else if (step_i && !last_o && f_next[l*16 +: 16] == 16'd0) f_product[l*48+i*16 +: 16] <= '0;
        else if (step_i && !last_o && f_next[l*16 +: 16] != counter_q[l*16 +: 16])
          f_product[l*48+i*16 +: 16] <= f_product[l*48+i*16 +: 16] + levels_q[l*LevelBits+16+i*16 +: 16];
      end
    end

    if (f_loaded) begin
      CountsPositive: assert (f_counts_positive);
      CounterInRange: assert (f_in_range);
      LastIsLast:     assert (last_o == (&f_all_end));
      EndsAreRight:   assert (at_end_q == f_all_end);
      // begin of level 0: base + product 0; of level l: begin of level l-1 + product l. So the index, which is the
      // begin of the last, is the sum.
      IndexIsAffine:  assert (begin_q == f_index);
      IndexIsInner:   assert (index_o == begin_q[(Levels-1)*48 +: 48]);
      ZeroProduct:    assert (f_zero_product);
      ZeroIsRight:    assert (zero_o == f_zero);
    end
    if (f_loaded && f_past) begin
      BeginsAtZero:   assert (!$past(load_i) || counter_q == '0);
      StaysUnasked:   assert ($past(load_i) || $past(step_i) || counter_q == $past(counter_q));
      NextInOrder:    assert ($past(load_i) || !$past(step_i) || $past(last_o) || counter_q == $past(f_next));
      WholeNest:      cover (last_o && f_base == 48'd7 && levels_q[0 +: 16] == 16'd2 && levels_q[2*LevelBits +: 16] == 16'd2 &&
                             levels_q[4*LevelBits +: 16] == 16'd2);
    end
  end
