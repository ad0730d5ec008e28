// SPDX-License-Identifier: Apache-2.0
// Lowering: a schedule becomes a loop IR function. Inlining, bound inference, loop nests with guards; then
// simplification (loop::simplify()).
#pragma once

#include <string>
#include <vector>

#include "compiler/loop/stmt.h"
#include "compiler/schedule/schedule.h"

namespace vdla::lower {

/// `args` are the parameters, in order: every placeholder that is read (direction in) and every output
/// (direction out). Other tensors are allocated: at the root in full, computed at a loop as the region that
/// this loop's body reads.
///
/// A reduction becomes an initialising store and an updating nest. In a tensorized stage it is one store of
/// combine(select(all reduce loops at their start, identity, load of itself), source), inside a Tensorize
/// statement.
loop::Func lower(const schedule::Schedule& schedule, const std::vector<expr::Tensor>& args,
                 const std::string& name);

/// Input of lower()'s simplification: bounds, guards and indices as they were inferred.
loop::Func lower_unsimplified(const schedule::Schedule& schedule, const std::vector<expr::Tensor>& args,
                              const std::string& name);

}  // namespace vdla::lower
