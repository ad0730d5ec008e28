// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/llvm/copies.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "compiler/expr/affine.h"
#include "compiler/expr/memory.h"
#include "compiler/expr/simplify.h"
#include "compiler/expr/visit.h"
#include "compiler/grid/offsets.h"
#include "compiler/grid/warp.h"
#include "compiler/loop/ranges.h"
#include "compiler/loop/visit.h"
#include "support/overloaded.h"

namespace vdla::codegen {
namespace {

using expr::ExprPtr;
using expr::Interval;
using loop::StmtPtr;

constexpr Interval kAnywhere{std::numeric_limits<std::int64_t>::min() / 4,
                             std::numeric_limits<std::int64_t>::max() / 4};

/// Products of two such numbers do not wrap.
constexpr std::int64_t kLargestFactor = std::int64_t{1} << 30;

/// Parts of a buffer that are looked at one by one.
constexpr std::int64_t kMostParts = 32;

/// Statements that are looked at, those of a loop twice: in loops of loops that doubles with each. A kernel
/// with more has no copies, which is right and slower.
constexpr std::size_t kMostVisits = 100'000;

/// Elements of a buffer that a statement touches: those of `range`, moved by factor * part.
struct Touch {
  const loop::Buffer* buffer;
  Interval range = kAnywhere;
  ExprPtr half = nullptr;  ///< the part: floor_mod(x, n); null: the range has them all
  std::int64_t factor = 0;
  const loop::Stmt* copy = nullptr;  ///< a store that could be one
};

/// Touch of all iterations.
Touch without_half(Touch t) {
  if (!t.half) return t;
  const std::int64_t last = t.factor * (grid::parts_of(t.half) - 1);
  t.range.low += std::min<std::int64_t>(last, 0);
  t.range.high += std::max<std::int64_t>(last, 0);
  t.half = nullptr;
  t.factor = 0;
  return t;
}

bool overlap(const Interval& a, const Interval& b) { return a.low <= b.high && b.low <= a.high; }

/// Whether they may meet in one iteration of all loops that both have around them.
bool may_meet(const Touch& a, const Touch& b) {
  if (a.buffer != b.buffer) return false;
  std::optional<std::int64_t> distance;
  if (a.half && b.half) distance = expr::equal(a.half, b.half) ? 0 : grid::distance_of_parts(a.half, b.half);
  if (!distance) return overlap(without_half(a).range, without_half(b).range);
  const auto in = [](const Touch& t, std::int64_t part) {
    return Interval{t.range.low + t.factor * part, t.range.high + t.factor * part};
  };
  const std::int64_t parts = grid::parts_of(a.half);
  for (std::int64_t part = 0; part < parts; ++part)
    if (overlap(in(a, part), in(b, (part - *distance + parts) % parts))) return true;
  return false;
}

/// Goes through a kernel with what was touched since the last barrier.
class Finder {
 public:
  explicit Finder(const grid::Kernel& kernel) : kernel_(kernel) {
    bool may_copy = false;
    loop::visit(kernel.func.body, [&](const StmtPtr& s) {
      const auto* store = s->as<loop::Store>();
      may_copy = may_copy || (store && copy_of(kernel, *store));
    });
    if (may_copy) visit(kernel.func.body);
    for (const loop::Stmt* s : refused_) candidates_.erase(s);
    if (visits_ >= kMostVisits) candidates_.clear();
  }

  std::unordered_set<const loop::Stmt*> take() { return std::move(candidates_); }

 private:
  void visit(const StmtPtr& s) {
    if (++visits_ >= kMostVisits) return;
    std::visit(overloaded{
                   [&](const loop::For& n) { loop(n); },
                   [&](const loop::Allocate& n) { visit(n.body); },
                   [&](const loop::Seq& n) {
                     for (const StmtPtr& child : n.body) visit(child);
                   },
                   [&](const loop::IfThenElse& n) { branch(n); },
                   [&](const loop::Store& n) { store(*s, n); },
                   [&](const loop::IntrinsicCall& n) {
                     if (loop::is_barrier(n)) touched_.clear();
                     for (const auto* regions : {&n.inputs, &n.outputs})
                       for (const loop::Region& region : *regions) touches(region);
                   },
                   [&](const loop::Tensorize&) {},
               },
               s->node);
  }

  void loop(const loop::For& n) {
    loads(n.min);
    loads(n.extent);
    loop::add_values_of(n, ranges_);
    const std::vector<Touch> before = touched_;
    visit(n.body);
    const bool is_in_turn = n.kind == loop::ForKind::Serial;
    if (is_in_turn) {
      // halves that the next iteration finds, and those behind the loop
      forget_halves_of(n.var);
      for (const Touch& t : before) keep(t);
      visit(n.body);
      forget_halves_of(n.var);
      for (const Touch& t : before) keep(t);
    }
    ranges_.erase(n.var);
  }

