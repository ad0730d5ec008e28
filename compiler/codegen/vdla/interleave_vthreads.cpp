// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/vdla/interleave_vthreads.h"

#include <fmt/format.h>

#include "compiler/passes/lower_vthreads.h"
#include "support/error.h"

namespace vdla::codegen {

void interleave_vthreads(Stream& stream) {
  for (FunctionCall& call : stream.calls) {
    try {
      call.func = passes::lower_vthreads(call.func);
    } catch (const UserError& error) {
      throw UserError(fmt::format("layer '{}': {}", stream.layers.at(call.layer).name, error.what()));
    }
  }
}

}  // namespace vdla::codegen
