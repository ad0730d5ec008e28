// SPDX-License-Identifier: Apache-2.0
// The one check between what a file holds and what a model's input takes. Every reader of inputs goes through
// it: arrays, raw bytes, images, records, samples for calibration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/data/npy.h"

namespace vdla::tools {

/// Elements of a file in C order.
struct FileValues {
  std::string type;                                ///< NumPy's name
  std::optional<std::vector<std::int64_t>> shape;  ///< nothing: the file states none
  std::span<const std::byte> bytes;
  bool is_image = false;  ///< for messages
};
FileValues values_of(const NpyArray& array);

/// One input of a model.
struct InputNeed {
  std::string name;
  std::string type;  ///< NumPy's name
  std::vector<std::int64_t> shape;
  /// Whether other types are taken, too: numbers of all types for floats, real numbers for int8, uint8 and
  /// int16 with a scale, which they become by the scale, and integers for other integers.
  bool converts = false;
  std::string other_form = {};  ///< name of the file of other bytes, for messages
  bool has_scale = false;       ///< integers of the model stand for real numbers
};

/// Cuts a file into inputs: each has exactly the bytes of one input, in the file's own type, and together
/// they are all bytes of the file. An array is one input where it has the input's shape, or that shape
/// without a first extent of 1. It is several where its first extent is a multiple of the input's:
///
///   input 1x3: (1, 3) and (3) are one input, (4, 3) is four
///   input 2x3: (2, 3) is one input, (4, 3) is two; (1, 3), (3, 3) and (3) are refused
///
/// Bytes without a shape are one input of its own type. UserError begins with `path`, and names what was seen
/// and what is needed.
std::vector<std::span<const std::byte>> whole_inputs(const FileValues& values, const InputNeed& need,
                                                     const std::string& path);

/// "2x3", or "scalar".
std::string shape_text(const std::vector<std::int64_t>& shape);

/// "int8" of "|i1".
std::string type_text(const std::string& npy_type);

}  // namespace vdla::tools
