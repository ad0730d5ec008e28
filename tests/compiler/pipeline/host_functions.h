// SPDX-License-Identifier: Apache-2.0
// The loops that the CPU runs of a compiled network.
#pragma once

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "compiler/pipeline/compile.h"

namespace vdla::pipeline {

/// Returns the functions of the steps on the host, in order; steps that do the same share one.
inline std::vector<loop::Func> host_functions(const CompiledModel& model) {
  std::vector<loop::Func> functions;
  std::set<std::string> names;
  for (const Step& step : model.steps) {
    const auto* host = std::get_if<HostStep>(&step);
    if (host && names.insert(host->kernel.func.name).second) functions.push_back(host->kernel.func);
  }
  return functions;
}

}  // namespace vdla::pipeline
