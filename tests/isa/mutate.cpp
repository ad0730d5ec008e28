// SPDX-License-Identifier: Apache-2.0
#include "tests/isa/mutate.h"

#include <algorithm>
#include <concepts>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "isa/codec/codec.h"
#include "isa/codec/members.h"
#include "isa/spec/operations.h"
#include "support/overloaded.h"

namespace vdla::isa {
namespace {

using Index = std::uint32_t;

/// Amount of work of an instruction, roughly: steps, or bytes.
double work_of(const Insn& insn) {
  return std::visit(
      overloaded{
          [](const MemoryInsn& i) { return 1.0 * i.x_total() * i.y_total() * i.z_count * i.run; },
          [](const GemmInsn& i) {
            double steps = i.uop_count;
            for (const GemmLevel& l : i.levels) steps *= l.count;
            return steps;
          },
          [](const VectorInsn& i) {
            double steps = 1;
            for (const VectorLevel& l : i.levels) steps *= l.count;
            return steps;
          },
          [](const FinishInsn&) { return 1.0; },
      },
      insn);
}

double work_of(const Program& program) {
  double work = 0;
  for (const Insn& insn : program.insns) work += work_of(insn);
  return work;
}

bool is_finish(const Insn& insn) { return std::holds_alternative<FinishInsn>(insn); }

/// The fields that a kind changes; "" of those that no field kind changes.
MutationKind kind_of_field(const Insn& insn, std::string_view name) {
  const auto is = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (is("uop_begin") || is("uop_count")) return MutationKind::UopRange;
  if (is("dram_stride")) return MutationKind::DramStride;
  if (name == "dram_offset") return MutationKind::DramOffset;
  if (is("stride")) return MutationKind::SramStride;
  if (is("base")) return MutationKind::SramBase;
  if (is("count") || name == "run" || is("pad_before") || is("pad_after")) return MutationKind::Extent;
  if (is("buffer")) return MutationKind::Buffer;
  if (name == "window") return MutationKind::Window;
  if (name == "init" || name == "reduce_mask" || name == "widen") return MutationKind::Flag;
  if (name == "op" || name == "b_kind") return MutationKind::Operation;
  if (name == "pop") return MutationKind::DropPop;
  if (name == "push") return MutationKind::DropPush;
  return is_finish(insn) ? MutationKind::EarlyFinish : MutationKind::Value;  // no field of finish is changed
}

/// Whether the field means something in this instruction: elsewhere any change of it is illegal.
bool has_meaning(const Insn& insn, std::string_view name) {
  if (name == "widen") {
    const auto* move = std::get_if<MemoryInsn>(&insn);
    return move != nullptr && move->buffer == Buffer::Par;
  }
  const auto* vector = std::get_if<VectorInsn>(&insn);
  const bool owned =
      std::ranges::any_of(kOperations, [&](const Operation& o) { return o.fields.contains(name); });
  return vector == nullptr || !owned || name == "imm" || operation_of(vector->op).fields.contains(name);
}

// Long: a method for each fault over one program.
class Mutator {
 public:
  Mutator(const Program& good, Draw& draw) : good_(good), draw_(draw) {}

  std::optional<Mutation> make(MutationKind kind) {
    constexpr int kTries = 64;
    constexpr double kMostWork = 16;
    const double work = work_of(good_);
    for (int i = 0; i < kTries; ++i) {
      result_ = Mutation{good_, kind, 0, ""};
      if (!apply(kind) || result_.program == good_) continue;
      if (work_of(result_.program) > kMostWork * work) continue;
      return std::move(result_);
    }
    return std::nullopt;
  }

 private:
  std::vector<Insn>& insns() { return result_.program.insns; }

  std::size_t below(std::size_t n) { return draw_.bits() % n; }

  template <class T>
  const T& any(const std::vector<T>& list) {
    return list[below(list.size())];
  }

  /// Instructions that `good` holds for; finish is none of them.
  template <class F>
  std::vector<Index> insns_where(F&& good) {
    std::vector<Index> list;
    for (Index i = 0; i < insns().size(); ++i)
      if (!is_finish(insns()[i]) && good(insns()[i])) list.push_back(i);
    return list;
  }

