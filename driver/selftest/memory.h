/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns in DMA memory: written, read back through the transport, and what a difference looks like. The
   CPU's view alone; what the device sees is tested by programs. Plain C99, no allocation. */
#ifndef VDLA_DRIVER_SELFTEST_MEMORY_H
#define VDLA_DRIVER_SELFTEST_MEMORY_H

#include <stdint.h>

#include "driver/core/text.h"
#include "driver/core/transport.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { VDLA_BEAT = 8 /* bytes of a beat of the memory port */ };

/* X(NAME, "name", "what it writes") */
#define VDLA_MEMORY_PATTERNS(X)                                                                        \
  X(ADDRESS, "address", "each 8 bytes have their own address: lines of the address, memory that ends") \
  X(INVERSE, "inverse", "the same inverted: each bit has both values")                                 \
  X(WALKING_ONES, "walking-ones", "one of 64 bits, in each 8 bytes the next: lines of the data")       \
  X(WALKING_ZEROS, "walking-zeros", "all but one of 64 bits")                                          \
  X(CHECKER, "checker", "0x55 and 0xaa in turns: neighbours that differ")

#define VDLA_ENUMERATOR(name, text, what) VDLA_MEMORY_##name,
typedef enum vdla_memory_pattern {
  VDLA_MEMORY_PATTERNS(VDLA_ENUMERATOR) VDLA_MEMORY_PATTERN_COUNT
} vdla_memory_pattern;
#undef VDLA_ENUMERATOR

const char* vdla_memory_pattern_name(vdla_memory_pattern pattern);
const char* vdla_memory_pattern_what(vdla_memory_pattern pattern);

/* Difference between bytes and what they should be. All zero: nothing so far. */
typedef struct vdla_memory_difference {
  uint64_t bytes;                             /* bytes that differ */
  uint64_t first, last;                       /* addresses of such */
  uint8_t read[VDLA_BEAT], needed[VDLA_BEAT]; /* the 8 bytes around the first */
  uint8_t high[VDLA_BEAT];                    /* bits of a beat that were 1 somewhere, and should be 0 */
  uint8_t low[VDLA_BEAT];                     /* and the other way */
} vdla_memory_difference;

/* Adds what differs in bytes of memory that begin at `address`. */
void vdla_memory_compare(vdla_memory_difference* difference, uint64_t address, const uint8_t* read,
                         const uint8_t* needed, uint32_t bytes);

/* A range of memory and what is written to it; patterns that walk begin with another bit in each round. */
typedef struct vdla_memory_range {
  uint64_t address, bytes;
  vdla_memory_pattern pattern;
  unsigned round;
} vdla_memory_range;

/* 0, or 1: the transport's last_error() says why. What fill has written is in memory, and check reads it from
   there, whatever caches stand before it. */
int vdla_memory_fill(const vdla_transport* transport, const vdla_memory_range* range);
int vdla_memory_check(const vdla_transport* transport, const vdla_memory_range* range,
                      vdla_memory_difference* difference);

/* "only bytes 4 to 7 of each 8 are wrong, as where ...": what such a difference usually comes from; nothing
   is added where it tells nothing. `range`: what was written, or 0. */
void vdla_memory_add_cause(vdla_text* text, const vdla_memory_difference* difference,
                           const vdla_memory_range* range);

#ifdef __cplusplus
}
#endif

#endif
