// SPDX-License-Identifier: Apache-2.0
// --gpu and --fallback of the commands that run modules.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "kit/session.h"
#include "runtime/module/module.h"
#include "runtime/session/gpu_result.h"
#include "support/error.h"

namespace vdla::tools {

class GpuFlags {
 public:
  void add_to(CLI::App& command);
  /// Sets what the flags say, for a module. UserError where it has no programs of a GPU, or none runs them
  /// here: `elsewhere` says why ("--board"), empty: one does.
  void set(kit::SessionOptions& options, const runtime::Module& module, const std::string& elsewhere) const;

  /// Result of `use`. A refusal of the GPU ends with what runs without it.
  template <class Use>
  static auto with_remedy(const Use& use) {
    try {
      return use();
    } catch (const runtime::GpuError& error) {
      throw UserError(std::string(error.what()) + "; --fallback cpu runs its steps on the CPU");
    }
  }

 private:
  std::string gpu_, fallback_;
};

}  // namespace vdla::tools
