// SPDX-License-Identifier: Apache-2.0
#include "isa/random/mix.h"

#include <algorithm>
#include <numeric>

#include "isa/spec/operations.h"
#include "support/overloaded.h"

namespace vdla::isa {
namespace {

std::uint64_t steps_of(const GemmInsn& i) {
  std::uint64_t steps = i.uop_count;
  for (const GemmLevel& level : i.levels) steps *= level.count;
  return steps;
}

std::string name(std::string_view opcode, std::string_view field, std::string_view value = "") {
  return std::string(opcode) + "." + std::string(field) + (value.empty() ? "" : "." + std::string(value));
}

template <class Code>
std::string named(std::string_view opcode, std::string_view field, Code code) {
  return name(opcode, field, to_string(code));
}

}  // namespace

std::uint64_t gemm_steps(const Program& program) {
  std::uint64_t steps = 0;
  for (const Insn& insn : program.insns)
    if (const auto* gemm = std::get_if<GemmInsn>(&insn)) steps += steps_of(*gemm);
  return steps;
}

void Mix::add(const Program& program) {
  insns_.push_back(static_cast<std::uint32_t>(program.insns.size()));
  steps_.push_back(gemm_steps(program));
  for (const Insn& insn : program.insns) add(insn);
}

void Mix::add(const Insn& insn) {
  const std::string_view op = to_string(opcode_of(insn));
  const auto count = [&](const std::string& what, bool holds = true) {
    if (holds) ++counts_[what];
  };
  count(std::string(op));
  for (unsigned u = 0; u < kQueueUnits; ++u) {
    count(named(op, "pop", static_cast<Unit>(u)), (pops_of(insn) >> u & 1u) != 0);
    count(named(op, "push", static_cast<Unit>(u)), (pushes_of(insn) >> u & 1u) != 0);
  }
  std::visit(overloaded{
                 [&](const MemoryInsn& i) {
                   count(named(op, "buffer", i.buffer));
                   count(named(op, "window", i.window));
                   count(name(op, "widen"), i.widen);
                   count(name(op, "padding"), i.x_total() != i.x_count || i.y_total() != i.y_count);
                   count(name(op, "two_or_more_planes"), i.z_count > 1);
                 },
                 [&](const GemmInsn& i) {
                   count(name(op, "init"), i.init);
                   count(name(op, "reduce"), i.reduce_mask != 0);
                   count(name(op, "micro_ops"), i.uop_count > 1);
                 },
                 [&](const VectorInsn& i) {
                   count(named(op, "op", i.op));
                   count(named(op, "dst", i.dst_buffer));
                   count(named(op, "a", i.a_buffer));
                   count(named(op, "b", i.b_kind));
                   count(name(op, "init"), i.init);
                   count(name(op, "reduce"), i.reduce_mask != 0);
                 },
                 [](const FinishInsn&) {},
             },
             insn);
}

void Mix::add(const Mix& other) {
  insns_.insert(insns_.end(), other.insns_.begin(), other.insns_.end());
  steps_.insert(steps_.end(), other.steps_.begin(), other.steps_.end());
  for (const auto& [what, count] : other.counts_) counts_[what] += count;
}

std::uint64_t Mix::median_insns() const {
  if (insns_.empty()) return 0;
  std::vector<std::uint32_t> sorted = insns_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  return *middle;
}

std::uint64_t Mix::programs_with_steps(std::uint64_t steps) const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(steps_, [&](std::uint64_t s) { return s >= steps; }));
}

std::uint64_t Mix::total_insns() const {
  return std::accumulate(insns_.begin(), insns_.end(), std::uint64_t{0});
}
std::uint64_t Mix::total_steps() const {
  return std::accumulate(steps_.begin(), steps_.end(), std::uint64_t{0});
}

Mix Mix::from(std::vector<std::uint32_t> insns, std::vector<std::uint64_t> steps,
              std::map<std::string, std::uint64_t> counts) {
  Mix mix;
  mix.insns_ = std::move(insns);
  mix.steps_ = std::move(steps);
  mix.counts_ = std::move(counts);
  return mix;
}

}  // namespace vdla::isa
