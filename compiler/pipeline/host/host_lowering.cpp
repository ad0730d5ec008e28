// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/host/host_lowering.h"

#include "compiler/loop/print.h"

namespace vdla::pipeline {

loop::Func lowered_kernel(const loop::Func& func, const Watch& watch, const passes::Target& target) {
  if (!watch.watches()) return passes::lower(target, func);
  return passes::lower(target, func, passes::Verify::Yes,
                       [&](const passes::Pass& row, const loop::Func& result) {
                         watch(pass_named(row.name), func.name, [&] { return loop::to_string(result); });
                       });
}

}  // namespace vdla::pipeline
