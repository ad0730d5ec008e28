// SPDX-License-Identifier: Apache-2.0
// What `vdla asm` made of increment.s.
  .section .rodata
  .balign 64
  .global program, program_end
program:
  .incbin "increment.bin"
program_end:

  .section .note.GNU-stack, "", %progbits
