// SPDX-License-Identifier: Apache-2.0
// Double buffering. In a loop whose body fills a buffer marked 'double' and then reads it, the buffer gets
// two halves, and the loop fills one half for the next iteration before it reads the other: on a machine that
// copies in the background the two overlap. With more parts the loop fills one for an iteration further on,
// and several iterations' copies are under way at once. Of a buffer that is marked 'held', too, the loop
// reads what fills it into memory @held first, and stores that after the rest of its body: where stores wait
// for what is read, nothing else does. A marked buffer is refused (UserError with buffer, loop and rule)
// where filling it early could read or overwrite what the rest of the body uses, or where there is no such
// loop.
#include <algorithm>
#include <set>
#include <string>

#include "compiler/expr/memory.h"
#include "compiler/grid/held.h"
#include "compiler/loop/replace_buffers.h"
#include "compiler/loop/simplify.h"
#include "compiler/loop/visit.h"
#include "compiler/passes/buffers.h"
#include "compiler/passes/rows.h"
#include "support/error.h"

namespace vdla::passes {
namespace {

using expr::Affine;
using expr::BinaryOp;
using loop::ExprPtr;
using loop::Replacement;
using loop::Replacements;
using loop::StmtPtr;

/// The body of a loop that fills and reads doubled buffers: allocations, "fill; rest".
struct Shape {
  std::vector<const loop::Allocate*> allocations, doubled;
  std::vector<StmtPtr> fill, rest;

  bool is_doubled(const loop::Buffer* b) const {
    return std::ranges::any_of(doubled, [&](const auto* n) { return n->buffer.get() == b; });
  }
  bool is_held(const loop::Buffer* b) const {
    return std::ranges::any_of(doubled, [&](const auto* n) { return n->buffer.get() == b && n->held; });
  }
  bool fills_held(const StmtPtr& s) const {
    return std::ranges::any_of(accesses_of(s).writes, [&](const auto* b) { return is_held(b); });
  }
};

bool touches(const Accesses& a, const loop::BufferPtr& buffer) {
  return a.reads.contains(buffer.get()) || a.writes.contains(buffer.get());
}

/// Why `fill` may not run an iteration early, or nothing. It writes doubled buffers only, which the rest only
/// reads, and reads nothing that the rest writes.
std::string why_not_early(const Shape& shape) {
  const Accesses fill = accesses_of(loop::seq(shape.fill)), rest = accesses_of(loop::seq(shape.rest));
  const auto is_doubled = [&](const loop::Buffer* b) { return shape.is_doubled(b); };
  for (const loop::Allocate* n : shape.allocations) {
    const std::string name = "'" + n->buffer->name + "'";
    if (!is_doubled(n->buffer.get())) {
      if (touches(fill, n->buffer)) return "what fills it uses " + name + ", which is not double buffered";
    } else if (rest.writes.contains(n->buffer.get())) {
      return name + " is written where it is read";
    }
  }
  for (const loop::Buffer* written : fill.writes)
    if (!is_doubled(written)) return "what fills it writes '" + written->name + "', too";
  for (const loop::Buffer* read : fill.reads)
    if (rest.writes.contains(read))
      return "what fills it reads '" + read->name + "', which the loop writes behind it";
  return "";
}

/// Statements inside of the allocations at the beginning, and inside of those of doubled buffers that the
/// list ends with: a second buffer is allocated behind what fills the first one.
std::vector<StmtPtr> statements_of(StmtPtr inside, Shape& shape) {
  std::vector<StmtPtr> body;
  for (;;) {
    const auto* allocation = inside->as<loop::Allocate>();
    if (allocation && (body.empty() || (allocation->parts > 1 && !shape.doubled.empty()))) {
      shape.allocations.push_back(allocation);
      if (allocation->parts > 1) shape.doubled.push_back(allocation);
      inside = allocation->body;
    } else if (const auto* list = inside->as<loop::Seq>()) {
      if (list->body.empty()) return body;
      body.insert(body.end(), list->body.begin(), list->body.end() - 1);
      inside = list->body.back();
    } else {
      body.push_back(inside);
      return body;
    }
  }
}

/// A statement that fills held buffers, in two: one that reads, and one that stores what the first one read.
class Holder {
 public:
  Holder(const Shape& shape, std::set<std::string>& taken) : shape_(shape), taken_(taken) {}

