// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/stage_plan.h"

#include <algorithm>

namespace vdla::lower {

using expr::ExprPtr;
using expr::Tensor;

std::vector<const StagePlan*> nest_of(const StagePlan& p) {
  std::vector<const StagePlan*> stages;
  for (const StagePlan* at = &p; at; at = at->consumer) stages.push_back(at);
  std::ranges::reverse(stages);
  return stages;
}

std::vector<const Loop*> loops_around(const StagePlan& p) {
  std::vector<const Loop*> loops;
  const std::vector<const StagePlan*> nest = nest_of(p);
  for (std::size_t i = 0; i + 1 < nest.size(); ++i)
    for (std::size_t depth = 0; depth <= nest[i + 1]->depth; ++depth) loops.push_back(&nest[i]->loops[depth]);
  return loops;
}

std::vector<std::vector<ExprPtr>> reads_of(const StagePlan& reader, const Tensor& tensor) {
  std::vector<std::vector<ExprPtr>> found;
  expr::map_bodies(reader.compute, [&](const ExprPtr& body) {
    expr::visit(body, [&](const ExprPtr& e) {
      const auto* read = e->as<expr::Read>();
      if (!read || read->tensor != tensor.node()) return;
      found.emplace_back();
      for (const ExprPtr& index : read->indices)
        found.back().push_back(expr::substitute(index, reader.axis_values));
    });
    return body;
  });
  return found;
}

const StagePlan* Plan::find(const Tensor& tensor) const {
  for (const auto& p : stages) {
    if (p->stage->tensor().node() == tensor.node()) return p.get();
  }
  return nullptr;
}

std::pair<const StagePlan*, std::size_t> Plan::find_state(const Tensor& tensor) const {
  for (const auto& p : stages) {
    if (!p->compute.recurrence) continue;
    const auto& states = p->compute.recurrence->states;
    auto found = std::find(states.begin(), states.end(), tensor.node());
    if (found != states.end()) return {p.get(), found - states.begin()};
  }
  return {nullptr, 0};
}

}  // namespace vdla::lower
