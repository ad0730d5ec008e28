// SPDX-License-Identifier: Apache-2.0
// A place where a test may hold a handshake back: VDLA_STALL(name) declares `name`, which is never 1 unless VDLA_STALLS
// is defined (builds of the RTL engine that check). Then it is 1 in about rate / 256 of the cycles, from a generator
// that the engine seeds.
`ifndef VDLA_STALL_SVH
`define VDLA_STALL_SVH
`ifdef VDLA_STALLS
`define VDLA_STALL(name) \
  logic [31:0] name``_state /*verilator public_flat_rw*/; \
  logic [31:0] name``_rate /*verilator public_flat_rw*/; \
  logic name; \
  initial begin name``_state = 32'd0; name``_rate = 32'd0; end \
  assign name = {24'd0, name``_state[31:24]} < name``_rate; \
  always_ff @(posedge clk_i) name``_state <= name``_state * 32'd1664525 + 32'd1013904223;
`else
`define VDLA_STALL(name) localparam logic name = 1'b0;
`endif
`endif