  bool apply(MutationKind kind) {
    switch (kind) {
      case MutationKind::DropPop:
        return change_token(false, true, false);
      case MutationKind::DropPush:
        return change_token(true, true, false);
      case MutationKind::AddPop:
        return change_token(false, false, true);
      case MutationKind::AddPush:
        return change_token(true, false, true);
      case MutationKind::SwapPop:
        return change_token(false, true, true);
      case MutationKind::SwapPush:
        return change_token(true, true, true);
      case MutationKind::DropToken:
        return drop_token();
      case MutationKind::MovePop:
        return move_token(false);
      case MutationKind::MovePush:
        return move_token(true);
      case MutationKind::SwapNeighbours:
      case MutationKind::MoveInsn:
        return move_insn(kind == MutationKind::SwapNeighbours);
      case MutationKind::RemoveInsn:
        return remove_insn();
      case MutationKind::DuplicateInsn:
        return insert_insn(false);
      case MutationKind::EarlyFinish:
        return insert_insn(true);
      case MutationKind::Kernel:
        return change_kernel();
      case MutationKind::WindowSize:
        return shrink_window();
      case MutationKind::SramBase:
      case MutationKind::SramStride:
      case MutationKind::DramOffset:
      case MutationKind::DramStride:
      case MutationKind::Extent:
      case MutationKind::Buffer:
      case MutationKind::Window:
      case MutationKind::Flag:
      case MutationKind::Operation:
      case MutationKind::Value:
      case MutationKind::UopRange:
        return change_field(kind);
    }
    return false;
  }

  /// Drops, adds, or both: swaps, a bit of `pop` or `push`.
  bool change_token(bool push, bool drop, bool add) {
    const auto mask_of = [&](const Insn& i) { return push ? pushes_of(i) : pops_of(i); };
    const auto list = insns_where([&](const Insn& i) { return !drop || mask_of(i) != 0; });
    if (list.empty()) return false;
    const Index i = any(list);
    Insn& insn = insns()[i];
    const auto own = static_cast<unsigned>(unit_of(insn));
    std::vector<unsigned> set, clear;
    for (unsigned u = 0; u < kQueueUnits; ++u)
      if (u != own) ((mask_of(insn) >> u & 1u) != 0 ? set : clear).push_back(u);
    unsigned mask = mask_of(insn);
    if (drop) mask &= ~(1u << any(set));
    if (add && clear.empty()) return false;
    if (add) mask |= 1u << any(clear);
    note(i, push ? "push" : "pop", mask_of(insn), mask);
    set_tokens(insn, push ? pops_of(insn) : mask, push ? mask : pushes_of(insn));
    return true;
  }

  /// The k-th push into a channel and the k-th pop from it.
  bool drop_token() {
    const auto from = static_cast<unsigned>(below(kQueueUnits)),
               to = static_cast<unsigned>(below(kQueueUnits));
    std::vector<Index> pushers, poppers;
    for (Index i = 0; i < insns().size(); ++i) {
      const auto unit = static_cast<unsigned>(unit_of(insns()[i]));
      if (unit == from && (pushes_of(insns()[i]) >> to & 1u) != 0) pushers.push_back(i);
      if (unit == to && (pops_of(insns()[i]) >> from & 1u) != 0) poppers.push_back(i);
    }
    if (pushers.empty() || pushers.size() != poppers.size()) return false;
    const std::size_t k = below(pushers.size());
    Insn &a = insns()[pushers[k]], &b = insns()[poppers[k]];
    set_tokens(a, pops_of(a), pushes_of(a) & ~(1u << to));
    set_tokens(b, pops_of(b) & ~(1u << from), pushes_of(b));
    result_.insn = pushers[k];
    result_.what = fmt::format("no token from instruction {} to {}", pushers[k], poppers[k]);
    return true;
  }

  bool move_token(bool push) {
    const auto mask_of = [&](const Insn& i) { return push ? pushes_of(i) : pops_of(i); };
    const auto list = insns_where([&](const Insn& i) { return mask_of(i) != 0; });
    if (list.empty()) return false;
    const Index i = any(list);
    const auto own = insns_where([&](const Insn& other) { return unit_of(other) == unit_of(insns()[i]); });
    const auto at = std::ranges::find(own, i) - own.begin();
    const auto target = at + (draw_.one_in(2) ? 1 : -1);
    if (target < 0 || target >= std::ssize(own)) return false;
    const Index j = own[static_cast<std::size_t>(target)];
    std::vector<unsigned> movable;
    for (unsigned u = 0; u < kQueueUnits; ++u)
      if ((mask_of(insns()[i]) >> u & 1u) != 0 && (mask_of(insns()[j]) >> u & 1u) == 0) movable.push_back(u);
    if (movable.empty()) return false;
    const unsigned bit = 1u << any(movable);
    const auto set = [&](Insn& insn, unsigned mask) {
      set_tokens(insn, push ? pops_of(insn) : mask, push ? mask : pushes_of(insn));
    };
    set(insns()[i], mask_of(insns()[i]) & ~bit);
    set(insns()[j], mask_of(insns()[j]) | bit);
    result_.insn = i;
    result_.what = fmt::format("{} moved to instruction {}", push ? "push" : "pop", j);
    return true;
  }

