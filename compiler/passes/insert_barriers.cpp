// SPDX-License-Identifier: Apache-2.0
// Barriers for memory that threads have in common. Threads share what lives in memory @shared, and parameters
// that a kernel both reads and writes, so between a write and a read (of @shared also a second write) of one
// element by two threads stands a barrier; also around the back edge of loops. None stands where the indices
// prove that no two threads touch one element (compiler/passes/thread_access.h): not between the iterations
// of a loop that fills memory piece by piece, nor where each thread comes back to its own. A barrier where
// only some threads would arrive is refused. On a machine that runs threads one after the other a barrier
// does nothing.
#include <algorithm>
#include <deque>
#include <set>
#include <unordered_set>

#include "compiler/expr/memory.h"
#include "compiler/expr/simplify.h"
#include "compiler/grid/offsets.h"
#include "compiler/grid/warp.h"
#include "compiler/loop/print.h"
#include "compiler/loop/ranges.h"
#include "compiler/loop/visit.h"
#include "compiler/passes/buffers.h"
#include "compiler/passes/rows.h"
#include "compiler/passes/thread_access.h"
#include "support/error.h"

namespace vdla::passes {
namespace {

using loop::ExprPtr;
using loop::StmtPtr;

using ThreadAccesses = std::set<const ThreadAccess*>;

/// Accesses to common memory of a piece of the program: before its first barrier, and since its last one.
struct Edge {
  ThreadAccesses first, last;
  bool has_barrier = false;
};

void add(ThreadAccesses& to, const ThreadAccesses& more) { to.insert(more.begin(), more.end()); }

/// A statement of the outermost grid: its kinds of threads, and the memory that they have in common.
struct Common {
  std::set<loop::ForKind> kinds;
  std::unordered_set<const loop::Buffer*> buffers;

  explicit Common(const StmtPtr& kernel) {
    const Accesses accesses = accesses_of(kernel);
    for (const loop::Buffer* b : accesses.reads)
      if (accesses.writes.contains(b)) buffers.insert(b);
    loop::visit(kernel, [&](const StmtPtr& s) {
      if (const auto* n = s->as<loop::For>(); n && expr::is_thread(n->kind)) kinds.insert(n->kind);
      if (const auto* n = s->as<loop::Allocate>()) buffers.erase(n->buffer.get());
    });
    for (const auto& list : {accesses.reads, accesses.writes})
      for (const loop::Buffer* b : list)
        if (b->scope == expr::kSharedScope) buffers.insert(b);
  }
};

/// Accesses of statements to the memory that threads have in common. Knows the loops around.
class Collector {
 public:
  bool in_grid() const { return common_.has_value(); }
  void begin_grid(const StmtPtr& kernel) { common_.emplace(kernel); }
  void end_grid() { common_.reset(); }
  bool in_threads() const { return !threads_.empty(); }
  bool threads_of(loop::ForKind kind) const {
    return std::ranges::find(threads_, kind, &loop::For::kind) != threads_.end();
  }
  /// The kind of the loop over threads around this whose variable it is.
  std::optional<loop::ForKind> kind_of(const expr::VarPtr& var) const {
    const auto found = std::ranges::find(threads_, var, &loop::For::var);
    return found == threads_.end() ? std::nullopt : std::optional(found->kind);
  }
  const expr::Ranges& ranges() const { return ranges_; }
  void set_ranges(expr::Ranges ranges) { ranges_ = std::move(ranges); }

  void enter(const loop::For& n) {
    loop::add_values_of(n, ranges_);
    if (expr::is_thread(n.kind)) threads_.push_back(n);
  }
  void leave(const loop::For& n) {
    if (expr::is_thread(n.kind)) threads_.pop_back();
    ranges_.erase(n.var);
  }
  void allocate(const loop::Buffer& buffer) { threads_around_[&buffer] = threads_.size(); }

  /// Accesses of a statement without loops of its own.
  ThreadAccesses accesses_in(const StmtPtr& s) {
    if (!common_) return {};
    const auto* store = s->as<loop::Store>();
    if (!store) return accesses_of_call(s);
    ThreadAccesses result;
    const bool stores = is_common(store->buffer.get());
    const Executors executors = stores ? executors_of(*store->buffer) : everyone();
    loop::map_expressions(s, [&](const ExprPtr& e) {
      add(result, accesses_in(e, executors));
      return e;
    });
    if (stores) result.insert(note(*store->buffer, store->indices, true, executors));
    return result;
  }

  /// Loads of an expression that each thread evaluates.
  ThreadAccesses accesses_in(const ExprPtr& e) {
    return common_ ? accesses_in(e, everyone()) : ThreadAccesses{};
  }

