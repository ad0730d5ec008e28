// SPDX-License-Identifier: Apache-2.0
// A function is compiled into a small tree of steps once (index expressions, tasks, where instances end),
// then the tree is run.
#include "compiler/codegen/vdla/walker.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/codegen/vdla/compute.h"
#include "compiler/expr/print.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::codegen {

SramAllocators make_allocators(const isa::Geometry& geometry) {
  SramAllocators result;
  for (const isa::NamedCode& row : isa::kBuffers) {
    const auto buffer = static_cast<isa::Buffer>(row.code);
    result.emplace_back(geometry.depth(buffer), buffer == isa::Buffer::Acc ? isa::kAccBanks : 1);
  }
  return result;
}

namespace {

struct Step;
using StepPtr = std::unique_ptr<Step>;

struct LoopStep {
  std::string name;
  std::size_t slot;
  Index min, extent;
  StepPtr body;
};
struct BranchStep {
  expr::ExprPtr condition;
  StepPtr then_body, else_body;
};
/// After child i, the instances in ends[i] give back their space.
struct BlockStep {
  std::vector<StepPtr> children;
  std::vector<std::vector<const expr::Buffer*>> ends;
};
struct TaskStep {
  Task task;
};
struct Step {
  std::variant<LoopStep, BranchStep, BlockStep, TaskStep> node;
};

template <class T>
StepPtr make_step(T node) {
  return std::make_unique<Step>(Step{std::move(node)});
}

/// An allocation that is in scope.
struct Instance {
  isa::Buffer buffer;
  std::int64_t entries;
  std::int64_t entry_elements;
  std::optional<std::int64_t> base;
};

class Walker {
 public:
  Walker(const loop::Func& func, std::span<const Place> places, std::span<const tensorize::Intrinsic> table,
         const isa::Geometry& geometry, WalkOutput output)
      : table_(table), geometry_(geometry), output_(output) {
    VDLA_CHECK_USER(places.size() == func.params.size())
        << "has " << func.params.size() << " parameters, got places for " << places.size();
    for (std::size_t i = 0; i < places.size(); ++i) bind(*func.params[i].buffer, places[i]);
  }

  void walk(const loop::StmtPtr& body) { run(*compile(body)); }

 private:
  void bind(const expr::Buffer& param, const Place& place) {
    if (const DramPlace* dram = place.dram()) {
      VDLA_CHECK_USER(param.scope == expr::kGlobalScope)
          << "parameter '" << param.name << "' has scope '" << param.scope << "', its place is in DRAM";
      params_[&param] = *dram;
    } else {
      declare(param);
      instances_.at(&param).base = place.sram()->first;
    }
  }

  StepPtr compile(const loop::StmtPtr& s) {
    std::vector<const loop::Stmt*> outside;
    if (auto task = make_task(s, table_, environment_, outside))
      return compile_nest(std::move(*task), outside);
    return std::visit(
        overloaded{
            [&](const loop::For& n) { return compile_loop(n, compile(n.body)); },
            [&](const loop::IfThenElse& n) {
              return make_step(BranchStep{n.condition, compile(n.then_body),
                                          n.else_body ? compile(n.else_body) : nullptr});
            },
            [&](const loop::Allocate&) { return compile_block(s); },
            [&](const loop::Seq&) { return compile_block(s); },
            [&](const loop::Tensorize& n) {
              return refuse(fmt::format("'{}' is not tensorized yet; run the tensorize pass", n.intrinsic));
            },
            [&](const loop::Store& n) {
              return refuse(
                  fmt::format("a scalar store to '{}' is left; tensorize its stage", n.buffer->name));
            },
            [&](const loop::IntrinsicCall&) { return refuse("an intrinsic call that is no task"); },
        },
        s->node);
  }

  StepPtr refuse(const std::string& reason) const {
    VDLA_CHECK_USER(false) << reason;
    return nullptr;
  }

  StepPtr compile_loop(const loop::For& n, StepPtr body) {
    const std::size_t slot = environment_.slot(n.var);
    return make_step(LoopStep{n.var->name, slot, Index(tensorize::to_linear(n.min), environment_),
                              Index(tensorize::to_linear(n.extent), environment_), std::move(body)});
  }

