// SPDX-License-Identifier: Apache-2.0
// Widths that the ISA does not name. Yosys 0.23 takes no constant of another package in here.

/* verilator lint_off UNUSED */
package vdla_pkg;
  localparam int unsigned AddrBits      = 64;  // a byte of DRAM; base and size of a window
  localparam int unsigned InsnIndexBits = 32;  // an instruction of the run
  localparam int unsigned BurstBits     = 9;   // bytes of a burst, at most 256
  localparam int unsigned PageBits      = 12;  // a byte of the 4 KiB that registers are mapped as
endpackage
/* verilator lint_on UNUSED */
