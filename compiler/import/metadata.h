// SPDX-License-Identifier: Apache-2.0
// Facts of a model file beside its graph: how images become its input, and the names of its classes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/preprocessing.h"

namespace vdla::import {

struct Metadata {
  Preprocessing pixels;                  ///< pixels of the first input
  std::vector<std::string> class_names;  ///< names by index in the first output; empty: not known
};

/// Metadata of a TFLite or ONNX file that import_model() takes; UserError where it is damaged.
Metadata read_metadata(const std::filesystem::path& path);
/// Metadata of its bytes; `name` stands in messages.
Metadata metadata_of(std::span<const std::byte> bytes, const std::string& name);

/// TFLite: buffer TFLITE_METADATA (an image's normalisation), and the file of labels that it names, of the
/// archive behind the model.
Metadata tflite_metadata(std::span<const std::byte> bytes, const std::string& name);

/// ONNX: what vdla quantize writes, properties kOnnxPrefix + field.
inline constexpr const char* kOnnxPrefix = "vdla.";
Metadata onnx_metadata(std::span<const std::byte> bytes, const std::string& name);

/// A file of the ZIP archive that the bytes end with; nothing: no such file or archive, or a kit without
/// libzip.
std::optional<std::string> archived_file(std::span<const std::byte> bytes, const std::string& file);

}  // namespace vdla::import
