// SPDX-License-Identifier: Apache-2.0
// What compilers call by the names of the Arm ABI: division, for which Cortex-A9 has no instruction, and memory.
  .syntax unified
  .arm
  .text

  // r0 / r1 -> r0, the rest -> r1; division by 0 gives 0.
  .global __aeabi_uidiv, __aeabi_uidivmod
__aeabi_uidiv:
__aeabi_uidivmod:
  cmp r1, #0
  moveq r0, #0
  bxeq lr
  clz r2, r0
  clz r3, r1
  subs r2, r3, r2
  mov r3, r0               // what is left
  mov r0, #0
  bmi 2f
1:cmp r3, r1, lsl r2
  subhs r3, r3, r1, lsl r2
  adc r0, r0, r0           // the bit of the quotient is the carry of the comparison
  subs r2, r2, #1
  bpl 1b
2:mov r1, r3
  bx lr

  .global __aeabi_idiv, __aeabi_idivmod
__aeabi_idiv:
__aeabi_idivmod:
  push {r4, r5, r6, lr}
  mov r4, r0
  eor r5, r0, r1
  cmp r0, #0
  rsbmi r0, r0, #0
  cmp r1, #0
  rsbmi r1, r1, #0
  bl __aeabi_uidivmod
  cmp r5, #0
  rsbmi r0, r0, #0
  cmp r4, #0
  rsbmi r1, r1, #0
  pop {r4, r5, r6, pc}

  // r1:r0 shifted by r2, 0 to 63: to the left; to the right with zeros; to the right with the sign.
  .global __aeabi_llsl, __aeabi_llsr, __aeabi_lasr
__aeabi_llsl:
  subs r3, r2, #32
  rsb r12, r2, #32
  lsl r1, r1, r2
  orrmi r1, r1, r0, lsr r12
  lslpl r1, r0, r3
  lsl r0, r0, r2
  bx lr
__aeabi_llsr:
  subs r3, r2, #32
  rsb r12, r2, #32
  lsr r0, r0, r2
  orrmi r0, r0, r1, lsl r12
  lsrpl r0, r1, r3
  lsr r1, r1, r2
  bx lr
__aeabi_lasr:
  subs r3, r2, #32
  rsb r12, r2, #32
  lsr r0, r0, r2
  orrmi r0, r0, r1, lsl r12
  asrpl r0, r1, r3
  asr r1, r1, r2
  bx lr

  // r1:r0 / r3:r2 -> r1:r0, the rest -> r3:r2; division by 0 gives 0.
  .global __aeabi_uldivmod
__aeabi_uldivmod:
  push {r4, r5, r6, r7, r8, lr}
  mov r4, r0               // r5:r4 shifts out the dividend and in the quotient, r7:r6 is what is left
  mov r5, r1
  mov r6, #0
  mov r7, #0
  mov r8, #64
  orrs r12, r2, r3
  moveq r4, #0
  moveq r5, #0
  beq 3f
1:adds r4, r4, r4
  adcs r5, r5, r5
  adcs r6, r6, r6
  adcs r7, r7, r7
  bcs 2f                   // a 65th bit: larger than any divisor
  cmp r7, r3
  cmpeq r6, r2
  blo 4f
2:subs r6, r6, r2
  sbc r7, r7, r3
  orr r4, r4, #1
4:subs r8, r8, #1
  bne 1b
3:mov r0, r4
  mov r1, r5
  mov r2, r6
  mov r3, r7
  pop {r4, r5, r6, r7, r8, pc}

  .global __aeabi_memcpy, __aeabi_memcpy4, __aeabi_memcpy8, __aeabi_memmove, __aeabi_memmove4, __aeabi_memmove8
__aeabi_memcpy:
__aeabi_memcpy4:
__aeabi_memcpy8:
  b memcpy
__aeabi_memmove:
__aeabi_memmove4:
__aeabi_memmove8:
  b memmove

  // The length comes before the value.
  .global __aeabi_memset, __aeabi_memset4, __aeabi_memset8, __aeabi_memclr, __aeabi_memclr4, __aeabi_memclr8
__aeabi_memclr:
__aeabi_memclr4:
__aeabi_memclr8:
  mov r2, #0
__aeabi_memset:
__aeabi_memset4:
__aeabi_memset8:
  mov r3, r1
  mov r1, r2
  mov r2, r3
  b memset
