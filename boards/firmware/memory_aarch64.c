/* SPDX-License-Identifier: Apache-2.0 */
#include "boards/firmware/memory.h"

#include <stdint.h>

#include "board.h"

enum {
  kBlock = 1 | 1 << 10,                       /* block of 1 GiB, accessed */
  kDevice = kBlock,                           /* attributes 0 below */
  kCached = kBlock | 1 << 2 | 3 << 8,         /* attributes 1, inner shareable */
  kAttributes = 0x04 | 0xff << 8,             /* device nGnRE; normal, write-back */
  kControl = 1 | 1 << 2 | 1 << 12,            /* translation, data cache, instruction cache */
  kFourGib = 32 | 1 << 8 | 1 << 10 | 3 << 12, /* addresses of 32 bits, tables are cached memory */
};

static uint64_t table[4] __attribute__((aligned(64)));

#define SET(name, value) __asm__ volatile("msr " name ", %0" ::"r"((uint64_t)(value)) : "memory")
#define GET(name, value) __asm__ volatile("mrs %0, " name : "=r"(value))
/* Each level has registers of its own. */
#define TURN_ON(level, translation)              \
  SET("MAIR_" level, kAttributes);               \
  SET("TCR_" level, kFourGib | (translation));   \
  SET("TTBR0_" level, (uintptr_t)table);         \
  __asm__ volatile("isb\n dsb sy" ::: "memory"); \
  GET("SCTLR_" level, control);                  \
  SET("SCTLR_" level, control | kControl);       \
  __asm__ volatile("isb" ::: "memory")

void vdla_memory_on(void) {
  uint64_t level, control;
  for (uint64_t i = 0; i < 4; ++i) {
    const int ram = (i << 30) - VDLA_BOARD_RAM_BASE < VDLA_BOARD_RAM_BYTES;
    table[i] = i << 30 | (ram ? kCached : kDevice);
  }
  GET("CurrentEL", level);
  __asm__ volatile("dsb sy" ::: "memory");
  if (level >> 2 == 1) {
    __asm__ volatile("tlbi vmalle1" ::: "memory");
    TURN_ON("EL1", 1 << 23); /* no upper half of the addresses */
  } else if (level >> 2 == 2) {
    __asm__ volatile("tlbi alle2" ::: "memory");
    TURN_ON("EL2", 1u << 31 | 1 << 23); /* bits that have to be 1 */
  } else {
    __asm__ volatile("tlbi alle3" ::: "memory");
    TURN_ON("EL3", 1u << 31 | 1 << 23);
  }
}
