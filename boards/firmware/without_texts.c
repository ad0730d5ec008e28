/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the driver as numbers: compiled in place of driver/core/text.c and driver/core/describe.c
   (build_firmware.sh --without-texts). Pieces of text go nowhere, so -flto drops them from the program; of
   each message its numbers are left, hexadecimal, with a space before each. */
#include "driver/core/describe.h"

#include "isa/generated/vdla_isa.h"

static void add_char(vdla_text* text, char c) {
  if (text->used + 1 >= text->size) return;
  text->buffer[text->used++] = c;
  text->buffer[text->used] = '\0';
}

vdla_text vdla_text_in(char* buffer, size_t size) {
  vdla_text text = {buffer, size, 0};
  buffer[0] = '\0';
  return text;
}

void vdla_text_add(vdla_text* text, const char* piece) {
  (void)text;
  (void)piece;
}

void vdla_text_add_unsigned(vdla_text* text, uint64_t value) {
  unsigned digits = 16;
  for (; digits > 1 && value >> 60 == 0; --digits) value <<= 4;
  add_char(text, ' ');
  for (; digits > 0; --digits, value <<= 4) add_char(text, "0123456789abcdef"[value >> 60]);
}

void vdla_text_add_hex(vdla_text* text, uint64_t value, unsigned digits) {
  (void)digits;
  vdla_text_add_unsigned(text, value);
}

/* The registers ERROR_UNIT, ERROR_INSN, ERROR_CODE, ERROR_ADDR. */
void vdla_describe_error(const vdla_device_error* error, char* buffer, size_t size) {
  vdla_text text = vdla_text_in(buffer, size);
  vdla_text_add_unsigned(&text, error->unit);
  vdla_text_add_unsigned(&text, error->insn);
  vdla_text_add_unsigned(&text, error->code);
  vdla_text_add_unsigned(&text, error->address);
}

/* Instruction, cycle since when, and the bits of a register like LOAD_STATE. */
static void add_unit(vdla_text* text, const vdla_unit_state* state) {
  vdla_text_add_unsigned(text, state->insn);
  vdla_text_add_unsigned(text, state->since);
  vdla_text_add_unsigned(text, (state->has_insn ? VDLA_UNIT_STATE_HAS_INSN : 0) |
                                   (state->running ? VDLA_UNIT_STATE_RUNNING : 0) |
                                   (state->owed ? VDLA_UNIT_STATE_OWED : 0) |
                                   (uint32_t)state->waiting_pops << VDLA_UNIT_STATE_WAITING_POPS_LSB |
                                   (uint32_t)state->waiting_pushes << VDLA_UNIT_STATE_WAITING_PUSHES_LSB);
}

void vdla_describe_unit(uint32_t unit, const vdla_unit_state* state, char* buffer, size_t size) {
  vdla_text text = vdla_text_in(buffer, size);
  (void)unit;
  add_unit(&text, state);
}

void vdla_describe_units(const vdla_unit_states* states, char* buffer, size_t size) {
  vdla_text text = vdla_text_in(buffer, size);
  for (uint32_t unit = 0; unit <= VDLA_UNITS_WITH_QUEUE; ++unit) add_unit(&text, &states->unit[unit]);
}

void vdla_add_geometry(vdla_text* text, const uint32_t* device, const uint32_t* needed) {
  for (unsigned field = 0; field < VDLA_GEOMETRY_FIELDS; ++field) {
    if (device[field] == needed[field]) continue;
    vdla_text_add_unsigned(text, field);
    vdla_text_add_unsigned(text, device[field]);
    vdla_text_add_unsigned(text, needed[field]);
  }
}
