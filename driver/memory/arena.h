/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of one region of DMA memory, first fit, by device addresses. The region is never touched: the table
   of blocks is the caller's. */
#ifndef VDLA_DRIVER_MEMORY_ARENA_H
#define VDLA_DRIVER_MEMORY_ARENA_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vdla_block {
  uint64_t first, bytes; /* both multiples of the line */
} vdla_block;

typedef struct vdla_arena {
  uint64_t first, bytes; /* the region */
  uint64_t line;         /* bytes of a line of the caches, a power of two: no two blocks share one */
  vdla_block* blocks;    /* `used` of `capacity`, by address */
  uint32_t used, capacity;
} vdla_arena;

typedef enum vdla_arena_result {
  VDLA_ARENA_OK,
  VDLA_ARENA_FULL,      /* no gap of that size */
  VDLA_ARENA_ALIGNMENT, /* not a power of two */
  VDLA_ARENA_TABLE      /* the table of blocks is full */
} vdla_arena_result;

vdla_arena_result vdla_arena_take(vdla_arena* arena, uint64_t bytes, uint64_t alignment, uint64_t* first);
/* Ignores an address that is no block's first one. */
void vdla_arena_give_back(vdla_arena* arena, uint64_t first);
uint64_t vdla_arena_taken(const vdla_arena* arena);
/* Whether all of these bytes are the region's. */
int vdla_arena_contains(const vdla_arena* arena, uint64_t first, uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
