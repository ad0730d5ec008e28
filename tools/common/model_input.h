// SPDX-License-Identifier: Apache-2.0
// Input of a module for run and eval, as the readers of tools/data/input.h want it, and the flags of pixels.
#pragma once

#include <CLI/CLI.hpp>

#include "runtime/module/module.h"
#include "tools/data/input.h"
#include "tools/data/output_values.h"

namespace vdla::tools {

/// The only input of the module; UserError when it has several.
InputSpec input_spec(const runtime::Module& module);
/// An input of the module, of any type that NumPy has.
InputSpec input_spec(const runtime::Module& module, const runtime::Port& port);

/// --normalise, --resize, --crop, --bgr.
struct PixelFlags {
  std::string normalise, resize, crop;
  bool bgr = false;

  /// Adds them as a group of that name in the help.
  void add_to(CLI::App& command, const std::string& group =
                                     "Pixels (values 0..255 before, quantised after); the default is what "
                                     "the model keeps");
  Preprocessing options() const;
};

}  // namespace vdla::tools
