// SPDX-License-Identifier: Apache-2.0
// Gives each statement of a kernel the threads that run it, so that code generation translates: a loop over
// threads becomes the thread's number, and a condition where it has fewer iterations than the kernel threads.
// What stores to memory that threads have in common, outside of a loop over some kind of them, is done by the
// first one of that kind: it gets such a loop of one iteration. What stores to memory of a thread's own is
// done by all.
//
// Refused is what a kernel cannot have, or would compute differently from the loops in order: parallel loops,
// calls of intrinsics, grids that are no constants, threads that fill together what is private or what each
// wants to have different, a barrier that only some threads reach, and more than a block may have.
#include "compiler/passes/place_threads.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "compiler/expr/affine.h"
#include "compiler/expr/memory.h"
#include "compiler/grid/held.h"
#include "compiler/grid/kernels.h"
#include "compiler/grid/thread.h"
#include "compiler/loop/print.h"
#include "compiler/loop/visit.h"
#include "compiler/passes/rows.h"
#include "support/error.h"

namespace vdla::passes {
namespace {

using grid::kThreadKinds;
using grid::thread_index;
using grid::thread_kind;
using loop::ExprPtr;
using loop::For;
using loop::ForKind;
using loop::StmtPtr;

/// Kinds of threads, a bit each.
using Kinds = unsigned;

std::string first_line_of(const StmtPtr& s) {
  const std::string text = loop::to_string(s);
  return "'" + text.substr(0, text.find('\n')) + "'";
}

/// Surroundings of a statement in a kernel.
struct Surroundings {
  std::vector<const For*> threads;        ///< loops over threads around it
  std::vector<const ExprPtr*> decisions;  ///< conditions and bounds around it
};

/// Marks of operations are left to the rules of the table: its first row takes them.
void require_operation(const StmtPtr& s, const loop::Tensorize& n) {
  VDLA_CHECK_USER(grid::is_operation(n.intrinsic))
      << "place-threads: " << first_line_of(s)
      << " is marked to be an intrinsic, and kernels have those of threads (dp4a) and of warps (mma.load_a, "
         "mma.load_b, mma.sync) alone; leave tensorize out";
}

/// Sums are set to zero before the loops over operations.
void require_no_reset(const StmtPtr& s, const loop::IntrinsicCall& n) {
  VDLA_CHECK_USER(!n.reset || expr::as_constant(n.reset) == 0)
      << "place-threads: " << first_line_of(s)
      << " sets its sums to zero in its first step; tensorize with reset_before";
}

/// All lanes of a warp take part, and a warp is what thread.x counts.
void require_warp(const StmtPtr& s, const loop::IntrinsicCall& n, const Surroundings& place,
                  std::int64_t lanes) {
  const auto is_lanes = [](const For* around) { return around->kind == ForKind::ThreadX; };
  const auto inside = std::ranges::find_if(place.threads, is_lanes);
  VDLA_CHECK_USER(inside == place.threads.end())
      << "place-threads: " << first_line_of(s) << " stands in loop '" << (*inside)->var->name
      << "' over thread.x, and all of these do it together; move it out of the loop";
  VDLA_CHECK_USER(lanes == grid::kWarpLanes)
      << "place-threads: " << first_line_of(s) << " is done by a warp, needs " << grid::kWarpLanes
      << " threads along thread.x in its kernel, has " << lanes
      << "; split the axis that is bound to thread.x by " << grid::kWarpLanes;
  require_no_reset(s, n);
  for (const ExprPtr* decision : place.decisions)
    VDLA_CHECK_USER(!expr::reads_memory(*decision))
        << "place-threads: " << first_line_of(s)
        << " stands under a condition or in a loop that memory decides, which lanes of a warp may see "
           "differently; decide it by loops alone";
}

/// State of the threads that run a kernel's statements: after this pass each statement says them.
enum class Threads : bool { ToBePlaced, Placed };

/// One kernel, checked.
class KernelChecker {
 public:
  KernelChecker(const StmtPtr& kernel, Threads state)
      : state_(state), threads_(grid::threads_of(kernel)), held_rows_(grid::held_rows(kernel)) {
    block_loops(kernel);
    const auto is_fine = [](std::int64_t n) { return n <= grid::kMostThreads; };
    VDLA_CHECK_USER(std::ranges::all_of(threads_, is_fine) &&
                    is_fine(threads_[0] * threads_[1] * threads_[2]))
        << "place-threads: " << first_line_of(kernel) << " has " << threads_[0] << " x " << threads_[1]
        << " x " << threads_[2] << " threads in a block, needs at most " << grid::kMostThreads
        << "; split the axes that are bound to threads by less";
    VDLA_CHECK_USER(shared_bytes_ <= grid::kMostSharedBytes)
        << "place-threads: " << first_line_of(kernel) << " has " << shared_bytes_
        << " bytes of memory @shared in a block, needs at most " << grid::kMostSharedBytes
        << "; make its tiles smaller";
    VDLA_CHECK_USER(private_bytes_ <= grid::kMostPrivateBytes)
        << "place-threads: " << first_line_of(kernel) << " has " << private_bytes_
        << " bytes of memory in each thread, needs at most " << grid::kMostPrivateBytes
        << ", since no thread can allocate more; compute the stage further out, or give it scope shared";
  }

