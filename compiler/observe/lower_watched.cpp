// SPDX-License-Identifier: Apache-2.0
#include "compiler/observe/lower_watched.h"

#include <optional>

#include "compiler/loop/print.h"
#include "compiler/loop/simplify.h"
#include "compiler/lower/lower.h"
#include "compiler/observe/pass_list.h"
#include "compiler/observe/written_schedule.h"
#include "compiler/schedule/script.h"

namespace vdla::pipeline {
namespace {

/// The schedule of the function's outputs that a person wrote; nothing where the template's is to be taken.
std::optional<schedule::Schedule> written_for(const std::vector<expr::Tensor>& outputs,
                                              const std::string& function, const Watch& watch) {
  const WrittenSchedule* written = watch.written();
  if (!written || !written->is_for(function, watch.is_own())) return std::nullopt;
  return written->replayed(outputs, function, watch.is_own());
}

}  // namespace

loop::Func lower_watched(const schedule::Schedule& by_template, const std::vector<expr::Tensor>& args,
                         const std::string& name, const Watch& watch) {
  const std::optional<schedule::Schedule> written = written_for(by_template.outputs(), name, watch);
  const schedule::Schedule& schedule = written ? *written : by_template;
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
