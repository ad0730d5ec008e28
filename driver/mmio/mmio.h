/* SPDX-License-Identifier: Apache-2.0 */
/* A transport for bare metal: registers and one region of DMA memory in the CPU's address space, caches,
   interrupt and time by hooks of the board. C99, no OS, no allocation, no stdio.

     static vdla_mmio mmio;
     static vdla_device device;
     static const vdla_mmio_board board = {
         .registers = 0x43c00000, .memory = 0x10000000, .memory_bytes = 16 << 20, .device_memory = 0x10000000,
         .now = microseconds};
     if (vdla_mmio_open(&mmio, &board) != 0) stop(mmio.error);
     if (vdla_probe(&device, &mmio.transport) != VDLA_DRIVER_OK || vdla_reset(&device) != VDLA_DRIVER_OK)
       stop(device.message);

   docs/driver.md says what a transport holds to. */
#ifndef VDLA_DRIVER_MMIO_MMIO_H
#define VDLA_DRIVER_MMIO_MMIO_H

#include <stddef.h>
#include <stdint.h>

#include "driver/core/transport.h"
#include "driver/memory/arena.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Description of a board. Hooks receive `context`; one that is 0 is not needed, but for `now`. */
typedef struct vdla_mmio_board {
  uintptr_t registers;    /* CPU's address of register 0 */
  uintptr_t memory;       /* CPU's address of the region of DMA memory */
  size_t memory_bytes;    /* size of the region, of which nothing else is used */
  uint64_t device_memory; /* device's address of the region */
  uint32_t cache_line;    /* bytes; 0 where the caches are off, coherent, or do not see the region */
  uint32_t dma_bits;      /* address bits of the device's port; 0: 64 */
  int normal_memory;      /* the CPU may access the region in any way; 0: by aligned words only (MMU off) */
  uint32_t spin_reads;    /* looks at the device before the first wait; a read costs about 0.2 us on Zynq */
  uint32_t first_wait;    /* us, of the first wait for an interrupt; 0: 64 */

  void* context;
  /* Microseconds since any moment; never goes back. */
  uint64_t (*now)(void* context);
  /* Not 0 once the interrupt has come since unmask(). Without it IRQ_STATUS is polled. */
  int (*interrupt)(void* context);
  /* Forgets an interrupt that came before, and lets it through. */
  void (*unmask)(void* context);
  /* Passes a little time between two looks: returns when an interrupt is pending, at once if one is already,
   * and after some time without one. */
  void (*idle)(void* context);
  /* Writes whole lines back; makes the CPU forget whole lines. */
  void (*clean)(void* context, uintptr_t address, size_t bytes);
  void (*invalidate)(void* context, uintptr_t address, size_t bytes);
  /* Resets device and bus from outside; 0 for success. */
  int (*hard_reset)(void* context);
  /* Asks the fabric's manager whether the fabric is configured; touches no register of the device. 0 for yes.
   * `said` receives what was seen ("PCFG_DONE reads 1"), of a fabric that is not configured with what is
   * needed ("PCFG_DONE reads 0, needs 1"). */
  int (*configured)(void* context, const char** said);
} vdla_mmio_board;

/* A model takes eight blocks at most for each of its programs. */
enum { VDLA_MMIO_BLOCKS = 32, VDLA_MMIO_ERROR_BYTES = 224 };

typedef struct vdla_mmio {
  vdla_transport
      transport; /* for vdla_probe(); its context is this object, which therefore stays where it is */
  vdla_mmio_board board;
  vdla_arena arena;
  vdla_block blocks[VDLA_MMIO_BLOCKS];
  char error[VDLA_MMIO_ERROR_BYTES]; /* error of the last call that failed */
} vdla_mmio;

/* How vdla_mmio_open() ends. */
enum {
  VDLA_MMIO_OK = 0,
  VDLA_MMIO_BOARD = 1,         /* the board cannot work so; the transport is not to be used */
  VDLA_MMIO_NOT_CONFIGURED = 2 /* the transport stands, for configured() alone until that gives 0 */
};

/* Asks the board whether its fabric is configured, where it can be asked; touches neither registers nor
   memory of the device. Not VDLA_MMIO_OK, and mmio->error says what to change: no time base, a region that is
   empty, that begins inside a line of the caches or that the device does not reach, registers that are not
   aligned; or that the bitstream has to be loaded first. */
int vdla_mmio_open(vdla_mmio* mmio, const vdla_mmio_board* board);

#ifdef __cplusplus
}
#endif

#endif
