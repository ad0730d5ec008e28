// SPDX-License-Identifier: Apache-2.0
// How passes say what instructions wait for.
#pragma once

#include <algorithm>
#include <array>

#include "compiler/codegen/vdla/stream.h"

namespace vdla::codegen {

/// Notes waits of the instructions of a stream, one after the other.
class Waits {
 public:
  explicit Waits(Stream& stream) : stream_(stream) { waited_.fill(kNoClock); }

  /// Instruction `i` is to wait for `latest`. A unit works in order: its own instructions, and what those
  /// before `i` wait for, are left out.
  void add(std::size_t i, const Clock& latest) {
    StreamInsn& s = stream_.insns[i];
    const auto unit = static_cast<std::size_t>(isa::unit_of(s.insn));
    for (std::size_t u = 0; u < isa::kQueueUnits; ++u) {
      if (u == unit || latest[u] <= waited_[unit][u]) continue;
      waited_[unit][u] = latest[u];
      s.after[u] = std::max(s.after[u], latest[u]);
    }
  }

 private:
  Stream& stream_;
  std::array<Clock, isa::kQueueUnits> waited_;
};

}  // namespace vdla::codegen
