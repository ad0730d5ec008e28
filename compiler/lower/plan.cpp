// SPDX-License-Identifier: Apache-2.0
// Bound inference, readers before producers: the region of a stage is the union of what its readers read
// while the loops inside its place run.
#include "compiler/lower/plan.h"

#include <algorithm>

#include "compiler/expr/simplify.h"
#include "compiler/lower/pad_in_place.h"
#include "compiler/lower/region.h"
#include "compiler/lower/rolling_buffer.h"
#include "compiler/lower/share_storage.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::lower {
namespace {

using expr::Affine;
using expr::ExprPtr;
using expr::IterVar;
using expr::Tensor;
using schedule::Placement;
using schedule::Stage;

// Long: regions, extents and guards of a plan are found from each other.
class Planner {
 public:
  Planner(const schedule::Schedule& schedule, UniqueNames& names) : schedule_(schedule), names_(names) {}

  Plan run(const std::vector<std::pair<Tensor, expr::BufferPtr>>& params) {
    collect();
    for (const auto& stage : plan_.stages) stage->scan = scan_of(*stage);
    find_padding(plan_);
    for (auto stage = plan_.stages.rbegin(); stage != plan_.stages.rend(); ++stage) {
      place(**stage);
      infer_region(**stage);
      make_loops(**stage);
      make_buffers(**stage, params);
      planned_.push_back(stage->get());
    }
    share_storage(plan_);
    pad_in_place(plan_);
    roll_buffers(plan_);
    return std::move(plan_);
  }

 private:
  /// Stages that keep storage, with the bodies of inlined ones put into their readers.
  void collect() {
    std::vector<std::pair<Tensor, schedule::Compute>> inlined;
    for (const Stage* stage : schedule_.stages()) {
      schedule::Compute compute = expr::map_bodies(stage->compute(), [&](const ExprPtr& body) {
        return expr::rewrite(body, [&](const ExprPtr& e) {
          const auto* read = e->as<expr::Read>();
          if (!read) return e;
          for (const auto& [tensor, definition] : inlined) {
            if (tensor.node() == read->tensor) return instantiate(definition, *read);
          }
          return e;
        });
      });
      if (stage->attachment().placement == Placement::Inline) {
        inlined.emplace_back(stage->tensor(), compute);
        continue;
      }
      plan_.stages.push_back(std::make_unique<StagePlan>());
      plan_.stages.back()->stage = stage;
      plan_.stages.back()->compute = std::move(compute);
    }
  }

  static ExprPtr instantiate(const schedule::Compute& definition, const expr::Read& read) {
    expr::Substitution values;
    for (std::size_t i = 0; i < read.indices.size(); ++i) values[definition.axes[i].var()] = read.indices[i];
    return expr::substitute(definition.bodies()[read.part], values);
  }

  /// The recurrence whose state the stage reads, itself or through other stages.
  const StagePlan* scan_of(const StagePlan& p) const {
    const StagePlan* scan = nullptr;
    for (const Tensor& input : expr::inputs_of(p.compute)) {
      const StagePlan* from = plan_.find_state(input).first;
      const StagePlan* producer = plan_.find(input);
      if (!from && producer) from = producer->scan;
      if (!from || from == &p) continue;
      VDLA_CHECK_USER(!scan || scan == from)
          << "stage '" << p.stage->name() << "' depends on states of the scans '" << scan->stage->name()
          << "' and '" << from->stage->name() << "'";
      scan = from;
    }
    return scan;
  }

  /// Stages that depend on a state are computed in the loop over time, unless a schedule puts it further
  /// inside.
  void place_in_scan(StagePlan& p) const {
    if (p.stage->attachment().placement == Placement::Root) {
      p.consumer = const_cast<StagePlan*>(p.scan);
      p.depth = 0;
    }
    bool inside = false;
    for (const StagePlan* c = p.consumer; c; c = c->consumer) inside |= c == p.scan;
    VDLA_CHECK_USER(inside) << "stage '" << p.stage->name() << "' depends on a state of scan '"
                            << p.scan->stage->name() << "' and is computed at '"
                            << p.stage->attachment().consumer->name()
                            << "', outside of its loop over time; compute it at '" << p.scan->stage->name()
                            << "'";
  }

