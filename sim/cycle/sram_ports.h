// SPDX-License-Identifier: Apache-2.0
// The SRAM ports that the vector unit shares with the others, as hw/rtl/mem: gemm, load and store tell of
// their use, the vector unit reads it and is told when something comes that matters to it.
#pragma once

#include <span>

#include "sim/cycle/channel.h"
#include "sim/cycle/ports.h"

namespace vdla::sim {

class SramPorts final : public sc_core::sc_module {
 public:
  explicit SramPorts(sc_core::sc_module_name name) : sc_module(name) {}

  // --- gemm, load, store: at the latest in the cycle before the use; what is told later is not seen ---
  void gemm_steps(GemmSteps steps);
  /// Load writes in each cycle of [begin, end); only inp and out are shared.
  void load_steps(isa::Buffer buffer, Cycle begin, Cycle end);
  void store_reads(std::span<const Cycle> reads);

  // --- the vector unit ---
  const PortUse& use() const { return use_; }
  /// Ports that the vector unit uses from now on, beside those that it used before; it is at work.
  void claim(const isa::VectorInsn& insn);
  /// The vector unit is idle: what is over is forgotten here, and the next claim is the first.
  void release() { claimed_ = false; }
  /// It does not ask for cycles before this one any more.
  void forget(Cycle before) { use_.forget(before); }
  /// Counts the uses told of that matter: what was worked out before the latest holds no more.
  std::uint64_t changes() const { return changes_; }
  /// Rings when changes() counts another one.
  Doorbell& changed() { return changed_; }

 private:
  /// Ports that the vector unit's instructions use since it was last idle.
  struct Claims {
    bool acc = false, inp_read = false, out_read = false, inp_write = false, out_write = false;
  };
  void told(bool matters);

  PortUse use_;
  Claims claims_;
  bool claimed_ = false;
  std::uint64_t changes_ = 0;
  unsigned unseen_ = 0;  ///< uses told of while the vector unit was idle
  Doorbell changed_;
};

}  // namespace vdla::sim
