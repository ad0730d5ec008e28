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
    for (const Tensor& input : expr::inputs_of(tensor.compute())) add(input.first());
    order.push_back(tensor);
  };
  for (const Tensor& output : outputs) add(output.first());
  return order;
}

ExprPtr redirect_reads(const ExprPtr& body, const Tensor& from, const Tensor& to) {
  return expr::rewrite(body, [&](const ExprPtr& e) {
    const auto* read = e->as<expr::Read>();
    return read && expr::tensor_of(*read) == from ? expr::read(to, read->indices) : e;
  });
}

std::vector<ExprPtr> as_indices(const std::vector<IterVar>& axes) {
  std::vector<ExprPtr> indices;
  for (const IterVar& axis : axes) indices.push_back(expr::var_ref(axis.var()));
  return indices;
}

bool reads(const Stage& stage, const Tensor& tensor) {
  std::vector<Tensor> inputs = expr::inputs_of(stage.compute());
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](const Tensor& input) { return input.node() == tensor.node(); });
}

void require_scope(const std::string& scope, const Tensor& tensor, const char* request) {
  VDLA_CHECK_USER(!scope.empty()) << request << " of '" << tensor.name()
                                  << "' needs the name of a memory, got none";
}

}  // namespace

Schedule::Schedule(std::vector<Tensor> outputs) : outputs_(std::move(outputs)) {
  VDLA_CHECK_USER(!outputs_.empty()) << "a schedule needs at least one output";
  for (const Tensor& output : outputs_) {
    VDLA_CHECK_USER(output.defined() && !output.is_placeholder())
        << "an output of a schedule must be computed, got a placeholder";
  }
  for (const Tensor& tensor : needed_computes(outputs_)) {
    bool is_stored = std::any_of(outputs_.begin(), outputs_.end(),
                                 [&](const Tensor& output) { return output.first() == tensor; });
    stages_.push_back(
        std::make_unique<Stage>(tensor, tensor.compute(), is_stored, label_for(tensor.name()), log_));
  }
}

Stage* Schedule::find(const Tensor& tensor) const {
  for (const auto& stage : stages_) {
    if (stage->tensor().node() == tensor.node()) return stage.get();
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

std::string Schedule::label_for(const std::string& name) const {
  const auto same = std::ranges::count(stages_, name, [](const auto& stage) { return stage->name(); });
  return same == 0 ? name : name + "@" + std::to_string(same + 1);
}

std::string Schedule::label_of(const Tensor& tensor) const {
  const Stage* stage = find(tensor);
  return stage && stage->name() == tensor.name() ? stage->label() : tensor.name();
}

std::vector<std::string> Schedule::part_names(const Tensor& tensor, const std::string& suffix) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < tensor.part_count(); ++i)
    names.push_back(unique_name(tensor.part(i).name() + suffix));
  return names;
}

/// A stage that a primitive makes; what it does to it is part of that primitive's line in the log.
void Schedule::add_stage(const Tensor& tensor, const std::string& scope) {
  stages_.push_back(std::make_unique<Stage>(tensor, tensor.compute(), false, label_for(tensor.name()), log_));
  stages_.back()->scope_ = scope;
}

Tensor Schedule::cache_read(const Tensor& tensor, const std::string& scope,
                            const std::vector<Tensor>& readers) {
  require_scope(scope, tensor, "cache_read");
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
    stage->compute_ = expr::map_bodies(
        stage->compute_, [&](const ExprPtr& body) { return redirect_reads(body, tensor, cached); });
  }
  std::string line = "cache_read " + label_of(tensor) + " " + scope;
  for (const Tensor& reader : readers) line += " " + find(reader)->label();
  log_->push_back(line);
  add_stage(cached, scope);
  return cached;
}

Tensor Schedule::cache_write(const Tensor& tensor, const std::string& scope) {
  require_scope(scope, tensor, "cache_write");
  Stage& stage = (*this)[tensor];
  VDLA_CHECK_USER(stage.is_pristine())
      << "cache_write of '" << tensor.name() << "' must come before its loops are changed";
  VDLA_CHECK_USER(!stage.compute().recurrence)
      << "cache_write of '" << tensor.name()
      << "': it is a scan, which reads what it writes; cache its update";
  std::vector<IterVar> axes;
  expr::Substitution renamed;
  for (const IterVar& axis : stage.compute().axes) {
    axes.emplace_back(axis.name(), axis.extent(), expr::IterKind::Spatial);
    renamed[axis.var()] = expr::var_ref(axes.back().var());
  }
  std::vector<ExprPtr> bodies, copies;
  for (const ExprPtr& body : stage.compute().bodies()) bodies.push_back(expr::substitute(body, renamed));
  Tensor cached = expr::compute_together(part_names(tensor, "." + scope), axes, bodies)[0];
  std::vector<IterVar> own = stage.compute().axes;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    copies.push_back(expr::read(cached.part(i), as_indices(own)));
  stage.reset(Compute{own, copies[0], {copies.begin() + 1, copies.end()}});
  log_->push_back("cache_write " + stage.label() + " " + scope);
  add_stage(cached, scope);
  return cached.part(tensor.part());
}

std::vector<const Stage*> Schedule::stages() const {
  std::vector<const Stage*> order;
  std::function<void(const Stage*)> add = [&](const Stage* stage) {
    if (std::find(order.begin(), order.end(), stage) != order.end()) return;
    for (const Tensor& input : expr::inputs_of(stage->compute())) {
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
