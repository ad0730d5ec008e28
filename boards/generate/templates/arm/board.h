/* SPDX-License-Identifier: Apache-2.0
 * @BANNER@
 * Facts for C and assembler. Addresses are those of the CPU and of the accelerator alike. */
#ifndef VDLA_BOARD_H
#define VDLA_BOARD_H
#define VDLA_BOARD_NAME "@BOARD@"
#define VDLA_BOARD_SIMULATED @SIMULATED@
#define VDLA_BOARD_ZYNQ7000 @IS_ZYNQ7000@
#define VDLA_BOARD_ZYNQMP @IS_ZYNQMP@
#define VDLA_BOARD_GEOMETRY_HASH @GEOMETRY_HASH@ /* the variant, as registers and modules name it */
#define VDLA_BOARD_CLOCK_HZ @CLOCK_HZ@ /* asked of the tools (of a simulated board: assumed), not measured */
/* Register of the processing system with the bit that is 1 when the fabric is configured; 0: there is none. */
#define VDLA_BOARD_FABRIC_STATUS @FABRIC_STATUS@
#define VDLA_BOARD_FABRIC_BIT @FABRIC_BIT@
#define VDLA_BOARD_FABRIC_NAME "@FABRIC_NAME@"
#define VDLA_BOARD_REGISTERS_BASE @REGISTERS_BASE@
#define VDLA_BOARD_REGISTERS_BYTES @REGISTERS_BYTES@
#define VDLA_BOARD_MEMORY_BASE @MEMORY_BASE@ /* used by the accelerator alone */
#define VDLA_BOARD_MEMORY_BYTES @MEMORY_BYTES@
#define VDLA_BOARD_INTERRUPT_ID @GIC_ID@ /* number in the interrupt controller; high while pending */
#define VDLA_BOARD_UART_BASE @UART_BASE@
#define VDLA_BOARD_RAM_BASE @RAM_BASE@
#define VDLA_BOARD_RAM_BYTES @RAM_BYTES@
#endif
