// SPDX-License-Identifier: Apache-2.0
#include "isa/random/shrink.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "isa/codec/codec.h"
#include "isa/codec/members.h"
#include "isa/random/order.h"
#include "isa/verify/verify.h"

namespace vdla::isa {
namespace {

/// Whether tokens can make the program a good one.
bool sound(const Program& program) {
  VerifyOptions options;
  options.max_findings = 1'000'000;
  const Report report = verify(program, options);
  return std::ranges::none_of(report.findings, [](const Finding& f) {
    return f.kind == FindingKind::Illegal || f.kind == FindingKind::SramBounds ||
           f.kind == FindingKind::WindowBounds || f.kind == FindingKind::Unwritten;
  });
}

class Shrinker {
 public:
  Shrinker(const FailingProgram& program, const Fails& fails, const ShrinkOptions& options)
      : best_(program), fails_(fails), options_(options) {}

  FailingProgram run() {
    choose_tokens();
    remove_insns();
    simplify_data(SIZE_MAX);
    for (bool smaller = true; smaller && runs_ < options_.max_runs;) {
      smaller = remove_insns();
      smaller |= simplify_fields();
    }
    remove_micro_ops();
    simplify_micro_ops();
    simplify_data(8);
    remove_insns();
    return best_;
  }

 private:
  Program& program() { return best_.random.program; }

  /// Tokens can be put in anew only where the fault shows with them.
  void choose_tokens() {
    for (unsigned redundant : {0u, 4u, 1u}) {
      redundant_ = redundant;
      if (attempt(best_)) return;
    }
    redundant_.reset();
  }

  /// Takes the candidate if it fails too.
  bool attempt(FailingProgram candidate) {
    if (runs_ >= options_.max_runs || !sound(candidate.random.program)) return false;
    if (redundant_) {
      Draw draw(1);
      if (!order_by_tokens(candidate.random.program, draw, *redundant_)) return false;
    }
    ++runs_;
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  /// Instructions [begin, end) go, but for the pinned one and FINISH.
  FailingProgram without(std::size_t begin, std::size_t end) {
    FailingProgram candidate = best_;
    std::vector<Insn>& insns = candidate.random.program.insns;
    for (std::size_t i = std::min(end, insns.size() - 1); i-- > begin;) {
      if (i == candidate.pinned) continue;
      insns.erase(insns.begin() + static_cast<std::ptrdiff_t>(i));
      if (candidate.pinned != FailingProgram::kNone && i < candidate.pinned) --candidate.pinned;
    }
    return candidate;
  }

  bool remove_insns() {
    bool smaller = false;
    for (std::size_t size = program().insns.size() / 2; size > 0; size /= 2) {
      for (std::size_t end = program().insns.size() - 1; end > 0;) {
        const std::size_t begin = end > size ? end - size : 0;
        FailingProgram candidate = without(begin, end);
        if (candidate.random.program.insns.size() < program().insns.size())
          smaller |= attempt(std::move(candidate));
        end = begin;
      }
    }
    return smaller;
  }

  bool simplify_fields() {
    bool simpler = false;
    for (std::size_t i = 0; i < program().insns.size(); ++i) {
      if (i == best_.pinned) continue;
      const std::size_t members = std::visit(
          [](auto& insn) {
            std::size_t count = 0;
            visit_members(insn, [&](std::string_view, auto&) { ++count; });
            return count;
          },
          program().insns[i]);
      for (std::size_t m = 0; m < members; ++m) simpler |= simplify_member(i, m);
    }
    return simpler;
  }

  /// Member `m` of instruction `i` as a number; nothing for what has no smaller value or belongs to tokens.
  std::optional<std::int64_t> member(std::size_t i, std::size_t m) {
    std::optional<std::int64_t> value;
    std::visit(
        [&](auto& insn) {
          std::size_t at = 0;
          visit_members(insn, [&](std::string_view name, auto& field) {
            if (at++ == m && !std::is_enum_v<std::remove_reference_t<decltype(field)>> && name != "pop" &&
                name != "push")
              value = static_cast<std::int64_t>(field);
          });
        },
        program().insns[i]);
    return value;
  }

  static void set_member(Insn& target, std::size_t m, std::int64_t value) {
    std::visit(
        [&](auto& insn) {
          std::size_t at = 0;
          visit_members(insn, [&](std::string_view, auto& field) {
            if (at++ == m) field = static_cast<std::remove_reference_t<decltype(field)>>(value);
          });
        },
        target);
  }

  bool simplify_member(std::size_t i, std::size_t m) {
    bool simpler = false;
    for (auto value = member(i, m); value && *value != 0; value = member(i, m)) {
      const std::int64_t now = *value;
      bool taken = false;
      for (std::int64_t next : {std::int64_t{0}, std::int64_t{1}, now / 2}) {
        if (std::abs(next) >= std::abs(now)) continue;
        FailingProgram candidate = best_;
        set_member(candidate.random.program.insns[i], m, next);
        if ((taken = attempt(std::move(candidate)))) break;
      }
      if (!taken) return simpler;
      simpler = true;
    }
    return simpler;
  }

  /// As many from the end as can go.
  void remove_micro_ops() {
    for (std::size_t left = 0; left < program().kernels.size(); ++left) {
      FailingProgram candidate = best_;
      candidate.random.program.kernels.resize(left);
      if (attempt(std::move(candidate))) return;
    }
  }

  void simplify_micro_ops() {
    for (std::size_t k = 0; k < program().kernels.size(); ++k) {
      const MicroKernel& kernel = program().kernels[k];
      if (kernel.loops.empty() && kernel.base == Uop{}) continue;
      FailingProgram candidate = best_;
      candidate.random.program.kernels[k].base = {};
      for (auto& loop : candidate.random.program.kernels[k].loops) loop.acc = loop.inp = loop.wgt = 0;
      attempt(std::move(candidate));
    }
  }

  /// Simplifies data in blocks of at least `smallest` bytes; a window as a whole always.
  void simplify_data(std::size_t smallest) {
    clear_bytes(smallest,
                [](FailingProgram& p) -> std::vector<std::byte>& { return p.random.program.constants; });
    for (std::size_t w = 0; w < kWindowCount; ++w)
      clear_bytes(smallest,
                  [w](FailingProgram& p) -> std::vector<std::byte>& { return p.random.contents[w]; });
  }

  /// Zeroes as many blocks of the data as it can, the largest first.
  template <class Select>
  void clear_bytes(std::size_t smallest, Select select) {
    const std::size_t size = select(best_).size();
    for (std::size_t block = size; block > 0 && block >= std::min(smallest, size); block /= 2) {
      for (std::size_t at = 0; at < size; at += block) {
        const std::vector<std::byte>& bytes = select(best_);
        const auto begin = static_cast<std::ptrdiff_t>(at),
                   end = static_cast<std::ptrdiff_t>(std::min(size, at + block));
        if (std::all_of(bytes.begin() + begin, bytes.begin() + end,
                        [](std::byte b) { return b == std::byte{0}; }))
          continue;
        FailingProgram candidate = best_;
        std::fill(select(candidate).begin() + begin, select(candidate).begin() + end, std::byte{0});
        attempt(std::move(candidate));
      }
    }
  }

  FailingProgram best_;
  const Fails& fails_;
  ShrinkOptions options_;
  std::optional<unsigned> redundant_;  ///< put tokens in anew, with this number of needless ones
  std::size_t runs_ = 0;
};

}  // namespace

FailingProgram shrink(const FailingProgram& program, const Fails& fails, const ShrinkOptions& options) {
  return Shrinker(program, fails, options).run();
}

}  // namespace vdla::isa
