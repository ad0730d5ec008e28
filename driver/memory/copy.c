/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/memory/copy.h"

typedef volatile uintptr_t __attribute__((may_alias)) device_word;
typedef volatile unsigned char device_byte;

enum { kWordBytes = sizeof(uintptr_t) };

/* The CPU's side may lie anywhere; the compiler makes one access of this where that is allowed. */
static uintptr_t word_of(const unsigned char* from) {
  uintptr_t word = 0;
  for (unsigned i = 0; i < kWordBytes; ++i) word |= (uintptr_t)from[i] << (8 * i);
  return word;
}

static void put_word(unsigned char* to, uintptr_t word) {
  for (unsigned i = 0; i < kWordBytes; ++i) to[i] = (unsigned char)(word >> (8 * i));
}

void vdla_copy_to_device(uintptr_t to, const void* from, size_t bytes) {
  const unsigned char* source = from;
  while (bytes > 0) {
    const int is_word = to % kWordBytes == 0 && bytes >= kWordBytes;
    const unsigned moved = is_word ? kWordBytes : 1;
    if (is_word)
      *(device_word*)to = word_of(source);
    else
      *(device_byte*)to = *source;
    to += moved, source += moved, bytes -= moved;
  }
}

void vdla_copy_from_device(void* to, uintptr_t from, size_t bytes) {
  unsigned char* target = to;
  while (bytes > 0) {
    const int is_word = from % kWordBytes == 0 && bytes >= kWordBytes;
    const unsigned moved = is_word ? kWordBytes : 1;
    if (is_word)
      put_word(target, *(const device_word*)from);
    else
      *target = *(const device_byte*)from;
    from += moved, target += moved, bytes -= moved;
  }
}
