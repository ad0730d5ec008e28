// SPDX-License-Identifier: Apache-2.0
// Stands in for the ONNX importer where the build found no ONNX library.
#include "compiler/import/import.h"
#include "support/error.h"

namespace vdla::import {

graph::Graph import_onnx(std::span<const std::byte>, const std::string& name) {
  VDLA_CHECK_USER(false)
      << "cannot import '" << name
      << "': this build has no ONNX support; install libonnx-dev and libprotobuf-dev and configure again";
  return {};
}

}  // namespace vdla::import
