// SPDX-License-Identifier: Apache-2.0
// Macros for every file of properties. A module includes its file of properties at its end, under FORMAL (yosys 0.23
// reads `bind` and then ignores it), so properties see registers and memories. Names begin with f_.
//
// An assumption says who guarantees it. Queues inside a module are cut out of its proof (key abstract) and stand there
// as the contract that proof fifo shows for every depth.
`ifndef VDLA_CHECKS_SVH
`define VDLA_CHECKS_SVH
// The first cycle is a reset. f_on: properties hold now; f_past: and held a cycle ago, without a reset between.
`define VDLA_CHECK_RESET \
  logic f_seen = 1'b0; \
  logic f_past = 1'b0; \
  logic f_on; \
  always_ff @(posedge clk_i) begin \
    f_seen <= 1'b1; \
    f_past <= f_seen && !rst_i; \
    if (!f_seen) assume (rst_i); \
  end \
  assign f_on = f_seen && !rst_i;

// A queue that is cut out: its count, and what proof fifo shows of it.
`define VDLA_FIFO_CONTRACT(count, depth, push_valid, push_ready, pop_valid, pop_ready, data) \
  logic [15:0] count; \
  always_ff @(posedge clk_i) begin \
    if (rst_i) count <= 16'd0; \
    else count <= count + {15'd0, (push_valid) && (push_ready)} - {15'd0, (pop_valid) && (pop_ready)}; \
    if (f_on && f_past) assume (!$past(!((pop_valid) && (pop_ready)) && ((pop_valid) || !((push_valid) && (push_ready)))) || $stable(data)); \
  end \
  always_comb if (f_on) begin \
    assume (count <= 16'(depth)); \
    assume ((pop_valid) == (count != 16'd0)); \
    assume ((push_ready) == (count != 16'(depth))); \
  end

// A module that passes bursts on keeps them inside blocks of either size that a machine may have: f_block_beats is any
// of the two (parameter BurstBytes of the modules that ask).
`define VDLA_ANY_BLOCK \
  (* anyconst *) logic f_short; \
  logic [5:0] f_block_beats; \
  assign f_block_beats = f_short ? 6'd16 : 6'd32;
// The beats [addr, addr + 8 * (len + 1)) lie in one block.
`define VDLA_IN_BLOCK(addr, len) \
  (addr[2:0] == 3'd0 && {1'b0, addr[7] && !f_short, addr[6:3]} + len[5:0] < f_block_beats && len < {2'd0, f_block_beats})

// A stream with one payload: valid and payload stay until ready.
`define VDLA_STAYS(valid, ready, data) (!$past((valid) && !(ready)) || ((valid) && $stable(data)))
`endif
