// SPDX-License-Identifier: Apache-2.0
#include "compiler/grid/kernels.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "compiler/expr/affine.h"
#include "compiler/grid/held.h"
#include "compiler/loop/visit.h"
#include "support/error.h"

namespace vdla::grid {
namespace {

using loop::StmtPtr;

bool has_grid(const StmtPtr& s) {
  bool found = false;
  loop::visit(s, [&](const StmtPtr& inner) {
    const auto* n = inner->as<loop::For>();
    found |= n && (expr::is_block(n->kind) || expr::is_thread(n->kind));
  });
  return found;
}

void refuse_launches_in_a_loop(const StmtPtr& s) {
  const auto* n = s->as<loop::For>();
  VDLA_CHECK_USER(!n || expr::is_block(n->kind) || expr::is_thread(n->kind))
      << "place-threads: loop '" << n->var->name << "' is " << expr::name(n->kind)
      << " and stands around loops over blocks or threads, so each of its iterations would be a launch; "
         "reorder it inside of them";
}

/// A sequence: statements without a grid that follow each other are one kernel.
StmtPtr map_sequence(const StmtPtr& s, const loop::Seq& n, const std::function<StmtPtr(const StmtPtr&)>& f) {
  std::vector<StmtPtr> result, pending;
  bool is_the_same = true;
  const auto flush = [&] {
    if (pending.empty()) return;
    const StmtPtr kernel = loop::seq(pending);
    result.push_back(f(kernel));
    is_the_same &= result.back() == kernel;
    pending.clear();
  };
  for (const StmtPtr& child : n.body) {
    if (!has_grid(child) && !child->as<loop::Allocate>()) {
      pending.push_back(child);
      continue;
    }
    flush();
    result.push_back(map_kernels(child, f));
    is_the_same &= result.back() == child;
  }
  flush();
  return is_the_same ? s : loop::seq(result);
}

/// How a kernel uses a buffer; nothing where it does not.
std::optional<loop::Direction> direction_in(const StmtPtr& kernel, const loop::Buffer* buffer) {
  bool reads = false, writes = false;
  loop::visit_expressions(kernel, [&](const loop::ExprPtr& e) {
    const auto* load = e->as<expr::Load>();
    reads |= load && load->buffer.get() == buffer;
  });
  loop::visit(kernel, [&](const StmtPtr& s) {
    const auto* store = s->as<loop::Store>();
    writes |= store && store->buffer.get() == buffer;
    const auto* call = s->as<loop::IntrinsicCall>();
    if (!call) return;
    const auto is_it = [&](const loop::Region& region) { return region.buffer.get() == buffer; };
    const bool adds = std::ranges::any_of(call->outputs, is_it);
    reads |= adds || std::ranges::any_of(call->inputs, is_it);
    writes |= adds;
  });
  if (!reads && !writes) return std::nullopt;
  if (!writes) return loop::Direction::In;
  return reads ? loop::Direction::InOut : loop::Direction::Out;
}

std::int64_t shared_bytes_of(const StmtPtr& kernel) {
  std::int64_t bytes = 0;
  loop::visit(kernel, [&](const StmtPtr& s) {
    const auto* n = s->as<loop::Allocate>();
    if (n && n->buffer->scope == expr::kSharedScope)
      bytes += expr::storage_size(*n->buffer) * expr::bytes(n->buffer->dtype);
  });
  return bytes;
}

std::string size_of(const Dimensions& d) { return fmt::format("{} x {} x {}", d[0], d[1], d[2]); }

}  // namespace

BlockMemory memory_of_block(const Kernel& kernel) {
  BlockMemory memory;
  loop::visit(kernel.func.body, [&](const StmtPtr& s) {
    const auto* n = s->as<loop::Allocate>();
    if (!n || n->buffer->scope != expr::kSharedScope ||
        !memory.places.emplace(n->buffer.get(), memory.bytes).second)
      return;
    const std::int64_t bytes = expr::storage_size(*n->buffer) * expr::bytes(n->buffer->dtype);
    memory.bytes += (bytes + kSharedAlign - 1) / kSharedAlign * kSharedAlign;
  });
  return memory;
}

StmtPtr map_kernels(const StmtPtr& body, const std::function<StmtPtr(const StmtPtr&)>& f) {
  if (loop::is_nop(body)) return body;
  if (const auto* n = body->as<loop::Allocate>()) {
    VDLA_CHECK_USER(n->buffer->scope != expr::kSharedScope)
        << "place-threads: memory '" << n->buffer->name << "' is " << expr::kSharedScope
        << " and allocated outside of all loops over blocks and threads, which do not share any there; "
           "compute "
           "it at a loop over blocks";
    return loop::with_children(body, {map_kernels(n->body, f)});
  }
  if (const auto* n = body->as<loop::Seq>()) return map_sequence(body, *n, f);
  if (has_grid(body)) refuse_launches_in_a_loop(body);
  return f(body);
}

Launches split_launches(const loop::Func& func) {
  Launches result{func.params.size(), {}, {}};
  for (const loop::Param& param : func.params) result.buffers.push_back(param.buffer);
  std::vector<StmtPtr> pieces;
  // Allocations that are not inside of a kernel are workspace.
  std::unordered_set<const loop::Buffer*> inside;
  map_kernels(func.body, [&](const StmtPtr& kernel) {
    loop::visit(kernel, [&](const StmtPtr& s) {
      if (const auto* n = s->as<loop::Allocate>()) inside.insert(n->buffer.get());
    });
    pieces.push_back(with_own_rows(kernel));
    return kernel;
  });
  loop::visit(func.body, [&](const StmtPtr& s) {
    const auto* n = s->as<loop::Allocate>();
    if (n && !inside.contains(n->buffer.get())) result.buffers.push_back(n->buffer);
  });
  for (const StmtPtr& piece : pieces) {
    Kernel kernel;
    kernel.func = {
        pieces.size() == 1 ? func.name : func.name + "_" + std::to_string(result.kernels.size()), {}, piece};
    for (std::size_t i = 0; i < result.buffers.size(); ++i) {
      const loop::BufferPtr& buffer = result.buffers[i];
      const auto direction = direction_in(piece, buffer.get());
      if (!direction) continue;
      kernel.func.params.push_back({buffer, *direction});
      kernel.arguments.push_back(i);
    }
    loop::visit(piece, [&](const StmtPtr& s) {
      const auto* n = s->as<loop::For>();
      if (!n || !expr::is_block(n->kind)) return;
      kernel.blocks[block_index(n->kind)] = expr::as_constant(n->extent).value_or(1);
    });
    kernel.threads = threads_of(piece);
    kernel.shared_bytes = shared_bytes_of(piece);
    result.kernels.push_back(std::move(kernel));
  }
  return result;
}

std::string heading(const std::string& function, const Launches& launches,
                    const std::function<std::string(const Kernel&)>& name_of) {
  std::string text = fmt::format("// Kernels of '{}', launched in this order:\n", function);
  for (const Kernel& kernel : launches.kernels)
    text +=
        fmt::format("//   {}: {} blocks of {} threads, {} bytes of memory for each block\n", name_of(kernel),
                    size_of(kernel.blocks), size_of(kernel.threads), kernel.shared_bytes);
  for (std::size_t i = launches.params; i < launches.buffers.size(); ++i) {
    const expr::Buffer& buffer = *launches.buffers[i];
    text += fmt::format("// Workspace '{}': {} bytes\n", buffer.name,
                        expr::storage_size(buffer) * expr::bytes(buffer.dtype));
  }
  return text;
}

}  // namespace vdla::grid
