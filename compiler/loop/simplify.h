// SPDX-License-Identifier: Apache-2.0
// Statement simplifier: simplifies every expression under the ranges of the loops and conditions around it,
// removes loops of one or no iteration, conditions that are decided and statements without effect, and moves
// conditions out of loops that they do not depend on.
#pragma once

#include "compiler/expr/simplify.h"
#include "compiler/loop/stmt.h"

namespace vdla::loop {

StmtPtr simplify(const StmtPtr& s, const expr::Ranges& ranges = {});
Func simplify(const Func& func);

}  // namespace vdla::loop
