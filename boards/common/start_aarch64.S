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

  // Registers that a call may change, floating point too, and where to go on.
interrupt:
  sub sp, sp, #704
  stp x0, x1, [sp]
  stp x2, x3, [sp, #16]
  stp x4, x5, [sp, #32]
  stp x6, x7, [sp, #48]
  stp x8, x9, [sp, #64]
  stp x10, x11, [sp, #80]
  stp x12, x13, [sp, #96]
  stp x14, x15, [sp, #112]
  stp x16, x17, [sp, #128]
  stp x18, x29, [sp, #144]
  str x30, [sp, #160]
  at_level "mrs x0, ELR_EL1", "mrs x0, ELR_EL2", "mrs x0, ELR_EL3"
  at_level "mrs x1, SPSR_EL1", "mrs x1, SPSR_EL2", "mrs x1, SPSR_EL3"
  stp x0, x1, [sp, #176]
  mrs x0, FPSR
  mrs x1, FPCR
  stp x0, x1, [sp, #192]
  add x0, sp, #208
  stp q0, q1, [x0], #32
  stp q2, q3, [x0], #32
  stp q4, q5, [x0], #32
  stp q6, q7, [x0], #32
  stp q16, q17, [x0], #32
  stp q18, q19, [x0], #32
  stp q20, q21, [x0], #32
  stp q22, q23, [x0], #32
  stp q24, q25, [x0], #32
  stp q26, q27, [x0], #32
  stp q28, q29, [x0], #32
  stp q30, q31, [x0], #32
  bl vdla_interrupt_dispatch
  add x0, sp, #208
  ldp q0, q1, [x0], #32
  ldp q2, q3, [x0], #32
  ldp q4, q5, [x0], #32
  ldp q6, q7, [x0], #32
  ldp q16, q17, [x0], #32
  ldp q18, q19, [x0], #32
  ldp q20, q21, [x0], #32
  ldp q22, q23, [x0], #32
  ldp q24, q25, [x0], #32
  ldp q26, q27, [x0], #32
  ldp q28, q29, [x0], #32
  ldp q30, q31, [x0], #32
  ldp x0, x1, [sp, #192]
  msr FPSR, x0
  msr FPCR, x1
  ldp x0, x1, [sp, #176]
  at_level "msr ELR_EL1, x0", "msr ELR_EL2, x0", "msr ELR_EL3, x0"
  at_level "msr SPSR_EL1, x1", "msr SPSR_EL2, x1", "msr SPSR_EL3, x1"
  ldr x30, [sp, #160]
  ldp x18, x29, [sp, #144]
  ldp x16, x17, [sp, #128]
  ldp x14, x15, [sp, #112]
  ldp x12, x13, [sp, #96]
  ldp x10, x11, [sp, #80]
  ldp x8, x9, [sp, #64]
  ldp x6, x7, [sp, #48]
  ldp x4, x5, [sp, #32]
  ldp x2, x3, [sp, #16]
  ldp x0, x1, [sp]
  add sp, sp, #704
  eret

  // What the program cannot go on from: what, where, and the address that it wanted.
fault:
  at_level "mrs x1, ELR_EL1", "mrs x1, ELR_EL2", "mrs x1, ELR_EL3"
  at_level "mrs x2, FAR_EL1", "mrs x2, FAR_EL2", "mrs x2, FAR_EL3"
  ldr x0, =fault_text
  b vdla_fault

  .section .rodata
fault_text: .asciz "an exception"