  void branch(const loop::IfThenElse& n) {
    loads(n.condition);
    const expr::Ranges outer = ranges_;
    const std::vector<Touch> before = touched_;
    const std::size_t conditions = conditions_.size();
    ranges_ = expr::assume(n.condition, outer);
    note_conditions(n.condition);
    visit(n.then_body);
    conditions_.resize(conditions);
    ranges_ = outer;
    const std::vector<Touch> after = std::exchange(touched_, before);
    if (n.else_body) visit(n.else_body);
    for (const Touch& t : after) keep(t);
  }

  void store(const loop::Stmt& s, const loop::Store& n) {
    loads(n.value);
    for (const ExprPtr& index : n.indices) loads(index);
    if (n.buffer->scope != expr::kSharedScope) return;
    Touch touch = touch_of(*n.buffer, n.indices);
    if (copy_of(kernel_, n)) {
      touch.copy = &s;
      candidates_.insert(&s);
    }
    note(touch);
  }

  void loads(const ExprPtr& e) {
    expr::visit(e, [&](const ExprPtr& part) {
      const auto* load = part->as<expr::Load>();
      if (load && load->buffer->scope == expr::kSharedScope) note(touch_of(*load->buffer, load->indices));
    });
  }

  void touches(const loop::Region& region) {
    if (region.buffer->scope != expr::kSharedScope) return;
    const expr::Ranges outside = ranges_;
    const ExprPtr offset = grid::offset_of(region, ranges_);
    note(touch_at(*region.buffer, offset));
    ranges_ = outside;
  }

  Touch touch_of(const loop::Buffer& buffer, const std::vector<ExprPtr>& indices) const {
    return touch_at(buffer, expr::to_expr(expr::flat_offset(buffer, indices)));
  }

  Touch touch_at(const loop::Buffer& buffer, const ExprPtr& offset) const {
    Touch touch{&buffer};
    expr::Affine rest = grid::by_even_halves(grid::joined(offset, ranges_));
    const auto half = std::ranges::find_if(rest.terms, [](const expr::Affine::Term& t) {
      const std::int64_t parts = grid::parts_of(t.atom);
      return parts > 0 && parts <= kMostParts && std::abs(t.coefficient) <= kLargestFactor &&
             !expr::reads_memory(t.atom);
    });
    if (half != rest.terms.end()) {
      touch.half = half->atom;
      touch.factor = half->coefficient;
      rest.terms.erase(half);
    }
    if (const auto range = expr::bounds(rest, ranges_))
      touch.range = {range->low, least_end(rest, range->high)};
    if (touch.range.low < kAnywhere.low || touch.range.high > kAnywhere.high ||
        std::abs(touch.factor) > kAnywhere.high)
      return {&buffer};
    return touch;
  }

  /// Least end of an offset by the conditions around: the last piece of a fetch ends before its loops do.
  std::int64_t least_end(const expr::Affine& offset, std::int64_t end) const {
    for (const ExprPtr& condition : conditions_) {
      const auto* less = condition->as<expr::Binary>();
      const auto limit = less && less->op == expr::BinaryOp::Lt ? expr::as_constant(less->b) : std::nullopt;
      if (!limit) continue;
      const expr::Affine sum = expr::to_affine(less->a);
      for (const expr::Affine::Term& t : offset.terms) {
        if (sum.terms.empty() || !expr::equal(t.atom, sum.terms[0].atom)) continue;
        const std::int64_t factor = t.coefficient / sum.terms[0].coefficient;
        if (factor < 1 || factor > kLargestFactor || *limit > kLargestFactor) continue;
        const auto rest = expr::bounds(offset - sum * factor, ranges_);
        if (rest && rest->high < kAnywhere.high) end = std::min(end, rest->high + factor * (*limit - 1));
      }
    }
    return end;
  }

  void note_conditions(const ExprPtr& e) {
    const auto* both = e->as<expr::Binary>();
    if (both && both->op == expr::BinaryOp::And) {
      note_conditions(both->a);
      note_conditions(both->b);
    } else {
      conditions_.push_back(e);
    }
  }

  void note(const Touch& touch) {
    for (const Touch& t : touched_) {
      if ((!t.copy && !touch.copy) || !may_meet(t, touch)) continue;
      refused_.insert(t.copy);
      refused_.insert(touch.copy);
    }
    keep(touch);
  }

  /// Counts all touches that are no copies together.
  void keep(const Touch& touch) {
    for (Touch& t : touched_) {
      const bool is_alike =
          t.buffer == touch.buffer && t.copy == touch.copy && t.factor == touch.factor &&
          (t.half == touch.half || (t.half && touch.half && expr::equal(t.half, touch.half)));
      if (!is_alike) continue;
      t.range = {std::min(t.range.low, touch.range.low), std::max(t.range.high, touch.range.high)};
      return;
    }
    touched_.push_back(touch);
  }

  void forget_halves_of(const expr::VarPtr& var) {
    std::vector<Touch> all = std::exchange(touched_, {});
    for (const Touch& t : all) keep(t.half && expr::uses(t.half, var) ? without_half(t) : t);
  }

