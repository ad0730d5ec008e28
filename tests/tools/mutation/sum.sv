// SPDX-License-Identifier: Apache-2.0
// Something small to mutate: sums up to a limit that saturates, with every form that the lister knows.
`include "vdla_assert.svh"

module sum #(
  parameter int unsigned Limit = 20
) (
  input  logic       clk_i,
  input  logic       rst_i,
  input  logic       valid_i,
  input  logic [1:0] op_i,
  input  logic [7:0] data_i,
  output logic [7:0] sum_o,
  output logic       full_o
);

  localparam logic [1:0] Add = 2'd0, Sub = 2'd1, Low = 2'd2;

  logic [7:0] sum_q, next;
  logic       full, take;

  function automatic logic signed [8:0] difference(input logic [7:0] a, input logic [7:0] b);
    difference = $signed({1'b0, a}) - $signed({1'b0, b});
  endfunction

  assign full = sum_q >= 8'(Limit);
  assign take = valid_i && !full;

  always_comb begin
    next = sum_q;
    case (op_i)
      Add:     next = sum_q + data_i;
      Sub:     next = difference(sum_q, data_i) < 9'sd0 ? 8'd0 : sum_q - data_i;
      Low:     for (int i = 0; i < 2; i++) next[i*4 +: 4] = data_i[3:0];
      default: ;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) sum_q <= '0;
    else if (take) sum_q <= next;
  end

  assign sum_o  = sum_q;
  assign full_o = full;

  `VDLA_ASSERT(NothingTakenWhenFull, full |-> !take)

  logic unused;
  assign unused = &data_i;

endmodule
