// SPDX-License-Identifier: Apache-2.0
// The multiplier array: for each row b of the batch and each output n, the sum over k of inp[b][k] * wgt[n][k], one
// step each cycle, in a register. Sums are written as wide as accumulators, which simulates fastest; synthesis drops
// the copies of the sign.

module vdla_gemm_array #(
  parameter  int unsigned Batch,
  parameter  int unsigned BlockIn,
  parameter  int unsigned BlockOut,
  localparam int unsigned OperandBits = vdla_pkg::OperandBits,
  localparam int unsigned AccBits     = vdla_pkg::AccBits,
  localparam int unsigned RowW        = BlockIn * OperandBits
) (
  input  logic                              clk_i,
  input  logic                              valid_i,
  input  logic [Batch*RowW-1:0]             inp_i,
  input  logic [BlockOut*RowW-1:0]          wgt_i,
  output logic [Batch*BlockOut*AccBits-1:0] sum_o
);

  function automatic logic [AccBits-1:0] dot(input logic [RowW-1:0] a, input logic [RowW-1:0] w);
    logic signed [AccBits-1:0] total;
    total = '0;
    for (int k = 0; k < BlockIn; k++) begin
      total = total + AccBits'($signed(a[k*OperandBits +: OperandBits])) * AccBits'($signed(w[k*OperandBits +: OperandBits]));
    end
    dot = total;
  endfunction

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      for (int b = 0; b < Batch; b++) begin
        for (int n = 0; n < BlockOut; n++) begin
          sum_o[(b*BlockOut+n)*AccBits +: AccBits] <= dot(inp_i[b*RowW +: RowW], wgt_i[n*RowW +: RowW]);
        end
      end
    end
  end

endmodule
