// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/gpu/templates/flat.h"

#include <algorithm>

#include "compiler/targets/gpu/templates/knob_names.h"
#include "compiler/targets/gpu/templates/stages.h"
#include "support/ceil_div.h"

namespace vdla::pipeline::gpu {
namespace {

using expr::ForKind;
using expr::IterVar;
using expr::Tensor;
using schedule::Stage;

constexpr std::int64_t kFewestThreads = 32, kMostElements = 8;

/// Cycles, roughly: rounds of all processors, each of which takes as long as one thread's elements.
double flat_cost(const Flat& layer, const FlatKnobs& k, const GpuProfile& m) {
  const double each = static_cast<double>(k.elements * k.vector);
  const double blocks = static_cast<double>(ceil_div(layer.elements, k.threads * k.elements * k.vector));
  const double rounds =
      std::max(1.0, blocks * static_cast<double>(k.threads) / static_cast<double>(m.processors * m.lanes));
  // Vectors need fewer instructions where the machine has them; addresses cost the same for one or many.
  const double in_vector =
      k.vector > m.vector ? 2.0 : 1.0 - 0.1 * static_cast<double>(power_index(k.vector) - 1);
  return rounds * (10 + each * static_cast<double>(layer.terms) * in_vector);
}

}  // namespace

FlatKnobs flat_default(const Flat& layer, const GpuProfile& m) {
  FlatKnobs knobs{std::min(m.most_threads, std::max(kFewestThreads, power_above(layer.elements)))};
  if (m.shared_bytes == 0 && layer.terms == 1)
    while (knobs.vector < m.vector && layer.elements % (2 * knobs.vector) == 0) knobs.vector *= 2;
  return knobs;
}

Point point_of(const FlatKnobs& k) {
  return {power_index(k.threads, kFewestThreads), power_index(k.elements), power_index(k.vector)};
}

FlatKnobs flat_at(const Point& p) {
  return {power_at(p.at(0), kFewestThreads), power_at(p.at(1)), power_at(p.at(2))};
}

KnobSpace flat_knobs(const Flat& layer, const GpuProfile& m) {
  return {{power_knob("threads", kFewestThreads, m.most_threads), power_knob("elements", 1, kMostElements),
           power_knob("vector", 1, kMostElements)},
          {.fits =
               [=](const Point& p) {
                 const FlatKnobs k = flat_at(p);
                 return k.vector == 1 || (layer.terms == 1 && layer.elements % k.vector == 0);
               },
           .estimate = [=](const Point& p) { return flat_cost(layer, flat_at(p), m); },
           .normal = [](const Point& p) { return p; }}};
}

void schedule_flat(schedule::Schedule& s, const Tensor& tensor, const Tensor& sum, const FlatKnobs& k) {
  Tensor kept = sum;
  if (tensor.rank() == 0) return;  // one element, of one thread
  if (s[tensor].has_reduction()) kept = s.cache_write(tensor, grid::kThreadScope);
  Stage& stage = s[tensor];
  IterVar all = fuse_all(stage), lane;
  if (k.vector > 1) {
    std::tie(all, lane) = stage.split(all, k.vector);
    stage.vectorize(lane);
  }
  auto [block, thread] = stage.split(all, k.threads);
  IterVar innermost = thread;
  if (k.elements > 1) {
    const auto [outer, element] = stage.split(block, k.elements);
    block = outer;
    innermost = element;
    std::vector<IterVar> order{block, thread, element};
    stage.reorder(order).unroll(element);
  }
  stage.bind(block, ForKind::BlockX).bind(thread, ForKind::ThreadX);
  if (!kept.defined()) return;
  s[kept].set_scope(grid::kThreadScope).compute_at(stage, innermost);
}

}  // namespace vdla::pipeline::gpu