  /// The source map and the entries keep step.
  void erase(Index i) {
    insns().erase(insns().begin() + i);
    auto& sources = result_.program.source_map.insns;
    if (!sources.empty()) sources.erase(sources.begin() + i);
    shift_entries(i, -1);
  }
  void insert(Index i, const Insn& insn, const Source& source) {
    insns().insert(insns().begin() + i, insn);
    auto& sources = result_.program.source_map.insns;
    if (!sources.empty()) sources.insert(sources.begin() + i, source);
    shift_entries(i, 1);
  }
  void shift_entries(Index i, int by) {
    for (EntryPoint& entry : result_.program.entries) {
      if (entry.first_insn > i)
        entry.first_insn += static_cast<Index>(by);
      else if (i < entry.first_insn + entry.insn_count)
        entry.insn_count += static_cast<Index>(by);
    }
  }
  Source source_of(Index i) {
    const auto& sources = result_.program.source_map.insns;
    return sources.empty() ? Source{} : sources[i];
  }

  bool move_insn(bool neighbour) {
    const auto list = insns_where([](const Insn&) { return true; });
    if (list.size() < 2) return false;
    const Index i = any(list);
    const std::int64_t by = neighbour ? 1 : draw_.between(-20, 20);
    const std::int64_t target = static_cast<std::int64_t>(i) + by;
    if (by == 0 || target < 0 || target >= std::ssize(insns())) return false;
    const auto j = static_cast<Index>(target);
    for (Index k = std::min(i, j); k <= std::max(i, j); ++k)
      if (is_finish(insns()[k])) return false;
    const Insn insn = insns()[i];
    const Source source = source_of(i);
    erase(i);
    insert(j, insn, source);
    result_.insn = i;
    result_.what = fmt::format("now instruction {}", j);
    return true;
  }

  bool remove_insn() {
    const auto list = insns_where([](const Insn&) { return true; });
    if (list.empty()) return false;
    result_.insn = any(list);
    result_.what = "removed";
    erase(result_.insn);
    return true;
  }

  bool insert_insn(bool finish) {
    const auto list = insns_where([](const Insn&) { return true; });
    if (list.empty()) return false;
    const Index i = any(list);
    const Insn insn = finish ? insns().back() : insns()[i];
    insert(i, insn, source_of(i));
    result_.insn = i;
    result_.what = finish ? "a finish before it" : "twice";
    return true;
  }

  bool change_field(MutationKind kind) {
    const auto list = insns_where([&](const Insn& i) { return fields(i, kind) != 0; });
    if (list.empty()) return false;
    const Index i = any(list);
    const std::size_t chosen = below(fields(insns()[i], kind));
    std::size_t at = 0;
    std::visit(
        [&](auto& insn) {
          visit_members(insn, [&](std::string_view name, auto& member) {
            if (!changes(insns()[i], name, kind) || at++ != chosen) return;
            const auto before = static_cast<std::int64_t>(member);
            change(name, member, i);
            note(i, name, before, static_cast<std::int64_t>(member));
          });
        },
        insns()[i]);
    return true;
  }

  static bool changes(const Insn& insn, std::string_view name, MutationKind kind) {
    return kind_of_field(insn, name) == kind && has_meaning(insn, name);
  }

  std::size_t fields(const Insn& insn, MutationKind kind) {
    std::size_t count = 0;
    std::visit(
        [&](const auto& i) {
          visit_members(i, [&](std::string_view name, const auto&) { count += changes(insn, name, kind); });
        },
        insn);
    return count;
  }

  void change(std::string_view, bool& member, Index) { member = !member; }
  void change(std::string_view, Buffer& member, Index) {
    member = static_cast<Buffer>(below(kBuffers.size()));
  }
  void change(std::string_view, Window& member, Index) { member = static_cast<Window>(below(kWindowCount)); }
  void change(std::string_view, VectorOp& member, Index) {
    member = static_cast<VectorOp>(below(kVectorOps.size()));
  }
  void change(std::string_view, VectorB& member, Index) {
    member = static_cast<VectorB>(below(kVectorBs.size()));
  }

