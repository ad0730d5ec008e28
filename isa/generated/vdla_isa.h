/* SPDX-License-Identifier: Apache-2.0
 * The machine as a driver sees it: registers, bits, codes. Plain C, no library needed.
 * Generated from isa/spec by vdla-isagen; do not edit. */
#ifndef VDLA_ISA_H
#define VDLA_ISA_H

#define VDLA_ISA_VERSION 3u
#define VDLA_MAGIC 0x414c4456u
#define VDLA_INSN_BYTES 64u
#define VDLA_UOP_BYTES 8u
#define VDLA_WINDOWS 8u
#define VDLA_QUEUE_UNITS 4u

/* Registers: byte offsets, 32 bits each; 64-bit values are low word first. */
#define VDLA_REG_MAGIC 0x000u /* reads "VDLA" */
#define VDLA_REG_ISA_VERSION 0x004u /* version of the instruction set */
#define VDLA_REG_GEOMETRY_HASH_LO 0x008u /* hash of version and geometry, low word */
#define VDLA_REG_GEOMETRY_HASH_HI 0x00cu
#define VDLA_REG_CONTROL 0x010u /* what the machine is told to do */
#define VDLA_REG_STATUS 0x014u /* what the machine does */
#define VDLA_REG_IRQ_STATUS 0x018u /* what the interrupt is about */
#define VDLA_REG_SEQUENCE 0x01cu /* sequence number of the last finish */
#define VDLA_REG_INSN_OFFSET 0x020u /* byte offset of the first instruction in window insn, a multiple of 64 as the window's base is */
#define VDLA_REG_INSN_COUNT 0x024u /* instructions to fetch; the last one must be finish */
#define VDLA_REG_STALL_LIMIT 0x028u /* stalled cycles in a row before error stall; 0: never; 1 to 127 act as 128. Stalled: no instruction is dispatched, started, worked on or retired, and no burst is unanswered */
#define VDLA_REG_ERROR_CODE 0x030u /* see error codes */
#define VDLA_REG_ERROR_UNIT 0x034u /* unit that raised the error */
#define VDLA_REG_ERROR_INSN 0x038u /* index of its instruction, counted from the one at INSN_OFFSET; as all indices here */
#define VDLA_REG_ERROR_ADDR_LO 0x03cu /* address or SRAM index at fault, low word */
#define VDLA_REG_ERROR_ADDR_HI 0x040u
#define VDLA_REG_LOAD_INSN 0x050u /* index of the instruction that the unit works on or waits to start */
#define VDLA_REG_LOAD_STATE 0x054u /* what the unit does */
#define VDLA_REG_GEMM_INSN 0x058u /* as LOAD_INSN */
#define VDLA_REG_GEMM_STATE 0x05cu /* as LOAD_STATE */
#define VDLA_REG_VECTOR_INSN 0x060u /* as LOAD_INSN */
#define VDLA_REG_VECTOR_STATE 0x064u /* as LOAD_STATE */
#define VDLA_REG_STORE_INSN 0x068u /* as LOAD_INSN */
#define VDLA_REG_STORE_STATE 0x06cu /* as LOAD_STATE */
#define VDLA_REG_FETCH_INSN 0x070u /* index of the next instruction to dispatch */
#define VDLA_REG_FETCH_STATE 0x074u /* what fetch does */
#define VDLA_REG_CYCLES_LO 0x080u /* cycles from start to done */
#define VDLA_REG_CYCLES_HI 0x084u
#define VDLA_REG_READ_BYTES_LO 0x088u /* bytes read from DRAM, all clients */
#define VDLA_REG_READ_BYTES_HI 0x08cu
#define VDLA_REG_WRITE_BYTES_LO 0x090u /* bytes written to DRAM */
#define VDLA_REG_WRITE_BYTES_HI 0x094u
#define VDLA_REG_LOAD_BUSY 0x0a0u /* cycles with an instruction running */
#define VDLA_REG_LOAD_TOKEN_STALL 0x0a4u /* cycles with an instruction waiting for a token or for space to push one */
#define VDLA_REG_GEMM_BUSY 0x0a8u /* as LOAD_BUSY */
#define VDLA_REG_GEMM_TOKEN_STALL 0x0acu /* as LOAD_TOKEN_STALL */
#define VDLA_REG_VECTOR_BUSY 0x0b0u /* as LOAD_BUSY */
#define VDLA_REG_VECTOR_TOKEN_STALL 0x0b4u /* as LOAD_TOKEN_STALL */
#define VDLA_REG_STORE_BUSY 0x0b8u /* as LOAD_BUSY */
#define VDLA_REG_STORE_TOKEN_STALL 0x0bcu /* as LOAD_TOKEN_STALL */
#define VDLA_REG_LOAD_SINCE 0x0c0u /* cycle of this run (low word) from which on the unit has neither got its first, started, ended nor retired an instruction */
#define VDLA_REG_GEMM_SINCE 0x0c8u /* as LOAD_SINCE */
#define VDLA_REG_VECTOR_SINCE 0x0d0u /* as LOAD_SINCE */
#define VDLA_REG_STORE_SINCE 0x0d8u /* as LOAD_SINCE */
#define VDLA_REG_FETCH_SINCE 0x0e0u /* cycle of this run (low word) from which on fetch has not dispatched an instruction */
#define VDLA_REG_WINDOW_BASE_LO(w) (0x100u + 16u * (w)) /* byte address of window 0; window w is 16*w further on */
#define VDLA_REG_WINDOW_BASE_HI(w) (0x104u + 16u * (w))
#define VDLA_REG_WINDOW_SIZE_LO(w) (0x108u + 16u * (w)) /* bytes in the window; an access beyond is an error */
#define VDLA_REG_WINDOW_SIZE_HI(w) (0x10cu + 16u * (w))
#define VDLA_REG_BUILD_ID 0x180u /* number of this build, as whoever built it chose it; 0: not stated */
#define VDLA_REG_CLOCK_KHZ 0x184u /* clock in kHz, as whoever built it states it; 0: not stated */
#define VDLA_REG_ADDRESS_BITS 0x188u /* bits of memory addresses that reach the memory; 0: all 64 */
#define VDLA_REG_GEOMETRY_BATCH 0x190u /* B: rows of the array */
#define VDLA_REG_GEOMETRY_BLOCK_IN 0x194u /* K: products summed per step */
#define VDLA_REG_GEOMETRY_BLOCK_OUT 0x198u /* N: output channels per step */
#define VDLA_REG_GEOMETRY_INP_DEPTH 0x19cu /* entries of buffer inp */
#define VDLA_REG_GEOMETRY_WGT_DEPTH 0x1a0u /* entries of buffer wgt */
#define VDLA_REG_GEOMETRY_ACC_DEPTH 0x1a4u /* entries of buffer acc */
#define VDLA_REG_GEOMETRY_OUT_DEPTH 0x1a8u /* entries of buffer out */
#define VDLA_REG_GEOMETRY_PAR_DEPTH 0x1acu /* entries of buffer par */
#define VDLA_REG_GEOMETRY_UOP_DEPTH 0x1b0u /* entries of buffer uop */
#define VDLA_REG_GEOMETRY_QUEUE_DEPTH 0x1b4u /* instructions per unit queue */
#define VDLA_REG_GEOMETRY_TOKEN_DEPTH 0x1b8u /* tokens per channel */
#define VDLA_REG_UNIT_STRIDE 8u /* from the registers of a unit to those of the next */
#define VDLA_GEOMETRY_FIELDS 11u
#define VDLA_REG_GEOMETRY(field) (0x190u + 4u * (field)) /* of them */
#define VDLA_REGISTER_SPACE 0x200u

