/* SPDX-License-Identifier: Apache-2.0 */
/* How the driver core reaches a device: registers, DMA-visible memory and an interrupt, as function pointers
   with a context. A simulated machine (driver/sim) and, later, boards stand behind it. Plain C, no OS. */
#ifndef VDLA_DRIVER_CORE_TRANSPORT_H
#define VDLA_DRIVER_CORE_TRANSPORT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a wait for the interrupt ended with. */
typedef enum vdla_wait_result {
  VDLA_WAIT_INTERRUPT, /* the line is high */
  VDLA_WAIT_TIMEOUT,   /* the time is over */
  VDLA_WAIT_STUCK,     /* the transport knows that nothing can happen any more (only a simulator can) */
  VDLA_WAIT_FAILED     /* the transport itself failed; last_error() says why */
} vdla_wait_result;

/* Functions that return int give 0 for success; otherwise last_error() describes the failure. All members
   must be set. Device addresses are what window registers take. */
typedef struct vdla_transport {
  void* context; /* first argument of every function */

  /* What `timeout` counts: "us" on a board, "cycles" in simulation. */
  const char* time_unit;

  /* 32-bit registers; offsets are multiples of 4. */
  int (*read32)(void* context, uint32_t offset, uint32_t* value);
  int (*write32)(void* context, uint32_t offset, uint32_t value);

  /* DMA memory. `alignment` is a power of two. free() takes what alloc() gave. */
  int (*alloc)(void* context, uint64_t bytes, uint64_t alignment, uint64_t* device_address);
  void (*free)(void* context, uint64_t device_address);
  int (*copy_in)(void* context, uint64_t device_address, const void* from, uint64_t bytes);
  int (*copy_out)(void* context, void* to, uint64_t device_address, uint64_t bytes);

  /* Caches: what the CPU wrote becomes visible to the device; what the device wrote becomes visible to the
   * CPU. */
  int (*sync_for_device)(void* context, uint64_t device_address, uint64_t bytes);
  int (*sync_for_cpu)(void* context, uint64_t device_address, uint64_t bytes);

  /* Waits until the interrupt line is high, at most `timeout` units; `spent` receives what has passed. */
  vdla_wait_result (*wait_interrupt)(void* context, uint64_t timeout, uint64_t* spent);

  /* The text of the last failure; valid until the next call. */
  const char* (*last_error)(void* context);
} vdla_transport;

#ifdef __cplusplus
}
#endif

#endif
