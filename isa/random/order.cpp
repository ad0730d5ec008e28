// SPDX-License-Identifier: Apache-2.0
#include "isa/random/order.h"

#include <algorithm>
#include <array>
#include <map>

#include "isa/semantics/uop_buffer.h"
#include "isa/verify/footprint.h"
#include "isa/verify/shadow.h"
#include "isa/verify/tokens.h"

namespace vdla::isa {
namespace {

constexpr std::int32_t kNone = -1;

/// Walks the stream once. For each instruction: the last conflicting instruction of every other unit, less
/// what earlier tokens already order.
class Orderer {
 public:
  Orderer(Program& program, Draw& draw, unsigned redundant)
      : program_(program),
        draw_(draw),
        redundant_(redundant),
        uop_sram_(program.geometry, expand(program.kernels)) {}

  void run() {
    for (std::size_t i = 0; i < program_.insns.size(); ++i) {
      set_tokens(program_.insns[i], 0, 0);
      const auto unit = static_cast<std::size_t>(unit_of(program_.insns[i]));
      if (unit < kQueueUnits) add(i, unit);
    }
  }

 private:
  using Needs = std::array<std::int32_t, kQueueUnits>;

  void add(std::size_t i, std::size_t unit) {
    Needs needs{kNone, kNone, kNone, kNone};
    note_accesses(i, unit, needs);
    if (draw_.one_in(redundant_)) add_redundant(unit, needs);
    Clock& known = clocks_[unit];
    // Latest producers first: their knowledge may cover the others.
    for (std::size_t round = 0; round < kQueueUnits; ++round) {
      std::size_t latest = kQueueUnits;
      for (std::size_t v = 0; v < kQueueUnits; ++v)
        if (needs[v] != kNone && (latest == kQueueUnits || needs[v] > needs[latest])) latest = v;
      if (latest == kQueueUnits) break;
      connect(static_cast<std::size_t>(needs[latest]), latest, i, unit, known);
      needs[latest] = kNone;
    }
    known[unit] = counts_[unit]++;
    started_.resize(i + 1);
    started_[i] = known;
    positions_.resize(i + 1);
    positions_[i] = known[unit];
    last_[unit] = static_cast<std::int32_t>(i);
  }

  /// A token from the producer unless its completion is known or its channel has one for another instruction.
  void connect(std::size_t producer, std::size_t from, std::size_t consumer, std::size_t to, Clock& known) {
    if (positions_[producer] < known[from]) return;
    const unsigned push = 1u << to, pop = 1u << from;
    set_tokens(program_.insns[producer], pops_of(program_.insns[producer]),
               pushes_of(program_.insns[producer]) | push);
    set_tokens(program_.insns[consumer], pops_of(program_.insns[consumer]) | pop,
               pushes_of(program_.insns[consumer]));
    for (std::size_t v = 0; v < kQueueUnits; ++v) known[v] = std::max(known[v], started_[producer][v]);
    known[from] = std::max(known[from], positions_[producer] + 1);
  }

  void add_redundant(std::size_t unit, Needs& needs) {
    for (std::size_t v = 0; v < kQueueUnits; ++v)
      if (v != unit && draw_.one_in(2)) needs[v] = std::max(needs[v], last_[v]);
  }

  void note_accesses(std::size_t i, std::size_t unit, Needs& needs) {
    const Insn& insn = program_.insns[i];
    std::span<const Uop> uops;
    if (const auto* gemm = std::get_if<GemmInsn>(&insn)) uops = uop_sram_.used(*gemm);
    for (const SramAccess& a : sram_accesses(insn, uops, program_.geometry))
      note(i, unit, a.write, intervals_of(a.box, program_.geometry.depth(a.buffer)),
           buffers_[static_cast<std::size_t>(a.buffer)], needs);
    if (const auto a = dram_access(insn, program_.geometry))
      note(i, unit, a->write, intervals_of(a->box, UINT64_MAX), windows_[static_cast<std::size_t>(a->window)],
           needs);
    const auto* move = std::get_if<MemoryInsn>(&insn);
    if (move != nullptr && move->buffer == Buffer::Uop) uop_sram_.load(*move);
  }

  static void note(std::size_t i, std::size_t unit, bool write, const Intervals& intervals, Shadow& shadow,
                   Needs& needs) {
    shadow.visit(intervals, [&](std::uint64_t, std::uint64_t, History& h) {
      for (std::size_t v = 0; v < kQueueUnits; ++v) {
        if (v == unit) continue;
        needs[v] = std::max(needs[v], h.writes[v]);
        if (write) needs[v] = std::max(needs[v], h.reads[v]);
      }
      (write ? h.writes : h.reads)[unit] = static_cast<std::int32_t>(i);
    });
  }

  Program& program_;
  Draw& draw_;
  unsigned redundant_;
  UopBuffer uop_sram_;
  std::array<Shadow, kBuffers.size()> buffers_;
  std::array<Shadow, kWindowCount> windows_;
  std::array<Clock, kQueueUnits> clocks_{};
  std::array<std::int32_t, kQueueUnits> counts_{};
  std::array<std::int32_t, kQueueUnits> last_{kNone, kNone, kNone, kNone};
  std::vector<Clock> started_;
  std::vector<std::int32_t> positions_;
};

}  // namespace

bool order_by_tokens(Program& program, Draw& draw, unsigned redundant) {
  Orderer(program, draw, redundant).run();
  return run_tokens(program.insns, program.geometry).waits.empty();
}

}  // namespace vdla::isa
