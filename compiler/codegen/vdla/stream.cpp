// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/vdla/stream.h"

#include <fmt/format.h>

namespace vdla::codegen {

std::string describe_source(const Stream& stream, std::size_t insn) {
  if (insn >= stream.insns.size() || stream.insns[insn].source >= stream.sources.size()) return "";
  const StreamSource& source = stream.sources[stream.insns[insn].source];
  return fmt::format("layer '{}': {}: ", stream.layers.at(source.layer).name, source.loops);
}

}  // namespace vdla::codegen
