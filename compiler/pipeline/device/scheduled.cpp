// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/device/scheduled.h"

#include "compiler/loop/print.h"
#include "compiler/loop/simplify.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/script.h"

namespace vdla::pipeline::device {

loop::Func lowered(const Scheduled& s, const Watch& watch) {
  watch(Pass::Schedule, s.name, [&] { return schedule::to_script(s.schedule); });
  loop::Func func = lower::lower_unsimplified(s.schedule, s.args, s.name);
  watch(Pass::Lower, func.name, [&] { return loop::to_string(func); });
  func = loop::simplify(func);
  watch(Pass::SimplifyLowered, func.name, [&] { return loop::to_string(func); });
  return func;
}

}  // namespace vdla::pipeline::device
