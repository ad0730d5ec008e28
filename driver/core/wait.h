/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for a program to end, and the post-mortem when it does not. */
#ifndef VDLA_DRIVER_CORE_WAIT_H
#define VDLA_DRIVER_CORE_WAIT_H

#include <stddef.h>
#include <stdint.h>

#include "driver/core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the launch has ended, without waiting: OK and *ended 0 while it runs. After *ended 1 the status
   and the message are those of vdla_wait. */
vdla_driver_status vdla_poll(vdla_device* device, const vdla_launch* launch, int* ended);

/* Waits for the interrupt, at most `timeout` of the transport's units, then for the launch's own sequence
   number; a finish of something else is not taken for it. A program that has ended while its interrupt never
   came is a good run: device->interrupts_lost counts it and vdla_warning() names it. After DEVICE, DEADLOCK
   or TIMEOUT the message says which unit waits for what; soft-reset before the next start. */
vdla_driver_status vdla_wait(vdla_device* device, const vdla_launch* launch, uint64_t timeout);

/* Reads the registers about the program that was started last, by any process, without waiting and without a
   change: OK where it has ended by its finish or none was started, BUSY with what each unit does where it has
   not ended, DEVICE and DEADLOCK as vdla_wait. From here on indices of instructions are in window insn. */
vdla_driver_status vdla_diagnose(vdla_device* device);

/* The time, in the transport's units, after which a program that should take predicted_cycles has gone wrong:
   20 times as long at 10 MHz, and a second at least. */
uint64_t vdla_timeout(const vdla_transport* transport, uint64_t predicted_cycles);

/* Writes faults since the probe that made no run fail: interrupts that never came, hard resets. Gives 0, and
   an empty text, where there is nothing to say. */
int vdla_warning(const vdla_device* device, char* buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
