// SPDX-License-Identifier: Apache-2.0
// Runs a hostile case as machine code.
#pragma once

#include "compiler/targets/cpu/code/code.h"
#include "tests/compiler/loop/hostile.h"

namespace vdla::codegen {

/// The arguments after a run as machine code.
inline std::vector<std::vector<std::byte>> computed(loop::HostileCase hostile) {
  std::vector<void*> params;
  for (std::vector<std::byte>& memory : hostile.arguments) params.push_back(memory.data());
  host::Jit jit;
  jit.add(hostile.func)(params.data());
  return std::move(hostile.arguments);
}

}  // namespace vdla::codegen
