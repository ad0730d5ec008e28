// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <variant>

#include "runtime/container/module_file.h"

namespace vdla::tools {

/// Writes a module without the last token that gemm pushes. False: it has none.
inline bool write_hanging(const std::filesystem::path& good, const std::filesystem::path& hanging) {
  runtime::Module module = runtime::load(good);
  isa::GemmInsn* lost = nullptr;
  for (auto& step : module.steps)
    if (auto* device = std::get_if<runtime::DeviceStep>(&step))
      for (isa::Insn& insn : device->program.insns)
        if (auto* gemm = std::get_if<isa::GemmInsn>(&insn); gemm != nullptr && gemm->push != 0) lost = gemm;
  if (lost == nullptr) return false;
  lost->push = 0;
  runtime::save(module, hanging);
  return true;
}

}  // namespace vdla::tools