  const grid::Kernel& kernel_;
  std::size_t visits_ = 0;
  std::unordered_set<const loop::Stmt*> candidates_, refused_;
  std::vector<Touch> touched_;  ///< since the last barrier
  expr::Ranges ranges_;
  std::vector<ExprPtr> conditions_;  ///< conditions that hold
};

bool is_zero(const ExprPtr& e) {
  const auto* number = e->as<expr::FloatImm>();
  return (number && number->value == 0 && !std::signbit(number->value)) || expr::as_constant(e) == 0;
}

}  // namespace

std::optional<Copy> copy_of(const grid::Kernel& kernel, const loop::Store& store) {
  if (store.buffer->scope != expr::kSharedScope) return std::nullopt;
  Copy copy{store.value->as<expr::Load>(), nullptr};
  if (const auto* n = store.value->as<expr::Select>()) {
    if (!is_zero(n->on_false) || expr::reads_memory(n->condition)) return std::nullopt;
    copy = {n->on_true->as<expr::Load>(), n->condition};
  }
  if (!copy.from || copy.from->buffer->dtype != store.buffer->dtype) return std::nullopt;
  const bool only_reads = std::ranges::any_of(kernel.func.params, [&](const loop::Param& param) {
    return param.buffer == copy.from->buffer && param.direction == loop::Direction::In;
  });
  const auto is_plain = [](const ExprPtr& index) { return !expr::reads_memory(index); };
  if (!only_reads || !std::ranges::all_of(copy.from->indices, is_plain) ||
      !std::ranges::all_of(store.indices, is_plain))
    return std::nullopt;
  return copy;
}

std::unordered_set<const loop::Stmt*> copies_of(const grid::Kernel& kernel) { return Finder(kernel).take(); }

namespace {

/// The part that an offset is in: floor_mod(variable of the loop + constant, n), in one term; null otherwise.
ExprPtr part_of(const loop::Buffer& buffer, const std::vector<ExprPtr>& indices, const loop::For& around) {
  for (const expr::Affine::Term& t : expr::flat_offset(buffer, indices).terms) {
    if (grid::parts_of(t.atom) == 0 || !expr::uses(t.atom, around.var)) continue;
    const expr::Affine inside = expr::to_affine(t.atom->as<expr::Binary>()->a);
    if (inside.terms.size() == 1 && inside.coefficient(around.var) == 1) return t.atom;
  }
  return nullptr;
}

/// Number of iterations whose copies a barrier leaves under way, in a loop that fills parts of buffers for
/// later iterations. 0 where it has to wait for all.
std::int64_t left_by(const loop::For& n, const std::unordered_set<const loop::Stmt*>& copies) {
  std::vector<std::pair<const loop::Buffer*, ExprPtr>> filled, read;
  int barriers = 0;
  loop::visit(n.body, [&](const StmtPtr& s) {
    const auto* store = s->as<loop::Store>();
    const auto* call = s->as<loop::IntrinsicCall>();
    if (store && copies.contains(s.get()))
      filled.emplace_back(store->buffer.get(), part_of(*store->buffer, store->indices, n));
    if (call && loop::is_barrier(*call)) ++barriers;
    if (!call) return;
    for (const loop::Region& region : call->inputs)
      read.emplace_back(region.buffer.get(), part_of(*region.buffer, region.origin, n));
  });
  loop::visit_expressions(n.body, [&](const ExprPtr& e) {
    if (const auto* load = e->as<expr::Load>())
      read.emplace_back(load->buffer.get(), part_of(*load->buffer, load->indices, n));
  });
  if (filled.empty() || barriers != 1) return 0;
  const std::int64_t parts = filled[0].second ? grid::parts_of(filled[0].second) : 0;
  const auto is_early = [&](const auto& fill, const auto& reader) {
    if (fill.first != reader.first) return true;
    return fill.second && reader.second && grid::distance_of_parts(fill.second, reader.second) == parts - 1;
  };
  for (const auto& fill : filled) {
    if (!fill.second || grid::parts_of(fill.second) != parts) return 0;
    if (!std::ranges::all_of(read, [&](const auto& reader) { return is_early(fill, reader); })) return 0;
  }
  return parts > 2 ? parts - 2 : 0;
}

}  // namespace

std::unordered_map<const loop::Stmt*, std::int64_t> groups_left(
    const grid::Kernel& kernel, const std::unordered_set<const loop::Stmt*>& copies) {
  std::unordered_map<const loop::Stmt*, std::int64_t> left;
  loop::visit(kernel.func.body, [&](const StmtPtr& s) {
    const auto* n = s->as<loop::For>();
    const auto* body = n && n->kind == loop::ForKind::Serial ? n->body->as<loop::Seq>() : nullptr;
    if (!body || body->body.empty()) return;
    const auto* last = body->body.back()->as<loop::IntrinsicCall>();
    if (!last || !loop::is_barrier(*last)) return;
    if (const std::int64_t groups = left_by(*n, copies); groups > 0) left[body->body.back().get()] = groups;
  });
  return left;
}

}  // namespace vdla::codegen
