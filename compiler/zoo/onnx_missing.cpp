// SPDX-License-Identifier: Apache-2.0
// Stands in for the ONNX writer where the kit is built without the ONNX library.
#include "compiler/zoo/onnx_writer.h"
#include "support/error.h"

namespace vdla::zoo {

std::string write_onnx(const Calibrated& calibrated, Form) {
  VDLA_CHECK_USER(false) << "network '" << calibrated.network.name
                         << "' cannot be written: this build has no ONNX library; install libonnx-dev and "
                            "libprotobuf-dev and build again";
  return {};
}

}  // namespace vdla::zoo
