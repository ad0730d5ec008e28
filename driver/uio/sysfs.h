/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that the kernel gives of UIO devices, u-dma-bufs and the FPGA: small text files below /sys/class. */
#ifndef VDLA_DRIVER_UIO_SYSFS_H
#define VDLA_DRIVER_UIO_SYSFS_H

#include <stddef.h>
#include <stdint.h>

#include "driver/core/types.h"

enum { VDLA_PATH_BYTES = 512, VDLA_NAME_BYTES = 64 };

/* A map of a UIO device, or a u-dma-buf. */
typedef struct vdla_map {
  unsigned index;   /* index of the map */
  uint64_t address; /* physical, of its first byte */
  uint64_t bytes;
  uint64_t offset; /* offset of its first byte in its page, with which a mapping begins */
} vdla_map;

/* "uio3" of the device: `wanted` as vdla_uio_options says. */
vdla_driver_status vdla_find_uio(const char* root, const char* wanted, char* found, char* message,
                                 size_t size);
/* The map of that name. */
vdla_driver_status vdla_find_map(const char* root, const char* uio, const char* name, vdla_map* map,
                                 char* message, size_t size);
/* A u-dma-buf; `folder` receives "/sys/class/u-dma-buf/udmabuf0". */
vdla_driver_status vdla_find_udmabuf(const char* root, const char* name, vdla_map* map, char* folder,
                                     char* message, size_t size);
/* Refuses where there are FPGA managers and none says "operating": a read of registers that are not there can
   stop the whole machine; with `any_state` it lets that pass. Where it does not refuse, `message` receives
   what the managers say ("fpga0 'operating'"), or that there are none. */
vdla_driver_status vdla_require_fpga(const char* root, int any_state, char* message, size_t size);

#endif
