/* SPDX-License-Identifier: Apache-2.0 */
#include "boards/firmware/memory.h"

#include <stdint.h>

#include "board.h"

enum {
  kSection = 0xc02,            /* section of 1 MiB, read and written at every level, domain 0 */
  kCached = 0x1000 | 0xc,      /* normal memory, write-back, write-allocate */
  kDevice = 0x4 | 0x10,        /* shared device, nothing to execute */
  kControl = 1 | 0x4 | 0x1800, /* translation, data cache, branch prediction, instruction cache */
};

static uint32_t table[4096] __attribute__((aligned(16384)));

void vdla_memory_on(void) {
  for (uint32_t i = 0; i < 4096; ++i) {
    const uint64_t at = (uint64_t)i << 20;
    const int ram = at - VDLA_BOARD_RAM_BASE < VDLA_BOARD_RAM_BYTES;
    table[i] = (uint32_t)at | kSection | (ram ? kCached : kDevice);
  }
  uint32_t control;
  __asm__ volatile("dsb" ::: "memory");
  __asm__ volatile("mcr p15, 0, %0, c2, c0, 2" ::"r"(0)); /* one table */
  __asm__ volatile("mcr p15, 0, %0, c2, c0, 0" ::"r"(table));
  __asm__ volatile("mcr p15, 0, %0, c3, c0, 0" ::"r"(1)); /* domain 0: as the table says */
  __asm__ volatile("mcr p15, 0, %0, c8, c7, 0" ::"r"(0));
  __asm__ volatile("dsb\n isb" ::: "memory");
  __asm__ volatile("mrc p15, 0, %0, c1, c0, 0" : "=r"(control));
  __asm__ volatile("mcr p15, 0, %0, c1, c0, 0\n isb" ::"r"(control | kControl) : "memory");
}
