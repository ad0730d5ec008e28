// SPDX-License-Identifier: Apache-2.0
// Accesses of a gemm instruction in each of its cycles, as other units see them: which accumulator bank it
// reads and writes. Plain C++.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/codec/insn.h"
#include "isa/semantics/nest.h"
#include "isa/semantics/state.h"

namespace vdla::sim {

class GemmSteps {
 public:
  using Cycle = std::uint64_t;
  /// Cycles from a step in the counters to its reads of inp, to its read and to its write of the accumulator.
  static constexpr Cycle kInpRead = 2, kAccRead = 3, kAccWrite = 4;

  /// Step 0 is in the counters in cycle `begin`.
  GemmSteps(const isa::GemmInsn& insn, const isa::Sram& sram, Cycle begin);

  Cycle begin() const { return begin_; }
  Cycle end() const { return end_; }
  /// Banks that are touched at all: bit per bank.
  unsigned banks() const { return banks_; }

  bool reads_inp(Cycle c) const { return inside(c, kInpRead); }
  bool reads_bank(unsigned bank, Cycle c) const {
    return inside(c, kAccRead) && (banks_ >> bank & 1) != 0 && reads(c - kAccRead - begin_, bank);
  }
  /// First cycle from `c` on in which the bank is not read.
  Cycle read_free(unsigned bank, Cycle c) const {
    if (!inside(c, kAccRead) || (banks_ >> bank & 1) == 0) return c;
    if (banks_ != 3) return begin_ + kAccRead + next_first(c - kAccRead - begin_);
    while (reads_bank(bank, c)) ++c;
    return c;
  }
  bool writes_bank(unsigned bank, Cycle c) const {
    return inside(c, kAccWrite) && (banks_ >> bank & 1) != 0 &&
           (banks_ != 3 || bank_of(c - kAccWrite - begin_) == bank);
  }

 private:
  bool inside(Cycle c, Cycle delay) const { return c >= begin_ + delay && c < end_ + delay; }
  bool reads(std::uint64_t step, unsigned bank) const;
  /// First step from this one on that begins a sum and so does not read; the number of steps if none does.
  std::uint64_t next_first(std::uint64_t step) const;
  void go_to(std::uint64_t step) const;
  unsigned bank_of(std::uint64_t step) const;

  isa::GemmInsn insn_;
  Cycle begin_, end_;
  unsigned banks_ = 3;
  unsigned half_;                       ///< entries of a bank
  std::vector<std::uint16_t> uop_acc_;  ///< only when both banks are touched
  // Step that was asked for last: most calls ask for one after it, and walk on from here.
  mutable std::uint64_t at_ = 0;
  mutable isa::Counters counters_{};
  mutable unsigned u_ = 0;
};

}  // namespace vdla::sim
