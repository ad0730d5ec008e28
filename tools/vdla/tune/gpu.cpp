// SPDX-License-Identifier: Apache-2.0
// vdla tune --target cuda, opencl: better knobs for a network's functions on a GPU of this machine.
#include "kit/network.h"
#include "tools/tune/gpu_trials.h"
#include "tools/vdla/tune/layers.h"

namespace vdla::tools {

void tune_gpu(const TuneFlags& f, const Context& context) {
  const auto begin = std::chrono::steady_clock::now();
  const graph::Graph graph = kit::read_network(f.model);
  tune::LayerTrials trials =
      tune::gpu_trials(graph, f.gpu_options(), {.device = f.device, .limit_seconds = f.limit});
  const std::string device = trials.machine.at("device");
  tune_layers(f, context,
              {.trials = std::move(trials), .processor = "GPU", .device = device, .begin = begin});
}

}  // namespace vdla::tools