  void place(StagePlan& p) {
    place_at(p);
    if (p.scan) place_in_scan(p);
    VDLA_CHECK_USER(!p.stage->is_double_buffered() || p.consumer)
        << "double_buffer: stage '" << p.stage->name()
        << "' is computed at the root, once; compute it at a loop of its reader";
  }

  void place_at(StagePlan& p) {
    const schedule::Attachment& at = p.stage->attachment();
    if (at.placement != Placement::At) return;
    auto consumer = std::find_if(planned_.begin(), planned_.end(),
                                 [&](const StagePlan* other) { return other->stage == at.consumer; });
    VDLA_CHECK_USER(consumer != planned_.end())
        << "stage '" << p.stage->name() << "' is computed at '" << at.consumer->name()
        << "', which is inlined or does not come after it; compute it at a stage that reads it";
    const std::vector<IterVar>& leaves = at.consumer->leaves();
    auto leaf = std::find(leaves.begin(), leaves.end(), at.axis);
    VDLA_CHECK_USER(leaf != leaves.end())
        << "stage '" << p.stage->name() << "' is computed at axis '" << at.axis.name() << "' of '"
        << at.consumer->name()
        << "', which is no loop any more; use compute_at after the last split of the axis";
    p.consumer = *consumer;
    p.depth = leaf - leaves.begin();
    const auto& tensorized = at.consumer->tensorization();
    if (!tensorized) return;
    auto intrinsic = std::find(leaves.begin(), leaves.end(), tensorized->axis);
    VDLA_CHECK_USER(leaf < intrinsic)
        << "stage '" << p.stage->name() << "' is computed at axis '" << at.axis.name() << "' of '"
        << at.consumer->name() << "', inside its tensorized axis '" << tensorized->axis.name()
        << "'; compute it further out";
  }

  /// The loop variables around the body of `reader` that run within one execution of the place where `p` is
  /// computed.
  std::unordered_set<expr::VarPtr> running_loops(const StagePlan& p, const StagePlan& reader) const {
    std::unordered_set<expr::VarPtr> running;
    const StagePlan* inside = &reader;
    std::size_t first = 0, last = reader.loops.size();
    while (true) {
      bool here = inside == p.consumer;
      first = here ? p.depth + 1 : 0;
      VDLA_CHECK_USER(!here || first <= last) << outside_message(p, reader);
      for (std::size_t i = first; i < last; ++i) running.insert(inside->loops[i].var);
      if (here) return running;
      VDLA_CHECK_USER(inside->consumer) << outside_message(p, reader);
      last = inside->depth + 1;
      inside = inside->consumer;
    }
  }

  static std::string outside_message(const StagePlan& p, const StagePlan& reader) {
    return "stage '" + p.stage->name() + "' is computed at axis '" + p.stage->attachment().axis.name() +
           "' of '" + p.stage->attachment().consumer->name() + "', but '" + reader.stage->name() +
           "' reads it outside of that loop; compute it further out or compute the reader there too";
  }

  /// Threads fill shared memory together with what all of them read, the virtual ones of each included.
  static void add_threads(const StagePlan& p, std::unordered_set<expr::VarPtr>& running) {
    std::size_t depth = p.depth;
    for (const StagePlan* c = p.consumer; c; depth = c->depth, c = c->consumer) {
      for (std::size_t i = 0; i <= depth && i < c->loops.size(); ++i) {
        const expr::ForKind kind = c->stage->annotation(c->loops[i].axis);
        if (expr::is_thread(kind) || kind == expr::ForKind::VThread) running.insert(c->loops[i].var);
      }
    }
  }

  /// The first steps of a recurrence are computed before its loops.
  static void require_not_given(const StagePlan& p, const StagePlan& reader) {
    if (!reader.compute.recurrence) return;
    for (const ExprPtr& init : reader.compute.recurrence->init) {
      for (const Tensor& input : expr::inputs_of(init)) {
        VDLA_CHECK_USER(input.node() != p.stage->tensor().node())
            << "stage '" << p.stage->name() << "' gives the first steps of scan '" << reader.stage->name()
            << "', before any of its loops; compute it at the root or inline, not at '"
            << p.stage->attachment().consumer->name() << "'";
      }
    }
  }

