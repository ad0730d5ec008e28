// SPDX-License-Identifier: Apache-2.0
#include "isa/timing/estimate.h"

#include <algorithm>

#include "isa/timing/rules.h"
#include "isa/timing/work.h"
#include "support/overloaded.h"

namespace vdla::isa {
namespace {

// Measured (decision 31), of loads and stores: what one waits for tokens and for the bus, where fetch reads
// its instruction and those of other units, too; and what a run loses between bursts.
constexpr double kMoveGap = 20, kRunGap = 1;
// Cycles for which an instruction of gemm waits for tokens. Those of scale are what its parameters take
// (kScaleChange). Of scale it is what its parameters take (kScaleChange).
constexpr double kGemmGap = 12;
// The share of each unit's cycles in which it holds up the others, by banks, ports and the bus.
constexpr double kInterference = 0.02;

}  // namespace

MemoryCosts::MemoryCosts(const Timing& timing)
    : bus_bytes_(timing.dram_bytes_per_cycle),
      shortest_(double(timing.dram_latency) / timing.dram_outstanding) {}

double MemoryCosts::move(std::int64_t runs, std::int64_t bytes) const {
  const auto beats = double(beats_of(0, static_cast<std::uint64_t>(bytes), bus_bytes_));
  return kMoveGap + double(runs) * (std::max(beats, shortest_) + kRunGap);
}

double gemm_cycles(double steps, double instructions) { return steps + kGemmGap * instructions; }
double vector_cycles(double steps, double instructions) { return steps + kScaleChange * instructions; }

double start_latency(const Timing& timing) {
  return first_dispatch(timing) + kLoadStart + timing.dram_latency + kGemmDrain + 3 * kTokenCycles;
}

double Work::total() const {
  const double units = alone + (in_turns ? gemm + vector : std::max(gemm, vector));
  return std::max(memory, units) + ends + kInterference * (memory + gemm + vector);
}

void add_work(Work& work, const Insn& insn, const Geometry& geometry, const Timing& timing) {
  std::visit(
      overloaded{
          [&](const GemmInsn&) { work.gemm += gemm_cycles(double(steps_of(insn)), 1); },
          [&](const VectorInsn&) { work.vector += vector_cycles(double(steps_of(insn)), 1); },
          [&](const MemoryInsn& i) {
            const Stretches runs = stretches_of(i, geometry);
            const MoveWork move = move_work(i, geometry, timing, 0);
            const auto chunks = double(beats_of(0, piece_bytes_of(i, geometry), timing.dram_bytes_per_cycle));
            const double placed = double(move.pieces) * chunks + double(move.pad_pieces);
            work.memory += std::max(
                MemoryCosts(timing).move(std::int64_t(runs.number()), std::int64_t(runs.bytes)), placed);
          },
          [](const auto&) {},
      },
      insn);
}

}  // namespace vdla::isa
