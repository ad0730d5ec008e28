// SPDX-License-Identifier: Apache-2.0
// A function as a small tree of steps, compiled once (index expressions, tasks, where allocations end) and
// then run by expand.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "compiler/codegen/vdla/folded_nest.h"
#include "compiler/codegen/vdla/index.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/loop/stmt.h"

namespace vdla::codegen {

struct Action;
using ActionPtr = std::unique_ptr<Action>;

struct LoopAction {
  std::string name;
  std::size_t slot;
  Index min, extent;
  ActionPtr body;
};
struct BranchAction {
  expr::ExprPtr condition;
  ActionPtr then_body, else_body;  ///< the latter may be null
};
/// After child i, the instances of the buffers in ends[i] end.
struct BlockAction {
  std::vector<ActionPtr> children;
  std::vector<std::vector<const expr::Buffer*>> ends;
};
struct NestAction {
  FoldedNest task;
};
struct Action {
  std::variant<LoopAction, BranchAction, BlockAction, NestAction> node;
};

struct ActionTree {
  ActionPtr root;
  std::vector<const expr::Buffer*> allocated;
};

/// `environment` receives the slots of the loops. UserError for a statement that no task can be made of.
ActionTree compile_actions(const loop::StmtPtr& body, std::span<const intrinsics::Intrinsic> table,
                           Environment& environment);

}  // namespace vdla::codegen
