// SPDX-License-Identifier: Apache-2.0
// From a schedule to simplified loops and over a table of lowering, each step shown to the observer
// that a compile has.
#pragma once

#include <string>
#include <vector>

#include "compiler/expr/tensor.h"
#include "compiler/loop/stmt.h"
#include "compiler/observe/observe.h"
#include "compiler/passes/target.h"
#include "compiler/schedule/schedule.h"

namespace vdla::pipeline {

/// Result of lower::lower() for the schedule that `watch` has for the function, or else of `by_template`.
/// Passes Schedule, Lower and SimplifyLowered are shown.
loop::Func lower_watched(const schedule::Schedule& by_template, const std::vector<expr::Tensor>& args,
                         const std::string& name, const Watch& watch);

/// Runs a table of lowering over a function. With an observer, the result of each row is verified and
/// shown.
loop::Func lower_by(const passes::Target& table, const loop::Func& func, const Watch& watch);

}  // namespace vdla::pipeline
