// SPDX-License-Identifier: Apache-2.0
// One walk: on the way down the loops around are known; an access is added to each of them.
#include "compiler/features/features.h"

#include <algorithm>
#include <cmath>

#include "compiler/expr/affine.h"
#include "compiler/expr/visit.h"
#include "compiler/loop/visit.h"

namespace vdla::features {
namespace {

using expr::Affine;

class Extractor {
 public:
  std::vector<LoopFeatures> run(const loop::Func& func) {
    statement(func.body);
    for (LoopFeatures& loop : loops_) {
      for (BufferTouch& touch : loop.buffers) {
        const double elements = touch.touched_bytes / expr::bytes(touch.buffer->dtype);
        touch.reuse = elements > 0 ? touch.accesses / elements : 0;
      }
    }
    return std::move(loops_);
  }

 private:
  struct Open {
    std::size_t index;  ///< index in loops_
    expr::VarPtr var;
    expr::Interval range;
  };

  void statement(const loop::StmtPtr& s) {
    if (const auto* n = s->as<loop::For>()) return for_loop(*n);
    if (const auto* n = s->as<loop::Store>()) {
      access(n->buffer, n->indices, true);
      arithmetic(n->value);
    } else if (const auto* n = s->as<loop::IfThenElse>()) {
      arithmetic(n->condition);
    } else if (const auto* n = s->as<loop::IntrinsicCall>()) {
      for (const loop::Region& r : n->outputs) access(r.buffer, r.origin, true);
      for (const loop::Region& r : n->inputs) access(r.buffer, r.origin, false);
    }
    for (const loop::StmtPtr& child : loop::children(s)) statement(child);
  }

  void for_loop(const loop::For& n) {
    const auto first = expr::bounds(n.min, ranges_), count = expr::bounds(n.extent, ranges_);
    const std::int64_t extent = count ? std::max<std::int64_t>(count->high, 1) : 1;
    const expr::Interval range =
        first ? expr::Interval{first->low, first->high + extent - 1} : expr::Interval{0, extent - 1};
    LoopFeatures loop{n.var->name, n.kind, open_.size(), static_cast<double>(extent), 1, 0, 0, {}};
    for (const Open& outer : open_) loop.runs *= loops_[outer.index].extent;
    open_.push_back({loops_.size(), n.var, range});
    loops_.push_back(std::move(loop));
    ranges_[n.var] = range;
    statement(n.body);
    ranges_.erase(n.var);
    open_.pop_back();
  }

  void arithmetic(const expr::ExprPtr& e) {
    double floats = 0, ints = 0;
    count(e, floats, ints);
    double times = 1;
    for (auto outer = open_.rbegin(); outer != open_.rend(); ++outer) {
      LoopFeatures& loop = loops_[outer->index];
      loop.float_ops += times * floats;
      loop.int_ops += times * ints;
      times *= loop.extent;
    }
  }

  /// Operations on data, and the loads; indices are not data.
  void count(const expr::ExprPtr& e, double& floats, double& ints) {
    if (const auto* load = e->as<expr::Load>()) return access(load->buffer, load->indices, false);
    if (e->dtype != expr::kIndex && (e->as<expr::Binary>() || e->as<expr::Call>()))
      (expr::is_float(e->dtype) ? floats : ints) += 1;
    if (const auto* n = e->as<expr::Binary>()) {
      count(n->a, floats, ints);
      count(n->b, floats, ints);
      return;
    }
    for (const expr::ExprPtr& child : expr::children(e)) count(child, floats, ints);
  }

  /// Distinct elements while a loop runs: the product over the dimensions of the span of the index there.
  void access(const expr::BufferPtr& buffer, const std::vector<expr::ExprPtr>& indices, bool stores) {
    std::vector<Affine> affine;
    affine.reserve(indices.size());
    for (const expr::ExprPtr& index : indices) affine.push_back(expr::to_affine(index));
    // From the innermost loop outwards: the span of each dimension grows by what the loop moves it.
    std::vector<std::int64_t> span(indices.size(), 0);
    double accesses = 1;
    for (auto outer = open_.rbegin(); outer != open_.rend(); ++outer) {
      LoopFeatures& loop = loops_[outer->index];
      accesses *= loop.extent;
      double elements = 1;
      std::int64_t stride = 0;
      for (std::size_t d = 0; d < affine.size(); ++d) {
        const std::int64_t step = affine[d].coefficient(outer->var);
        stride += step * buffer->strides[d];
        if (step != 0) span[d] += std::abs(step) * (outer->range.high - outer->range.low);
        if (step == 0 && moves_otherwise(affine[d], outer->var)) span[d] = buffer->shape[d];
        elements *= static_cast<double>(std::min(span[d] + 1, buffer->shape[d]));
      }
      BufferTouch& touch = touch_of(loop, buffer);
      touch.accesses += accesses;
      touch.touched_bytes =
          std::max(touch.touched_bytes, std::min(elements, accesses) * expr::bytes(buffer->dtype));
      if (std::abs(stride) > std::abs(touch.stride)) touch.stride = stride;
      (stores ? touch.stores : touch.loads) = true;
    }
  }

  /// Inside a division or another form that is no multiple of the variable.
  static bool moves_otherwise(const Affine& a, const expr::VarPtr& var) {
    return std::ranges::any_of(a.terms, [&](const Affine::Term& t) {
      return !t.atom->as<expr::VarRef>() && expr::uses(t.atom, var);
    });
  }

  static BufferTouch& touch_of(LoopFeatures& loop, const expr::BufferPtr& buffer) {
    for (BufferTouch& touch : loop.buffers) {
      if (touch.buffer == buffer) return touch;
    }
    loop.buffers.push_back({buffer});
    return loop.buffers.back();
  }

  std::vector<LoopFeatures> loops_;
  std::vector<Open> open_;
  expr::Ranges ranges_;
};

float logarithm(double v) { return static_cast<float>(std::log2(1 + std::abs(v))); }

}  // namespace

std::vector<LoopFeatures> extract(const loop::Func& func) { return Extractor().run(func); }

std::vector<float> to_row(const LoopFeatures& loop, std::size_t most) {
  std::vector<float> row{logarithm(loop.extent), logarithm(loop.runs), static_cast<float>(loop.depth),
                         logarithm(loop.float_ops), logarithm(loop.int_ops)};
#define VDLA_KIND(name, text) row.push_back(loop.kind == loop::ForKind::name ? 1.0f : 0.0f);
  VDLA_FOR_KINDS(VDLA_KIND)
#undef VDLA_KIND
  std::vector<const BufferTouch*> order;
  for (const BufferTouch& touch : loop.buffers) order.push_back(&touch);
  std::ranges::sort(order, [](const BufferTouch* a, const BufferTouch* b) {
    return a->touched_bytes != b->touched_bytes ? a->touched_bytes > b->touched_bytes : a < b;
  });
  for (std::size_t i = 0; i < most; ++i) {
    const BufferTouch none;
    const BufferTouch& t = i < order.size() ? *order[i] : none;
    row.insert(row.end(),
               {logarithm(t.accesses), logarithm(t.touched_bytes), logarithm(t.reuse),
                logarithm(static_cast<double>(t.stride)), t.loads ? 1.0f : 0.0f, t.stores ? 1.0f : 0.0f});
  }
  return row;
}

}  // namespace vdla::features
