// SPDX-License-Identifier: Apache-2.0
// Choices of people for a quantisation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "support/preprocessing.h"

namespace vdla::quantize {

// name, text: how a tensor's range follows from the values that samples give it.
#define VDLA_RANGE_METHODS(X)                                                          \
  X(MinMax, "minmax")         /* all of them */                                        \
  X(Percentile, "percentile") /* but the largest magnitudes, by Options::percentile */ \
  X(Kl, "kl")                 /* the cut whose 8-bit histogram tells least from the float one */

enum class RangeMethod : std::uint8_t {
#define VDLA_ENUM(name, text) name,
  VDLA_RANGE_METHODS(VDLA_ENUM)
#undef VDLA_ENUM
};

struct Options {
  RangeMethod method = RangeMethod::MinMax;
  double percentile = 99.99;  ///< share of magnitudes inside the range, in percent
  bool equalise = false;
  bool correct_bias = true;
  bool measure = false;        ///< compare with the float network; keeping layers in float does so, too
  std::size_t keep_float = 0;  ///< layers that stay in float: those that add most noise
  std::optional<double> budget_db = {};  ///< leave as few layers in float as the network needs for this SNR
  std::function<void(const std::string& text)> progress = {};  ///< told of long work; may be empty
  Preprocessing pixels = {};  ///< how images became the samples: written into the model
};

}  // namespace vdla::quantize
