// SPDX-License-Identifier: Apache-2.0
// Turns what a user has (.npy, .npz, raw .bin, CIFAR-10 binary, PNG, JPEG, folders of them) into the bytes of
// a model's input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/preprocessing.h"
#include "tools/data/input_spec.h"

namespace vdla::tools {

/// One input of the model.
struct Sample {
  std::string name;              ///< stem of the file, or file#index in a batch
  std::vector<std::byte> bytes;  ///< bytes in the type and layout of the spec
  std::optional<int> label;      ///< known by CIFAR-10's layout
};

/// Facts that load_samples() met, for the notes of a command.
struct InputUse {
  bool pixels = false;     ///< images or CIFAR-10 records
  bool raw_bytes = false;  ///< a quantised input took their bytes: nothing says what they mean as real values
  std::size_t values = 0;  ///< real ones that were quantised
  std::size_t cut = 0;     ///< values of these far beyond the input's range
  double low = 0, high = 0;  ///< range of the real values
  std::size_t fitted = 0;    ///< images that were resized or cropped, as none of the steps says
  std::string first_fitted;  ///< the first of them: "a.jpg of 375x500 was resized to 224x299"
};

/// All samples of a file or a folder (in name order). Pixels of a quantised input whose meaning `pixels` does
/// not say are taken as its bytes, where its range does not hold them. Throws UserError: missing, wrong shape
/// or type with both seen and needed, values that are not a number.
std::vector<Sample> load_samples(const std::string& path, const InputSpec& spec, const Preprocessing& pixels,
                                 InputUse* use = nullptr);

/// One input of values of a .npy type ("<f8"), as those of a .npy file become one: real values are quantised,
/// bytes of the input's own type stay. `where` begins a message. UserError for values that are not a number.
std::vector<std::byte> encode_values(const std::string& type, std::span<const std::byte> values,
                                     const InputSpec& spec, const std::string& where);

/// Random values from a seeded generator: the same bytes on every machine. Real numbers are uniform over the
/// input's whole range. Integers without a scale are 0 or 1, which indices, masks and lengths may be.
Sample random_sample(const InputSpec& spec, std::uint64_t seed);

}  // namespace vdla::tools