 private:
  struct Allocation {
    bool is_shared;
    std::size_t threads, decisions;  ///< how many stand around it
  };

  /// Loops over blocks stand around everything else, each kind once.
  void block_loops(const StmtPtr& s) {
    const auto* branch = s->as<loop::IfThenElse>();
    if (branch && !branch->else_body) return block_loops(branch->then_body);
    const auto* n = s->as<For>();
    if (!n || !expr::is_block(n->kind)) return statement(s);
    require_constant(*n);
    VDLA_CHECK_USER(std::ranges::find(blocks_, n->kind) == blocks_.end())
        << "place-threads: loop '" << n->var->name << "' is " << expr::name(n->kind)
        << " inside of another one; bind it to another axis of the grid";
    blocks_.push_back(n->kind);
    block_loops(n->body);
  }

  static void require_constant(const For& n) {
    VDLA_CHECK_USER(expr::as_constant(n.extent) && expr::as_constant(n.min) == 0)
        << "place-threads: loop '" << n.var->name << "' is " << expr::name(n.kind)
        << " and needs to go from 0 to a constant, which the size of the grid is made of";
  }

  void statement(const StmtPtr& s) {
    if (const auto* n = s->as<For>()) return loop(*n);
    if (const auto* n = s->as<loop::Allocate>()) return allocation(*n);
    if (const auto* n = s->as<loop::IfThenElse>()) {
      place_.decisions.push_back(&n->condition);
      inside(s);
      place_.decisions.pop_back();
      return;
    }
    if (s->as<loop::Store>()) return store(s);
    if (const auto* n = s->as<loop::IntrinsicCall>()) return call(s, *n);
    if (const auto* n = s->as<loop::Tensorize>()) return require_operation(s, *n);
    inside(s);
  }

  void inside(const StmtPtr& s) {
    for (const StmtPtr& child : loop::children(s)) statement(child);
  }

  void loop(const For& n) {
    VDLA_CHECK_USER(n.kind != ForKind::Parallel)
        << "place-threads: loop '" << n.var->name
        << "' is parallel, which kernels have no loops of; bind its axis to blocks or threads of the grid";
    VDLA_CHECK_USER(!expr::is_block(n.kind))
        << "place-threads: loop '" << n.var->name << "' is " << expr::name(n.kind)
        << " and does not stand around its whole kernel; reorder loops over blocks outermost, and compute "
           "what stands beside them further in";
    if (!expr::is_thread(n.kind)) {
      place_.decisions.insert(place_.decisions.end(), {&n.min, &n.extent});
      statement(n.body);
      place_.decisions.resize(place_.decisions.size() - 2);
      return;
    }
    require_constant(n);
    place_.threads.push_back(&n);
    statement(n.body);
    place_.threads.pop_back();
  }