  void infer_region(StagePlan& p) {
    const std::vector<std::int64_t>& shape = p.stage->tensor().shape();
    p.min.assign(shape.size(), Affine{});
    p.extent = shape;
    if (!p.consumer) return;
    for (const StagePlan* reader : planned_) require_not_given(p, *reader);
    std::vector<std::optional<Range>> region(shape.size());
    std::vector<bool> whole(shape.size(), false);
    bool is_read = false;
    for (const StagePlan* reader : planned_) {
      for (const std::vector<ExprPtr>& indices : reads_of(*reader, p.stage->tensor())) {
        is_read = true;
        auto running = running_loops(p, *reader);
        if (p.stage->scope() == expr::kSharedScope) add_threads(p, running);
        for (std::size_t d = 0; d < shape.size(); ++d) extend(region[d], whole, d, indices[d], running);
      }
    }
    VDLA_CHECK_USER(is_read) << "stage '" << p.stage->name() << "' is computed at '"
                             << p.stage->attachment().consumer->name() << "', but nothing reads it there";
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (!whole[d] && !p.stage->is_whole(d)) set_region(p, d, *region[d]);
    }
  }

  void extend(std::optional<Range>& region, std::vector<bool>& whole, std::size_t d, const ExprPtr& index,
              const std::unordered_set<expr::VarPtr>& running) const {
    auto range = range_of(index, plan_.ranges, running);
    if (range && region) range = unite(*region, *range, plan_.ranges);
    whole[d] = whole[d] || !range;
    region = range;
  }

  void set_region(StagePlan& p, std::size_t d, Range range) const {
    std::int64_t size = p.extent[d];
    if (range.min.is_constant()) {  // elements outside of the tensor are never read
      std::int64_t low = std::clamp<std::int64_t>(range.min.constant, 0, size - 1);
      std::int64_t high = std::clamp<std::int64_t>(range.min.constant + range.span, 0, size - 1);
      range = {{{}, low}, high - low};
    }
    if (range.span + 1 >= size && !lies_in_another(p)) return;
    p.min[d] = range.min;
    p.extent[d] = range.span + 1;
  }

  /// Whether it lies in the middle of a padded stage; it computes nothing beyond the region of that one.
  bool lies_in_another(const StagePlan& p) const {
    return std::ranges::any_of(
        planned_, [&](const StagePlan* other) { return other->padding && other->padding->inner == &p; });
  }

  void make_loops(StagePlan& p) {
    std::unordered_map<expr::VarPtr, std::int64_t> extents;
    const std::vector<IterVar>& axes = p.compute.axes;
    const std::int64_t given = p.compute.recurrence ? p.compute.recurrence->first : 0;
    for (std::size_t d = 0; d < axes.size(); ++d) extents[axes[d].var()] = p.extent[d] - (d == 0 ? given : 0);
    for (const IterVar& axis : p.compute.reduce_axes()) extents[axis.var()] = axis.extent();
    for (const schedule::Relation& relation : p.stage->relations()) extend_extents(relation, extents);
    expr::Substitution values;
    for (const IterVar& leaf : p.stage->leaves()) {
      expr::VarPtr var = expr::make_var(names_(leaf.name()));
      std::int64_t extent = extents.at(leaf.var());
      p.loops.push_back({leaf, var, extent});
      plan_.ranges[var] = {0, extent - 1};
      values[leaf.var()] = expr::var_ref(var);
    }
    const auto& relations = p.stage->relations();
    for (auto relation = relations.rbegin(); relation != relations.rend(); ++relation) {
      solve(*relation, extents, values, p);
    }
    for (const IterVar& axis : p.compute.reduce_axes())
      p.axis_values[axis.var()] = simple(values.at(axis.var()));
    for (std::size_t d = 0; d < axes.size(); ++d) {
      ExprPtr local = simple(values.at(axes[d].var()));
      if (d == 0 && given > 0) local = simple(expr::binary(expr::BinaryOp::Add, local, expr::int_imm(given)));
      ExprPtr index = expr::to_expr(expr::to_affine(local) + p.min[d]);
      p.local_indices.push_back(local);
      p.axis_values[axes[d].var()] = index;
      guard_domain(p, d, index);
    }
  }

  ExprPtr simple(const ExprPtr& e) const { return expr::simplify(e, plan_.ranges); }

  using Extents = std::unordered_map<expr::VarPtr, std::int64_t>;

