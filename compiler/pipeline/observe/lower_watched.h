// SPDX-License-Identifier: Apache-2.0
// From a schedule to simplified loops, with what each step makes shown to whoever watches. The one place
// where a schedule that a person wrote takes the place of a template's.
#pragma once

#include <string>
#include <vector>

#include "compiler/expr/tensor.h"
#include "compiler/loop/stmt.h"
#include "compiler/pipeline/observe/observe.h"
#include "compiler/schedule/schedule.h"

namespace vdla::pipeline {

/// What lower::lower() gives, of the schedule that `watch` has for the function, or else of `by_template`.
/// Passes Schedule, Lower and SimplifyLowered are shown.
loop::Func lower_watched(const schedule::Schedule& by_template, const std::vector<expr::Tensor>& args,
                         const std::string& name, const Watch& watch);

}  // namespace vdla::pipeline
