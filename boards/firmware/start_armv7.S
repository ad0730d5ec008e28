// SPDX-License-Identifier: Apache-2.0
// Cortex-A9 from reset to main(): vectors, stacks, caches off and empty, floating point and NEON, memory.
  .syntax unified
  .arm
  .fpu neon

  .section .vectors, "ax"
  .global _start
_start:
  b reset
  b undefined
  b supervisor_call
  b prefetch_abort
  b data_abort
  b .
  b interrupt
  b .

  .text
reset:
  cpsid if, #0x12          // interrupt mode: a stack of its own, for two words
  ldr sp, =irq_stack_top
  cps #0x1f                // system mode from here on
  ldr sp, =__stack_top

  mrc p15, 0, r0, c1, c0, 0
  bic r0, r0, #0x1000      // instruction cache
  bic r0, r0, #0x2000      // vectors are where VBAR says
  bic r0, r0, #0x5         // data cache, translation
  mcr p15, 0, r0, c1, c0, 0
  ldr r0, =_start
  mcr p15, 0, r0, c12, c0, 0
  mov r0, #0
  mcr p15, 0, r0, c8, c7, 0  // translations,
  mcr p15, 0, r0, c7, c5, 0  // instructions,
  mcr p15, 0, r0, c7, c5, 6  // branches
  mov r1, #0               // and data that caches hold: 256 sets of 4 ways of 32 bytes
1:mov r2, #0
2:orr r0, r1, r2
  mcr p15, 0, r0, c7, c6, 2
  add r2, r2, #1 << 5
  cmp r2, #256 << 5
  blo 2b
  adds r1, r1, #1 << 30
  bne 1b

  mrc p15, 0, r0, c1, c0, 2
  orr r0, r0, #0xf00000
  mcr p15, 0, r0, c1, c0, 2
  isb
  mov r0, #0x40000000
  vmsr fpexc, r0

  ldr r0, =__bss_start
  ldr r1, =__bss_end
  mov r2, #0
3:cmp r0, r1
  strlo r2, [r0], #4
  blo 3b
  dsb
  bl vdla_memory_on
  mov r0, #0
  mov r1, #0
  bl main
  bl vdla_exit

interrupt:
  sub lr, lr, #4
  srsdb sp!, #0x1f         // return address and state onto the stack of system mode
  cps #0x1f
  push {r0-r4, r12}
  and r4, sp, #4           // calls want a stack of whole 8 bytes
  sub sp, sp, r4
  vpush {d0-d7}
  vpush {d16-d31}
  vmrs r0, fpscr
  push {r0, lr}
  bl vdla_interrupt_dispatch
  pop {r0, lr}
  vmsr fpscr, r0
  vpop {d16-d31}
  vpop {d0-d7}
  add sp, sp, r4
  pop {r0-r4, r12}
  rfeia sp!

  // What the program cannot go on from: what, where, and the address that it wanted.
undefined:
  sub r1, lr, #4
  ldr r0, =undefined_text
  mov r2, #0
  b fault
supervisor_call:
  sub r1, lr, #4
  ldr r0, =supervisor_text
  mov r2, #0
  b fault
prefetch_abort:
  sub r1, lr, #4
  ldr r0, =prefetch_text
  mov r2, r1
  b fault
data_abort:
  sub r1, lr, #8
  ldr r0, =data_text
  mrc p15, 0, r2, c6, c0, 0
fault:
  cps #0x1f
  bic sp, sp, #7
  b vdla_fault

  .section .rodata
undefined_text: .asciz "an undefined instruction"
supervisor_text: .asciz "a supervisor call"
prefetch_text: .asciz "an instruction where there is none"
data_text: .asciz "a data abort"

  .bss
  .balign 8
  .skip 64
irq_stack_top:
