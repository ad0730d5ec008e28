/* SPDX-License-Identifier: Apache-2.0
 * @BANNER@
 * Facts for C and assembler. Addresses are those of the CPU and of the accelerator alike. */
#ifndef VDLA_BOARD_H
#define VDLA_BOARD_H

#define VDLA_BOARD_NAME "@BOARD@"
#define VDLA_BOARD_SIMULATED @SIMULATED@
#define VDLA_BOARD_ZYNQ7000 @IS_ZYNQ7000@
#define VDLA_BOARD_ZYNQMP @IS_ZYNQMP@

/* The variant, as the accelerator's registers and modules name it. */
#define VDLA_BOARD_GEOMETRY_HASH @GEOMETRY_HASH@

/* Clock that the tools were asked for (of a simulated board: assumed), not a measured one. */
#define VDLA_BOARD_CLOCK_HZ @CLOCK_HZ@

/* The register of the processing system with the bit that is 1 when the fabric is configured; 0: there is
 * none to read. */
#define VDLA_BOARD_FABRIC_STATUS @FABRIC_STATUS@
#define VDLA_BOARD_FABRIC_BIT @FABRIC_BIT@
#define VDLA_BOARD_FABRIC_NAME "@FABRIC_NAME@"

#define VDLA_BOARD_REGISTERS_BASE @REGISTERS_BASE@
#define VDLA_BOARD_REGISTERS_BYTES @REGISTERS_BYTES@

/* The accelerator's memory, used by nothing else. */
#define VDLA_BOARD_MEMORY_BASE @MEMORY_BASE@
#define VDLA_BOARD_MEMORY_BYTES @MEMORY_BYTES@

/* Number in the generic interrupt controller; high while the interrupt is pending. */
#define VDLA_BOARD_INTERRUPT_ID @GIC_ID@

#define VDLA_BOARD_UART_BASE @UART_BASE@
#define VDLA_BOARD_RAM_BASE @RAM_BASE@
#define VDLA_BOARD_RAM_BYTES @RAM_BYTES@

#endif
