// SPDX-License-Identifier: Apache-2.0
// A declaration becomes a loop IR function over its small tensors, once for each set of attributes; a call
// gathers its operands, runs it and scatters the result.
#include "compiler/tensorize/interpret.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>

#include <fmt/format.h>

#include "compiler/expr/visit.h"
#include "compiler/intrinsics/table.h"
#include "compiler/tensorize/copy.h"
#include "support/error.h"

namespace vdla::tensorize {
namespace {

using expr::BufferPtr;
using expr::ExprPtr;

BufferPtr dense_buffer(const intrinsics::Operand& operand) {
  return expr::make_buffer(operand.role, operand.tensor.dtype(), operand.tensor.shape());
}

/// Reads of the declaration's tensors become loads of `buffers`, attributes their values.
ExprPtr bind_tensors(const ExprPtr& e, const intrinsics::Intrinsic& intrinsic,
                     const std::vector<BufferPtr>& buffers, const expr::Substitution& attributes) {
  const ExprPtr loads = expr::rewrite(e, [&](const ExprPtr& node) {
    const auto* read = node->as<expr::Read>();
    if (!read) return node;
    for (std::size_t i = 0; i < intrinsic.inputs.size(); ++i) {
      if (intrinsic.inputs[i].tensor.node() == read->tensor) return expr::load(buffers[i], read->indices);
    }
    return node;
  });
  return expr::substitute(loads, attributes);
}

loop::StmtPtr around(const std::vector<expr::IterVar>& axes, loop::StmtPtr body) {
  for (auto it = axes.rbegin(); it != axes.rend(); ++it)
    body = loop::make_for(it->var(), it->extent(), std::move(body));
  return body;
}

/// The declared step as a function: the destination, then the inputs.
loop::Func function_of(const intrinsics::Intrinsic& intrinsic, const expr::Substitution& attributes,
                       bool reset) {
  const BufferPtr dst = dense_buffer(intrinsic.output);
  loop::Func func{intrinsic.name, {{dst, loop::Direction::InOut}}, nullptr};
  std::vector<BufferPtr> buffers;
  for (const intrinsics::Operand& operand : intrinsic.inputs) {
    buffers.push_back(dense_buffer(operand));
    func.params.push_back({buffers.back(), loop::Direction::In});
  }
  const expr::Compute& compute = intrinsic.behaviour;
  std::vector<ExprPtr> at;
  for (const expr::IterVar& axis : compute.axes) at.push_back(expr::var_ref(axis.var()));
  const expr::Reduce* reduction = compute.reduction();
  ExprPtr value =
      bind_tensors(reduction ? reduction->sources[0] : compute.body, intrinsic, buffers, attributes);
  std::vector<loop::StmtPtr> body;
  if (intrinsic.accumulates) {
    if (reset) {
      // Axes have one variable each, so the initialisation gets its own.
      std::vector<expr::IterVar> axes;
      std::vector<ExprPtr> first;
      for (const expr::IterVar& axis : compute.axes) {
        axes.emplace_back(axis.name() + "0", axis.extent(), expr::IterKind::Spatial);
        first.push_back(expr::var_ref(axes.back().var()));
      }
      body.push_back(
          around(axes, loop::store(dst, first, expr::identity(*intrinsic.accumulates, dst->dtype))));
    }
    value = expr::combine(*intrinsic.accumulates, expr::load(dst, at), value);
  }
  loop::StmtPtr update = loop::store(dst, at, value);
  if (reduction) update = around(compute.reduce_axes(), std::move(update));
  body.push_back(around(compute.axes, std::move(update)));
  func.body = loop::seq(body);
  return func;
}

/// Calls f(offset of the region, counter) for each element, last axis fastest.
template <class F>
void for_each_element(const loop::Region& region, F&& f) {
  std::vector<std::int64_t> at(region.extents.size(), 0);
  const std::int64_t count = loop::element_count(region);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < at.size(); ++d) offset += at[d] * region.strides[d];
    f(offset, at);
    for (std::size_t d = at.size(); d-- > 0;) {
      if (++at[d] < region.extents[d]) break;
      at[d] = 0;
    }
  }
}

std::vector<std::byte> gather(const loop::Operand& operand) {
  const auto size = static_cast<std::size_t>(expr::bytes(operand.region->buffer->dtype));
  std::vector<std::byte> dense(static_cast<std::size_t>(loop::element_count(*operand.region)) * size);
  std::byte* to = dense.data();
  for_each_element(*operand.region, [&](std::int64_t offset, const auto&) {
    std::memcpy(to, operand.at(offset), size);
    to += size;
  });
  return dense;
}