  static void extend_extents(const schedule::Relation& relation, Extents& extents) {
    std::visit(overloaded{
                   [&](const schedule::Split& r) {
                     std::int64_t parent = extents.at(r.parent.var());
                     std::int64_t inner = std::min(r.factor, parent);
                     extents[r.inner.var()] = inner;
                     extents[r.outer.var()] = (parent + inner - 1) / inner;
                   },
                   [&](const schedule::Fuse& r) {
                     extents[r.fused.var()] = extents.at(r.outer.var()) * extents.at(r.inner.var());
                   },
               },
               relation);
  }

  /// Values of the parents of a relation from those of its children, and the guard of an uneven split.
  void solve(const schedule::Relation& relation, const Extents& extents, expr::Substitution& values,
             StagePlan& p) {
    using expr::binary;
    using expr::BinaryOp;
    std::visit(overloaded{
                   [&](const schedule::Split& r) {
                     std::int64_t inner = extents.at(r.inner.var()), parent = extents.at(r.parent.var());
                     ExprPtr offset = binary(BinaryOp::Mul, values.at(r.outer.var()), expr::int_imm(inner));
                     ExprPtr value = binary(BinaryOp::Add, offset, values.at(r.inner.var()));
                     values[r.parent.var()] = value;
                     if (parent % inner == 0) return;
                     const ExprPtr exists = binary(BinaryOp::Lt, value, expr::int_imm(parent));
                     add_guard(p, exists, r.parent.is_reduce());
                     p.split_guards.push_back(exists);
                   },
                   [&](const schedule::Fuse& r) {
                     ExprPtr size = expr::int_imm(extents.at(r.inner.var()));
                     values[r.outer.var()] = binary(BinaryOp::FloorDiv, values.at(r.fused.var()), size);
                     values[r.inner.var()] = binary(BinaryOp::FloorMod, values.at(r.fused.var()), size);
                   },
               },
               relation);
  }

  /// A region may reach beyond the tensor; nothing reads there, and nothing is computed there.
  void guard_domain(StagePlan& p, std::size_t d, const ExprPtr& index) const {
    std::int64_t size = p.stage->tensor().shape()[d];
    auto first = expr::bounds(p.min[d], plan_.ranges);
    if (!first || first->low < 0) {
      add_guard(p, expr::binary(expr::BinaryOp::Ge, index, expr::int_imm(0)), false);
    }
    if (!first || first->high + p.extent[d] > size) {
      add_guard(p, expr::binary(expr::BinaryOp::Lt, index, expr::int_imm(size)), false);
    }
  }

  void add_guard(StagePlan& p, const ExprPtr& condition, bool reduce) const {
    ExprPtr guard = simple(condition);
    if (expr::as_constant(guard) == 1) return;
    p.guards.push_back(guard);
    if (!reduce) p.spatial_guards.push_back(guard);
  }

  void make_buffers(StagePlan& p, const std::vector<std::pair<Tensor, expr::BufferPtr>>& params) const {
    p.origin = p.min;
    p.has_own_storage = !p.stage->shares_with();
    if (!p.has_own_storage) return;
    for (std::size_t i = 0; i < p.stage->tensor().part_count(); ++i) {
      Tensor tensor = p.stage->tensor().part(i);
      auto param = std::find_if(params.begin(), params.end(),
                                [&](const auto& entry) { return entry.first == tensor; });
      std::vector<std::int64_t> shape = p.extent;
      if (p.stage->places() > 0) shape.insert(shape.begin(), p.stage->places());
      p.buffers.push_back(param != params.end()
                              ? param->second
                              : expr::make_buffer(names_(tensor.name()), tensor.dtype(), shape,
                                                  p.stage->scope(), strides_of(*p.stage, shape)));
    }
  }

  /// With what a schedule leaves free behind the indices of a dimension; a rolling buffer has one more in
  /// front.
  static std::vector<std::int64_t> strides_of(const Stage& stage, const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> strides(shape.size());
    const std::size_t places = stage.places() > 0 ? 1 : 0;
    std::int64_t next = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      strides[d] = next + (d >= places ? stage.free_behind(d - places) : 0);
      next = strides[d] * shape[d];
    }
    return strides;
  }

  const schedule::Schedule& schedule_;
  UniqueNames& names_;
  Plan plan_;
  std::vector<StagePlan*> planned_;
};

}  // namespace

Plan make_plan(const schedule::Schedule& schedule,
               const std::vector<std::pair<Tensor, expr::BufferPtr>>& params, UniqueNames& names) {
  return Planner(schedule, names).run(params);
}

}  // namespace vdla::lower
