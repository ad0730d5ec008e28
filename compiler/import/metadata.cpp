// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/metadata.h"

#include "compiler/import/file.h"
#include "support/file_kind.h"

namespace vdla::import {

Metadata read_metadata(const std::filesystem::path& path) {
  return metadata_of(read_file(path), path.string());
}

Metadata metadata_of(std::span<const std::byte> bytes, const std::string& name) {
  return file_kind(bytes) == FileKind::TfLite ? tflite_metadata(bytes, name) : onnx_metadata(bytes, name);
}

}  // namespace vdla::import
