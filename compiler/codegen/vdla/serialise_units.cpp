// SPDX-License-Identifier: Apache-2.0
// For comparison (`vdla compile --no-latency-hiding`): each instruction waits for the one before it, so
// that one unit works at a time and nothing hides the latency of anything else.
#include "compiler/codegen/vdla/passes.h"

#include "compiler/codegen/vdla/waits.h"

namespace vdla::codegen {

/// Adds to StreamInsn::after.
void serialise_units(Stream& stream) {
  Waits waits(stream);
  for (std::size_t i = 1; i < stream.insns.size(); ++i) {
    Clock latest = kNoClock;
    latest[static_cast<std::size_t>(isa::unit_of(stream.insns[i - 1].insn))] =
        static_cast<std::int32_t>(i - 1);
    waits.add(i, latest);
  }
}

}  // namespace vdla::codegen