 private:
  bool is_common(const loop::Buffer* buffer) const { return common_ && common_->buffers.contains(buffer); }

  /// Accesses of an intrinsic or a marked nest, which reach anywhere but for the row of an intrinsic.
  ThreadAccesses accesses_of_call(const StmtPtr& s) {
    ThreadAccesses result;
    if (const auto* call = s->as<loop::IntrinsicCall>()) {
      for (const auto& [regions, is_store] :
           {std::pair(&call->inputs, false), std::pair(&call->outputs, true)})
        for (const loop::Region& region : *regions)
          if (is_common(region.buffer.get())) result.insert(note(region, is_store));
      return result;
    }
    const Accesses accesses = passes::accesses_of(s);
    for (const loop::Buffer* b : accesses.reads)
      if (is_common(b)) result.insert(&all_.emplace_back(ThreadAccess{b, false, {}, everyone(), {}}));
    for (const loop::Buffer* b : accesses.writes)
      if (is_common(b)) result.insert(&all_.emplace_back(ThreadAccess{b, true, {}, everyone(), {}}));
    return result;
  }

  ThreadAccesses accesses_in(const ExprPtr& e, const Executors& executors) {
    ThreadAccesses result;
    expr::visit(e, [&](const ExprPtr& part) {
      const auto* load = part->as<expr::Load>();
      if (load && is_common(load->buffer.get()))
        result.insert(note(*load->buffer, load->indices, false, executors));
    });
    return result;
  }

  /// Another one for each element. Where storage is left free between rows, elements are numbered as if there
  /// were none: a fused index that was taken apart in several dimensions can then be put together.
  static expr::Affine number_of(const loop::Buffer& buffer, const std::vector<ExprPtr>& indices) {
    bool lie_apart = true;
    for (std::size_t d = 0; d + 1 < buffer.shape.size(); ++d)
      lie_apart &= buffer.strides[d] >= buffer.strides[d + 1] * buffer.shape[d + 1];
    if (buffer.shape.empty() || !lie_apart || buffer.strides.back() < 1)
      return expr::flat_offset(buffer, indices);
    expr::Affine sum;
    const std::vector<std::int64_t> strides = expr::dense_strides(buffer.shape);
    for (std::size_t d = 0; d < indices.size(); ++d) sum = sum + expr::to_affine(indices[d]) * strides[d];
    return sum;
  }

  /// Elements from the first to the last one that has one index of the first dimension.
  static std::int64_t room_behind(const loop::Buffer& buffer) {
    std::int64_t room = 1;
    for (std::size_t d = 1; d < buffer.shape.size(); ++d)
      room += (buffer.shape[d] - 1) * std::abs(buffer.strides[d]);
    return room;
  }

  const ThreadAccess* note(const loop::Buffer& buffer, const std::vector<ExprPtr>& indices, bool is_store,
                           const Executors& executors) {
    const ExprPtr offset = expr::simplify(expr::to_expr(number_of(buffer, indices)), ranges_);
    ThreadAccess access{&buffer, is_store, grid::joined(offset, ranges_), executors, {}};
    if (buffer.shape.size() > 1 && buffer.strides[0] >= room_behind(buffer))
      access.row = expr::to_affine(expr::simplify(indices[0], ranges_));
    for (const expr::VarPtr& var : expr::variables_of(offset))
      if (const auto range = ranges_.find(var); range != ranges_.end()) access.ranges.insert(*range);
    return &all_.emplace_back(std::move(access));
  }

  const ThreadAccess* note(const loop::Region& region, bool is_store) {
    ThreadAccess access{region.buffer.get(), is_store, {}, everyone(), {}};
    if (const ExprPtr row = grid::common_row_of(region, ranges_))
      access.row = expr::to_affine(expr::simplify(row, ranges_));
    return &all_.emplace_back(std::move(access));
  }

  /// Executors of a statement that stores to private memory, or of a condition.
  Executors everyone() const { return executors(0, Executor::Who::All); }

  /// Executors of a store to common memory: the threads of the loops inside of its allocation. Where there is
  /// none of some kind, one thread does it for all ('place-threads').
  Executors executors_of(const loop::Buffer& buffer) const {
    const auto around = threads_around_.find(&buffer);
    return executors(around == threads_around_.end() ? 0 : around->second, Executor::Who::One);
  }

  Executors executors(std::size_t from, Executor::Who otherwise) const {
    Executors result;
    for (std::size_t k = 0; k < grid::kThreadKinds; ++k)
      if (common_->kinds.contains(grid::thread_kind(k))) result[k].who = otherwise;
    for (std::size_t i = from; i < threads_.size(); ++i)
      result[grid::thread_index(threads_[i].kind)] = {Executor::Who::Each, threads_[i].var};
    return result;
  }

