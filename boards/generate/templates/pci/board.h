/* SPDX-License-Identifier: Apache-2.0
 * @BANNER@ */
#ifndef VDLA_BOARD_H
#define VDLA_BOARD_H
#define VDLA_BOARD_NAME "@BOARD@"
#define VDLA_BOARD_SIMULATED @SIMULATED@
#define VDLA_BOARD_GEOMETRY_HASH @GEOMETRY_HASH@ /* the variant, as registers and modules name it */
#define VDLA_BOARD_PCI_VENDOR @PCI_VENDOR@
#define VDLA_BOARD_PCI_DEVICE @PCI_DEVICE@
#define VDLA_BOARD_MEMORY_BYTES @MEMORY_BYTES@ /* memory that a driver gives the accelerator alone */
#endif
