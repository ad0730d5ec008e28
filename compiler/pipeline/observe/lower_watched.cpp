// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/observe/lower_watched.h"

#include "compiler/loop/print.h"
#include "compiler/loop/simplify.h"
#include "compiler/lower/lower.h"
#include "compiler/pipeline/observe/pass_list.h"
#include "compiler/schedule/script.h"

namespace vdla::pipeline {

loop::Func lower_watched(const schedule::Schedule& schedule, const std::vector<expr::Tensor>& args,
                         const std::string& name, const Watch& watch) {
  watch(Pass::Schedule, name, [&] { return schedule::to_script(schedule); });
  loop::Func func = lower::lower_unsimplified(schedule, args, name);
  watch(Pass::Lower, name, [&] { return loop::to_string(func); });
  func = loop::simplify(func);
  watch(Pass::SimplifyLowered, name, [&] { return loop::to_string(func); });
  return func;
}

loop::Func lower_by(const passes::Target& table, const loop::Func& func, const Watch& watch) {
  if (!watch.watches()) return passes::lower(table, func);
  return passes::lower(table, func, passes::Verify::Yes,
                       [&](const passes::Pass& row, const loop::Func& result) {
                         watch(pass_named(row.name), func.name, [&] { return loop::to_string(result); });
                       });
}

}  // namespace vdla::pipeline
