// SPDX-License-Identifier: Apache-2.0
// Users of the memory ports that the vector unit shares, cycle by cycle, as far as it is known: gemm goes
// first at the accumulators and at inp, load at the write ports of inp and out, store at the read port of
// out. Plain C++.
#pragma once

#include <cstdint>
#include <deque>

#include "sim/cycle/gemm_steps.h"

namespace vdla::sim {

class PortUse {
 public:
  using Cycle = std::uint64_t;

  void add(GemmSteps steps) { gemm_.push_back(std::move(steps)); }
  /// Load writes a chunk or padding in each cycle of [begin, end).
  void add_load(isa::Buffer buffer, Cycle begin, Cycle end);
  /// Store reads an entry of out in this cycle.
  void add_store(Cycle at) { store_.push_back({at, at + 1}); }

  bool acc_read(unsigned bank, Cycle c) const {
    for (const GemmSteps& g : gemm_)
      if (g.reads_bank(bank, c)) return true;
    return false;
  }
  bool acc_write(unsigned bank, Cycle c) const {
    for (const GemmSteps& g : gemm_)
      if (g.writes_bank(bank, c)) return true;
    return false;
  }
  /// First cycle from `c` on in which no unit reads the bank, as far as it is known.
  Cycle acc_read_free(unsigned bank, Cycle c) const {
    for (const GemmSteps& g : gemm_) c = g.read_free(bank, c);  // instructions in the order of their steps
    return c;
  }
  bool inp_read(Cycle c) const {
    for (const GemmSteps& g : gemm_)
      if (g.reads_inp(c)) return true;
    return false;
  }
  /// First such cycle for inp, and for out.
  Cycle inp_read_free(Cycle c) const {
    for (const GemmSteps& g : gemm_)
      if (g.reads_inp(c)) c = g.end() + GemmSteps::kInpRead;
    return c;
  }
  Cycle out_read_free(Cycle c) const {
    while (out_read(c)) ++c;
    return c;
  }
  bool inp_write(Cycle c) const { return any(load_inp_, c); }
  bool out_write(Cycle c) const { return any(load_out_, c); }
  bool out_read(Cycle c) const { return any(store_, c); }

  /// First cycle from `c` on in which a unit uses one of these banks or ports, as far as it is known.
  Cycle quiet_until(Cycle c, unsigned banks, bool inp_read, bool out_read, isa::Buffer written) const;

  /// Drops cycles before this one, which are not asked for any more.
  void forget(Cycle before);

 private:
  struct Interval {
    Cycle begin, end;
  };
  static bool any(const std::deque<Interval>& intervals, Cycle c) {
    for (const Interval& i : intervals) {
      if (i.begin > c) return false;
      if (c < i.end) return true;
    }
    return false;
  }

  std::deque<GemmSteps> gemm_;
  std::deque<Interval> load_inp_, load_out_, store_;
};

}  // namespace vdla::sim