  StepPtr compile_nest(Task task, const std::vector<const loop::Stmt*>& outside) {
    StepPtr step = make_step(TaskStep{std::move(task)});
    for (auto it = outside.rbegin(); it != outside.rend(); ++it) {
      if (const auto* n = (*it)->as<loop::For>()) {
        step = compile_loop(*n, std::move(step));
      } else {
        step = make_step(BranchStep{(*it)->as<loop::IfThenElse>()->condition, std::move(step), nullptr});
      }
    }
    return step;
  }

  /// Takes blocks in blocks apart. An allocation ends after the last statement that uses it.
  StepPtr compile_block(const loop::StmtPtr& s) {
    std::vector<loop::StmtPtr> children;
    std::vector<const expr::Buffer*> allocated;
    flatten(s, children, allocated);
    BlockStep block;
    block.ends.resize(children.size());
    for (const loop::StmtPtr& child : children) block.children.push_back(compile(child));
    for (const expr::Buffer* buffer : allocated) {
      for (std::size_t i = children.size(); i-- > 0;) {
        if (!uses(children[i], buffer)) continue;
        block.ends[i].push_back(buffer);
        break;
      }
    }
    return make_step(std::move(block));
  }

  void flatten(const loop::StmtPtr& s, std::vector<loop::StmtPtr>& children,
               std::vector<const expr::Buffer*>& allocated) {
    if (const auto* n = s->as<loop::Allocate>()) {
      declare(*n->buffer);
      allocated.push_back(n->buffer.get());
      flatten(n->body, children, allocated);
    } else if (const auto* sequence = s->as<loop::Seq>()) {
      for (const loop::StmtPtr& child : sequence->body) flatten(child, children, allocated);
    } else {
      children.push_back(s);
    }
  }

  static bool uses(const loop::StmtPtr& s, const expr::Buffer* buffer) {
    return std::visit(
        overloaded{
            [&](const loop::For& n) { return uses(n.body, buffer); },
            [&](const loop::Allocate& n) { return uses(n.body, buffer); },
            [&](const loop::Store& n) { return n.buffer.get() == buffer; },
            [&](const loop::IfThenElse& n) {
              return uses(n.then_body, buffer) || (n.else_body && uses(n.else_body, buffer));
            },
            [&](const loop::Seq& n) {
              return std::ranges::any_of(n.body, [&](const auto& c) { return uses(c, buffer); });
            },
            [&](const loop::Tensorize& n) { return uses(n.body, buffer); },
            [&](const loop::IntrinsicCall& n) {
              const auto is_it = [&](const loop::Region& r) { return r.buffer.get() == buffer; };
              return std::ranges::any_of(n.outputs, is_it) || std::ranges::any_of(n.inputs, is_it);
            },
        },
        s->node);
  }

  void declare(const expr::Buffer& b) {
    const auto buffer = tensorize::buffer_of(b.scope);
    VDLA_CHECK_USER(buffer && *buffer != isa::Buffer::Uop)
        << "buffer '" << b.name << "' has scope '" << b.scope
        << "', needs inp, wgt, acc, out or par; compute its stage in one of them, or inline it";
    VDLA_CHECK_USER(b.dtype == tensorize::dtype_of(*buffer))
        << "buffer '" << b.name << "' of scope '" << b.scope << "' must be "
        << expr::name(tensorize::dtype_of(*buffer)) << ", is " << expr::name(b.dtype);
    const std::int64_t elements = geometry_.entry_bytes(*buffer) / expr::bytes(b.dtype);
    instances_[&b] = {*buffer, (expr::storage_size(b) + elements - 1) / elements, elements, std::nullopt};
  }

  void run(const Step& step) {
    std::visit(overloaded{
                   [&](const LoopStep& n) {
                     const std::int64_t min = n.min.evaluate(environment_);
                     const std::int64_t end = min + n.extent.evaluate(environment_);
                     running_.push_back(&n);
                     for (std::int64_t i = min; i < end; ++i) {
                       environment_.set(n.slot, i);
                       run(*n.body);
                     }
                     running_.pop_back();
                   },
                   [&](const BranchStep& n) {
                     const StepPtr& chosen =
                         environment_.evaluate(n.condition) != 0 ? n.then_body : n.else_body;
                     if (chosen) run(*chosen);
                   },
                   [&](const BlockStep& n) {
                     for (std::size_t i = 0; i < n.children.size(); ++i) {
                       run(*n.children[i]);
                       for (const expr::Buffer* buffer : n.ends[i]) release(*buffer);
                     }
                   },
                   [&](const TaskStep& n) { run_task(n); },
               },
               step.node);
  }

