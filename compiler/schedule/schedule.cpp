// SPDX-License-Identifier: Apache-2.0
// Stages of a schedule, their order, and the caching primitives.
#include "compiler/schedule/schedule.h"

#include <algorithm>
#include <functional>

#include "compiler/expr/visit.h"
#include "support/error.h"

namespace vdla::schedule {
namespace {

using expr::ExprPtr;

/// Computes that `outputs` need, producers first.
std::vector<Tensor> needed_computes(const std::vector<Tensor>& outputs) {
  std::vector<Tensor> order, seen;
  std::function<void(const Tensor&)> add = [&](const Tensor& tensor) {
    if (std::find(seen.begin(), seen.end(), tensor) != seen.end()) return;
    seen.push_back(tensor);
    if (tensor.is_placeholder()) return;
    for (const Tensor& input : expr::inputs_of(tensor.compute().body)) add(input);
    order.push_back(tensor);
  };
  for (const Tensor& output : outputs) add(output);
  return order;
}

ExprPtr redirect_reads(const ExprPtr& body, const Tensor& from, const Tensor& to) {
  return expr::rewrite(body, [&](const ExprPtr& e) {
    const auto* read = e->as<expr::Read>();
    return read && Tensor(read->tensor) == from ? expr::read(to, read->indices) : e;
  });
}

std::vector<ExprPtr> as_indices(const std::vector<IterVar>& axes) {
  std::vector<ExprPtr> indices;
  for (const IterVar& axis : axes) indices.push_back(expr::var_ref(axis.var()));
  return indices;
}

bool reads(const Stage& stage, const Tensor& tensor) {
  std::vector<Tensor> inputs = expr::inputs_of(stage.compute().body);
  return std::find(inputs.begin(), inputs.end(), tensor) != inputs.end();
}

}  // namespace

Schedule::Schedule(std::vector<Tensor> outputs) : outputs_(std::move(outputs)) {
  VDLA_CHECK_USER(!outputs_.empty()) << "a schedule needs at least one output";
  for (const Tensor& output : outputs_) {
    VDLA_CHECK_USER(output.defined() && !output.is_placeholder())
        << "an output of a schedule must be computed, got a placeholder";
  }
  for (const Tensor& tensor : needed_computes(outputs_)) {
    stages_.push_back(std::make_unique<Stage>(tensor, tensor.compute(), is_output(tensor)));
  }
}

Stage* Schedule::find(const Tensor& tensor) const {
  for (const auto& stage : stages_) {
    if (stage->tensor() == tensor) return stage.get();
  }
  return nullptr;
}

Stage& Schedule::operator[](const Tensor& tensor) { return const_cast<Stage&>(std::as_const(*this)[tensor]); }

const Stage& Schedule::operator[](const Tensor& tensor) const {
  Stage* stage = find(tensor);
  VDLA_CHECK_USER(stage) << "tensor '" << tensor.name() << "' has no stage: it is "
                         << (tensor.is_placeholder() ? "a placeholder" : "not needed by the outputs");
  return *stage;
}

bool Schedule::has_stage(const Tensor& tensor) const { return find(tensor) != nullptr; }

bool Schedule::is_output(const Tensor& tensor) const {
  return std::find(outputs_.begin(), outputs_.end(), tensor) != outputs_.end();
}

std::string Schedule::unique_name(const std::string& wanted) const {
  auto taken = [&](const std::string& name) {
    return std::any_of(stages_.begin(), stages_.end(), [&](const auto& s) { return s->name() == name; });
  };
  std::string name = wanted;
  for (int i = 1; taken(name); ++i) name = wanted + "." + std::to_string(i);
  return name;
}

Tensor Schedule::cache_read(const Tensor& tensor, const std::string& scope,
                            const std::vector<Tensor>& readers) {
  VDLA_CHECK_USER(!readers.empty()) << "cache_read of '" << tensor.name() << "' needs at least one reader";
  for (const Tensor& reader : readers) {
    VDLA_CHECK_USER(reads((*this)[reader], tensor))
        << "cache_read of '" << tensor.name() << "': stage '" << reader.name() << "' does not read it";
  }
  std::vector<IterVar> axes;
  for (std::size_t i = 0; i < tensor.rank(); ++i) {
    std::string name = tensor.is_placeholder() ? "ax" + std::to_string(i) : tensor.axes()[i].name();
    axes.emplace_back(name, tensor.shape()[i], expr::IterKind::Spatial);
  }
  ExprPtr body = expr::read(tensor, as_indices(axes));
  Tensor cached = expr::compute(unique_name(tensor.name() + "." + scope), axes, body);
  for (const Tensor& reader : readers) {
    Stage* stage = find(reader);
    stage->compute_.body = redirect_reads(stage->compute_.body, tensor, cached);
  }
  stages_.push_back(std::make_unique<Stage>(cached, cached.compute(), false));
  stages_.back()->set_scope(scope);
  return cached;
}

Tensor Schedule::cache_write(const Tensor& tensor, const std::string& scope) {
  Stage& stage = (*this)[tensor];
  VDLA_CHECK_USER(stage.is_pristine())
      << "cache_write of '" << tensor.name() << "' must come before its loops are changed";
  std::vector<IterVar> axes;
  expr::Substitution renamed;
  for (const IterVar& axis : stage.compute().axes) {
    axes.emplace_back(axis.name(), axis.extent(), expr::IterKind::Spatial);
    renamed[axis.var()] = expr::var_ref(axes.back().var());
  }
  ExprPtr body = expr::substitute(stage.compute().body, renamed);
  Tensor cached = expr::compute(unique_name(tensor.name() + "." + scope), axes, body);
  std::vector<IterVar> own = stage.compute().axes;
  stage.reset(Compute{own, expr::read(cached, as_indices(own))});
  stages_.push_back(std::make_unique<Stage>(cached, cached.compute(), false));
  stages_.back()->set_scope(scope);
  return cached;
}

std::vector<const Stage*> Schedule::stages() const {
  std::vector<const Stage*> order;
  std::function<void(const Stage*)> add = [&](const Stage* stage) {
    if (std::find(order.begin(), order.end(), stage) != order.end()) return;
    for (const Tensor& input : expr::inputs_of(stage->compute().body)) {
      if (const Stage* producer = find(input)) add(producer);
    }
    order.push_back(stage);
  };
  for (const Tensor& output : outputs_) add(find(output));
  return order;
}

std::vector<const Stage*> Schedule::readers_of(const Tensor& tensor) const {
  std::vector<const Stage*> readers;
  for (const Stage* stage : stages()) {
    if (reads(*stage, tensor)) readers.push_back(stage);
  }
  return readers;
}

}  // namespace vdla::schedule