  std::optional<Common> common_;    ///< inside of a grid
  std::vector<loop::For> threads_;  ///< around this, outermost first
  /// Number of the threads around an allocation.
  std::unordered_map<const loop::Buffer*, std::size_t> threads_around_;
  expr::Ranges ranges_;  ///< ranges of all loops around
  std::deque<ThreadAccess> all_;
};

class Inserter {
 public:
  explicit Inserter(const StmtPtr& body) : written_(accesses_of(body).writes) {}

  StmtPtr run(const StmtPtr& s) { return visit(s).first; }

 private:
  std::pair<StmtPtr, Edge> leaf(const StmtPtr& s) {
    const ThreadAccesses accesses = collector_.accesses_in(s);
    return {s, {accesses, accesses, false}};
  }

  std::pair<StmtPtr, Edge> visit(const StmtPtr& s) {
    if (const auto* n = s->as<loop::For>()) return for_loop(s, *n);
    if (const auto* n = s->as<loop::Seq>()) return sequence(*n);
    if (const auto* n = s->as<loop::IfThenElse>()) return conditional(s, *n);
    if (const auto* n = s->as<loop::Allocate>()) {
      collector_.allocate(*n->buffer);
      auto [body, edge] = visit(n->body);
      return {loop::with_children(s, {body}), edge};
    }
    if (const auto* n = s->as<loop::IntrinsicCall>(); n && loop::is_barrier(*n)) return {s, {{}, {}, true}};
    return leaf(s);
  }

  std::pair<StmtPtr, Edge> for_loop(const StmtPtr& s, const loop::For& n) {
    const bool is_thread = expr::is_thread(n.kind);
    const bool begins = !collector_.in_grid() && (is_thread || expr::is_block(n.kind));
    if (begins) collector_.begin_grid(s);
    if (is_thread && collector_.threads_of(n.kind)) require_all_of(n.kind, s);
    collector_.enter(n);
    auto result = is_thread ? thread_loop(s, n) : other_loop(s, n);
    collector_.leave(n);
    if (begins) collector_.end_grid();
    return result;
  }

  /// One inside of another of its kind are the same threads: each does its share of the work.
  std::pair<StmtPtr, Edge> thread_loop(const StmtPtr& s, const loop::For& n) {
    auto [body, edge] = visit(n.body);
    return {loop::with_children(s, {body}), edge};
  }

  std::pair<StmtPtr, Edge> other_loop(const StmtPtr& s, const loop::For& n) {
    const bool is_block = expr::is_block(n.kind);
    const bool diverges =
        diverge({n.min, n.extent},
                "stands in a loop that threads run for different numbers of iterations; make its bounds the "
                "same for all threads");
    blocks_ += is_block;
    same_.push_back(n.var);
    auto [body, edge] = visit(n.body);
    same_.pop_back();
    blocks_ -= is_block;
    // No thread may write what another one has yet to see in the bounds.
    ThreadAccesses bounds = collector_.accesses_in(n.min);
    add(bounds, collector_.accesses_in(n.extent));
    if (threads_meet() && divergent_.empty() && meet(bounds, edge.first)) {
      body = loop::seq({loop::barrier(), body});
      edge.first = {};
      edge.has_barrier = true;
    }
    // The next iteration follows the end of this one; blocks do not follow each other.
    if (threads_meet() && !is_block && meet(edge.last, edge.first, n.var.get())) {
      require_together(s, "a barrier");
      body = loop::seq({body, loop::barrier()});
      edge.last = {};
      edge.has_barrier = true;
    }
    if (diverges) divergent_.pop_back();
    auto extent = expr::as_constant(n.extent);
    if (!extent || *extent <= 0) edge.has_barrier = false;  // it may not be reached
    add(edge.first, bounds);
    if (!edge.has_barrier) add(edge.last, bounds);
    return {loop::with_children(s, {body}), edge};
  }

  std::pair<StmtPtr, Edge> sequence(const loop::Seq& n) {
    std::vector<StmtPtr> result;
    Edge edge;
    for (const StmtPtr& child : n.body) {
      auto [statement, inner] = visit(child);
      if (threads_meet() && meet(edge.last, inner.first)) {
        require_together(child, "a barrier");
        result.push_back(loop::barrier());
        edge.last = {};
        edge.has_barrier = true;
      }
      result.push_back(statement);
      if (!edge.has_barrier) add(edge.first, inner.first);
      if (inner.has_barrier) edge.last = {};
      edge.has_barrier |= inner.has_barrier;
      add(edge.last, inner.last);
    }
    return {loop::seq(result), edge};
  }

