// SPDX-License-Identifier: Apache-2.0
// The multiplier array: for each row b of the batch and each output n, the sum over k of inp[b][k] * wgt[n][k], one step each cycle, in
// a register. Sums are written as 32 bits, which simulates fastest; synthesis drops the copies of the sign.

module vdla_gemm_array #(
  parameter  int unsigned Batch    = 1,
  parameter  int unsigned BlockIn  = 16,
  parameter  int unsigned BlockOut = 16,
  localparam int unsigned RowW     = BlockIn * 8
) (
  input  logic                           clk_i,
  input  logic                           valid_i,
  input  logic [Batch*RowW-1:0]          inp_i,
  input  logic [BlockOut*RowW-1:0]       wgt_i,
  output logic [Batch*BlockOut*32-1:0] sum_o
);

  function automatic logic [31:0] dot(input logic [RowW-1:0] a, input logic [RowW-1:0] w);
    logic signed [31:0] total;
    total = '0;
    for (int k = 0; k < BlockIn; k++) begin
      total = total + 32'($signed(a[k*8 +: 8])) * 32'($signed(w[k*8 +: 8]));
    end
    dot = total;
  endfunction

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      for (int b = 0; b < Batch; b++) begin
        for (int n = 0; n < BlockOut; n++) begin
          sum_o[(b*BlockOut+n)*32 +: 32] <= dot(inp_i[b*RowW +: RowW], wgt_i[n*RowW +: RowW]);
        end
      end
    end
  end

endmodule
