// SPDX-License-Identifier: Apache-2.0
// Storage flattening: every buffer becomes one-dimensional, with the element offset (the sum of index times
// stride) as its index. Parameters keep their place and size in memory. 'simplify' behind it sees an address
// whole: i.o * 4 + i.i of one loop, in two dimensions, becomes i.
#include "compiler/loop/visit.h"
#include "compiler/passes/buffers.h"
#include "compiler/passes/rows.h"

namespace vdla::passes {
namespace {

using loop::BufferPtr;
using loop::StmtPtr;

Replacement flat(const BufferPtr& buffer) {
  BufferPtr line =
      expr::make_buffer(buffer->name, buffer->dtype, {expr::storage_size(*buffer)}, buffer->scope);
  return {line, [buffer](const std::vector<loop::ExprPtr>& indices) { return flat_index(*buffer, indices); }};
}

bool is_flat(const loop::Buffer& buffer) { return buffer.shape.size() == 1 && buffer.strides[0] == 1; }

}  // namespace

loop::Func flatten_storage(const loop::Func& func) {
  Replacements replacements;
  loop::Func result{func.name, func.params, func.body};
  for (loop::Param& param : result.params) {
    if (is_flat(*param.buffer)) continue;
    auto [entry, fresh] = replacements.emplace(param.buffer.get(), flat(param.buffer));
    param.buffer = entry->second.buffer;
  }
  loop::visit(func.body, [&](const StmtPtr& s) {
    const auto* n = s->as<loop::Allocate>();
    if (n && !is_flat(*n->buffer)) replacements.emplace(n->buffer.get(), flat(n->buffer));
  });
  if (replacements.empty()) return func;
  result.body = loop::rewrite(replace_buffers(func.body, replacements), [&](const StmtPtr& s) {
    const auto* n = s->as<loop::Allocate>();
    auto found = n ? replacements.find(n->buffer.get()) : replacements.end();
    return found == replacements.end() ? s : loop::allocate(found->second.buffer, n->body, n->doubled);
  });
  return result;
}

}  // namespace vdla::passes
