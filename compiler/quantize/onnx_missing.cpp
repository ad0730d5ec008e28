// SPDX-License-Identifier: Apache-2.0
// Stands in for the quantiser where the build found no ONNX library.
#include "compiler/quantize/quantize.h"
#include "support/error.h"

namespace vdla::quantize {

Result quantize(std::span<const std::byte>, const std::string& name, std::span<const Sample>, const Prepare&,
                const Options&) {
  VDLA_CHECK_USER(false)
      << "cannot quantise '" << name
      << "': this build has no ONNX support; install libonnx-dev and libprotobuf-dev and configure again";
  return {};
}

bool hides_layers(std::span<const std::byte>) { return false; }

}  // namespace vdla::quantize
