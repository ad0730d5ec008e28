// SPDX-License-Identifier: Apache-2.0
// Cortex-A53 from reset to main(), at the exception level that it starts at: vectors, stack, floating point
// and NEON, memory.

// Does the one of three lines that fits the exception level; x9 is lost.
.macro at_level el1, el2, el3
  mrs x9, CurrentEL
  cmp x9, #2 << 2
  b.lo 1f
  b.hi 3f
  \el2
  b 4f
1:\el1
  b 4f
3:\el3
4:
.endm

// Stores or loads pairs of registers, from the stack pointer on.
.macro each_pair access
  \access x0, x1, [sp]
  \access x2, x3, [sp, #16]
  \access x4, x5, [sp, #32]
  \access x6, x7, [sp, #48]
  \access x8, x9, [sp, #64]
  \access x10, x11, [sp, #80]
  \access x12, x13, [sp, #96]
  \access x14, x15, [sp, #112]
  \access x16, x17, [sp, #128]
  \access x18, x29, [sp, #144]
.endm

// The same behind these and what lies there; x0 is lost.
.macro each_vector_pair access
  add x0, sp, #208
  .irp pair, "q0, q1", "q2, q3", "q4, q5", "q6, q7", "q8, q9", "q10, q11", "q12, q13", "q14, q15"
  \access \pair, [x0], #32
  .endr
  .irp pair, "q16, q17", "q18, q19", "q20, q21", "q22, q23", "q24, q25", "q26, q27", "q28, q29", "q30, q31"
  \access \pair, [x0], #32
  .endr
.endm

  .section .vectors, "ax"
  .balign 2048
vectors:
  .rept 4
  b fault                  // from the same level with the other stack pointer
  .balign 128
  .endr
  b fault
  .balign 128
  b interrupt
  .balign 128
  .rept 10
  b fault
  .balign 128
  .endr

  .text
  .global _start
_start:
  msr DAIFSet, #0xf
  ldr x0, =__stack_top
  mov sp, x0
  ldr x0, =vectors
  at_level "msr VBAR_EL1, x0", "msr VBAR_EL2, x0", "msr VBAR_EL3, x0"
  // Floating point is trapped by none of the levels that there are.
  mov x0, #3 << 20
  msr CPACR_EL1, x0
  mov x0, #0x33ff          // what CPTR_EL2 has to have set
  at_level "nop", "msr CPTR_EL2, x0", "msr CPTR_EL3, xzr"
  // Interrupts come to this level, and lower ones are AArch64.
  ldr x0, =1 << 4 | 1 << 27 | 1 << 31
  mov x1, #1 << 10 | 0x30 | 1 << 1 | 1 << 2
  at_level "nop", "msr HCR_EL2, x0", "msr SCR_EL3, x1"
  isb

  ldr x0, =__bss_start
  ldr x1, =__bss_end
1:cmp x0, x1
  b.hs 2f
  stp xzr, xzr, [x0], #16
  b 1b
2:bl vdla_memory_on
  mov x0, #0
  mov x1, #0
  bl main
  bl vdla_exit

  // Registers that a call may change and where to go on. Of vectors these are all: a call keeps the lower half of
  // v8 to v15 only.
  .equ kFrame, 720
interrupt:
  sub sp, sp, #kFrame
  each_pair stp
  str x30, [sp, #160]
  at_level "mrs x0, ELR_EL1", "mrs x0, ELR_EL2", "mrs x0, ELR_EL3"
  at_level "mrs x1, SPSR_EL1", "mrs x1, SPSR_EL2", "mrs x1, SPSR_EL3"
  stp x0, x1, [sp, #176]
  mrs x0, FPSR
  mrs x1, FPCR
  stp x0, x1, [sp, #192]
  each_vector_pair stp
  bl vdla_interrupt_dispatch
  each_vector_pair ldp
  ldp x0, x1, [sp, #192]
  msr FPSR, x0
  msr FPCR, x1
  ldp x0, x1, [sp, #176]
  at_level "msr ELR_EL1, x0", "msr ELR_EL2, x0", "msr ELR_EL3, x0"
  at_level "msr SPSR_EL1, x1", "msr SPSR_EL2, x1", "msr SPSR_EL3, x1"
  ldr x30, [sp, #160]
  each_pair ldp
  add sp, sp, #kFrame
  eret

  // What the program cannot go on from: what, where, and the address that it wanted.
fault:
  at_level "mrs x1, ELR_EL1", "mrs x1, ELR_EL2", "mrs x1, ELR_EL3"
  at_level "mrs x2, FAR_EL1", "mrs x2, FAR_EL2", "mrs x2, FAR_EL3"
  ldr x0, =fault_text
  b vdla_fault

  .section .rodata
fault_text: .asciz "an exception"
