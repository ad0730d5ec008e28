/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for a program to end, and the post-mortem when it does not. */
#ifndef VDLA_DRIVER_CORE_WAIT_H
#define VDLA_DRIVER_CORE_WAIT_H

#include <stdint.h>

#include "driver/core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Waits for the interrupt, then for the launch's own sequence number; a finish of something else is not taken
   for it. After DEVICE, DEADLOCK or TIMEOUT the message says which unit waits for what; soft-reset before the
   next start. */
vdla_driver_status vdla_wait(vdla_device* device, const vdla_launch* launch, uint64_t timeout);

#ifdef __cplusplus
}
#endif

#endif
