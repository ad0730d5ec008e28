// SPDX-License-Identifier: Apache-2.0
// The multiplier array: for each row b of the batch and each output n, the sum over k of inp[b][k] * wgt[n][k], one
// step each cycle, in a register. Two forms give the same sums (proofs gemm_array and packed_products). Packed: a
// multiplier of 25 by 18 bits, as a DSP48E1 has, takes the weights of two outputs, so that half the DSPs do. Plain:
// sums are written as wide as accumulators, which simulates fastest.

module vdla_gemm_array #(
  parameter  int unsigned Batch,
  parameter  int unsigned BlockIn,
  parameter  int unsigned BlockOut,
  parameter  logic        Packed      = vdla_pkg::DspProducts,
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

  if (Packed) begin : gen_packed
    // Two weights in one number, the second shifted: the product with an operand holds both products. The sum of two
    // such products and Bias has the sum of the first weight's products in its low part, never negative, and that of the
    // second's above. A third product would overflow the low part.
    localparam int unsigned PairW  = 2 * OperandBits;       // bits of a product, and of the low part
    localparam int unsigned WideW  = PairW + OperandBits + 1;
    localparam int unsigned SumW   = 2 * PairW + 1;
    localparam int unsigned Pairs  = BlockIn / 2;
    localparam int unsigned TotalW = PairW + 1 + $clog2(Pairs);
    // Two products of int8 are -32512 at least.
    localparam logic signed [SumW-1:0]   Bias   = SumW'(2 * 127 * 128);
    localparam logic        [TotalW-1:0] Biases = TotalW'(Pairs * 2 * 127 * 128);

    for (genvar b = 0; b < Batch; b++) begin : gen_row
      for (genvar n = 0; n < BlockOut; n += 2) begin : gen_outputs
        logic [Pairs*SumW-1:0] sums;
        logic [TotalW-1:0]     low, high;

        for (genvar k = 0; k < Pairs; k++) begin : gen_pair
          logic signed [WideW-1:0]       wgt0, wgt1;
          logic signed [OperandBits-1:0] inp0, inp1;
          assign wgt0 = $signed({wgt_i[(n+1)*RowW+2*k*OperandBits +: OperandBits], PairW'(0)}) +
                        WideW'($signed(wgt_i[n*RowW+2*k*OperandBits +: OperandBits]));
          assign wgt1 = $signed({wgt_i[(n+1)*RowW+(2*k+1)*OperandBits +: OperandBits], PairW'(0)}) +
                        WideW'($signed(wgt_i[n*RowW+(2*k+1)*OperandBits +: OperandBits]));
          assign inp0 = $signed(inp_i[b*RowW+2*k*OperandBits +: OperandBits]);
          assign inp1 = $signed(inp_i[b*RowW+(2*k+1)*OperandBits +: OperandBits]);
          assign sums[k*SumW +: SumW] = (SumW'(wgt0) * SumW'(inp0) + Bias) + SumW'(wgt1) * SumW'(inp1);
        end

        always_comb begin
          low  = TotalW'(0) - Biases;
          high = '0;
          for (int k = 0; k < Pairs; k++) begin
            low  = low + TotalW'(sums[k*SumW +: PairW]);
            high = high + TotalW'($signed(sums[k*SumW+PairW +: PairW+1]));
          end
        end

        always_ff @(posedge clk_i) begin
          if (valid_i) begin
            sum_o[(b*BlockOut+n)*AccBits +: AccBits]   <= AccBits'($signed(low));
            sum_o[(b*BlockOut+n+1)*AccBits +: AccBits] <= AccBits'($signed(high));
          end
        end
      end
    end
  end else begin : gen_plain
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
  end

`ifdef FORMAL
  `include "vdla_gemm_array.svh"
`endif

endmodule
