/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one byte of a register, which the bus does not have. */
#include <stdint.h>

#include "board.h"

int main(void) { return *(const volatile uint8_t*)VDLA_BOARD_REGISTERS_BASE; }