  void allocation(const loop::Allocate& n) {
    const bool is_shared = n.buffer->scope == expr::kSharedScope;
    std::int64_t& bytes = is_shared ? shared_bytes_ : private_bytes_;
    std::int64_t more = 0;
    if (const auto held = held_rows_.find(n.buffer.get()); held != held_rows_.end())
      bytes += held->second * expr::bytes(n.buffer->dtype);
    else if (__builtin_mul_overflow(expr::storage_size(*n.buffer), expr::bytes(n.buffer->dtype), &more) ||
             __builtin_add_overflow(bytes, grid::bytes_of_thread(*n.buffer), &bytes))
      bytes = INT64_MAX;
    allocations_[n.buffer.get()] = {is_shared, place_.threads.size(), place_.decisions.size()};
    statement(n.body);
  }

  void call(const StmtPtr& s, const loop::IntrinsicCall& n) const {
    if (grid::is_of_thread(n.name)) return of_thread(s, n);
    if (grid::is_of_warp(n)) return of_warp(s, n);
    VDLA_CHECK_USER(loop::is_barrier(n))
        << "place-threads: " << first_line_of(s)
        << " calls an intrinsic, and kernels have none but barrier and those of threads and warps";
    for (const For* around : place_.threads) {
      const std::int64_t of_kernel = threads_[thread_index(around->kind)];
      VDLA_CHECK_USER(expr::as_constant(around->extent) == of_kernel)
          << "place-threads: a barrier in loop '" << around->var->name << "' of "
          << expr::as_constant(around->extent).value_or(0) << " iterations does not wait for all "
          << of_kernel << " " << expr::name(around->kind)
          << " of the kernel; give the loops of a kernel that are bound alike the same extent";
    }
  }

  void of_warp(const StmtPtr& s, const loop::IntrinsicCall& n) const {
    require_warp(s, n, place_, threads_[0]);
    for (const loop::Region& region : n.outputs) {
      const auto found = allocations_.find(region.buffer.get());
      VDLA_CHECK_USER(found != allocations_.end() && found->second.threads == place_.threads.size())
          << "place-threads: " << first_line_of(s) << " is done by several warps, and '"
          << region.buffer->name << "' is outside of the loops over them; compute the stage further in";
    }
  }

  void of_thread(const StmtPtr& s, const loop::IntrinsicCall& n) const {
    require_no_reset(s, n);
    for (const loop::Region& region : n.outputs)
      if (const auto found = allocations_.find(region.buffer.get()); found != allocations_.end())
        require_own(s, *region.buffer, found->second);
  }

  /// Private memory is filled by its own thread.
  void require_own(const StmtPtr& s, const loop::Buffer& buffer, const Allocation& around) const {
    VDLA_CHECK_USER(around.is_shared || held_rows_.contains(&buffer) ||
                    place_.threads.size() == around.threads)
        << "place-threads: " << first_line_of(s) << " stands in loop '" << place_.threads.back()->var->name
        << "' over threads, which fill '" << buffer.name << "' together, and it is in memory '"
        << buffer.scope << "', of which each thread has its own; give the stage scope " << expr::kSharedScope;
  }

  void store(const StmtPtr& s) const {
    const loop::Buffer& buffer = *s->as<loop::Store>()->buffer;
    const auto found = allocations_.find(&buffer);
    const Allocation around = found == allocations_.end() ? Allocation{true, 0, 0} : found->second;
    require_own(s, buffer, around);
    if (state_ == Threads::Placed) return;
    for (std::size_t i = 0; i < place_.threads.size(); ++i) {
      const For& thread = *place_.threads[i];
      const bool again =
          std::any_of(place_.threads.begin() + static_cast<std::ptrdiff_t>(i) + 1, place_.threads.end(),
                      [&](const For* n) { return n->kind == thread.kind; });
      const bool outside = found != allocations_.end() && around.is_shared && i < around.threads;
      if (again || outside) require_same_for(s, thread, buffer, around);
    }
    if (found != allocations_.end() && around.is_shared) require_no_private(s, buffer, around);
  }

