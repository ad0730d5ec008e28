/* SPDX-License-Identifier: Apache-2.0 */
/* Surroundings of a program without operating system on a board: a console, a way to end, time, interrupts.
   Its main() runs on the first core with caches, floating point and NEON on and addresses as the bus has
   them. build_firmware.sh makes such programs. */
#ifndef VDLA_BOARDS_COMMON_FIRMWARE_H
#define VDLA_BOARDS_COMMON_FIRMWARE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* To the board's UART. */
void vdla_console_text(const char* text);
void vdla_console_number(uint64_t value); /* decimal */
void vdla_console_hex(uint64_t value);    /* 0x and what follows, without leading zeros */

/* The end of the program; main() that returns ends with its value. A simulated board ends with this exit
   status, any other waits for its next reset. */
_Noreturn void vdla_exit(int status);

/* Since some moment before main(). */
uint64_t vdla_microseconds(void);

/* From now on `handler` is called with `context`, as an interrupt, while interrupt `id` is high (its number
   at the interrupt controller; VDLA_BOARD_INTERRUPT_ID is the accelerator's). One interrupt has a handler at
   a time. It has to see to it that the line goes low, or turn the interrupt off. */
void vdla_interrupt_handle(unsigned id, void (*handler)(void* context), void* context);
void vdla_interrupt_enable(unsigned id);
void vdla_interrupt_disable(unsigned id);

#ifdef __cplusplus
}
#endif

#endif
