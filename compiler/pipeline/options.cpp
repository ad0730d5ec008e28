// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/options.h"

namespace vdla::pipeline {

bool CompileOptions::kept_off(const std::string& node) const {
  return on_cpu.contains(node) || cheaper_on_cpu.contains(node);
}

}  // namespace vdla::pipeline
