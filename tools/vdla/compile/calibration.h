// SPDX-License-Identifier: Apache-2.0
// Samples from which a network is quantised: files for each of its inputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/quantize/quantize.h"
#include "runtime/module/module.h"
#include "support/preprocessing.h"

namespace vdla::tools {

struct Calibration {
  std::vector<quantize::Sample> samples;
  std::optional<Preprocessing> pixels;  ///< how images became samples
  std::vector<std::string> notes;       ///< for the reader
};

/// Reads `files`: PATH for a network with one input, NAME=PATH for each input of a network with several. Real
/// numbers are taken for float32 inputs, for other inputs arrays or bytes of their own type. `flags` and
/// `kept` as in load_input(). UserError for an input without samples, and for inputs with other numbers of
/// them.
Calibration load_calibration(const std::vector<std::string>& files, const runtime::Module& module,
                             const Preprocessing& flags, const Preprocessing& kept);

}  // namespace vdla::tools
