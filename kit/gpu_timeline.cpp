// SPDX-License-Identifier: Apache-2.0
#include "kit/gpu_timeline.h"

#include <algorithm>
#include <cmath>

namespace vdla::kit {

std::vector<CycleSpan> GpuTimeline::end(std::size_t segment, const std::vector<double>& layer_seconds) {
  trace::Cycle at = std::max(begins_.at(segment), free_);
  std::vector<CycleSpan> layers;
  for (const double seconds : layer_seconds) {
    layers.push_back({at, static_cast<trace::Cycle>(std::llround(1e6 * seconds * clock_mhz_))});
    at = layers.back().end();
  }
  free_ = at;
  return layers;
}

SideBySide side_by_side(const runtime::Module& module, const runtime::Result& result) {
  SideBySide both;
  GpuTimeline places(module.variant.timing.clock_mhz);
  const std::vector<std::size_t> needed_at = runtime::segments_needed_at(module);
  both.gpu.resize(result.gpu.size());
  const auto wait_for = [&](std::size_t step, std::size_t started) {
    for (std::size_t s = 0; s < started; ++s) {
      SideBySide::Program& program = both.gpu[s];
      if (!program.layers.empty() || needed_at[s] > step) continue;
      program = {s, places.end(s, result.gpu[s].layer_seconds)};
      if (!program.layers.empty()) both.cycles = std::max(both.cycles, program.layers.back().end());
    }
  };
  std::size_t started = 0;
  const auto come_to = [&](std::size_t step) {
    for (; started < both.gpu.size() && module.gpu[started].first_step <= step; ++started) {
      wait_for(module.gpu[started].first_step, started);
      places.begin(started, both.cycles);
    }
    wait_for(step, started);
  };
  for (const runtime::StepResult& step : result.steps) {
    come_to(step.step);
    if (!step.on_device) continue;
    both.device.push_back({step.step, {both.cycles, step.counters.cycles}});
    both.cycles += step.counters.cycles;
  }
  come_to(module.steps.size());
  return both;
}

}  // namespace vdla::kit
