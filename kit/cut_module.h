// SPDX-License-Identifier: Apache-2.0
// Modules that end earlier: values inside of a run for devices that show nothing but memory, as boards. A
// step that ends at an instruction is a prefix of its program, which runs like any other.
#pragma once

#include <functional>
#include <vector>

#include "runtime/module/module.h"
#include "runtime/session/tensor_sink.h"

namespace vdla::kit {

/// Runs a module with inputs in the model's form.
using ModuleRunner =
    std::function<std::vector<runtime::Bytes>(const runtime::Module&, const std::vector<runtime::Bytes>&)>;

/// Gives inputs and all values that lie in memory as a whole to a sink: results of steps, after one run with
/// these as outputs, and each tensor that layers of a device step make for each other, after a run that ends
/// where it is whole. Values on chip, or inside of a GPU's programs, are left out.
void read_by_cuts(const runtime::Module& module, const std::vector<runtime::Bytes>& inputs,
                  const ModuleRunner& run, runtime::TensorSink& sink);

}  // namespace vdla::kit
