// SPDX-License-Identifier: Apache-2.0
// The verifier.
#include "compiler/loop/verify.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "compiler/expr/simplify.h"
#include "compiler/expr/tensor.h"
#include "compiler/loop/print.h"
#include "compiler/loop/ranges.h"
#include "compiler/loop/visit.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::loop {
namespace {

/// Error of an index that is outside of its buffer.
class IndexError : public UserError {
 public:
  IndexError(const std::string& message, std::string name) : UserError(message), buffer(std::move(name)) {}

  std::string buffer;
};

class Verifier {
 public:
  Verifier(const Func& func, bool strict) : func_(func), strict_(strict) {}

  void run() {
    for (const Param& param : func_.params) enter(param.buffer, "parameters");
    statement(func_.body);
  }

  /// Whether every index of a store to the buffer has bounds. Passes make buffers of a buffer that have its
  /// name with a point and more behind it.
  bool indices_have_bounds(std::string_view buffer) const {
    return std::ranges::none_of(without_bounds_, [&](const std::string& name) {
      return buffer.starts_with(name) && (buffer.size() == name.size() || buffer[name.size()] == '.');
    });
  }

 private:
  std::string fault(const std::string& where, const std::string& message) const {
    return "function '" + func_.name + "', at '" + where + "': " + message;
  }

  void require(bool condition, const std::string& where, const std::string& message) const {
    VDLA_CHECK_USER(condition) << fault(where, message);
  }

  /// The statement is printed where something is wrong with it only: printing takes as long as all inside of
  /// it.
  void require(bool condition, const StmtPtr& where, const std::string& message) const {
    if (!condition) require(false, first_line(where), message);
  }

  static std::string first_line(const StmtPtr& s) {
    std::string text = to_string(s);
    return text.substr(0, text.find('\n'));
  }

  template <class Where>
  void enter(const BufferPtr& buffer, const Where& where) {
    require(names_.insert(buffer->name).second, where,
            "the name '" + buffer->name + "' is already in use here");
    buffers_.insert(buffer.get());
  }
  void leave(const BufferPtr& buffer) {
    names_.erase(buffer->name);
    buffers_.erase(buffer.get());
  }

  void statement(const StmtPtr& s) {
    std::visit(overloaded{
                   [&](const For& n) { for_loop(s, n); },
                   [&](const Allocate& n) {
                     enter(n.buffer, s);
                     statement(n.body);
                     leave(n.buffer);
                   },
                   [&](const Store& n) {
                     expressions(s);
                     write(s, n.buffer);
                     indices(s, n.buffer, n.indices, ranges_);
                   },
                   [&](const IfThenElse& n) { conditional(s, n); },
                   [&](const Seq& n) {
                     for (const StmtPtr& child : n.body) statement(child);
                   },
                   [&](const IntrinsicCall& n) {
                     expressions(s);
                     for (const Region& region : n.outputs) write(s, region.buffer);
                     for (const Region& region : n.inputs) use(s, region.buffer);
                   },
                   [&](const Tensorize& n) { statement(n.body); },
               },
               s->node);
  }

  void for_loop(const StmtPtr& s, const For& n) {
    expressions(s);
    bool constant = expr::as_constant(n.extent).has_value();
    bool needs = n.kind == ForKind::Vectorized || n.kind == ForKind::Unrolled || n.kind == ForKind::VThread;
    require(constant || !needs, s, "a " + std::string(name(n.kind)) + " loop needs a constant extent");
    require(names_.insert(n.var->name).second, s, "the name '" + n.var->name + "' is already in use here");
    const auto values = values_of(n, ranges_);
    const bool known = values.has_value();
    if (known) ranges_[n.var] = *values;
    variables_.insert(n.var);
    const bool outer = std::exchange(all_run_, all_run_ && known && constant && expr::as_constant(n.min));
    statement(n.body);
    all_run_ = outer;
    variables_.erase(n.var);
    ranges_.erase(n.var);
    names_.erase(n.var->name);
  }

