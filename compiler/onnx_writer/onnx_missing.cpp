// SPDX-License-Identifier: Apache-2.0
// Stands in for the writer where the build found no ONNX library.
#include "compiler/onnx_writer/onnx_writer.h"
#include "support/error.h"

namespace vdla::onnx_writer {

graph::Bytes to_onnx(const graph::Graph&, const std::string& where) {
  VDLA_CHECK_USER(false) << where
                         << "cannot be written as ONNX: this build has no ONNX support; install libonnx-dev "
                            "and libprotobuf-dev and configure again";
  return {};
}

}  // namespace vdla::onnx_writer