  struct Halves {
    StmtPtr read, store;
  };
  /// `s` of Shape::fill.
  Halves split(const StmtPtr& s) {
    if (const auto* n = s->as<loop::For>()) {
      loops_.push_back(n);
      const Halves inner = split(n->body);
      loops_.pop_back();
      return {loop::with_children(s, {inner.read}), loop::with_children(s, {inner.store})};
    }
    if (const auto* n = s->as<loop::IfThenElse>()) {
      const Halves inner = split(n->then_body);
      return {loop::with_children(s, {inner.read}), loop::with_children(s, {inner.store})};
    }
    if (const auto* n = s->as<loop::Seq>()) {
      std::vector<StmtPtr> reads, stores;
      for (const StmtPtr& child : n->body) {
        const Halves halves = split(child);
        reads.push_back(halves.read);
        stores.push_back(halves.store);
      }
      return {loop::seq(reads), loop::seq(stores)};
    }
    return split_store(*s->as<loop::Store>());
  }
  /// Buffers that split() reads into.
  const std::vector<loop::BufferPtr>& memory() const { return memory_; }

  /// Why a statement of Shape::fill cannot be split, or nothing.
  static std::string why_not(const StmtPtr& s, const Shape& shape) {
    std::string why;
    loop::visit(s, [&](const StmtPtr& part) {
      const auto* n = part->as<loop::For>();
      const auto* branch = part->as<loop::IfThenElse>();
      const auto* store = part->as<loop::Store>();
      if (n && (expr::as_constant(n->extent).value_or(0) < 1 || !expr::as_constant(n->min)))
        why =
            "loop '" + n->var->name + "' has no constant bounds, or no iteration, and what fills it is held";
      else if (branch && (branch->else_body || expr::reads_memory(branch->condition)))
        why = "what fills it has a condition that memory decides, or an else, and is held";
      else if (store && !shape.is_held(store->buffer.get()))
        why = "one statement fills it and '" + store->buffer->name + "', which is not held";
      else if (store && std::ranges::any_of(store->indices, expr::reads_memory))
        why = "memory decides where it is filled, and it is held";
      else if (!n && !branch && !store && !part->as<loop::Seq>())
        why = "what fills it is more than loops, conditions and stores, and it is held";
    });
    for (const loop::Buffer* read : accesses_of(s).reads)
      if (shape.is_doubled(read))
        why = "what fills it reads '" + read->name + "', which is filled there, too";
    return why;
  }

 private:
  /// An element for each thread and, in its row, for each of the other loops' iterations.
  Halves split_store(const loop::Store& n) {
    std::vector<const loop::For*> order = loops_;
    std::ranges::stable_partition(order, [](const loop::For* f) { return expr::is_thread(f->kind); });
    std::vector<std::int64_t> extents;
    std::vector<ExprPtr> place;
    for (const loop::For* f : order) {
      extents.push_back(*expr::as_constant(f->extent));
      place.push_back(expr::to_expr(expr::to_affine(expr::var_ref(f->var)) - expr::to_affine(f->min)));
    }
    if (order.empty()) {
      extents.push_back(1);
      place.push_back(expr::int_imm(0));
    }
    std::string name = n.buffer->name + ".held";
    while (!taken_.insert(name).second) name += "_";
    memory_.push_back(expr::make_buffer(name, n.buffer->dtype, extents, grid::kHeldScope));
    return {loop::store(memory_.back(), place, n.value),
            loop::store(n.buffer, n.indices, expr::load(memory_.back(), place))};
  }

