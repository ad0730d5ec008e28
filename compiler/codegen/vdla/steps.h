// SPDX-License-Identifier: Apache-2.0
// A function as a small tree of steps, compiled once (index expressions, tasks, where allocations end) and
// then run by expand.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "compiler/codegen/vdla/index.h"
#include "compiler/codegen/vdla/task.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/loop/stmt.h"

namespace vdla::codegen {

struct Step;
using StepPtr = std::unique_ptr<Step>;

struct LoopStep {
  std::string name;
  std::size_t slot;
  Index min, extent;
  StepPtr body;
};
struct BranchStep {
  expr::ExprPtr condition;
  StepPtr then_body, else_body;  ///< the latter may be null
};
/// After child i, the instances of the buffers in ends[i] end.
struct BlockStep {
  std::vector<StepPtr> children;
  std::vector<std::vector<const expr::Buffer*>> ends;
};
struct TaskStep {
  Task task;
};
struct Step {
  std::variant<LoopStep, BranchStep, BlockStep, TaskStep> node;
};

struct StepTree {
  StepPtr root;
  std::vector<const expr::Buffer*> allocated;
};

/// `environment` receives the slots of the loops. UserError for a statement that no task can be made of.
StepTree compile_steps(const loop::StmtPtr& body, std::span<const intrinsics::Intrinsic> table,
                       Environment& environment);

}  // namespace vdla::codegen
