// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/vdla/actions.h"

#include <algorithm>

#include <fmt/format.h>

#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::codegen {
namespace {

template <class T>
ActionPtr make_step(T node) {
  return std::make_unique<Action>(Action{std::move(node)});
}

class StepCompiler {
 public:
  StepCompiler(std::span<const intrinsics::Intrinsic> table, Environment& environment)
      : table_(table), environment_(environment) {}

  ActionTree tree_of(const loop::StmtPtr& body) {
    ActionPtr root = compile(body);
    return {std::move(root), std::move(allocated_)};
  }

 private:
  ActionPtr compile(const loop::StmtPtr& s) {
    std::vector<const loop::Stmt*> outside;
    if (auto task = fold_nest(s, table_, environment_, outside))
      return compile_nest(std::move(*task), outside);
    return std::visit(
        overloaded{
            [&](const loop::For& n) { return compile_loop(n, compile(n.body)); },
            [&](const loop::IfThenElse& n) {
              return make_step(BranchAction{n.condition, compile(n.then_body),
                                            n.else_body ? compile(n.else_body) : nullptr});
            },
            [&](const loop::Allocate&) { return compile_block(s); },
            [&](const loop::Seq&) { return compile_block(s); },
            [&](const loop::Tensorize& n) {
              return refuse(fmt::format("mark '{}', which form::device_rules() rule out", n.intrinsic));
            },
            [&](const loop::Store& n) {
              return refuse(
                  fmt::format("a scalar store to '{}' is left; tensorize its stage", n.buffer->name));
            },
            [&](const loop::IntrinsicCall&) { return refuse("an intrinsic call that is no task"); },
        },
        s->node);
  }

  ActionPtr refuse(const std::string& reason) const {
    VDLA_CHECK_USER(false) << reason;
    return nullptr;
  }

  ActionPtr compile_loop(const loop::For& n, ActionPtr body) {
    const std::size_t slot = environment_.slot(n.var);
    return make_step(LoopAction{n.var->name, slot, Index(expr::to_linear(n.min), environment_),
                                Index(expr::to_linear(n.extent), environment_), std::move(body)});
  }

  ActionPtr compile_nest(FoldedNest task, const std::vector<const loop::Stmt*>& outside) {
    ActionPtr step = make_step(NestAction{std::move(task)});
    for (auto it = outside.rbegin(); it != outside.rend(); ++it) {
      if (const auto* n = (*it)->as<loop::For>()) {
        step = compile_loop(*n, std::move(step));
      } else {
        step = make_step(BranchAction{(*it)->as<loop::IfThenElse>()->condition, std::move(step), nullptr});
      }
    }
    return step;
  }

  /// Takes blocks in blocks apart. An allocation ends after the last statement that uses it.
  ActionPtr compile_block(const loop::StmtPtr& s) {
    std::vector<loop::StmtPtr> children;
    std::vector<const expr::Buffer*> allocated;
    flatten(s, children, allocated);
    BlockAction block;
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
      allocated_.push_back(n->buffer.get());
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

  std::span<const intrinsics::Intrinsic> table_;
  Environment& environment_;
  std::vector<const expr::Buffer*> allocated_;
};

}  // namespace

ActionTree compile_actions(const loop::StmtPtr& body, std::span<const intrinsics::Intrinsic> table,
                           Environment& environment) {
  return StepCompiler(table, environment).tree_of(body);
}

}  // namespace vdla::codegen
