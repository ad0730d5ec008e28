// SPDX-License-Identifier: Apache-2.0
// Times of a GPU's programs beside a device whose time is cycles, at the clock that its variant assumes: for
// timelines and reports. The GPU computes one program after the other, first the one that is waited for
// first. Copies and steps of the CPU take no time here.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "runtime/session/session.h"
#include "sim/trace/event.h"

namespace vdla::kit {

/// Cycles from `begin` on.
struct CycleSpan {
  trace::Cycle begin = 0, cycles = 0;
  trace::Cycle end() const { return begin + cycles; }
};

class GpuTimeline {
 public:
  explicit GpuTimeline(double clock_mhz) : clock_mhz_(clock_mhz) {}

  /// The device has come to `now` where the segment begins.
  void begin(std::size_t segment, trace::Cycle now) { begins_[segment] = now; }
  /// Spans of the layers of the segment, which has begun; the device goes on after the last one.
  std::vector<CycleSpan> end(std::size_t segment, const std::vector<double>& layer_seconds);

 private:
  const double clock_mhz_;
  std::map<std::size_t, trace::Cycle> begins_;
  trace::Cycle free_ = 0;  ///< cycle at which the GPU can begin
};

/// A run of a module, device and GPU in the same cycles.
struct SideBySide {
  struct Step {
    std::size_t step = 0;
    CycleSpan span;
  };
  struct Program {
    std::size_t segment = 0;
    std::vector<CycleSpan> layers;
  };
  std::vector<Step> device;
  std::vector<Program> gpu;  ///< programs by segment
  trace::Cycle cycles = 0;   ///< cycles of both together
};

/// Times of a run with times of layers, on an engine with cycles.
SideBySide side_by_side(const runtime::Module& module, const runtime::Result& result);

}  // namespace vdla::kit
