// SPDX-License-Identifier: Apache-2.0
// vdla tune --target cpu: better knobs for a network's layers on this machine's CPU, and a better plan.
#include "kit/network.h"
#include "runtime/session/thread_pool.h"
#include "tools/tune/cpu_trials.h"
#include "tools/vdla/common/cpu_level.h"
#include "tools/vdla/tune/layers.h"

namespace vdla::tools {

void tune_cpu(const TuneFlags& f, const Context& context) {
  const auto begin = std::chrono::steady_clock::now();
  pipeline::CompileOptions options;
  options.use_device = false;
  set_cpu_level(options, f.cpu);
  const graph::Graph graph = kit::read_network(f.model);
  const unsigned threads = runtime::thread_count(f.threads);
  tune_layers(f, context,
              {.trials = tune::cpu_trials(graph, options, threads),
               .processor = "CPU",
               .threads = threads,
               .begin = begin});
}

}  // namespace vdla::tools
