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
  /// Sets the options of a session from the flags. UserError for a module without programs of a GPU, or where
  /// no GPU runs them: `elsewhere` is the option that excludes one ("--board"), or empty.
  void set(kit::SessionOptions& options, const runtime::Module& module, const std::string& elsewhere) const;

  /// Returns the result of `use`. A GpuError gets a sentence on how to run without the GPU.
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
