// SPDX-License-Identifier: Apache-2.0
// The part of a run in which certain instructions are in the machine.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sim/trace/event.h"

namespace vdla::trace {

/// Events that touch the cycles from the first dispatch of such an instruction to the last retire (of a run
/// that ended early: to its end); what others do meanwhile is among them. Empty where no such instruction is
/// dispatched.
std::vector<Event> window_of(std::span<const Event> run,
                             const std::function<bool(std::uint32_t insn)>& chosen);

}  // namespace vdla::trace
