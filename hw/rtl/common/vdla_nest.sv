// SPDX-License-Identifier: Apache-2.0
// Walks an affine nest of five levels: three indices, each the base plus the sum over levels of counter times stride,
// modulo 2^16. Level 0 is the outermost. One iteration each cycle; no multiplier: each level keeps the indices at which
// it began.

module vdla_nest #(
  localparam int unsigned Levels      = vdla_isa_pkg::Levels,
  localparam int unsigned LevelBits   = vdla_isa_pkg::LevelBits,
  localparam int unsigned IndexBits   = vdla_isa_pkg::IndexBits,
  localparam int unsigned IndicesBits = 3 * IndexBits,
  localparam int unsigned CountBits   = LevelBits - IndicesBits
) (
  input  logic                        clk_i,
  // load a nest; levels_i holds count and the three strides of each level from bit 0 upward
  input  logic                        load_i,
  input  logic [Levels*LevelBits-1:0] levels_i,
  input  logic [IndicesBits-1:0]      base_i,
  // go to the next iteration
  input  logic                        step_i,
  // this iteration
  output logic [IndicesBits-1:0]      index_o,
  output logic [Levels-1:0]           zero_o,   // counters that are zero
  output logic                        last_o
);

  logic [Levels*LevelBits-1:0]   levels_q;
  logic [Levels*CountBits-1:0]   counter_q;
  logic [Levels*IndicesBits-1:0] begin_q;      // indices at the start of each level's current iteration
  logic [Levels-1:0]             at_end_q;     // counter is at its last value
  logic [Levels-1:0]             advance;      // one-hot: the level whose counter goes up
  logic [IndicesBits-1:0]        from, strides, next;

  assign index_o = begin_q[(Levels-1)*IndicesBits +: IndicesBits];
  assign last_o  = &at_end_q;

  always_comb begin
    advance = '0;
    from    = '0;
    strides = '0;
    for (int l = 0; l < Levels; l++) begin
      zero_o[l] = counter_q[l*CountBits +: CountBits] == '0;
      if (!at_end_q[l]) begin
        advance    = '0;
        advance[l] = 1'b1;
        from       = begin_q[l*IndicesBits +: IndicesBits];
        strides    = levels_q[l*LevelBits+CountBits +: IndicesBits];
      end
    end
    next = {from[2*IndexBits +: IndexBits] + strides[2*IndexBits +: IndexBits],
            from[IndexBits +: IndexBits] + strides[IndexBits +: IndexBits],
            from[0 +: IndexBits] + strides[0 +: IndexBits]};
  end

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      levels_q  <= levels_i;
      counter_q <= '0;
      begin_q   <= {Levels{base_i}};
      for (int l = 0; l < Levels; l++) at_end_q[l] <= levels_i[l*LevelBits +: CountBits] == CountBits'(1);
    end else if (step_i) begin
      for (int l = 0; l < Levels; l++) begin
        if (advance[l]) begin
          counter_q[l*CountBits +: CountBits]   <= counter_q[l*CountBits +: CountBits] + CountBits'(1);
          at_end_q[l]                           <= counter_q[l*CountBits +: CountBits] + CountBits'(2) == levels_q[l*LevelBits +: CountBits];
          begin_q[l*IndicesBits +: IndicesBits] <= next;
        end else if ((advance & ((Levels'(1) << l) - Levels'(1))) != '0) begin
          // an outer level goes up: this one starts again
          counter_q[l*CountBits +: CountBits]   <= '0;
          at_end_q[l]                           <= levels_q[l*LevelBits +: CountBits] == CountBits'(1);
          begin_q[l*IndicesBits +: IndicesBits] <= next;
        end
      end
    end
  end

`ifdef FORMAL
  `include "vdla_nest.svh"
`endif

endmodule