/* Bits. */
#define VDLA_CONTROL_START 0x1u
#define VDLA_CONTROL_SOFT_RESET 0x2u
#define VDLA_CONTROL_IRQ_ENABLE 0x4u
#define VDLA_STATUS_IDLE 0x1u
#define VDLA_STATUS_BUSY 0x2u
#define VDLA_STATUS_DONE 0x4u
#define VDLA_STATUS_ERROR 0x8u
#define VDLA_IRQ_DONE 0x1u
#define VDLA_IRQ_ERROR 0x2u
#define VDLA_UNIT_STATE_HAS_INSN 0x1u
#define VDLA_UNIT_STATE_RUNNING 0x2u
#define VDLA_UNIT_STATE_OWED 0x4u
#define VDLA_UNIT_STATE_WAITING_POPS 0xf0u
#define VDLA_UNIT_STATE_WAITING_POPS_LSB 4u
#define VDLA_UNIT_STATE_WAITING_PUSHES 0xf00u
#define VDLA_UNIT_STATE_WAITING_PUSHES_LSB 8u
#define VDLA_FETCH_STATE_BUSY 0x1u
#define VDLA_FETCH_STATE_OWED 0x4u
#define VDLA_FETCH_STATE_WAITING_QUEUE 0xf0u
#define VDLA_FETCH_STATE_WAITING_QUEUE_LSB 4u
/* Smaller values of STALL_LIMIT, but 0, act as this one. */
#define VDLA_MIN_STALL_LIMIT 128u

