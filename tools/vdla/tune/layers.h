// SPDX-License-Identifier: Apache-2.0
// vdla tune on machines that are timed: a search over the layers, and the race of the network that has the
// last word on its book.
#pragma once

#include <chrono>
#include <string>

#include "tools/tune/layer_tuning.h"
#include "tools/vdla/tune/flags.h"

namespace vdla::tools {

/// On which a search runs.
struct TunedMachine {
  tune::LayerTrials trials;
  std::string processor;    ///< for people: "CPU"
  unsigned threads = 0;     ///< threads of a layer on a CPU; 0: of none
  std::string device = {};  ///< device by its driver's name, of a GPU; empty: of none
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
};

void tune_layers(const TuneFlags& flags, const Context& context, TunedMachine machine);

}  // namespace vdla::tools