  const Shape& shape_;
  std::set<std::string>& taken_;
  std::vector<const loop::For*> loops_;
  std::vector<loop::BufferPtr> memory_;
};

/// Splits the body after the last statement that writes a doubled buffer. Why the loop cannot be doubled, or
/// nothing.
std::string analyse(const loop::For& n, Shape& shape) {
  const std::vector<StmtPtr> body = statements_of(n.body, shape);
  if (shape.doubled.empty()) return "it is not allocated at the beginning of the loop's body";
  if (n.kind != loop::ForKind::Serial && n.kind != loop::ForKind::Unrolled)
    return "the loop is " + std::string(expr::name(n.kind)) + ", needs a serial or an unrolled one";
  if (expr::reads_memory(n.min) || expr::reads_memory(n.extent)) return "the loop's bounds read memory";
  for (const loop::Allocate* d : shape.doubled)
    if (d->parts != shape.doubled[0]->parts)
      return "'" + d->buffer->name + "' has " + std::to_string(d->parts) + " parts, and '" +
             shape.doubled[0]->buffer->name + "' beside it " + std::to_string(shape.doubled[0]->parts);
  std::size_t cut = 0;
  for (std::size_t i = 0; i < body.size(); ++i) {
    Accesses accesses = accesses_of(body[i]);
    for (const loop::Allocate* d : shape.doubled) {
      if (accesses.writes.contains(d->buffer.get())) cut = i + 1;
    }
  }
  shape.fill.assign(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(cut));
  shape.rest.assign(body.begin() + static_cast<std::ptrdiff_t>(cut), body.end());
  if (cut == 0 || shape.rest.empty())
    return "the loop's body does not fill it in one statement and read it in a later one";
  for (const StmtPtr& s : shape.fill)
    if (shape.fills_held(s))
      if (std::string why = Holder::why_not(s, shape); !why.empty()) return why;
  return why_not_early(shape);
}

/// A buffer of several parts, of which `half` is used.
Replacement in_half(const loop::BufferPtr& halves, const ExprPtr& half) {
  return {halves, [half](const std::vector<ExprPtr>& indices) {
            std::vector<ExprPtr> result{half};
            result.insert(result.end(), indices.begin(), indices.end());
            return result;
          }};
}

StmtPtr use_halves(const StmtPtr& s, const Shape& shape, const std::vector<loop::BufferPtr>& halves,
                   const ExprPtr& half) {
  Replacements replacements;
  for (std::size_t i = 0; i < halves.size(); ++i) {
    replacements.emplace(shape.doubled[i]->buffer.get(), in_half(halves[i], half));
  }
  return replace_buffers(s, replacements);
}

/// `taken`: all names of the function. The new buffers are allocated around the loop and what fills them
/// first: a name that is another one's there, which a second buffer may have, becomes a new one.
StmtPtr double_loop(const StmtPtr& s, std::set<std::string>& taken) {
  const auto* n = s->as<loop::For>();
  if (!n) return s;
  Shape shape;
  if (!analyse(*n, shape).empty()) return s;
  const std::int64_t parts = shape.doubled[0]->parts;
  const std::set<std::string> inner = names_of(loop::seq({loop::seq(shape.fill), loop::seq(shape.rest)}));
  std::vector<loop::BufferPtr> halves;
  for (const loop::Allocate* d : shape.doubled) {
    const loop::Buffer& old = *d->buffer;
    // With what is left free behind the last row, so that the halves lie as far apart as rows do.
    const std::int64_t half = old.shape.empty() ? 1 : old.shape[0] * old.strides[0];
    std::vector<std::int64_t> extents{parts}, strides{std::max(half, expr::storage_size(old))};
    extents.insert(extents.end(), old.shape.begin(), old.shape.end());
    strides.insert(strides.end(), old.strides.begin(), old.strides.end());
    std::string name = old.name;
    for (int i = 1; inner.contains(name) || (i > 1 && !taken.insert(name).second); ++i)
      name = old.name + "." + std::to_string(i);
    halves.push_back(expr::make_buffer(name, old.dtype, extents, old.scope, strides));
  }
  // Part (i - min) mod parts in iteration i.
  auto half_of = [&](const ExprPtr& i) {
    ExprPtr step = expr::to_expr(expr::to_affine(i) - expr::to_affine(n->min));
    return expr::binary(BinaryOp::FloorMod, step, expr::int_imm(parts));
  };
  ExprPtr now = expr::var_ref(n->var), next = expr::binary(BinaryOp::Add, now, expr::int_imm(parts - 1));
  auto done_for = [&](const StmtPtr& s, const ExprPtr& i) {
    return loop::substitute(use_halves(s, shape, halves, half_of(now)), {{n->var, i}});
  };
  auto fill_for = [&](const ExprPtr& i) { return done_for(loop::seq(shape.fill), i); };
  // Statements before the rest, and after it.
  Holder holder(shape, taken);
  std::vector<StmtPtr> before, behind;
  for (const StmtPtr& s : shape.fill) {
    if (!shape.fills_held(s)) {
      before.push_back(s);
      continue;
    }
    const Holder::Halves both = holder.split(s);
    before.push_back(both.read);
    behind.push_back(both.store);
  }
  ExprPtr end = expr::binary(BinaryOp::Add, n->min, n->extent);
  const auto early = [&](const std::vector<StmtPtr>& list) {
    return loop::if_then_else(expr::binary(BinaryOp::Lt, next, end), done_for(loop::seq(list), next));
  };
  StmtPtr rest = use_halves(loop::seq(shape.rest), shape, halves, half_of(now));
  StmtPtr body =
      behind.empty() ? loop::seq({early(before), rest}) : loop::seq({early(before), rest, early(behind)});
  for (auto held = holder.memory().rbegin(); held != holder.memory().rend(); ++held)
    body = loop::allocate(*held, body);
  for (auto a = shape.allocations.rbegin(); a != shape.allocations.rend(); ++a) {
    if ((*a)->parts == 1) body = loop::allocate((*a)->buffer, body);
  }
  std::vector<StmtPtr> list;
  for (std::int64_t part = 0; part + 1 < parts; ++part)
    list.push_back(
        loop::if_then_else(expr::binary(BinaryOp::Gt, n->extent, expr::int_imm(part)),
                           fill_for(expr::to_expr(expr::to_affine(n->min) + expr::Affine{{}, part}))));
  list.push_back(loop::make_for(n->var, n->min, n->extent, n->kind, body));
  StmtPtr result = loop::seq(list);
  for (auto h = halves.rbegin(); h != halves.rend(); ++h) result = loop::allocate(*h, result);
  return result;
}

/// `around`: the innermost loop around the statement, or null.
void refuse_what_stays_single(const StmtPtr& s, const loop::For* around) {
  if (const auto* a = s->as<loop::Allocate>(); a && a->parts > 1) {
    VDLA_CHECK_USER(around)
        << "double-buffer: buffer '" << a->buffer->name
        << "' is allocated outside of all loops, needs one in which it is filled and read; "
        << "leave double_buffer out";
    Shape shape;
    VDLA_CHECK_USER(false) << "double-buffer: buffer '" << a->buffer->name << "' in loop '"
                           << around->var->name
                           << "' cannot be filled an iteration early: " << analyse(*around, shape)
                           << (a->held ? "; leave hold or double_buffer out" : "; leave double_buffer out");
  }
  const auto* n = s->as<loop::For>();
  for (const StmtPtr& child : loop::children(s)) refuse_what_stays_single(child, n ? n : around);
}

}  // namespace

loop::Func double_buffer(const loop::Func& func) {
  std::set<std::string> taken = names_of(func);
  StmtPtr body = loop::rewrite(func.body, [&](const StmtPtr& s) { return double_loop(s, taken); });
  refuse_what_stays_single(body, nullptr);
  return body == func.body ? func : loop::simplify(loop::Func{func.name, func.params, body});
}

}  // namespace vdla::passes
