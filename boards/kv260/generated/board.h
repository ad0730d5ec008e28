/* SPDX-License-Identifier: Apache-2.0
 * Made of board.json by `vdla board generate kv260`: edit that file and make this one again.
 * Facts for C and assembler. Addresses are those of the CPU and of the accelerator alike. */
#ifndef VDLA_BOARD_H
#define VDLA_BOARD_H
#define VDLA_BOARD_NAME "kv260"
#define VDLA_BOARD_SIMULATED 0
#define VDLA_BOARD_ZYNQ7000 0
#define VDLA_BOARD_ZYNQMP 1
#define VDLA_BOARD_GEOMETRY_HASH 0x62816403c7f2a11d /* the variant, as registers and modules name it */
#define VDLA_BOARD_CLOCK_HZ 100000000 /* asked of the tools (of a simulated board: assumed), not measured */
/* Register of the processing system with the bit that is 1 when the fabric is configured; 0: there is none. */
#define VDLA_BOARD_FABRIC_STATUS 0xffca3010
#define VDLA_BOARD_FABRIC_BIT 3
#define VDLA_BOARD_FABRIC_NAME "PL_DONE of the CSU's pcap_status"
#define VDLA_BOARD_REGISTERS_BASE 0xa0000000
#define VDLA_BOARD_REGISTERS_BYTES 0x00001000
#define VDLA_BOARD_MEMORY_BASE 0x60000000 /* used by the accelerator alone */
#define VDLA_BOARD_MEMORY_BYTES 0x10000000
#define VDLA_BOARD_INTERRUPT_ID 121 /* number in the interrupt controller; high while pending */
#define VDLA_BOARD_UART_BASE 0xff010000
#define VDLA_BOARD_RAM_BASE 0x00000000
#define VDLA_BOARD_RAM_BYTES 0x80000000
#endif
