// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/vdla/templates/scheduled.h"

#include "compiler/observe/lower_watched.h"

namespace vdla::pipeline::device {

loop::Func lowered(const Scheduled& s, const Watch& watch) {
  return lower_watched(s.schedule, s.args, s.name, watch);
}

}  // namespace vdla::pipeline::device
