// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/trace/event.h"

namespace vdla::trace {

/// An event that no engine told.
inline Event made(EventType type, isa::Unit unit, Cycle begin, Cycle end, std::uint32_t insn = 0) {
  Event e;
  e.type = type;
  e.unit = unit;
  e.begin = begin;
  e.end = end;
  e.insn = insn;
  return e;
}

}  // namespace vdla::trace
