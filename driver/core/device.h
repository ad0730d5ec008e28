/* SPDX-License-Identifier: Apache-2.0 */
/* The register-level driver: probe, reset, windows, start, wait, post-mortem, counters. Plain C99 over
   transport.h: no OS, no allocation, no globals; the caller owns vdla_device. Every failure leaves a sentence
   in device->message. This header is the one to include. Each source is declared by the header of its name,
   and calls go one way: device -> wait -> describe, state -> registers -> text. */
#ifndef VDLA_DRIVER_CORE_DEVICE_H
#define VDLA_DRIVER_CORE_DEVICE_H

#include <stdint.h>

#include "driver/core/describe.h"
#include "driver/core/state.h"
#include "driver/core/transport.h"
#include "driver/core/types.h"
#include "driver/core/wait.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "no error", ... for a status; "unknown status" otherwise. */
const char* vdla_driver_status_text(vdla_driver_status status);

/* Connects, checks the magic number and remembers the device's identity. */
vdla_driver_status vdla_probe(vdla_device* device, const vdla_transport* transport);
/* Refuses a program made for another ISA version or geometry. */
vdla_driver_status vdla_require(vdla_device* device, const vdla_identity* needed);
/* Stops whatever runs and clears error, interrupt and queues. Bursts in flight end first: a memory that never
   answers is reported. */
vdla_driver_status vdla_soft_reset(vdla_device* device);
/* A soft reset and, where that does not end and the transport has one, a hard reset: when a device is opened,
   after a run that failed, when it is closed. */
vdla_driver_status vdla_reset(vdla_device* device);
/* Refuses (ARGUMENT) memory that the device does not reach, by what the transport says of its addresses. */
vdla_driver_status vdla_require_reach(vdla_device* device, uint64_t address, uint64_t bytes);
/* Refuses memory out of the device's reach, and while the device is busy: windows of a running program cannot
 * change. */
vdla_driver_status vdla_set_window(vdla_device* device, unsigned window, uint64_t base, uint64_t size);
/* Clears the interrupt, then starts. Refuses while the device is busy. */
vdla_driver_status vdla_start(vdla_device* device, const vdla_launch* launch);
/* start and wait */
vdla_driver_status vdla_run(vdla_device* device, const vdla_launch* launch, uint64_t timeout);

#ifdef __cplusplus
}
#endif

#endif
