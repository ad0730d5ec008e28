/* SPDX-License-Identifier: Apache-2.0
 * Made of board.json by `vdla board generate qemu-pci`: edit that file and make this one again. */
#ifndef VDLA_BOARD_H
#define VDLA_BOARD_H
#define VDLA_BOARD_NAME "qemu-pci"
#define VDLA_BOARD_SIMULATED 1
#define VDLA_BOARD_GEOMETRY_HASH 0xaccf8afc3798df6c /* the variant, as registers and modules name it */
#define VDLA_BOARD_PCI_VENDOR 0x1234
#define VDLA_BOARD_PCI_DEVICE 0x1ada
#define VDLA_BOARD_MEMORY_BYTES 0x00400000 /* memory that a driver gives the accelerator alone */
#endif
