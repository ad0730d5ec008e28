// SPDX-License-Identifier: Apache-2.0
// Properties of vdla_gemm_array in its packed form: sums of pairs of packed products, taken apart.

  logic                            f_valid = 1'b0;
  logic signed [24:0]              f_wide0, f_wide1;
  logic signed [7:0]               f_inp0, f_inp1;
  logic [32:0]                     f_pair;
  logic [31:0]                     f_first, f_second;
  logic [Batch*BlockOut*AccBits-1:0] f_sum, f_sum_q;

  always_comb begin
    f_sum = '0;
    for (int b = 0; b < Batch; b++) begin
      for (int n = 0; n < BlockOut; n += 2) begin
        f_first  = '0;
        f_second = '0;
        for (int k = 0; k < BlockIn; k += 2) begin
          f_inp0 = $signed(inp_i[(b*BlockIn+k)*8 +: 8]);
          f_inp1 = $signed(inp_i[(b*BlockIn+k+1)*8 +: 8]);
          f_wide0  = $signed({wgt_i[((n+1)*BlockIn+k)*8 +: 8], 16'd0}) + 25'($signed(wgt_i[(n*BlockIn+k)*8 +: 8]));
          f_wide1  = $signed({wgt_i[((n+1)*BlockIn+k+1)*8 +: 8], 16'd0}) + 25'($signed(wgt_i[(n*BlockIn+k+1)*8 +: 8]));
          f_pair   = 33'(f_wide0) * 33'(f_inp0) + 33'd32512 + 33'(f_wide1) * 33'(f_inp1);
          f_first  = f_first + 32'(f_pair[15:0]) - 32'd32512;
          f_second = f_second + 32'($signed(f_pair[32:16]));
        end
        f_sum[(b*BlockOut+n)*32 +: 32]   = f_first;
        f_sum[(b*BlockOut+n+1)*32 +: 32] = f_second;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    f_valid <= f_valid || valid_i;
    if (valid_i) f_sum_q <= f_sum;
    if (f_valid) begin
      SumsAreRight: assert (sum_o == f_sum_q);
      Smallest:     cover (sum_o[31:0] == 32'hffff_0200);  // four products of -128 and 127
    end
  end
