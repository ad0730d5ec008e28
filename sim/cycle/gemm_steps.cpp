// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/gemm_steps.h"

#include <algorithm>

#include "isa/codec/codec.h"
#include "isa/semantics/nest.h"
#include "sim/functional/range.h"

namespace vdla::sim {
namespace {

isa::Counters counters_of(const isa::GemmInsn& insn, std::uint64_t iteration) {
  isa::Counters i{};
  for (unsigned l = isa::kLevels; l-- > 0;) {
    i[l] = static_cast<std::uint16_t>(iteration % insn.levels[l].count);
    iteration /= insn.levels[l].count;
  }
  return i;
}

}  // namespace

GemmSteps::GemmSteps(const isa::GemmInsn& insn, const isa::Sram& sram, Cycle begin)
    : insn_(insn), begin_(begin), half_(sram.geometry.acc_depth / isa::kAccBanks) {
  std::uint64_t steps = insn.uop_count;
  for (const isa::GemmLevel& level : insn.levels) steps *= level.count;
  end_ = begin + steps;
  for (unsigned u = 0; u < insn.uop_count; ++u)
    uop_acc_.push_back(isa::decode_uop(sram.uop[(insn.uop_begin + u) % sram.uop.size()]).acc);
  const auto [low, high] = std::ranges::minmax(uop_acc_);
  IndexRange range{insn.acc_base + low, insn.acc_base + high};
  for (const isa::GemmLevel& level : insn.levels) range.add(level.count, level.acc_stride);
  if (!range.inside(sram.geometry.acc_depth) || range.low / half_ != range.high / half_) return;
  banks_ = 1u << (range.low / half_);
  uop_acc_.clear();
}

void GemmSteps::go_to(std::uint64_t step) const {
  if (step == at_) return;
  if (step != at_ + 1) {
    counters_ = counters_of(insn_, step / insn_.uop_count);
    u_ = static_cast<unsigned>(step % insn_.uop_count);
  } else if (++u_ == insn_.uop_count) {
    u_ = 0;
    for (unsigned l = isa::kLevels; l-- > 0;) {
      if (++counters_[l] < insn_.levels[l].count) break;
      counters_[l] = 0;
    }
  }
  at_ = step;
}

unsigned GemmSteps::bank_of(std::uint64_t step) const {
  go_to(step);
  isa::Uop uop;
  uop.acc = uop_acc_[u_];
  return isa::gemm_step_at(insn_, counters_, 0, uop).acc / half_ & 1;
}

std::uint64_t GemmSteps::next_first(std::uint64_t step) const {
  if (!insn_.init) return end_ - begin_;
  go_to(step);
  // The micro-ops are the innermost level.
  const auto reduces = [&](unsigned l) { return (insn_.reduce_mask >> l & 1u) != 0; };
  const auto counter = [&](unsigned l) { return l == isa::kLevels ? u_ : counters_[l]; };
  static_assert(isa::kReduceUopBit == isa::kLevels);
  unsigned level = 0;
  while (level <= isa::kLevels && !(reduces(level) && counter(level) != 0)) ++level;
  if (level > isa::kLevels) return step;
  // The outermost sum that has begun ends when a level around it goes on.
  std::uint64_t inner = insn_.uop_count;  // steps of an iteration of the level
  for (unsigned l = isa::kLevels; l-- > level;) inner *= insn_.levels[l].count;
  while (level-- > 0) {
    if (!reduces(level) && counters_[level] + 1u < insn_.levels[level].count)
      return step - step % inner + inner;
    inner *= insn_.levels[level].count;
  }
  return end_ - begin_;
}

bool GemmSteps::reads(std::uint64_t step, unsigned bank) const {
  if (banks_ == 3 && bank_of(step) != bank) return false;
  if (!insn_.init) return true;
  go_to(step);
  const bool uop_start = (insn_.reduce_mask >> isa::kReduceUopBit & 1u) == 0 || u_ == 0;
  return !uop_start || !isa::at_start(counters_, insn_.reduce_mask);
}

}  // namespace vdla::sim
