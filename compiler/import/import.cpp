// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/import.h"

#include <cstring>

#include "compiler/import/file.h"

namespace vdla::import {

graph::Graph import_model(const std::filesystem::path& path) {
  const graph::Bytes bytes = read_file(path);
  const bool tflite =
      (bytes.size() >= 8 && std::memcmp(bytes.data() + 4, "TFL3", 4) == 0) || path.extension() == ".tflite";
  return tflite ? import_tflite(bytes, path.string()) : import_onnx(bytes, path.string());
}

}  // namespace vdla::import
