/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/core/text.h"

static void add_char(vdla_text* text, char c) {
  if (text->used + 1 >= text->size) return;
  text->buffer[text->used++] = c;
  text->buffer[text->used] = '\0';
}

/* Divides by ten, gives the rest: by shifts, since not every CPU divides 64 bits without a library. */
static char last_digit(uint64_t* value) {
  unsigned rest = 0;
  for (int bit = 0; bit < 64; ++bit) {
    rest = rest << 1 | (unsigned)(*value >> 63);
    *value <<= 1;
    if (rest < 10) continue;
    rest -= 10;
    *value |= 1;
  }
  return (char)('0' + rest);
}

vdla_text vdla_text_in(char* buffer, size_t size) {
  vdla_text text = {buffer, size, 0};
  buffer[0] = '\0';
  return text;
}

void vdla_text_add(vdla_text* text, const char* piece) {
  while (*piece != '\0') add_char(text, *piece++);
}

void vdla_text_add_unsigned(vdla_text* text, uint64_t value) {
  char reversed[20]; /* 2^64 - 1 has 20 decimal digits */
  unsigned count = 0;
  do {
    reversed[count++] = last_digit(&value);
  } while (value != 0);
  while (count > 0) add_char(text, reversed[--count]);
}

void vdla_text_add_hex(vdla_text* text, uint64_t value, unsigned digits) {
  unsigned count = 16;
  while (count > 1 && count > digits && value >> 60 == 0) {
    value <<= 4;
    --count;
  }
  vdla_text_add(text, "0x");
  for (; count > 0; --count, value <<= 4) add_char(text, "0123456789abcdef"[value >> 60]);
}
