// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/llvm/lanes.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "compiler/expr/memory.h"
#include "compiler/loop/visit.h"

namespace vdla::codegen {
namespace {

constexpr std::int64_t kMostLanes = 64;

/// One place where the body touches a buffer.
struct Access {
  expr::Affine offset;
  bool stores;
};

class Body {
 public:
  Body(const loop::For& loop, std::int64_t lanes) : loop_(loop), lanes_(lanes) { statement(loop.body); }

  bool fits() const {
    return fits_ && std::ranges::all_of(accesses_, [&](const auto& entry) { return apart(entry.second); });
  }

 private:
  void statement(const loop::StmtPtr& s) {
    if (s->as<loop::Allocate>() || s->as<loop::IntrinsicCall>() || s->as<loop::Tensorize>()) {
      fits_ = false;
      return;
    }
    if (const auto* inner = s->as<loop::For>()) {
      if (varies(inner->min) || varies(inner->extent)) fits_ = false;
      inner_.push_back(inner->var);
    }
    if (const auto* store = s->as<loop::Store>())
      accesses_[store->buffer.get()].push_back({flat_offset(*store->buffer, store->indices), true});
    loop::map_expressions(s, [&](const expr::ExprPtr& e) {
      expr::visit(e, [&](const expr::ExprPtr& part) {
        if (const auto* load = part->as<expr::Load>())
          accesses_[load->buffer.get()].push_back({flat_offset(*load->buffer, load->indices), false});
      });
      return e;
    });
    for (const loop::StmtPtr& child : loop::children(s)) statement(child);
  }

  bool varies(const expr::ExprPtr& e) const { return expr::uses(e, loop_.var) || expr::reads_memory(e); }

  bool is_inner(const expr::ExprPtr& atom) const {
    const auto* ref = atom->as<expr::VarRef>();
    return ref && std::ranges::find(inner_, ref->var) != inner_.end();
  }

  /// Two iterations never touch the same element: every offset is step * lane + multiples of step * lanes +
  /// what is common to all.
  bool apart(const std::vector<Access>& accesses) const {
    if (std::ranges::none_of(accesses, &Access::stores)) return true;
    const std::int64_t step = accesses[0].offset.coefficient(loop_.var);
    if (step == 0) return false;
    const std::int64_t period = std::abs(step) * lanes_;
    for (const Access& access : accesses) {
      if (access.offset.coefficient(loop_.var) != step) return false;
      const expr::Affine distance = access.offset - accesses[0].offset;
      if (distance.constant % period != 0) return false;
      for (const expr::Affine::Term& t : access.offset.terms) {
        const auto* ref = t.atom->as<expr::VarRef>();
        if (!ref && expr::uses(t.atom, loop_.var)) return false;
        if (ref && ref->var == loop_.var) continue;
        const bool inside = is_inner(t.atom) || std::ranges::any_of(inner_, [&](const expr::VarPtr& v) {
                              return expr::uses(t.atom, v);
                            });
        if (inside && t.coefficient % period != 0) return false;
      }
      for (const expr::Affine::Term& t : distance.terms) {
        if (t.coefficient % period != 0) return false;
      }
    }
    return true;
  }

  const loop::For& loop_;
  std::int64_t lanes_;
  bool fits_ = true;
  std::vector<expr::VarPtr> inner_;
  std::unordered_map<const expr::Buffer*, std::vector<Access>> accesses_;
};

}  // namespace

std::optional<unsigned> lanes_of(const loop::For& loop) {
  const auto extent = expr::as_constant(loop.extent);
  if (loop.kind != loop::ForKind::Vectorized || !extent || *extent < 2) return std::nullopt;
  // A power of two: others have no registers.
  const std::int64_t lanes = std::min(*extent & -*extent, kMostLanes);
  if (lanes < 4 && lanes != *extent) return std::nullopt;
  if (!Body(loop, lanes).fits()) return std::nullopt;
  return static_cast<unsigned>(lanes);
}

}  // namespace vdla::codegen