/* opcode */
#define VDLA_OPCODE_LOAD 1u
#define VDLA_OPCODE_STORE 2u
#define VDLA_OPCODE_GEMM 3u
#define VDLA_OPCODE_VECTOR 4u
#define VDLA_OPCODE_FINISH 5u

/* unit */
#define VDLA_UNIT_LOAD 0u
#define VDLA_UNIT_GEMM 1u
#define VDLA_UNIT_VECTOR 2u
#define VDLA_UNIT_STORE 3u
#define VDLA_UNIT_FETCH 4u

/* buffer */
#define VDLA_BUFFER_INP 0u
#define VDLA_BUFFER_WGT 1u
#define VDLA_BUFFER_ACC 2u
#define VDLA_BUFFER_OUT 3u
#define VDLA_BUFFER_PAR 4u
#define VDLA_BUFFER_UOP 5u

/* window */
#define VDLA_WINDOW_INSN 0u
#define VDLA_WINDOW_UOP 1u
#define VDLA_WINDOW_CONST 2u
#define VDLA_WINDOW_ACT 3u
#define VDLA_WINDOW_INPUT 4u
#define VDLA_WINDOW_OUTPUT 5u
#define VDLA_WINDOW_SPARE0 6u
#define VDLA_WINDOW_SPARE1 7u

/* vector_op */
#define VDLA_VECTOR_OP_SCALE 0u
#define VDLA_VECTOR_OP_MAC 1u
#define VDLA_VECTOR_OP_ADD 2u
#define VDLA_VECTOR_OP_MAX 3u
#define VDLA_VECTOR_OP_MIN 4u
#define VDLA_VECTOR_OP_AVG 5u
#define VDLA_VECTOR_OP_HSUM 6u

/* vector_b */
#define VDLA_VECTOR_B_NONE 0u
#define VDLA_VECTOR_B_PAR 1u
#define VDLA_VECTOR_B_IMM 2u

/* error */
#define VDLA_ERROR_NONE 0u
#define VDLA_ERROR_ILLEGAL_INSN 1u
#define VDLA_ERROR_WINDOW 2u
#define VDLA_ERROR_SRAM_BOUNDS 3u
#define VDLA_ERROR_BUS_READ 4u
#define VDLA_ERROR_BUS_WRITE 5u
#define VDLA_ERROR_STALL 6u
#define VDLA_ERROR_NO_FINISH 7u
#define VDLA_ERROR_MISALIGNED 8u

static inline const char *vdla_unit_text(unsigned code) {
  switch (code) {
    case 0: return "load";
    case 1: return "gemm";
    case 2: return "vector";
    case 3: return "store";
    case 4: return "fetch";
    default: return "unknown";
  }
}

static inline const char *vdla_window_text(unsigned code) {
  switch (code) {
    case 0: return "insn";
    case 1: return "uop";
    case 2: return "const";
    case 3: return "act";
    case 4: return "input";
    case 5: return "output";
    case 6: return "spare0";
    case 7: return "spare1";
    default: return "unknown";
  }
}

static inline const char *vdla_buffer_text(unsigned code) {
  switch (code) {
    case 0: return "inp";
    case 1: return "wgt";
    case 2: return "acc";
    case 3: return "out";
    case 4: return "par";
    case 5: return "uop";
    default: return "unknown";
  }
}

static inline const char *vdla_geometry_text(unsigned code) {
  switch (code) {
    case 0: return "batch";
    case 1: return "block_in";
    case 2: return "block_out";
    case 3: return "inp_depth";
    case 4: return "wgt_depth";
    case 5: return "acc_depth";
    case 6: return "out_depth";
    case 7: return "par_depth";
    case 8: return "uop_depth";
    case 9: return "queue_depth";
    case 10: return "token_depth";
    default: return "unknown";
  }
}

