// SPDX-License-Identifier: Apache-2.0
// What Verilator 5.006 computes wrong where it may optimise trees of bit operations (its issue 5186): a sum whose outer
// terms are the same, of a bit beside the border of a word.
module xor_of_a_word_border (
    input  logic [38:0] x,
    output logic        middle
);
  assign middle = x[38] ^ x[31] ^ x[38];
endmodule
