/* SPDX-License-Identifier: Apache-2.0 */
/* The board's accelerator for the driver. */
#ifndef VDLA_BOARDS_COMMON_ACCELERATOR_H
#define VDLA_BOARDS_COMMON_ACCELERATOR_H

#include "driver/mmio/mmio.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a transport to it: registers and DMA memory where board.json says, its interrupt, caches that are
   cleaned and emptied for it. Where the board says whether its fabric is configured it is asked first, before
   any register. Not VDLA_MMIO_OK where that fails, and mmio->error says why. */
int vdla_accelerator_open(vdla_mmio* mmio);

#ifdef __cplusplus
}
#endif

#endif