static inline const char *vdla_error_text(unsigned code) {
  switch (code) {
    case 0: return "no error";
    case 1: return "an instruction breaks a rule of the ISA; ERROR_ADDR: the rule's number";
    case 2: return "a DRAM access leaves its window; ERROR_ADDR: the byte offset";
    case 3: return "an SRAM index is beyond its buffer; ERROR_ADDR: the index";
    case 4: return "the memory answered a read with an error; ERROR_ADDR: the address";
    case 5: return "the memory answered a write with an error; ERROR_ADDR: the address";
    case 6: return "no unit made progress for STALL_LIMIT cycles; ERROR_UNIT: fetch; the INSN, STATE and SINCE registers tell who waits for what";
    case 7: return "INSN_COUNT instructions were fetched and the last one was not finish";
    case 8: return "the base of window insn plus INSN_OFFSET is not a multiple of 64; ERROR_ADDR: the sum";
    default: return "unknown";
  }
}

/* ERROR_ADDR after error illegal_insn. */
static inline const char *vdla_rule_text(unsigned code) {
  switch (code) {
    case 1: return "the opcode is one of the table";
    case 2: return "bits outside the opcode's fields are zero";
    case 3: return "load pops no token from itself";
    case 4: return "load pushes no token to itself";
    case 5: return "store pops no token from itself";
    case 6: return "store pushes no token to itself";
    case 7: return "gemm pops no token from itself";
    case 8: return "gemm pushes no token to itself";
    case 9: return "vector pops no token from itself";
    case 10: return "vector pushes no token to itself";
    case 11: return "finish has no tokens: it waits for all units";
    case 12: return "load writes inp, wgt, out, par or uop";
    case 13: return "the window is one of the table";
    case 14: return "load reads any window but insn";
    case 15: return "only par is widened";
    case 16: return "run is at least 1";
    case 17: return "x_pad_before + x_count + x_pad_after is at least 1";
    case 18: return "y_pad_before + y_count + y_pad_after is at least 1";
    case 19: return "z_count is at least 1";
    case 20: return "sram_base is inside inp";
    case 21: return "sram_base is inside wgt";
    case 22: return "sram_base is inside out";
    case 23: return "sram_base is inside par";
    case 24: return "sram_base is inside uop";
    case 25: return "store reads out";
    case 26: return "store writes act, output, spare0 or spare1";
    case 27: return "store has no widening and no pad value";
    case 28: return "store has no padding along x";
    case 29: return "store has no padding along y";
    case 30: return "run is at least 1";
    case 31: return "x_count is at least 1";
    case 32: return "y_count is at least 1";
    case 33: return "z_count is at least 1";
    case 34: return "sram_base is inside out";
    case 35: return "count0 is at least 1";
    case 36: return "count1 is at least 1";
    case 37: return "count2 is at least 1";
    case 38: return "count3 is at least 1";
    case 39: return "count4 is at least 1";
    case 40: return "uop_count is at least 1";
    case 41: return "the micro-ops are inside uop";
    case 42: return "acc_base is inside acc";
    case 43: return "inp_base is inside inp";
    case 44: return "wgt_base is inside wgt";
    case 45: return "the operation is one of the table";
    case 46: return "the result goes to acc, inp or out";
    case 47: return "operand a comes from acc, inp or out";
    case 48: return "operand b is one of the table";
    case 49: return "count0 is at least 1";
    case 50: return "count1 is at least 1";
    case 51: return "count2 is at least 1";
    case 52: return "count3 is at least 1";
    case 53: return "count4 is at least 1";
    case 54: return "an int8 result does not accumulate: init is set";
    case 55: return "an int8 result does not accumulate: reduce_mask is zero";
    case 56: return "clamp_min is not above clamp_max";
    case 57: return "a result in inp needs block_in equal to block_out";
    case 58: return "operand a from inp needs block_in equal to block_out, but for hsum";
    case 59: return "hsum takes operand a from inp";
    case 60: return "scale takes its parameters from par";
    case 61: return "avg has no operand b";
    case 62: return "shift and half are zero but for avg";
    case 63: return "dst_base is inside acc";
    case 64: return "dst_base is inside inp";
    case 65: return "dst_base is inside out";
    case 66: return "a_base is inside acc";
    case 67: return "a_base is inside inp";
    case 68: return "a_base is inside out";
    case 69: return "b_base is inside par";
    case 70: return "the three parameters of scale are inside par";
    default: return "unknown";
  }
}

#endif
