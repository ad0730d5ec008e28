// SPDX-License-Identifier: Apache-2.0
// Turns what a user has (.npy, raw .bin, CIFAR-10 binary, PNG, JPEG, folders of them) into the bytes of a
// model's input.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

  std::int64_t elements() const;
  std::size_t bytes() const;
};

struct PixelOptions {
  double scale = 1;                          ///< real = (pixel * scale - mean) / std, pixel 0..255
  std::vector<double> mean, std;             ///< empty, one for all channels, or one each
  std::optional<std::array<int, 2>> resize;  ///< height, width (one number: the shorter side)
  bool resize_shorter = false;
  std::optional<std::array<int, 2>> crop;  ///< central crop, height, width
  bool bgr = false;
};

/// "scale=0.0078,mean=0.485:0.456:0.406,std=1"; throws UserError naming the part that is wrong.
void parse_normalise(const std::string& text, PixelOptions& options);
/// "224" or "224x192".
std::array<int, 2> parse_size(const std::string& text, const std::string& flag);

/// One input of the model.
struct Sample {
  std::string name;              ///< stem of the file, or file#index in a batch
  std::vector<std::byte> bytes;  ///< in the type and layout of the spec
  std::optional<int> label;      ///< known by CIFAR-10's layout
};

/// All samples of a file or a folder (in name order). Throws UserError: missing, wrong shape or type with
/// both seen and needed.
std::vector<Sample> load_samples(const std::string& path, const InputSpec& spec, const PixelOptions& options);

/// Uniform random values over the input's whole range from a seeded generator: the same bytes on every
/// machine.
Sample random_sample(const InputSpec& spec, std::uint64_t seed);

}  // namespace vdla::tools