  /// Near by, twice or half, the value of the same field elsewhere, or anything; one bit of a mask.
  template <std::integral T>
  void change(std::string_view name, T& member, Index) {
    using Wide = std::int64_t;
    const Wide low = static_cast<Wide>(std::numeric_limits<T>::min());
    const Wide high = name == "dram_offset"   ? (Wide{1} << 48) - 1
                      : name == "shift"       ? 63
                      : name == "reduce_mask" ? 63
                                              : static_cast<Wide>(std::numeric_limits<T>::max());
    if (name == "reduce_mask") {
      member = static_cast<T>(member ^ (1u << below(kLevels)));
      return;
    }
    const auto old = static_cast<Wide>(member);
    Wide value = old;
    switch (draw_.between(0, 5)) {
      case 0:
      case 1:
        value += draw_.one_in(2) ? 1 : -1;
        break;
      case 2:
        value += draw_.between(-16, 16);
        break;
      case 3:
        value = draw_.one_in(2) ? 2 * old : old / 2;
        break;
      case 4:
        value = elsewhere(name, old);
        break;
      default:
        value = draw_.between(0, std::min<Wide>(high, 4 * std::max<Wide>(old, 16)));
    }
    member = static_cast<T>(std::clamp(value, low, high));
  }

  std::int64_t elsewhere(std::string_view name, std::int64_t value) {
    std::visit(
        [&](const auto& insn) {
          visit_members(insn, [&](std::string_view other, const auto& member) {
            if (other == name) value = static_cast<std::int64_t>(member);
          });
        },
        any(insns()));
    return value;
  }

  /// Shrinks a window by a few bytes, to half, or to any size.
  bool shrink_window() {
    Program& p = result_.program;
    const auto w = static_cast<Window>(below(kWindowCount));
    const std::uint64_t size = p.window_size(w);
    if (w == Window::Insn || w == Window::Uop || size < 2) return false;
    const std::uint64_t smaller = draw_.one_in(2)   ? size - 1 - below(std::min<std::uint64_t>(size - 1, 64))
                                  : draw_.one_in(2) ? size / 2
                                                    : below(size);
    if (w == Window::Const)
      p.constants.resize(smaller);
    else
      p.data_window_sizes[static_cast<std::size_t>(w)] = smaller;
    result_.what = fmt::format("{} {} -> {}", to_string(w), size, smaller);
    return true;
  }

  bool change_kernel() {
    auto& kernels = result_.program.kernels;
    if (kernels.empty()) return false;
    const auto k = static_cast<Index>(below(kernels.size()));
    MicroKernel& kernel = kernels[k];
    const auto change_one = [&](std::string_view name, std::uint16_t& value) {
      const auto before = static_cast<std::int64_t>(value);
      change(name, value, 0);
      note(k, name, before, value);
    };
    const std::size_t chosen = below(3 + 4 * kernel.loops.size());
    if (chosen < 3) {
      std::uint16_t Uop::* const members[] = {&Uop::acc, &Uop::inp, &Uop::wgt};
      change_one("kernel base", kernel.base.*members[chosen]);
    } else {
      std::uint16_t MicroLoop::* const members[] = {&MicroLoop::count, &MicroLoop::acc, &MicroLoop::inp,
                                                    &MicroLoop::wgt};
      change_one("kernel loop", kernel.loops[(chosen - 3) / 4].*members[(chosen - 3) % 4]);
    }
    constexpr std::uint64_t kMostUops = 1 << 16;
    return kernel.size() >= 1 && kernel.size() <= kMostUops;
  }

  void note(Index i, std::string_view name, std::int64_t before, std::int64_t after) {
    result_.insn = i;
    result_.what = fmt::format("{} {} -> {}", name, before, after);
  }

  const Program& good_;
  Draw& draw_;
  Mutation result_;
};

}  // namespace

std::string_view to_string(MutationKind kind) {
  switch (kind) {
#define VDLA_CASE(name, text, doc) \
  case MutationKind::name:         \
    return text;
    VDLA_MUTATIONS(VDLA_CASE)
#undef VDLA_CASE
  }
  return "";
}

std::string_view describe(MutationKind kind) {
  switch (kind) {
#define VDLA_CASE(name, text, doc) \
  case MutationKind::name:         \
    return doc;
    VDLA_MUTATIONS(VDLA_CASE)
#undef VDLA_CASE
  }
  return "";
}

std::optional<Mutation> mutate(const Program& good, MutationKind kind, Draw& draw) {
  return Mutator(good, draw).make(kind);
}

}  // namespace vdla::isa