  void conditional(const StmtPtr& s, const IfThenElse& n) {
    expressions(s);
    expr::Ranges outer = ranges_;
    const bool outer_runs = std::exchange(all_run_, false);
    ranges_ = expr::assume(n.condition, ranges_);
    statement(n.then_body);
    ranges_ = std::move(outer);
    if (n.else_body) statement(n.else_body);
    all_run_ = outer_runs;
  }

  void use(const StmtPtr& s, const BufferPtr& buffer) const {
    require(buffers_.contains(buffer.get()), s,
            "buffer '" + buffer->name + "' is neither a parameter nor allocated around this");
  }

  void write(const StmtPtr& s, const BufferPtr& buffer) const {
    use(s, buffer);
    for (const Param& param : func_.params) {
      require(param.buffer != buffer || param.direction != Direction::In, s,
              "parameter '" + buffer->name + "' of direction in is written");
    }
  }

  void indices(const StmtPtr& s, const BufferPtr& buffer, const std::vector<ExprPtr>& list,
               const expr::Ranges& ranges) {
    for (std::size_t d = 0; d < list.size(); ++d) {
      auto range = expr::bounds(list[d], ranges);
      bool linear = expr::to_affine(list[d]).is_linear();
      if (!linear) {
        // An index that simplifies to a linear one is linear: else passes would turn a function that is taken
        // into one that is refused.
        const ExprPtr simple = expr::simplify(list[d], ranges);
        linear = expr::to_affine(simple).is_linear();
        if (linear) range = expr::bounds(simple, ranges);
      }
      if (!range) without_bounds_.insert(buffer->name);
      const bool outside = range && (range->high < 0 || range->low >= buffer->shape[d]);
      const bool reached = range && (strict_ || (all_run_ && linear));
      if (!outside && (!reached || (range->low >= 0 && range->high < buffer->shape[d]))) continue;
      const expr::Interval reach = range.value_or(expr::Interval{});
      const std::string rule = outside ? "is never in"
                                       : "goes from " + std::to_string(reach.low) + " to " +
                                             std::to_string(reach.high) + ", needs";
      throw IndexError(fault(first_line(s), "index '" + to_string(list[d]) + "' of '" + buffer->name + "' " +
                                                rule + " [0, " + std::to_string(buffer->shape[d]) + ")"),
                       buffer->name);
    }
  }

  void expressions(const StmtPtr& s) const {
    map_expressions(s, [&](const ExprPtr& e) {
      expr::visit(e, [&](const ExprPtr& part) { node(s, part); });
      return e;
    });
  }

  void node(const StmtPtr& s, const ExprPtr& e) const {
    std::visit(
        overloaded{
            [&](const expr::VarRef& n) {
              require(variables_.contains(n.var), s,
                      "variable '" + n.var->name + "' is used outside of its loop");
            },
            [&](const expr::Load& n) { use(s, n.buffer); },
            [&](const expr::Read& n) {
              require(false, s, "tensor '" + expr::tensor_of(n).name() + "' is read; lower it first");
            },
            [&](const expr::Reduce&) { require(false, s, "a reduction expression is left; lower it first"); },
            [](const auto&) {},
        },
        e->node);
  }

  const Func& func_;
  const bool strict_;  ///< an index counts where a condition stands around it, too
  std::unordered_set<std::string> names_;
  std::unordered_set<const Buffer*> buffers_;
  std::unordered_set<VarPtr> variables_;
  expr::Ranges ranges_;
  std::set<std::string> without_bounds_;  ///< buffers that are stored to at an index without bounds
  bool all_run_ = true;                   ///< no condition around this, and every loop has constant bounds
};

}  // namespace

void verify(const Func& func) { Verifier(func, false).run(); }

void verify_result(const std::string& pass, const Func& func, const Func& result) {
  try {
    verify(result);
  } catch (const UserError& error) {
    Verifier guarded(func, true);
    guarded.run();
    const auto* outside = dynamic_cast<const IndexError*>(&error);
    if (outside != nullptr && !guarded.indices_have_bounds(outside->buffer))
      throw UserError(pass + " finds an index outside of its buffer: " + error.what());
    throw InternalError(pass + " breaks its function: " + error.what());
  }
}

}  // namespace vdla::loop
