// SPDX-License-Identifier: Apache-2.0
// Double buffering. In a loop whose body fills a buffer marked 'double' and then reads it, the buffer gets
// two halves, and the loop fills one half for the next iteration before it reads the other: on a machine that
// copies in the background the two overlap. A buffer stays single, and its mark goes, where filling it early
// could read or overwrite what the rest of the body uses.
#include <algorithm>

#include "compiler/expr/memory.h"
#include "compiler/loop/simplify.h"
#include "compiler/loop/visit.h"
#include "compiler/passes/buffers.h"
#include "compiler/passes/rows.h"

namespace vdla::passes {
namespace {

using expr::Affine;
using expr::BinaryOp;
using loop::ExprPtr;
using loop::StmtPtr;

/// The body of a loop that fills and reads doubled buffers: allocations around "fill; rest".
struct Shape {
  std::vector<const loop::Allocate*> allocations, doubled;
  std::vector<StmtPtr> fill, rest;
};

bool touches(const Accesses& a, const loop::BufferPtr& buffer) {
  return a.reads.contains(buffer.get()) || a.writes.contains(buffer.get());
}

/// `fill` may run an iteration early: it writes doubled buffers only, which the rest only reads, and reads
/// nothing that the rest writes.
bool may_run_early(const Shape& shape) {
  Accesses fill = accesses_of(loop::seq(shape.fill)), rest = accesses_of(loop::seq(shape.rest));
  for (const loop::Allocate* n : shape.allocations) {
    bool doubled = std::find(shape.doubled.begin(), shape.doubled.end(), n) != shape.doubled.end();
    if (!doubled && touches(fill, n->buffer)) return false;
    if (doubled && rest.writes.contains(n->buffer.get())) return false;
  }
  for (const loop::Buffer* written : fill.writes) {
    bool own = std::any_of(shape.doubled.begin(), shape.doubled.end(),
                           [&](const loop::Allocate* n) { return n->buffer.get() == written; });
    if (!own) return false;
  }
  return std::none_of(fill.reads.begin(), fill.reads.end(),
                      [&](const loop::Buffer* read) { return rest.writes.contains(read); });
}

/// Splits the body after the last statement that writes a doubled buffer; false where there is nothing to do.
bool analyse(const loop::For& n, Shape& shape) {
  StmtPtr inside = n.body;
  while (const auto* allocation = inside->as<loop::Allocate>()) {
    shape.allocations.push_back(allocation);
    if (allocation->doubled) shape.doubled.push_back(allocation);
    inside = allocation->body;
  }
  const auto* body = inside->as<loop::Seq>();
  if (shape.doubled.empty() || !body) return false;
  std::size_t cut = 0;
  for (std::size_t i = 0; i < body->body.size(); ++i) {
    Accesses accesses = accesses_of(body->body[i]);
    for (const loop::Allocate* d : shape.doubled) {
      if (accesses.writes.contains(d->buffer.get())) cut = i + 1;
    }
  }
  shape.fill.assign(body->body.begin(), body->body.begin() + static_cast<std::ptrdiff_t>(cut));
  shape.rest.assign(body->body.begin() + static_cast<std::ptrdiff_t>(cut), body->body.end());
  return cut > 0 && !shape.rest.empty() && may_run_early(shape);
}

/// A buffer of two halves, of which `half` (0 or 1) is used.
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

StmtPtr double_loop(const StmtPtr& s) {
  const auto* n = s->as<loop::For>();
  if (!n || (n->kind != loop::ForKind::Serial && n->kind != loop::ForKind::Unrolled)) return s;
  // Bounds are used in each iteration.
  if (expr::reads_memory(n->min) || expr::reads_memory(n->extent)) return s;
  Shape shape;
  if (!analyse(*n, shape)) return s;
  std::vector<loop::BufferPtr> halves;
  for (const loop::Allocate* d : shape.doubled) {
    const loop::Buffer& old = *d->buffer;
    std::vector<std::int64_t> extents{2}, strides{expr::storage_size(old)};
    extents.insert(extents.end(), old.shape.begin(), old.shape.end());
    strides.insert(strides.end(), old.strides.begin(), old.strides.end());
    halves.push_back(expr::make_buffer(old.name, old.dtype, extents, old.scope, strides));
  }
  // Half (i - min) mod 2 in iteration i.
  auto half_of = [&](const ExprPtr& i) {
    ExprPtr step = expr::to_expr(expr::to_affine(i) - expr::to_affine(n->min));
    return expr::binary(BinaryOp::FloorMod, step, expr::int_imm(2));
  };
  ExprPtr now = expr::var_ref(n->var), next = expr::binary(BinaryOp::Add, now, expr::int_imm(1));
  auto fill_for = [&](const ExprPtr& i) {
    return loop::substitute(use_halves(loop::seq(shape.fill), shape, halves, half_of(now)), {{n->var, i}});
  };
  ExprPtr end = expr::binary(BinaryOp::Add, n->min, n->extent);
  StmtPtr early = loop::if_then_else(expr::binary(BinaryOp::Lt, next, end), fill_for(next));
  StmtPtr rest = use_halves(loop::seq(shape.rest), shape, halves, half_of(now));
  StmtPtr body = loop::seq({early, rest});
  for (auto a = shape.allocations.rbegin(); a != shape.allocations.rend(); ++a) {
    if (!(*a)->doubled) body = loop::allocate((*a)->buffer, body);
  }
  StmtPtr first =
      loop::if_then_else(expr::binary(BinaryOp::Gt, n->extent, expr::int_imm(0)), fill_for(n->min));
  StmtPtr result = loop::seq({first, loop::make_for(n->var, n->min, n->extent, n->kind, body)});
  for (auto h = halves.rbegin(); h != halves.rend(); ++h) result = loop::allocate(*h, result);
  return result;
}

/// Of those that stay single.
StmtPtr without_mark(const StmtPtr& s) {
  const auto* n = s->as<loop::Allocate>();
  return n && n->doubled ? loop::allocate(n->buffer, n->body) : s;
}

}  // namespace

loop::Func double_buffer(const loop::Func& func) {
  StmtPtr body = loop::rewrite(loop::rewrite(func.body, double_loop), without_mark);
  return body == func.body ? func : loop::simplify(loop::Func{func.name, func.params, body});
}

}  // namespace vdla::passes
