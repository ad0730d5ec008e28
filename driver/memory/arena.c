/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/memory/arena.h"

static uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) & ~(to - 1); }

/* The gap in front of block `index`, the one behind the last block where there is none. */
static uint64_t gap_begin(const vdla_arena* arena, uint32_t index) {
  return index == 0 ? arena->first : arena->blocks[index - 1].first + arena->blocks[index - 1].bytes;
}

static uint64_t gap_end(const vdla_arena* arena, uint32_t index) {
  return index == arena->used ? arena->first + arena->bytes : arena->blocks[index].first;
}

vdla_arena_result vdla_arena_take(vdla_arena* arena, uint64_t bytes, uint64_t alignment, uint64_t* first) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) return VDLA_ARENA_ALIGNMENT;
  if (bytes > arena->bytes) return VDLA_ARENA_FULL; /* so that nothing below overflows */
  if (alignment < arena->line) alignment = arena->line;
  bytes = round_up(bytes == 0 ? 1 : bytes, arena->line); /* every block has an address of its own */
  for (uint32_t i = 0; i <= arena->used; ++i) {
    const uint64_t at = round_up(gap_begin(arena, i), alignment), end = gap_end(arena, i);
    if (at > end || bytes > end - at) continue;
    if (arena->used == arena->capacity) return VDLA_ARENA_TABLE;
    for (uint32_t j = arena->used; j > i; --j) arena->blocks[j] = arena->blocks[j - 1];
    arena->blocks[i].first = *first = at;
    arena->blocks[i].bytes = bytes;
    ++arena->used;
    return VDLA_ARENA_OK;
  }
  return VDLA_ARENA_FULL;
}

void vdla_arena_give_back(vdla_arena* arena, uint64_t first) {
  uint32_t i = 0;
  while (i < arena->used && arena->blocks[i].first != first) ++i;
  if (i == arena->used) return;
  for (--arena->used; i < arena->used; ++i) arena->blocks[i] = arena->blocks[i + 1];
}

uint64_t vdla_arena_taken(const vdla_arena* arena) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < arena->used; ++i) sum += arena->blocks[i].bytes;
  return sum;
}

int vdla_arena_contains(const vdla_arena* arena, uint64_t first, uint64_t bytes) {
  return first >= arena->first && bytes <= arena->bytes && first - arena->first <= arena->bytes - bytes;
}
