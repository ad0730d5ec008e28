// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/options.h"

namespace vdla::pipeline {

KeptOff kept_off(const CompileOptions& options) {
  KeptOff result = options.as_before;
  for (const std::string& node : options.on_cpu) result[node] = "placed there on request";
  return result;
}

}  // namespace vdla::pipeline
