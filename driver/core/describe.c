/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/core/describe.h"

#include "isa/generated/vdla_isa.h"

void vdla_describe_error(const vdla_device_error* error, char* buffer, size_t size) {
  vdla_text text = vdla_text_in(buffer, size);
  vdla_text_add(&text, vdla_unit_text(error->unit));
  vdla_text_add(&text, " at instruction ");
  vdla_text_add_unsigned(&text, error->insn);
  vdla_text_add(&text, ": error ");
  vdla_text_add_unsigned(&text, error->code);
  vdla_text_add(&text, ", ");
  vdla_text_add(&text, vdla_error_text(error->code));
  vdla_text_add(&text, " (ERROR_ADDR = ");
  vdla_text_add_hex(&text, error->address, 1);
  if (error->code == VDLA_ERROR_ILLEGAL_INSN) {
    vdla_text_add(&text, ": ");
    vdla_text_add(&text, vdla_rule_text((unsigned)error->address));
  }
  vdla_text_add(&text, ")");
}

void vdla_add_geometry(vdla_text* text, const uint32_t* device, const uint32_t* needed) {
  for (unsigned field = 0; field < VDLA_GEOMETRY_FIELDS; ++field) {
    if (device[field] == needed[field]) continue;
    vdla_text_add(text, vdla_geometry_text(field));
    vdla_text_add(text, " is ");
    vdla_text_add_unsigned(text, device[field]);
    vdla_text_add(text, ", needs ");
    vdla_text_add_unsigned(text, needed[field]);
    vdla_text_add(text, "; ");
  }
}

static void add_units_of(vdla_text* text, uint32_t mask) {
  int first = 1;
  for (uint32_t unit = 0; unit < VDLA_UNITS_WITH_QUEUE; ++unit) {
    if ((mask >> unit & 1) == 0) continue;
    if (!first) vdla_text_add(text, " and ");
    vdla_text_add(text, vdla_unit_text(unit));
    first = 0;
  }
}

static void add_insn(vdla_text* text, const char* doing, const vdla_unit_state* state) {
  vdla_text_add(text, doing);
  vdla_text_add(text, " instruction ");
  vdla_text_add_unsigned(text, state->insn);
  if (state->since == 0) return; /* a device without time: no instruction is there in cycle 0 */
  vdla_text_add(text, " since cycle ");
  vdla_text_add_unsigned(text, state->since);
}

static void add_unit(vdla_text* text, const vdla_unit_state* state) {
  const int waits = state->waiting_pops != 0 || state->waiting_pushes != 0;
  if (!state->has_insn) {
    vdla_text_add(text, "has nothing to do");
    return;
  }
  add_insn(text, waits ? "waits at" : state->running ? "runs" : "is about to start", state);
  if (state->owed) vdla_text_add(text, ", the memory owes it an answer");
  if (state->waiting_pops != 0) {
    vdla_text_add(text, " for a token from ");
    add_units_of(text, state->waiting_pops);
  }
  if (state->waiting_pushes != 0) {
    vdla_text_add(text,
                  state->waiting_pops != 0 ? " and for room for a token to " : " for room for a token to ");
    add_units_of(text, state->waiting_pushes);
  }
}

static void add_fetch(vdla_text* text, const vdla_unit_state* state) {
  if (!state->has_insn) {
    vdla_text_add(text, "has nothing to do");
    return;
  }
  add_insn(text, state->waiting_pops != 0 ? "waits at" : "is at", state);
  if (state->owed) vdla_text_add(text, ", the memory owes it data");
  if (state->waiting_pops != 0) {
    vdla_text_add(text, " for room in the queue of ");
    add_units_of(text, state->waiting_pops);
  }
}

static void add_any(vdla_text* text, uint32_t unit, const vdla_unit_state* state) {
  if (unit < VDLA_UNITS_WITH_QUEUE)
    add_unit(text, state);
  else
    add_fetch(text, state);
}

void vdla_describe_unit(uint32_t unit, const vdla_unit_state* state, char* buffer, size_t size) {
  vdla_text text = vdla_text_in(buffer, size);
  add_any(&text, unit, state);
}

void vdla_describe_units(const vdla_unit_states* states, char* buffer, size_t size) {
  vdla_text text = vdla_text_in(buffer, size);
  for (uint32_t unit = 0; unit <= VDLA_UNITS_WITH_QUEUE; ++unit) {
    if (unit > 0) vdla_text_add(&text, "; ");
    vdla_text_add(&text, vdla_unit_text(unit));
    vdla_text_add(&text, " ");
    add_any(&text, unit, &states->unit[unit]);
  }
}
