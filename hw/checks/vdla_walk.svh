// SPDX-License-Identifier: Apache-2.0
// Properties of vdla_walk: from load to last it visits every piece of every position once, x innermost, and its index
// is the base, plus a stride for each position, row and plane before it, plus the piece, modulo 2^IndexW.
//
// The sums grow by a stride when a count grows by one (of x: when the last row of a batch is left) and are zero when it
// is. That this is multiplication is proof product.

  logic              f_past = 1'b0, f_loaded = 1'b0, f_live = 1'b0;   // live: behind a load and before the end
  logic [IndexW-1:0] f_base, f_x_sum, f_y_sum, f_z_sum;
  logic              f_piece_end, f_row_end, f_x_end, f_y_end, f_z_end, f_end, f_counts_positive;
  logic [PieceW-1:0] f_piece;
  logic [RowW-1:0]   f_row;
  logic [CountW-1:0] f_x, f_y;
  logic [PlaneW-1:0] f_z;

  assign f_piece_end       = piece_o + PieceW'(1) == pieces_i;
  assign f_row_end         = row_o + RowW'(1) == rows_i;
  assign f_x_end           = x_o + CountW'(1) == x_count_i;
  assign f_y_end           = y_o + CountW'(1) == y_count_i;
  assign f_z_end           = z_o + PlaneW'(1) == z_count_i;
  assign f_end             = f_piece_end && f_x_end && f_y_end && f_z_end;
  assign f_counts_positive = pieces_i != '0 && rows_i != '0 && x_count_i != '0 && y_count_i != '0 && z_count_i != '0;

  // the piece behind this one
  always_comb begin
    {f_piece, f_row, f_x, f_y, f_z} = {piece_o, row_o, x_o, y_o, z_o};
    if (!f_piece_end) begin
      f_piece = piece_o + PieceW'(1);
    end else begin
      f_piece = '0;
      f_row   = f_row_end || f_x_end ? '0 : row_o + RowW'(1);
      f_x     = f_x_end ? '0 : x_o + CountW'(1);
      if (f_x_end) f_y = f_y_end ? '0 : y_o + CountW'(1);
      if (f_x_end && f_y_end) f_z = z_o + PlaneW'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    f_past <= 1'b1;
    if (load_i) f_loaded <= 1'b1;
    f_live <= load_i || (f_live && !(step_i && last_o));
    if (load_i) f_base <= base_i;
    if (load_i) begin
      f_x_sum <= '0;
      f_y_sum <= '0;
      f_z_sum <= '0;
    end else if (step_i && f_piece_end) begin
      if (f_x_end) f_x_sum <= '0;
      else if (f_row_end) f_x_sum <= f_x_sum + IndexW'(x_stride_i);
      if (f_x_end) f_y_sum <= f_y_end ? '0 : f_y_sum + IndexW'(y_stride_i);
      if (f_x_end && f_y_end) f_z_sum <= f_z_sum + IndexW'(z_stride_i);
    end
    // who walks keeps the pattern, and stops at its end
    if (f_live) assume (f_counts_positive);
    if (f_past && f_live && !$past(load_i))
      assume ($past({pieces_i, rows_i, x_count_i, y_count_i, z_count_i, x_stride_i, y_stride_i, z_stride_i}) ==
              {pieces_i, rows_i, x_count_i, y_count_i, z_count_i, x_stride_i, y_stride_i, z_stride_i});
    assume (!step_i || f_live);

    if (f_live) begin
      Inside:        assert (f_loaded && piece_o < pieces_i && row_o < rows_i && x_o < x_count_i && y_o < y_count_i && z_o < z_count_i);
      LastIsLast:    assert (last_o == f_end);
      IndexIsAffine: assert (z_begin_q == f_base + f_z_sum && y_begin_q == z_begin_q + f_y_sum && x_begin_q == y_begin_q + f_x_sum);
      IndexOfPiece:  assert (index_o == f_base + f_z_sum + f_y_sum + f_x_sum + IndexW'(piece_o));
      SumsOfZero:    assert ((x_o != '0 || (f_x_sum == '0 && row_o == '0)) && (y_o != '0 || f_y_sum == '0) && (z_o != '0 || f_z_sum == '0));
    end
    if (f_live && f_past) begin
      BeginsAtZero:  assert (!$past(load_i) || {piece_o, row_o, x_o, y_o, z_o} == '0);
      StaysUnasked:  assert ($past(load_i) || $past(step_i) || {piece_o, row_o, x_o, y_o, z_o, index_o} == $past({piece_o, row_o, x_o, y_o, z_o, index_o}));
      NextInOrder:   assert ($past(load_i) || !$past(step_i) || {piece_o, row_o, x_o, y_o, z_o} == $past({f_piece, f_row, f_x, f_y, f_z}));
      WholeWalk:     cover (last_o && f_base == IndexW'(7) && pieces_i == PieceW'(2) && x_count_i == CountW'(2) && y_count_i == CountW'(1) &&
                            z_count_i == PlaneW'(2));
      SharedEntries: cover (f_x_end && rows_i == RowW'(2) && x_count_i == CountW'(3) && y_o == CountW'(1));
    end
  end
