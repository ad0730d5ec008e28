// SPDX-License-Identifier: Apache-2.0
// Properties of vdla_vector_product: operands that entered together leave as the sum of the products of their parts,
// modulo 2^64. Low parts are 17 bits, unsigned; high parts are the rest, with the sign where the product is signed.

  logic               f_past = 1'b0, f_multiplied = 1'b0, f_added = 1'b0;
  logic signed [15:0] f_m_high, f_n_high;
  logic signed [17:0] f_m_low, f_n_low;  // 0 on top
  logic        [63:0] f_low, f_mid0, f_mid1, f_high, f_sum;

  assign f_m_low  = $signed({1'b0, m_i[16:0]});
  assign f_n_low  = $signed({1'b0, n_i[16:0]});
  assign f_m_high = $signed({signed_i && m_i[31], m_i[31:17]});
  assign f_n_high = $signed({signed_i && n_i[31], n_i[31:17]});

  always_ff @(posedge clk_i) begin
    f_past <= 1'b1;
    if (multiply_i) begin
      f_multiplied <= 1'b1;
      f_low        <= 64'(34'(m_i[16:0]) * 34'(n_i[16:0]));
      f_mid0       <= 64'(34'(f_m_low) * 34'(f_n_high));
      f_mid1       <= 64'(34'(f_m_high) * 34'(f_n_low));
      f_high       <= 64'(30'(f_m_high) * 30'(f_n_high));
    end
    if (add_i) begin
      f_added <= f_multiplied;
      f_sum   <= f_low + (f_mid0 << 17) + (f_mid1 << 17) + (f_high << 34);
    end

    if (f_multiplied) begin
      LowIsRight:  assert (64'(low_q) == f_low);
      Mid0IsRight: assert (64'($signed(mid0_q)) == f_mid0);
      Mid1IsRight: assert (64'($signed(mid1_q)) == f_mid1);
      HighIsRight: assert (high_q == f_high[29:0]);
    end
    if (f_added) begin
      SumIsRight: assert (product_o == f_sum);
      Negative:   cover (product_o == 64'hffff_ffff_8000_0000);
    end
    if (f_past) StaysUnasked: assert ($past(add_i) || product_o == $past(product_o));
  end
