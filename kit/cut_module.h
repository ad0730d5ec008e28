// SPDX-License-Identifier: Apache-2.0
// Modules that end earlier: values inside of a run for devices that show nothing but memory, as boards. A
// step that ends at an instruction is a prefix of its program, which runs like any other.
#pragma once

#include <functional>
#include <vector>

#include "runtime/module/module.h"
#include "runtime/session/tensor_sink.h"

namespace vdla::kit {

/// A module whose outputs are values inside of another one, in the module's own form.
struct CutModule {
  runtime::Module module;
  std::vector<runtime::Tensor> values;  ///< descriptions of its outputs
};

/// Modules that give all values which lie in memory as a whole: one of them what steps make, each other one a
/// tensor that layers of a device step make for each other. What stays on chip, or lies on a GPU, is in none.
std::vector<CutModule> cut_modules(const runtime::Module& module);

/// Runs a module with inputs in the model's form.
using ModuleRunner =
    std::function<std::vector<runtime::Bytes>(const runtime::Module&, const std::vector<runtime::Bytes>&)>;

/// Runs each cut of the module, and gives the inputs and all values to a sink.
void read_by_cuts(const runtime::Module& module, const std::vector<runtime::Bytes>& inputs,
                  const ModuleRunner& run, runtime::TensorSink& sink);

}  // namespace vdla::kit
