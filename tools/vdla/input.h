// SPDX-License-Identifier: Apache-2.0
// Turns what a user has (.npy, raw .bin, CIFAR-10 binary, PNG, JPEG, folders of them) into the bytes of a
// model's input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/preprocessing.h"
#include "support/rounding.h"

namespace vdla::tools {

enum class InputType : std::uint8_t { Int8, UInt8, Float32 };

/// A model's input as its file declared it.
struct InputSpec {
  std::string name;
  InputType type = InputType::Int8;
  std::vector<std::int64_t> shape;  ///< with the batch dimension 1 in front
  bool channels_first = false;      ///< NCHW instead of NHWC
  double scale = 1;                 ///< real = scale * (q - zero)
  int zero = 0;
  Rounding rounding = Rounding::HalfToEven;  ///< of real values for a model of int8 or uint8
  bool quantised_inside = false;             ///< a float32 input becomes int8 inside, by scale and zero

  std::int64_t elements() const;
  std::size_t bytes() const;

  struct Range {
    double low = 0, high = 0;
  };
  /// The real values that it can tell apart; nothing for an input that is float32 inside as well.
  std::optional<Range> range() const;
};

/// One input of the model.
struct Sample {
  std::string name;              ///< stem of the file, or file#index in a batch
  std::vector<std::byte> bytes;  ///< in the type and layout of the spec
  std::optional<int> label;      ///< known by CIFAR-10's layout
};

/// Beyond the range by more than this share of its width is far: calibration cuts off the last per cent, and
/// conventions differ by a step (127.5 and 128).
inline constexpr double kFar = 0.02;

/// Whether pixels, as they are, are among the real values that the input can tell apart.
bool holds_pixels(const InputSpec::Range& range);

/// What load_samples() met, for what a command says about it.
struct InputUse {
  bool pixels = false;     ///< images or CIFAR-10 records
  bool raw_bytes = false;  ///< a quantised input took their bytes: nothing says what they mean as real values
  std::size_t values = 0;  ///< real ones that were quantised
  std::size_t cut = 0;     ///< of these, far beyond the input's range
  double low = 0, high = 0;  ///< of the real values
};

/// All samples of a file or a folder (in name order). Pixels of a quantised input whose meaning `pixels` does
/// not say are taken as its bytes, where its range does not hold them. Throws UserError: missing, wrong shape
/// or type with both seen and needed, values that are not a number.
std::vector<Sample> load_samples(const std::string& path, const InputSpec& spec, const Preprocessing& pixels,
                                 InputUse* use = nullptr);

/// Uniform random values over the input's whole range from a seeded generator: the same bytes on every
/// machine.
Sample random_sample(const InputSpec& spec, std::uint64_t seed);

}  // namespace vdla::tools
