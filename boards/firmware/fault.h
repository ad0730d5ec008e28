/* SPDX-License-Identifier: Apache-2.0 */
/* Goes on from exceptions of start_*.S. */
#ifndef VDLA_BOARDS_COMMON_FAULT_H
#define VDLA_BOARDS_COMMON_FAULT_H

#include <stdint.h>

/* Says what happened at which instruction, with which address, and ends the program with status 1. */
_Noreturn void vdla_fault(const char* what, uintptr_t where, uintptr_t address);
/* Calls the handler of the interrupt that is waiting, if there is one. */
void vdla_interrupt_dispatch(void);

#endif
