// SPDX-License-Identifier: Apache-2.0
// Storage rewrite: allocations of one block with the same element type and memory, whose first and last use
// do not overlap, share one memory of the larger one's size.
#include <algorithm>

#include "compiler/grid/held.h"
#include "compiler/loop/replace_buffers.h"
#include "compiler/loop/simplify.h"
#include "compiler/loop/visit.h"
#include "compiler/passes/buffers.h"
#include "compiler/passes/rows.h"
#include "support/element_with.h"

namespace vdla::passes {
namespace {

using loop::BufferPtr;
using loop::Replacement;
using loop::Replacements;
using loop::StmtPtr;

/// Statements first to last of the block use the buffer.
struct Life {
  BufferPtr buffer;
  std::size_t first, last;
};

struct Memory {
  std::vector<Life> lives;  ///< one after the other
  std::int64_t size;
  bool same_shape = true;
};

/// The memory for a life: a free one of the same kind, the best in size; otherwise a new one.
Memory& place(std::vector<Memory>& memories, const Life& life) {
  const std::int64_t size = expr::storage_size(*life.buffer);
  Memory* best = nullptr;
  for (Memory& memory : memories) {
    const loop::Buffer& other = *memory.lives[0].buffer;
    bool fits = other.dtype == life.buffer->dtype && other.scope == life.buffer->scope &&
                memory.lives.back().last < life.first;
    auto misfit = [&](const Memory& m) { return std::abs(m.size - size); };
    if (fits && (!best || misfit(memory) < misfit(*best))) best = &memory;
  }
  if (!best) best = &memories.emplace_back(Memory{{}, size});
  if (!best->lives.empty()) {
    const loop::Buffer& other = *best->lives[0].buffer;
    best->same_shape &= other.shape == life.buffer->shape && other.strides == life.buffer->strides;
  }
  best->size = std::max(best->size, size);
  best->lives.push_back(life);
  return *best;
}

Replacement into(const BufferPtr& memory, const BufferPtr& buffer, bool same_shape) {
  if (same_shape) return {memory, [](const auto& indices) { return indices; }};
  return {memory,
          [buffer](const std::vector<loop::ExprPtr>& indices) { return flat_index(*buffer, indices); }};
}

/// A block: allocations around each other, around a sequence.
StmtPtr share(const StmtPtr& block) {
  std::vector<const loop::Allocate*> allocations;
  StmtPtr inside = block;
  while (const auto* n = inside->as<loop::Allocate>()) {
    allocations.push_back(n);
    inside = n->body;
  }
  const auto* body = inside->as<loop::Seq>();
  if (allocations.size() < 2 || !body) return block;
  std::vector<Life> lives;
  for (const loop::Allocate* n : allocations) lives.push_back({n->buffer, body->body.size(), 0});
  for (std::size_t i = 0; i < body->body.size(); ++i) {
    Accesses accesses = accesses_of(body->body[i]);
    for (Life& life : lives) {
      if (!accesses.reads.contains(life.buffer.get()) && !accesses.writes.contains(life.buffer.get()))
        continue;
      life.first = std::min(life.first, i);
      life.last = std::max(life.last, i);
    }
  }
  std::stable_sort(lives.begin(), lives.end(),
                   [](const Life& a, const Life& b) { return a.first < b.first; });
  std::vector<Memory> memories;
  std::vector<const loop::Allocate*> kept;
  for (const Life& life : lives) {
    const loop::Allocate* own =
        element_with(allocations, life.buffer, [](const loop::Allocate* n) { return n->buffer; });
    // Memory @held of a thread has a shape that tells its part.
    const bool is_held = own->buffer->scope == grid::kHeldScope;
    if (own->parts > 1 || is_held || life.first > life.last) {
      kept.push_back(own);
    } else {
      place(memories, life);
    }
  }
  if (memories.size() + kept.size() == allocations.size()) return block;
  Replacements replacements;
  std::vector<BufferPtr> buffers;
  for (const Memory& memory : memories) {
    const BufferPtr& first = memory.lives[0].buffer;
    BufferPtr buffer =
        memory.same_shape ? first : expr::make_buffer(first->name, first->dtype, {memory.size}, first->scope);
    for (const Life& life : memory.lives) {
      if (life.buffer != buffer)
        replacements.emplace(life.buffer.get(), into(buffer, life.buffer, memory.same_shape));
    }
    buffers.push_back(buffer);
  }
  StmtPtr result = replace_buffers(inside, replacements);
  for (auto n = kept.rbegin(); n != kept.rend(); ++n)
    result = loop::allocate((*n)->buffer, result, (*n)->parts, (*n)->held);
  for (auto buffer = buffers.rbegin(); buffer != buffers.rend(); ++buffer)
    result = loop::allocate(*buffer, result);
  return result;
}

/// Blocks from the outermost on, so that a chain of allocations is seen whole.
StmtPtr visit_blocks(const StmtPtr& s) {
  StmtPtr result = s->as<loop::Allocate>() ? share(s) : s;
  // Below the allocations of this block, which are done.
  auto descend = [](auto&& self, const StmtPtr& inner) -> StmtPtr {
    if (inner->as<loop::Allocate>())
      return loop::with_children(inner, {self(self, loop::children(inner)[0])});
    std::vector<StmtPtr> children = loop::children(inner);
    for (StmtPtr& child : children) child = visit_blocks(child);
    return loop::with_children(inner, children);
  };
  return descend(descend, result);
}

}  // namespace

loop::Func rewrite_storage(const loop::Func& func) {
  StmtPtr body = visit_blocks(func.body);
  return body == func.body ? func : loop::simplify(loop::Func{func.name, func.params, body});
}

}  // namespace vdla::passes