void scatter(const std::vector<std::byte>& dense, const loop::Operand& operand) {
  const auto size = static_cast<std::size_t>(expr::bytes(operand.region->buffer->dtype));
  const std::byte* from = dense.data();
  for_each_element(*operand.region, [&](std::int64_t offset, const auto&) {
    std::memcpy(operand.at(offset), from, size);
    from += size;
  });
}

/// base + sum(coefficients * counters) >= 0.
struct CopyBound {
  std::int64_t base;
  std::vector<std::int64_t> coefficients;
};

void copy(const loop::IntrinsicExecution& execution) {
  const loop::IntrinsicCall& call = execution.call;
  const std::size_t rank = call.outputs[0].extents.size();
  const auto value = [&](const std::string& name) -> std::optional<std::int64_t> {
    for (std::size_t i = 0; i < call.attributes.size(); ++i) {
      if (call.attributes[i].name == name) return execution.attributes[i];
    }
    return std::nullopt;
  };
  const auto bounds_of = [&](const char* kind) {
    std::vector<CopyBound> bounds;
    while (const auto base = value(fmt::format("{}{}", kind, bounds.size()))) {
      CopyBound bound{*base, {}};
      for (std::size_t d = 0; d < rank; ++d) {
        bound.coefficients.push_back(value(fmt::format("{}{}.{}", kind, bounds.size(), d)).value_or(0));
      }
      bounds.push_back(std::move(bound));
    }
    return bounds;
  };
  const std::vector<CopyBound> bounds = bounds_of(intrinsics::kBound), guards = bounds_of(intrinsics::kGuard);
  const auto pad = value("pad");
  const bool constant = call.inputs.empty();
  for_each_element(call.outputs[0], [&](std::int64_t offset, const std::vector<std::int64_t>& at) {
    const auto holds = [&](const CopyBound& bound) {
      std::int64_t sum = bound.base;
      for (std::size_t d = 0; d < rank; ++d) sum += bound.coefficients[d] * at[d];
      return sum >= 0;
    };
    if (!std::ranges::all_of(guards, holds)) return;
    if (!constant && std::ranges::all_of(bounds, holds)) {
      std::int64_t source = 0;
      for (std::size_t d = 0; d < rank; ++d) source += at[d] * call.inputs[0].strides[d];
      execution.outputs[0].store(offset, execution.inputs[0].load(source));
    } else if (pad) {
      execution.outputs[0].store(offset, *pad);
    }
  });
}

/// Functions of declarations by declaration, attributes and reset. Calls may come from several threads.
class Steps {
 public:
  explicit Steps(std::vector<intrinsics::Intrinsic> table) : table_(std::move(table)) {}

  void run(const loop::IntrinsicExecution& execution) {
    if (execution.call.name == intrinsics::kLoad || execution.call.name == intrinsics::kStore)
      return copy(execution);
    const intrinsics::Intrinsic* intrinsic = find(table_, execution.call);
    VDLA_CHECK_USER(intrinsic) << "no intrinsic '" << execution.call.name
                               << "' of this device has these operands";
    const loop::Interpreter& step = function(*intrinsic, execution);
    std::vector<std::vector<std::byte>> data{gather(execution.outputs[0])};
    for (const loop::Operand& operand : execution.inputs) data.push_back(gather(operand));
    std::vector<std::span<std::byte>> arguments(data.begin(), data.end());
    step.run(arguments);
    scatter(data[0], execution.outputs[0]);
  }

 private:
  const loop::Interpreter& function(const intrinsics::Intrinsic& intrinsic,
                                    const loop::IntrinsicExecution& execution) {
    const std::scoped_lock lock(mutex_);
    Key key{&intrinsic, {execution.attributes.begin(), execution.attributes.end()}, execution.reset};
    const auto it = functions_.find(key);
    if (it != functions_.end()) return it->second;
    expr::Substitution values;
    for (const intrinsics::FreeAttribute& attribute : intrinsic.attributes) {
      for (std::size_t i = 0; i < execution.call.attributes.size(); ++i) {
        if (execution.call.attributes[i].name != attribute.variable->name) continue;
        values[attribute.variable] = expr::int_imm(execution.attributes[i], attribute.variable->dtype);
      }
    }
    return functions_
        .emplace(std::move(key), loop::Interpreter(function_of(intrinsic, values, execution.reset)))
        .first->second;
  }

  using Key = std::tuple<const intrinsics::Intrinsic*, std::vector<std::int64_t>, bool>;
  std::vector<intrinsics::Intrinsic> table_;
  std::mutex mutex_;
  std::map<Key, loop::Interpreter> functions_;
};

}  // namespace

loop::IntrinsicHandler interpret_calls(std::vector<intrinsics::Intrinsic> table) {
  return [steps = std::make_shared<Steps>(std::move(table))](const loop::IntrinsicExecution& execution) {
    steps->run(execution);
  };
}

}  // namespace vdla::tensorize
