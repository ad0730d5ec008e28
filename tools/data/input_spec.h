// SPDX-License-Identifier: Apache-2.0
// A model's input as readers of files need it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/module/tensor.h"
#include "support/rounding.h"

namespace vdla::tools {

/// A model's input as its file declared it.
struct InputSpec {
  std::string name;
  runtime::DataType type = runtime::DataType::Int8;
  std::vector<std::int64_t> shape;  ///< the model's own; often 1 in front, for one of a batch
  bool channels_first = false;      ///< NCHW instead of NHWC
  double scale = 1;                 ///< real = scale * (q - zero)
  int zero = 0;
  bool has_scale = false;                    ///< the model states a scale: int16 with one stands for reals
  Rounding rounding = Rounding::HalfToEven;  ///< rounding of real values for a model of such integers
  bool quantised_inside = false;             ///< a float32 input becomes int8 inside, by scale and zero
  std::size_t place = 0;                     ///< index among the model's inputs
  bool sole = true;  ///< files are of this input alone: an archive's only array is it, whatever its name

  /// Whether values are integers that stand for real numbers by the scale.
  bool of_steps() const;
  /// Whether values are real numbers, or stand for them; else they are integers or bool.
  bool of_reals() const;
  /// The least and the largest integer that stands for a real number, inside of the model.
  struct Ends {
    int low = -128, high = 127;
  };
  Ends ends() const;
  std::int64_t elements() const;
  std::size_t bytes() const;

  struct Range {
    double low = 0, high = 0;
  };
  /// Returns the real values that it can tell apart; nothing for an input that is float32 inside as well.
  std::optional<Range> range() const;
};

/// Share of a range's width from which on a value beyond the range is far: calibration cuts off the last per
/// cent, and conventions differ by a step (127.5 and 128).
inline constexpr double kFar = 0.02;

/// Whether pixels, as they are, are among the real values that the input can tell apart.
bool holds_pixels(const InputSpec::Range& range);

}  // namespace vdla::tools
