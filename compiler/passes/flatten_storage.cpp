// SPDX-License-Identifier: Apache-2.0
// Storage flattening: every buffer becomes one-dimensional, with the element offset (the sum of index times
// stride) as its index. Parameters keep their place and size in memory. 'simplify' after it sees an address
// whole: i.o * 4 + i.i of one loop, in two dimensions, becomes i. Of a grid, a fused index that was taken
// apart in several dimensions of a buffer is put together: a thread computes it for each element that it
// fetches.
#include <algorithm>

#include "compiler/expr/affine.h"
#include "compiler/expr/simplify_division.h"
#include "compiler/loop/replace_buffers.h"
#include "compiler/loop/visit.h"
#include "compiler/passes/buffers.h"
#include "compiler/passes/rows.h"

namespace vdla::passes {
namespace {

using loop::BufferPtr;
using loop::Replacement;
using loop::Replacements;
using loop::StmtPtr;

/// Offset of several levels of digits, which 'simplify' leaves apart.
loop::ExprPtr with_joined_digits(const loop::ExprPtr& offset) {
  const auto digits = [](const expr::Affine& a) {
    return std::ranges::count_if(a.terms, [](const auto& t) { return !t.atom->template as<expr::VarRef>(); });
  };
  const expr::Affine sum = expr::to_affine(offset), joined = expr::join_digits(sum);
  return digits(joined) < digits(expr::recombine_divisions(sum)) ? expr::to_expr(joined) : offset;
}

Replacement flat(const BufferPtr& buffer, bool joins_digits) {
  BufferPtr line =
      expr::make_buffer(buffer->name, buffer->dtype, {expr::storage_size(*buffer)}, buffer->scope);
  return {line, [=](const std::vector<loop::ExprPtr>& indices) {
            const std::vector<loop::ExprPtr> index = flat_index(*buffer, indices);
            return joins_digits ? std::vector{with_joined_digits(index[0])} : index;
          }};
}

bool is_flat(const loop::Buffer& buffer) { return buffer.shape.size() == 1 && buffer.strides[0] == 1; }

}  // namespace

loop::Func flatten_storage(const loop::Func& func) {
  Replacements replacements;
  bool has_grid = false;
  loop::visit(func.body, [&](const StmtPtr& s) {
    const auto* n = s->as<loop::For>();
    has_grid |= n && (expr::is_block(n->kind) || expr::is_thread(n->kind));
  });
  loop::Func result{func.name, func.params, func.body};
  for (loop::Param& param : result.params) {
    if (is_flat(*param.buffer)) continue;
    auto [entry, fresh] = replacements.emplace(param.buffer.get(), flat(param.buffer, has_grid));
    param.buffer = entry->second.buffer;
  }
  loop::visit(func.body, [&](const StmtPtr& s) {
    const auto* n = s->as<loop::Allocate>();
    if (n && !is_flat(*n->buffer)) replacements.emplace(n->buffer.get(), flat(n->buffer, has_grid));
  });
  if (replacements.empty()) return func;
  result.body = loop::rewrite(replace_buffers(func.body, replacements), [&](const StmtPtr& s) {
    const auto* n = s->as<loop::Allocate>();
    auto found = n ? replacements.find(n->buffer.get()) : replacements.end();
    return found == replacements.end() ? s : loop::allocate(found->second.buffer, n->body, n->parts, n->held);
  });
  return result;
}

}  // namespace vdla::passes
