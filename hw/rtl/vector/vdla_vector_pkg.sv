// SPDX-License-Identifier: Apache-2.0
// Bundle that accompanies a step through the pipeline of the vector unit: widths of fields of vdla_isa_pkg::vector_t,
// and those of vdla_pkg, as numbers, since Yosys 0.23 takes no constant of another package in here.

/* verilator lint_off UNUSED */
package vdla_vector_pkg;
  typedef struct packed {
    logic [31:0] index;      // index of the instruction
    logic        last;       // step of the instruction
    logic        first;      // first step of a reduction
    logic [3:0]  op;
    logic [3:0]  dst_buffer;
    logic [3:0]  a_buffer;
    logic [1:0]  b_kind;
    logic [15:0] dst;
    logic [15:0] a_offset;
    logic [31:0] imm;
    logic [15:0] half;
    logic [5:0]  shift;
    logic [15:0] out_zero;
    logic [7:0]  clamp_min;
    logic [7:0]  clamp_max;
  } step_t;
endpackage
/* verilator lint_on UNUSED */
