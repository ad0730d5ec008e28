// SPDX-License-Identifier: Apache-2.0
#include "compiler/grid/held.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "compiler/expr/affine.h"
#include "compiler/expr/memory.h"
#include "compiler/expr/simplify.h"
#include "compiler/expr/visit.h"
#include "compiler/grid/dimensions.h"
#include "compiler/grid/thread.h"
#include "compiler/loop/ranges.h"
#include "compiler/loop/replace_buffers.h"
#include "compiler/loop/visit.h"
#include "support/error.h"

namespace vdla::grid {
namespace {

using expr::Affine;
using loop::Buffer;
using loop::StmtPtr;

using ThreadVariables = std::unordered_map<const expr::Variable*, loop::ForKind>;

ThreadVariables thread_variables_of(const StmtPtr& kernel) {
  ThreadVariables variables;
  loop::visit(kernel, [&](const StmtPtr& s) {
    const auto* n = s->as<loop::For>();
    if (n && expr::is_thread(n->kind)) variables.emplace(n->var.get(), n->kind);
  });
  return variables;
}

/// An offset: multiples of the numbers of threads, and the rest.
struct Place {
  Dimensions by_thread{0, 0, 0};
  Affine own;
};

std::optional<Place> place_of(const expr::ExprPtr& index, const ThreadVariables& threads) {
  const Affine offset = expr::to_affine(index);
  Place place;
  place.own.constant = offset.constant;
  for (const Affine::Term& t : offset.terms) {
    const auto* ref = t.atom->as<expr::VarRef>();
    const auto thread = ref ? threads.find(ref->var.get()) : threads.end();
    if (thread != threads.end()) {
      place.by_thread[thread_index(thread->second)] += t.coefficient;
      continue;
    }
    for (const expr::VarPtr& var : expr::variables_of(t.atom))
      if (threads.contains(var.get())) return std::nullopt;
    place.own.terms.push_back(t);
  }
  return place;
}

/// Rows of each buffer @held.
class Rows {
 public:
  explicit Rows(const StmtPtr& kernel) : threads_(thread_variables_of(kernel)), count_(threads_of(kernel)) {
    visit(kernel);
    for (const auto& [buffer, found] : found_) require_rows(*buffer, found);
  }

  std::unordered_map<const Buffer*, std::int64_t> take() const {
    std::unordered_map<const Buffer*, std::int64_t> rows;
    for (const auto& [buffer, found] : found_) rows.emplace(buffer, found.row);
    return rows;
  }

 private:
  struct Found {
    Dimensions by_thread;
    std::int64_t row;
  };

  void visit(const StmtPtr& s) {
    if (const auto* n = s->as<loop::For>()) loop::add_values_of(*n, ranges_);
    if (const auto* n = s->as<loop::Store>(); n && n->buffer->scope == kHeldScope)
      note(*n->buffer, n->indices);
    loop::map_expressions(s, [&](const expr::ExprPtr& e) {
      expr::visit(e, [&](const expr::ExprPtr& part) {
        const auto* load = part->as<expr::Load>();
        if (load && load->buffer->scope == kHeldScope) note(*load->buffer, load->indices);
      });
      return e;
    });
    for (const StmtPtr& child : loop::children(s)) visit(child);
  }

  void note(const Buffer& buffer, const std::vector<expr::ExprPtr>& indices) {
    const auto place = indices.size() == 1 ? place_of(indices[0], threads_) : std::nullopt;
    const auto own = place ? expr::bounds(place->own, ranges_) : std::nullopt;
    if (!own || own->low < 0) refuse(buffer);
    const auto [found, is_new] = found_.try_emplace(&buffer, Found{place->by_thread, own->high + 1});
    if (found->second.by_thread != place->by_thread) refuse(buffer);
    found->second.row = std::max(found->second.row, own->high + 1);
  }

  /// Rows of two threads have no element in common: from the smallest multiple on, each leaves room for what
  /// lies within.
  void require_rows(const Buffer& buffer, const Found& found) const {
    std::vector<std::size_t> kinds{0, 1, 2};
    std::ranges::sort(kinds, {}, [&](std::size_t k) { return found.by_thread[k]; });
    std::int64_t room = found.row;
    for (const std::size_t k : kinds) {
      if (found.by_thread[k] == 0) continue;  // all of these threads have the same
      if (found.by_thread[k] < room) refuse(buffer);
      room += found.by_thread[k] * (count_[k] - 1);
    }
  }

  [[noreturn]] static void refuse(const Buffer& buffer) {
    throw UserError("place-threads: memory '" + buffer.name + "' is @" + kHeldScope +
                    ", of which each thread has a row of its own, and its indices do not say which one: let "
                    "hold of a schedule make it");
  }

  const ThreadVariables threads_;
  const Dimensions count_;
  expr::Ranges ranges_;
  std::map<const Buffer*, Found> found_;
};

}  // namespace

std::unordered_map<const Buffer*, std::int64_t> held_rows(const StmtPtr& kernel) {
  bool has_some = false;
  loop::visit(kernel, [&](const StmtPtr& s) {
    const auto* n = s->as<loop::Allocate>();
    has_some |= n && n->buffer->scope == kHeldScope;
  });
  if (!has_some) return {};
  return Rows(kernel).take();
}

StmtPtr with_own_rows(const StmtPtr& kernel) {
  const auto rows = held_rows(kernel);
  if (rows.empty()) return kernel;
  const ThreadVariables threads = thread_variables_of(kernel);
  loop::Replacements replacements;
  for (const auto& [buffer, row] : rows)
    replacements.emplace(
        buffer, loop::Replacement{expr::make_buffer(buffer->name, buffer->dtype, {row}, kThreadScope),
                                  [&threads](const std::vector<expr::ExprPtr>& indices) {
                                    return std::vector{expr::to_expr(place_of(indices[0], threads)->own)};
                                  }});
  return loop::rewrite(loop::replace_buffers(kernel, replacements), [&](const StmtPtr& s) {
    const auto* n = s->as<loop::Allocate>();
    const auto found = n ? replacements.find(n->buffer.get()) : replacements.end();
    return found == replacements.end() ? s : loop::allocate(found->second.buffer, n->body);
  });
}

}  // namespace vdla::grid
