// SPDX-License-Identifier: Apache-2.0
#include "tools/common/experiment.h"

#include <algorithm>

#include "isa/random/draw.h"

namespace vdla::tools {

sim::Experiment experiment_of(const runtime::DeviceStep& step, std::uint64_t seed) {
  isa::Draw draw(seed);
  sim::Experiment experiment{step.program, {}, {}};
  const auto stretch_of = [](const runtime::DeviceTensor& t) {
    return sim::Stretch{t.window, t.offset, std::vector<std::byte>(static_cast<std::size_t>(t.layout.bytes))};
  };
  for (const runtime::DeviceTensor& t : step.inputs) {
    sim::Stretch& input = experiment.inputs.emplace_back(stretch_of(t));
    std::ranges::generate(input.bytes, [&] { return static_cast<std::byte>(draw.bits()); });
  }
  for (const runtime::DeviceTensor& t : step.outputs) experiment.outputs.push_back(stretch_of(t));
  return experiment;
}

}  // namespace vdla::tools