  void release(const expr::Buffer& b) {
    Instance& instance = instances_.at(&b);
    if (!instance.base) return;
    output_.sram[static_cast<std::size_t>(instance.buffer)].give_back(*instance.base);
    instance.base.reset();
  }

  SramPlace place(const expr::Buffer& b) {
    const auto it = instances_.find(&b);
    VDLA_CHECK_USER(it != instances_.end())
        << "buffer '" << b.name << "' must be in scope '" << b.scope << "', but is not allocated";
    Instance& instance = it->second;
    SramAllocator& allocator = output_.sram[static_cast<std::size_t>(instance.buffer)];
    if (!instance.base) instance.base = allocator.take(instance.entries);
    VDLA_CHECK_USER(instance.base) << "buffer '" << b.name << "' needs " << instance.entries << " entries of "
                                   << b.scope << ", which has " << allocator.largest_gap()
                                   << " together free of " << allocator.depth()
                                   << taken_by_others(instance.buffer) << "; use a tile of at most "
                                   << allocator.largest_gap() << " entries";
    return {*instance.base, instance.entry_elements};
  }

  std::string taken_by_others(isa::Buffer buffer) const {
    std::vector<std::string> others;
    for (const auto& [b, other] : instances_) {
      if (other.buffer == buffer && other.base)
        others.push_back(fmt::format("'{}' {}", b->name, other.entries));
    }
    std::ranges::sort(others);
    return others.empty() ? "" : fmt::format(" (taken: {})", fmt::join(others, ", "));
  }

  void run_task(const TaskStep& n) {
    NestInstance nest = instantiate(n.task, environment_);
    if (!normalize(nest)) return;
    output_.sources.push_back(describe(n.task));
    try {
      n.task.intrinsic ? run_compute(n, nest) : run_copy(n, nest);
    } catch (const UserError& error) {
      throw UserError(n.task.text + ": " + error.what());
    }
  }

  /// "y.o=1 n.o=0: gemm acc over y:4 x:8".
  std::string describe(const Task& task) const {
    std::string text;
    for (const LoopStep* l : running_)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", l->name, environment_.value(l->slot));
    return text.empty() ? task.text : text + ": " + task.text;
  }

  void run_compute(const TaskStep& n, const NestInstance& nest) {
    std::vector<SramPlace> places;
    for (const TaskOperand& operand : n.task.operands) places.push_back(place(*operand.buffer));
    emit_compute(n.task, nest, places, geometry_, output_.sources.size() - 1, output_.kernels,
                 output_.stream);
  }

  void run_copy(const TaskStep& n, const NestInstance& nest) {
    const std::size_t sram = n.task.call->name == tensorize::kLoad ? 0 : 1;
    if (n.task.call->inputs.empty()) {
      emit_copy(n.task, nest, place(*n.task.operands[sram].buffer), {isa::Window::Const, 0}, geometry_,
                output_.sources.size() - 1, output_.stream);
      return;
    }
    const expr::Buffer& dram = *n.task.operands[1 - sram].buffer;
    const auto it = params_.find(&dram);
    VDLA_CHECK_USER(it != params_.end())
        << "'" << dram.name << "' is no parameter; intermediate tensors in DRAM must be parameters too";
    emit_copy(n.task, nest, place(*n.task.operands[sram].buffer), it->second, geometry_,
              output_.sources.size() - 1, output_.stream);
  }

  std::span<const tensorize::Intrinsic> table_;
  const isa::Geometry& geometry_;
  WalkOutput output_;
  Environment environment_;
  std::vector<const LoopStep*> running_;  ///< outermost first
  std::unordered_map<const expr::Buffer*, DramPlace> params_;
  std::unordered_map<const expr::Buffer*, Instance> instances_;
};

}  // namespace

void walk(const loop::Func& func, const std::string& layer, std::span<const Place> places,
          std::span<const tensorize::Intrinsic> table, const isa::Geometry& geometry, WalkOutput output) {
  try {
    Walker(func, places, table, geometry, output).walk(func.body);
  } catch (const UserError& error) {
    throw UserError(fmt::format("layer '{}': {}", layer, error.what()));
  }
}

}  // namespace vdla::codegen
