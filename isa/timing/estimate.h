// SPDX-License-Identifier: Apache-2.0
// The timing model of plans: what work costs of which only shapes are known, before there are instructions.
// Choices of tiles, of what stays on chip, of joins and of what runs on the device compare plans by it, and
// what a compile reports of its instructions is counted at the same rates.
//
// Its figures are the closed forms of docs/timing.md (isa/timing/rules.h) and the variant's memory. What says
// how units meet each other has no closed form; it was measured (estimate.cpp, decision 31).
#pragma once

#include <cstdint>

#include "isa/codec/insn.h"
#include "isa/spec/geometry.h"

namespace vdla::isa {

/// Cycles that loads and stores take. A value of its own: choices ask it often.
class MemoryCosts {
 public:
  explicit MemoryCosts(const Timing& timing);

  /// One that moves `runs` runs of `bytes` contiguous bytes each.
  double move(std::int64_t runs, std::int64_t bytes) const;
  /// Cycles of `bytes` at the bus's full rate.
  double at_full_rate(std::int64_t bytes) const { return double(bytes) / bus_bytes_; }

 private:
  unsigned bus_bytes_;
  double shortest_;  ///< least cycles of a run, where requests in flight are what bounds it
};

/// Cycles for which gemm is busy with `instructions` of `steps` together.
double gemm_cycles(double steps, double instructions);
/// Cycles for which the vector unit is busy with them.
double vector_cycles(double steps, double instructions);

/// From the fetch of a layer's first instruction until gemm has its first result, beside what bytes and steps
/// take: what nothing overlaps where one layer waits for another one.
double start_latency(const Timing& timing);

/// Work of the units for a stretch of a program, a layer or more.
struct Work {
  double memory = 0, gemm = 0, vector = 0;  ///< busy cycles
  double ends = 0;  ///< cycles that nothing overlaps: its first loads, its last results
  /// Cycles of memory for buffers that hold one tile: the units wait meanwhile.
  double alone = 0;
  bool in_turns = false;  ///< accumulators of one tile: gemm waits for the vector unit, and it for gemm

  /// Estimated cycles.
  double total() const;
};

/// Adds an instruction.
void add_work(Work& work, const Insn& insn, const Geometry& geometry, const Timing& timing);

}  // namespace vdla::isa