  /// Requires that memory which threads fill together is the same whichever of them does it.
  void require_same_for(const StmtPtr& s, const For& thread, const loop::Buffer& buffer,
                        const Allocation& around) const {
    bool uses = false;
    loop::map_expressions(s, [&](const ExprPtr& e) {
      uses |= expr::uses(e, thread.var);
      return e;
    });
    for (std::size_t i = around.decisions; i < place_.decisions.size(); ++i)
      uses |= expr::uses(*place_.decisions[i], thread.var);
    VDLA_CHECK_USER(!uses)
        << "place-threads: " << first_line_of(s) << " uses '" << thread.var->name << "' of "
        << expr::name(thread.kind) << " around '" << buffer.name
        << "', so each thread would put something else there; fill it in loops over threads "
           "that stand inside of its allocation, by their variables";
  }

  void require_no_private(const StmtPtr& s, const loop::Buffer& buffer, const Allocation& around) const {
    loop::map_expressions(s, [&](const ExprPtr& e) {
      expr::visit(e, [&](const ExprPtr& part) {
        const auto* load = part->as<expr::Load>();
        const auto from = load ? allocations_.find(load->buffer.get()) : allocations_.end();
        VDLA_CHECK_USER(from == allocations_.end() || from->second.is_shared ||
                        held_rows_.contains(load->buffer.get()) || from->second.threads > around.threads)
            << "place-threads: " << first_line_of(s) << " puts '" << load->buffer->name
            << "', of which each thread has its own, into '" << buffer.name
            << "', which they fill together; compute it inside of the loops over threads that fill '"
            << buffer.name << "'";
      });
      return e;
    });
  }

  const Threads state_;
  const grid::Dimensions threads_;
  const std::unordered_map<const loop::Buffer*, std::int64_t> held_rows_;
  std::vector<ForKind> blocks_;
  Surroundings place_;
  std::unordered_map<const loop::Buffer*, Allocation> allocations_;
  std::int64_t shared_bytes_ = 0, private_bytes_ = 0;
};

/// Loops of one iteration around what one thread of a kind does.
class Placer {
 public:
  Placer(const StmtPtr& kernel, std::unordered_set<std::string>& names) : names_(names) {
    loop::visit(kernel, [&](const StmtPtr& s) {
      if (const auto* n = s->as<For>(); n && expr::is_thread(n->kind)) used_ |= bit(n->kind);
      if (const auto* n = s->as<loop::Allocate>(); n && n->buffer->scope != expr::kSharedScope)
        private_.insert(n->buffer.get());
    });
  }

  StmtPtr run(const StmtPtr& kernel) {
    if (used_ == 0) return kernel;
    const Result result = visit(kernel, 0);
    return wrapped(result.stmt, result.missing);
  }

 private:
  /// Kinds of threads of which one is to run the whole statement.
  struct Result {
    StmtPtr stmt;
    Kinds missing;
  };

  static Kinds bit(ForKind kind) { return 1U << thread_index(kind); }

