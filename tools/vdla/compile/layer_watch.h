// SPDX-License-Identifier: Apache-2.0
// How a layer is computed, as the compile made it: schedules and loop IR of its functions.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/observe/observe.h"

namespace vdla::tools {

struct FunctionText {
  std::string name, text;
  std::string tensorized;  ///< function of the device: with calls of intrinsics
  std::string lowered;     ///< function of CPU and GPU: after the table of lowering, the source of their code
};

struct LayerTexts {
  std::vector<FunctionText> schedules;  ///< as compiler/schedule/script.h reads them
  std::vector<FunctionText> loops;
};

/// Watches a compile for the functions of all layers.
class LayerWatch {
 public:
  /// For CompileOptions. Must not outlive the LayerWatch.
  pipeline::Observer observer() {
    return [this](const pipeline::PassResult& result) { see(result); };
  }
  /// `layer` is the node that functions are made for: on CPU and GPU, the last one of its group. `gpu`: the
  /// kind of the GPU that computes it; empty: the device or the CPU does.
  LayerTexts of(const std::string& layer, const std::string& gpu = {}) const;

 private:
  struct Seen {
    std::vector<FunctionText> schedules, lowered, tensorized;
    FunctionText views;  ///< input of tensorize
  };

  void see(const pipeline::PassResult& result);

  std::map<std::pair<std::string, std::string>, Seen> layers_;  ///< layers by kind of GPU and node
};

}  // namespace vdla::tools
