/* SPDX-License-Identifier: Apache-2.0 */
/* Text into a caller's buffer without a C library: always terminated, cut off where the buffer ends. */
#ifndef VDLA_DRIVER_CORE_TEXT_H
#define VDLA_DRIVER_CORE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vdla_text {
  char* buffer;
  size_t size;
  size_t used; /* without the terminator */
} vdla_text;

/* An empty text in `buffer`; `size` must be at least 1. */
vdla_text vdla_text_in(char* buffer, size_t size);
void vdla_text_add(vdla_text* text, const char* piece);
void vdla_text_add_unsigned(vdla_text* text, uint64_t value);
/* "0x..." with `digits` digits at least. */
void vdla_text_add_hex(vdla_text* text, uint64_t value, unsigned digits);

#ifdef __cplusplus
}
#endif

#endif