  Result visit(const StmtPtr& s, Kinds inside) {
    if (const auto* n = s->as<loop::Store>()) {
      if (private_.contains(n->buffer.get())) return {s, 0};
      const auto around = around_shared_.find(n->buffer.get());
      return {s, used_ & ~(around == around_shared_.end() ? inside : inside_of(around->second))};
    }
    if (const auto* n = s->as<For>()) {
      const bool is_thread = expr::is_thread(n->kind);
      if (is_thread) stack_.push_back(n->kind);
      Result body = visit(n->body, inside | (is_thread ? bit(n->kind) : 0));
      if (is_thread) stack_.pop_back();
      if (expr::is_block(n->kind)) return {loop::with_children(s, {wrapped(body.stmt, body.missing)}), 0};
      return {loop::with_children(s, {body.stmt}), body.missing};
    }
    if (const auto* n = s->as<loop::Seq>()) return sequence(s, *n, inside);
    if (const auto* n = s->as<loop::Allocate>()) {
      around_shared_.erase(n->buffer.get());
      if (n->buffer->scope == expr::kSharedScope) around_shared_[n->buffer.get()] = stack_.size();
      const Result body = visit(n->body, inside);
      return {loop::with_children(s, {wrapped(body.stmt, body.missing)}), 0};
    }
    if (s->as<loop::IfThenElse>()) {
      std::vector<Result> branches;
      for (const StmtPtr& child : loop::children(s)) branches.push_back(visit(child, inside));
      const bool alike = branches.size() == 1 || branches[0].missing == branches[1].missing;
      std::vector<StmtPtr> children;
      for (const Result& r : branches) children.push_back(alike ? r.stmt : wrapped(r.stmt, r.missing));
      return {loop::with_children(s, children), alike ? branches[0].missing : 0};
    }
    return {s, 0};
  }

  Kinds inside_of(std::size_t depth) const {
    Kinds inside = 0;
    for (std::size_t i = depth; i < stack_.size(); ++i) inside |= bit(stack_[i]);
    return inside;
  }

  /// Statements that follow each other and want the same get one loop around all of them.
  Result sequence(const StmtPtr& s, const loop::Seq& n, Kinds inside) {
    std::vector<Result> runs;
    bool is_the_same = true;
    for (const StmtPtr& child : n.body) {
      Result result = visit(child, inside);
      is_the_same &= result.stmt == child;
      if (!runs.empty() && runs.back().missing == result.missing) {
        runs.back().stmt = loop::seq({runs.back().stmt, result.stmt});
      } else {
        runs.push_back(std::move(result));
      }
    }
    if (runs.empty()) return {s, 0};
    if (runs.size() == 1) return {is_the_same ? s : runs[0].stmt, runs[0].missing};
    std::vector<StmtPtr> list;
    for (const Result& r : runs) list.push_back(wrapped(r.stmt, r.missing));
    return {loop::seq(list), 0};
  }

  StmtPtr wrapped(StmtPtr s, Kinds missing) {
    for (std::size_t k = 0; k < kThreadKinds; ++k) {
      if ((missing & (1U << k)) == 0) continue;
      std::string name = std::string("one.") + "xyz"[k];
      while (!names_.insert(name).second) name += '_';
      s = loop::make_for(expr::make_var(name), 1, std::move(s), thread_kind(k));
    }
    return s;
  }

  std::unordered_set<std::string>& names_;
  Kinds used_ = 0;
  std::unordered_set<const loop::Buffer*> private_;
  std::unordered_map<const loop::Buffer*, std::size_t> around_shared_;  ///< loops over threads around it
  std::vector<ForKind> stack_;
};

}  // namespace

void check_kernels(const loop::Func& func) {
  grid::map_kernels(func.body, [](const StmtPtr& kernel) {
    KernelChecker(kernel, Threads::Placed);
    return kernel;
  });
}

loop::Func place_threads(const loop::Func& func) {
  std::unordered_set<std::string> names;
  for (const loop::Param& param : func.params) names.insert(param.buffer->name);
  loop::visit(func.body, [&](const StmtPtr& s) {
    if (const auto* n = s->as<For>()) names.insert(n->var->name);
    if (const auto* n = s->as<loop::Allocate>()) names.insert(n->buffer->name);
  });
  const StmtPtr body = grid::map_kernels(func.body, [&](const StmtPtr& kernel) {
    KernelChecker(kernel, Threads::ToBePlaced);
    return Placer(kernel, names).run(kernel);
  });
  return body == func.body ? func : loop::Func{func.name, func.params, body};
}

}  // namespace vdla::passes
