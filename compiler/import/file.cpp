// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/file.h"

#include "compiler/import/onnx_external.h"
#include "support/error.h"
#include "support/input_file.h"

namespace vdla::import {

graph::Bytes read_file(const std::filesystem::path& path) {
  graph::Bytes bytes = read_input(path);
  VDLA_CHECK_USER(!bytes.empty()) << "'" << path.string() << "' is empty, needs a TFLite or ONNX model";
  return with_external_data(std::move(bytes), path);
}

}  // namespace vdla::import
