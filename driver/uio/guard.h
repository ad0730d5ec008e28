/* SPDX-License-Identifier: Apache-2.0 */
/* Signals around a device's registers: a bus error becomes a status, and a signal that ends the process stops
   the device first, so that nothing is written to memory that another process has by then. */
#ifndef VDLA_DRIVER_UIO_GUARD_H
#define VDLA_DRIVER_UIO_GUARD_H

#include <stdint.h>

/* One access of a register by its address in this process; not 0: SIGBUS. */
int vdla_guarded_read(uintptr_t address, uint32_t* value);
int vdla_guarded_write(uintptr_t address, uint32_t value);
/* Asks the device at these registers for a soft reset, if it is one: a signal's handler may. */
void vdla_guarded_reset(uintptr_t registers);

/* Registers of an open device; `by_signals` also resets it when SIGHUP, SIGINT or SIGTERM arrives, and then
   does what the signal did before. Not 0: there is no room for more. */
int vdla_guard_begin(uintptr_t registers, int by_signals);
void vdla_guard_end(uintptr_t registers);

#endif
