/* SPDX-License-Identifier: Apache-2.0 */
/* A transport for Linux: registers, memory and interrupt of a UIO device (generic-uio on Zynq and ZynqMP, the
   module of boards/linux on PCI), memory of u-dma-buf on request. C, no threads of its own.

     vdla_uio* uio;
     char why[VDLA_MESSAGE_BYTES];
     vdla_uio_options options = {0};
     if (vdla_uio_open(&options, &uio, why, sizeof why) != VDLA_DRIVER_OK) stop(why);
     ... vdla_probe(&device, vdla_uio_transport(uio)), vdla_reset(&device), or a session of the runtime ...
     vdla_uio_close(uio);

   docs/driver.md says what the kernel has to offer, and what a failure is called. */
#ifndef VDLA_DRIVER_UIO_UIO_H
#define VDLA_DRIVER_UIO_UIO_H

#include <stddef.h>
#include <stdint.h>

#include "driver/core/transport.h"
#include "driver/core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All zero: the one device named "vdla", its own reserved memory. */
typedef struct vdla_uio_options {
  const char* root;   /* stands in front of /sys and /dev, "/tmp/tree"; 0: the machine's own */
  const char* device; /* "uio3", or a name as /sys/class/uio/uio3/name has it; 0: "vdla" */
  /* Source of blocks: a u-dma-buf ("udmabuf0"), which the CPU caches; 0: map "memory" of the UIO device,
   * which is reserved for it and not cached. */
  const char* udmabuf;
  uint32_t dma_bits;   /* bits of the addresses of the device's port; 0: 64 */
  uint32_t spin_reads; /* looks at the device before the first wait */
  int any_fpga_state;  /* 1: go on where the FPGA manager does not say "operating" */
  /* 1: the FPGA is not asked about when the device is opened, but by the transport's configured(). Until that
   * gives 0 no register is touched: accesses fail, and neither a signal nor vdla_uio_close() resets. */
  int ask_fpga_later;
  int no_reset_by_signals; /* 1: SIGHUP, SIGINT and SIGTERM stay as they are */
  /* For looking at what a device shows. no_reset: neither a signal nor vdla_uio_close() resets it. shared:
   * it is not taken for this process, and another one may have it. */
  int no_reset, shared;
  /* Resets device and bus from outside, where the board has such a line; 0 for success. The transport's
   * hard_reset: vdla_reset() calls it where a soft reset does not end. 0: there is none. */
  int (*hard_reset)(void* context);
  void* hard_reset_context;
} vdla_uio_options;

typedef struct vdla_uio vdla_uio;

/* Takes the device for this process. On failure `message` receives a sentence with its remedy:
   NO_DEVICE: no UIO device of that name, an FPGA that is not configured; OWNED: another process has it
   (which); ARGUMENT: several of that name, maps that are missing or too small; TRANSPORT: a system call
   failed. From here on a signal that ends the process resets the device first, and an access that the bus
   answers with an error (SIGBUS) is a failure of that access. */
vdla_driver_status vdla_uio_open(const vdla_uio_options* options, vdla_uio** uio, char* message, size_t size);
/* Resets the device, unless no_reset was asked for, and gives it back; 0 is allowed. */
void vdla_uio_close(vdla_uio* uio);

const vdla_transport* vdla_uio_transport(const vdla_uio* uio);

#ifdef __cplusplus
}
#endif

#endif
