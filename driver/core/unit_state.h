/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of a unit's registers. */
#ifndef VDLA_DRIVER_CORE_UNIT_STATE_H
#define VDLA_DRIVER_CORE_UNIT_STATE_H

#include "driver/core/types.h"
#include "isa/generated/vdla_isa.h"

/* State of a unit from its registers INSN, STATE and SINCE. */
static inline vdla_unit_state vdla_unit_state_of(uint32_t insn, uint32_t bits, uint32_t since) {
  vdla_unit_state state;
  state.insn = insn;
  state.since = since;
  /* Fetch has its bits where a unit has those of the same meaning. */
  state.has_insn = (bits & VDLA_UNIT_STATE_HAS_INSN) != 0;
  state.running = (bits & VDLA_UNIT_STATE_RUNNING) != 0;
  state.owed = (bits & VDLA_UNIT_STATE_OWED) != 0;
  state.waiting_pops = (bits & VDLA_UNIT_STATE_WAITING_POPS) >> VDLA_UNIT_STATE_WAITING_POPS_LSB;
  state.waiting_pushes = (bits & VDLA_UNIT_STATE_WAITING_PUSHES) >> VDLA_UNIT_STATE_WAITING_PUSHES_LSB;
  return state;
}

#endif
