/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the C library that compilers call on their own. */
#include <stddef.h>
#include <stdint.h>

void* memcpy(void* restrict to, const void* restrict from, size_t bytes);
void* memmove(void* to, const void* from, size_t bytes);
void* memset(void* to, int value, size_t bytes);
int memcmp(const void* a, const void* b, size_t bytes);

typedef uint32_t word __attribute__((may_alias));

static int whole_words(const void* a, const void* b) { return (((uintptr_t)a | (uintptr_t)b) & 3) == 0; }

void* memcpy(void* restrict to, const void* restrict from, size_t bytes) {
  unsigned char* d = to;
  const unsigned char* s = from;
  if (whole_words(d, s))
    for (; bytes >= 4; bytes -= 4, d += 4, s += 4) *(word*)d = *(const word*)s;
  while (bytes-- > 0) *d++ = *s++;
  return to;
}

void* memmove(void* to, const void* from, size_t bytes) {
  unsigned char* d = to;
  const unsigned char* s = from;
  if ((uintptr_t)d - (uintptr_t)s >= bytes) return memcpy(to, from, bytes);
  while (bytes-- > 0) d[bytes] = s[bytes];
  return to;
}

void* memset(void* to, int value, size_t bytes) {
  unsigned char* d = to;
  while (bytes-- > 0) *d++ = (unsigned char)value;
  return to;
}

int memcmp(const void* a, const void* b, size_t bytes) {
  const unsigned char *x = a, *y = b;
  for (; bytes > 0; --bytes, ++x, ++y)
    if (*x != *y) return *x < *y ? -1 : 1;
  return 0;
}
