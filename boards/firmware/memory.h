/* SPDX-License-Identifier: Apache-2.0 */
/* Translation and caches, for the code before main(). */
#ifndef VDLA_BOARDS_COMMON_MEMORY_H
#define VDLA_BOARDS_COMMON_MEMORY_H

/* Addresses stay what they are; the board's memory is cached, everything else is devices. */
void vdla_memory_on(void);

#endif
