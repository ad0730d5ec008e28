// SPDX-License-Identifier: Apache-2.0
// Widths that the ISA does not name. Yosys 0.23 takes no constant of another package in here.

/* verilator lint_off UNUSED */
package vdla_pkg;
  localparam int unsigned AddrBits      = 64;  // a byte of DRAM; base and size of a window
  localparam int unsigned InsnIndexBits = 32;  // an instruction of the run
endpackage
/* verilator lint_on UNUSED */
