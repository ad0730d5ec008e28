// SPDX-License-Identifier: Apache-2.0
// Rules on parameters, which every tool checks when it elaborates, and assertions, which cost nothing unless
// VDLA_ASSERTIONS is defined (test builds of the RTL engine).
`ifndef VDLA_ASSERT_SVH
`define VDLA_ASSERT_SVH
// A rule on parameters.
`define VDLA_ASSERT_INIT(name, cond) if (!(cond)) begin : name $error(`"illegal parameters: name`"); end
`ifdef VDLA_ASSERTIONS
// The property holds at each rising clock edge outside reset.
`define VDLA_ASSERT(name, prop) name: assert property (@(posedge clk_i) disable iff (rst_i) (prop)) else $fatal(1, "assertion failed: %m");
`else
`define VDLA_ASSERT(name, prop)
`endif
// A state that the tests must have seen, where no line says so (builds that count coverage).
`ifdef VDLA_COVERAGE
`define VDLA_COVER(name, prop) name: cover property (@(posedge clk_i) disable iff (rst_i) (prop));
`else
`define VDLA_COVER(name, prop)
`endif
`endif