  std::pair<StmtPtr, Edge> conditional(const StmtPtr& s, const loop::IfThenElse& n) {
    const bool diverges =
        diverge({n.condition},
                "stands under a condition that only some threads pass; move the condition inside of the "
                "statements");
    const ThreadAccesses condition = collector_.accesses_in(n.condition);
    Edge edge;
    const expr::Ranges outer = collector_.ranges();
    std::vector<StmtPtr> children = loop::children(s);
    for (StmtPtr& child : children) {
      if (child == n.then_body) collector_.set_ranges(expr::assume(n.condition, outer));
      auto [statement, inner] = visit(child);
      collector_.set_ranges(outer);
      // No thread may write what another one has yet to see in the condition.
      const bool early = threads_meet() && divergent_.empty() && meet(condition, inner.first);
      child = early ? loop::seq({loop::barrier(), statement}) : statement;
      if (!early) add(edge.first, inner.first);
      add(edge.last, inner.last);
      // A branch may be left out, so its barriers say nothing about what was pending before.
    }
    if (diverges) divergent_.pop_back();
    add(edge.first, condition);
    add(edge.last, edge.first);
    return {loop::with_children(s, children), edge};
  }

  /// Statements in order are run by several threads here: inside of a thread loop, and around the thread
  /// loops of a block, which are the same threads.
  bool threads_meet() const { return collector_.in_threads() || blocks_ > 0; }

  bool meet(const ThreadAccesses& first, const ThreadAccesses& second,
            const expr::Variable* later = nullptr) const {
    const Meeting meeting{same_, later};
    return std::ranges::any_of(first, [&](const ThreadAccess* a) {
      return std::ranges::any_of(second, [&](const ThreadAccess* b) {
        const bool is_shared = a->buffer->scope == expr::kSharedScope;
        return (is_shared || a->is_store != b->is_store) && may_meet(*a, *b, meeting);
      });
    });
  }

  /// Why threads may part, for what stands around.
  struct Divergence {
    const char* why;
    std::set<loop::ForKind> kinds;  ///< kinds of loops by whose variables they part
    bool by_memory = false;         ///< whether by memory that is not shared and not constant
  };

  /// Whether threads of a block may see different values, which is then noted.
  bool diverge(const std::vector<ExprPtr>& values, const char* why) {
    Divergence divergence{why, {}};
    for (const ExprPtr& e : values)
      expr::visit(e, [&](const ExprPtr& part) {
        const auto* ref = part->as<expr::VarRef>();
        const auto* load = part->as<expr::Load>();
        if (const auto kind = ref ? collector_.kind_of(ref->var) : std::nullopt)
          divergence.kinds.insert(*kind);
        divergence.by_memory |=
            load && load->buffer->scope != expr::kSharedScope && written_.contains(load->buffer.get());
      });
    if (divergence.kinds.empty() && !divergence.by_memory) return false;
    divergent_.push_back(std::move(divergence));
    return true;
  }

  void require_together(const StmtPtr& s, const char* need) const {
    if (!divergent_.empty()) refuse(s, need, divergent_.back());
  }

  /// Threads share the work of a loop inside of one of their kind: the share of one that does not get there
  /// would be missing. Others may part: who has passed, passed with all of this kind.
  void require_all_of(loop::ForKind kind, const StmtPtr& s) const {
    for (const Divergence& d : divergent_)
      if (d.by_memory || d.kinds.contains(kind)) refuse(s, "all threads of the loop around it", d);
  }

  [[noreturn]] static void refuse(const StmtPtr& s, const char* need, const Divergence& d) {
    const std::string text = loop::to_string(s);
    throw UserError("insert-barriers: '" + text.substr(0, text.find('\n')) + "' needs " + need + ", but " +
                    d.why);
  }

  const std::set<const loop::Buffer*> written_;  ///< buffers that the function writes
  Collector collector_;
  std::vector<expr::VarPtr> same_;     ///< variables of the loops around this that are not over threads
  std::vector<Divergence> divergent_;  ///< a statement around each
  int blocks_ = 0;
};

}  // namespace

loop::Func insert_barriers(const loop::Func& func) {
  bool has_threads = false;
  loop::visit(func.body, [&](const StmtPtr& s) {
    const auto* n = s->as<loop::For>();
    has_threads |= n && (expr::is_thread(n->kind) || expr::is_block(n->kind));
  });
  if (!has_threads) return func;
  return {func.name, func.params, Inserter(func.body).run(func.body)};
}

}  // namespace vdla::passes
