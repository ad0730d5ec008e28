// SPDX-License-Identifier: Apache-2.0
// Result of a template: a computation with its schedule; and how it becomes a function.
#pragma once

#include <string>
#include <vector>

#include "compiler/expr/tensor.h"
#include "compiler/loop/stmt.h"
#include "compiler/observe/observe.h"
#include "compiler/schedule/schedule.h"
#include "compiler/targets/vdla/templates/outer_axes.h"

namespace vdla::pipeline::device {

struct Scheduled {
  std::string name;  ///< name of the function
  schedule::Schedule schedule;
  std::vector<expr::Tensor> args;  ///< its parameters, in order
  OuterAxes outer = {};            ///< the first dimensions of those that differ along them
};

/// Lowered, with marks where an intrinsic shall stand.
loop::Func lowered(const Scheduled& scheduled, const Watch& watch = {});

}  // namespace vdla::pipeline::device
