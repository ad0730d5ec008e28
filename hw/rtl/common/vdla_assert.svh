// SPDX-License-Identifier: Apache-2.0
// Assertions. They cost nothing unless VDLA_ASSERTIONS is defined (test builds of the RTL engine).
`ifndef VDLA_ASSERT_SVH
`define VDLA_ASSERT_SVH
`ifdef VDLA_ASSERTIONS
// The property holds at each rising clock edge outside reset.
`define VDLA_ASSERT(name, prop) name: assert property (@(posedge clk_i) disable iff (rst_i) (prop)) else $fatal(1, "assertion failed: %m");
// A rule on parameters.
`define VDLA_ASSERT_INIT(name, cond) initial begin : name if (!(cond)) $fatal(1, "illegal parameters: %m"); end
`else
`define VDLA_ASSERT(name, prop)
`define VDLA_ASSERT_INIT(name, cond)
`endif
// A state that the tests must have seen, where no line says so (builds that count coverage).
`ifdef VDLA_COVERAGE
`define VDLA_COVER(name, prop) name: cover property (@(posedge clk_i) disable iff (rst_i) (prop));
`else
`define VDLA_COVER(name, prop)
`endif
`endif
