/* SPDX-License-Identifier: Apache-2.0
 * Made of board.json by `vdla board generate pynq-z1`: edit that file and make this one again.
 * Facts for C and assembler. Addresses are those of the CPU and of the accelerator alike. */
#ifndef VDLA_BOARD_H
#define VDLA_BOARD_H
#define VDLA_BOARD_NAME "pynq-z1"
#define VDLA_BOARD_SIMULATED 0
#define VDLA_BOARD_ZYNQ7000 1
#define VDLA_BOARD_ZYNQMP 0
#define VDLA_BOARD_GEOMETRY_HASH 0xa49217021f812680 /* the variant, as registers and modules name it */
#define VDLA_BOARD_CLOCK_HZ 100000000 /* asked of the tools (of a simulated board: assumed), not measured */
/* Register of the processing system with the bit that is 1 when the fabric is configured; 0: there is none. */
#define VDLA_BOARD_FABRIC_STATUS 0xf800700c
#define VDLA_BOARD_FABRIC_BIT 2
#define VDLA_BOARD_FABRIC_NAME "PCFG_DONE of devcfg's INT_STS"
#define VDLA_BOARD_REGISTERS_BASE 0x43c00000
#define VDLA_BOARD_REGISTERS_BYTES 0x00001000
#define VDLA_BOARD_MEMORY_BASE 0x10000000 /* used by the accelerator alone */
#define VDLA_BOARD_MEMORY_BYTES 0x04000000
#define VDLA_BOARD_INTERRUPT_ID 61 /* number in the interrupt controller; high while pending */
#define VDLA_BOARD_UART_BASE 0xe0000000
#define VDLA_BOARD_RAM_BASE 0x00000000
#define VDLA_BOARD_RAM_BYTES 0x20000000
#endif
