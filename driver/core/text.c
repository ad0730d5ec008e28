/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/core/text.h"

static void add_char(vdla_text* text, char c) {
  if (text->used + 1 >= text->size) return;
  text->buffer[text->used++] = c;
  text->buffer[text->used] = '\0';
}

static void add_number(vdla_text* text, uint64_t value, unsigned base, unsigned digits) {
  char reversed[20]; /* 2^64 - 1 has 20 decimal digits */
  unsigned count = 0;
  do {
    reversed[count++] = "0123456789abcdef"[value % base];
    value /= base;
  } while (value != 0);
  while (count < digits && count < sizeof reversed) reversed[count++] = '0';
  while (count > 0) add_char(text, reversed[--count]);
}

vdla_text vdla_text_in(char* buffer, size_t size) {
  vdla_text text = {buffer, size, 0};
  buffer[0] = '\0';
  return text;
}

void vdla_text_add(vdla_text* text, const char* piece) {
  while (*piece != '\0') add_char(text, *piece++);
}

void vdla_text_add_unsigned(vdla_text* text, uint64_t value) { add_number(text, value, 10, 1); }

void vdla_text_add_hex(vdla_text* text, uint64_t value, unsigned digits) {
  vdla_text_add(text, "0x");
  add_number(text, value, 16, digits);
}
