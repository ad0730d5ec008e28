// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/metadata.h"

#include "compiler/import/file.h"
#include "support/file_kind.h"

namespace vdla::import {

Metadata read_metadata(const std::filesystem::path& path) {
  const auto bytes = read_file(path);
  return file_kind(bytes) == FileKind::TfLite ? tflite_metadata(bytes, path.string())
                                              : onnx_metadata(bytes, path.string());
}

}  // namespace vdla::import
