/* SPDX-License-Identifier: Apache-2.0 */
/* A transport over XRT: cards on PCI Express with a Vitis platform, and XRT's own emulation of one. It is a
   shared library of its own (lib/vdla/xrt), since XRT is: kit/xrt_device.h loads it when a card is asked for.
   This is its C interface.

     vdla_xrt* xrt;
     char why[VDLA_MESSAGE_BYTES];
     vdla_xrt_options options = {"0", "vdla.xclbin"};
     if (vdla_xrt_open(&options, &xrt, why, sizeof why) != VDLA_DRIVER_OK) stop(why);
     ... vdla_probe(&device, vdla_xrt_transport(xrt)), or a session of the runtime ...
     vdla_xrt_close(xrt);

   docs/driver.md says what XRT has to offer, and what a failure is called. */
#ifndef VDLA_DRIVER_XRT_XRT_H
#define VDLA_DRIVER_XRT_XRT_H

#include <stddef.h>
#include <stdint.h>

#include "driver/core/transport.h"
#include "driver/core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vdla_xrt_options {
  const char* device; /* as XRT counts cards ("0"), or as the bus does ("0000:03:00.1") */
  const char*
      xclbin;   /* contents of the card: loaded, unless it is there already; says in which bank blocks lie */
  int no_reset; /* 1: neither a signal nor vdla_xrt_close() resets the device */
  int no_reset_by_signals; /* 1: SIGHUP, SIGINT and SIGTERM stay as they are */
} vdla_xrt_options;

typedef struct vdla_xrt vdla_xrt;

/* Takes the kernel vdla_axi of the card for this process. On failure `message` receives a sentence with its
   remedy: NO_DEVICE: XRT has no such card, or does not find its own libraries; ARGUMENT: the file is no
   xclbin, has no kernel vdla_axi, or is not for this card; OWNED: another process has the card (which);
   TRANSPORT: XRT failed. From here on a signal that ends the process resets the device first, on a thread of
   the transport's own, and then does what it did before; the same signal again does so at once. */
vdla_driver_status vdla_xrt_open(const vdla_xrt_options* options, vdla_xrt** xrt, char* message, size_t size);
/* Resets the device, unless the options say no_reset, and gives it back; 0 is allowed. */
void vdla_xrt_close(vdla_xrt* xrt);

const vdla_transport* vdla_xrt_transport(const vdla_xrt* xrt);

/* The folder of the libraries of XRT that this one uses. */
const char* vdla_xrt_libraries(void);

#ifdef __cplusplus
}
#endif

#endif
