// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/gpu/templates/grid_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "compiler/graph/ops.h"
#include "compiler/intrinsics/warp.h"
#include "compiler/schedule/schedule.h"
#include "compiler/targets/cpu/kernels/composer.h"
#include "compiler/targets/gpu/templates/dots.h"
#include "compiler/targets/gpu/templates/flat.h"
#include "compiler/targets/gpu/templates/mma.h"
#include "compiler/targets/gpu/templates/shared_sums.h"
#include "compiler/targets/gpu/templates/stages.h"
#include "compiler/targets/gpu/templates/task.h"
#include "compiler/targets/gpu/templates/tiles.h"
#include "compiler/targets/gpu/templates/winograd.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::pipeline {
namespace {

using expr::Tensor;
using schedule::Schedule;

/// Rows and columns of which a tile of a product makes something: fewer share too little.
constexpr std::int64_t kFewestOutputs = 4;
/// Terms of a sum that are worth a barrier.
constexpr std::int64_t kFewestTerms = 32;
/// Templates by tensor cores.
constexpr std::string_view kTensorCores = "mma", kRoundedTensorCores = "mma-tf32";

/// A template that takes a function, with its knobs.
struct Candidate {
  GridTemplate by;
  std::function<void(const Point&)> apply;
};

/// The dimensions of a convolution or product; nothing for other nodes.
std::optional<gpu::TileDims> tile_dims(const graph::Node& node, std::size_t rank) {
  using gpu::TileDims;
  const auto product = [&](std::size_t terms) -> std::optional<TileDims> {
    if (rank == 0) return std::nullopt;
    return TileDims{rank - 1, std::nullopt, rank > 1 ? std::optional(rank - 2) : std::nullopt, terms};
  };
  const auto image = [&](std::size_t channel, std::size_t row, std::size_t column,
                         std::optional<std::size_t> terms) -> std::optional<TileDims> {
    return TileDims{channel, row, column, terms};
  };
  return std::visit(overloaded{
                        [&](const graph::Conv2d&) { return image(3, 1, 2, 2); },
                        [&](const graph::DepthwiseConv2d&) { return image(3, 1, 2, std::nullopt); },
                        [&](const graph::FullyConnected&) { return product(0); },
                        [&](const graph::BatchMatMul&) { return product(0); },
                        [&](const graph::MatMul&) { return product(0); },
                        [&](const graph::Convolve&) -> std::optional<TileDims> {
                          if (rank < 3) return std::nullopt;
                          return TileDims{1, rank > 3 ? std::optional(rank - 2) : std::nullopt, rank - 1, 0};
                        },
                        [](const auto&) -> std::optional<TileDims> { return std::nullopt; },
                    },
                    node.op);
}

/// Neighbouring channels are read together.
bool takes_packed(const graph::Graph& graph, const graph::Node& node) {
  const auto* op = std::get_if<graph::Convolve>(&node.op);
  return op && op->groups == 1 && graph.tensor(node.inputs[1]).constant();
}

bool is_softmax(const graph::Node& node) {
  return std::holds_alternative<graph::Softmax>(node.op) ||
         std::holds_alternative<graph::SoftmaxFloat>(node.op);
}

/// A group's stages, as templates look at them.
class Stages {
 public:
  /// `anchor`: the one node that is not injective, or null; `winograd`: its stages where there are some.
  Stages(Schedule& s, const Tensor& output, const graph::Node* anchor, const gpu::GpuProfile& profile,
         const std::optional<gpu::Winograd>& winograd)
      : s(s),
        output(output),
        anchor(anchor),
        profile(profile),
        winograd(winograd),
        stored(gpu::stored_stages(s, output)) {}

  /// Whether each element of the result is of what its own place has alone.
  bool is_elementwise() const { return output.rank() > 0 && !s[output].has_reduction() && stored.empty(); }
  /// Whether each element of the result is of one sum, at its place.
  bool is_of_a_sum() const {
    if (output.rank() == 0) return false;
    if (s[output].has_reduction()) return stored.empty();
    return stored.size() == 1 && s[stored[0]].has_reduction() && gpu::reads_own_place(s, output, stored[0]);
  }
  /// Returns that sum. Where it is the result itself, it gets a stage of its own.
  const Tensor& sum() {
    if (!sum_.defined()) sum_ = stored.empty() ? s.cache_write(output, grid::kThreadScope) : stored[0];
    return sum_;
  }
  std::optional<gpu::TileDims> dims() {
    auto dims = anchor ? tile_dims(*anchor, sum().rank()) : std::nullopt;
    if (dims) dims->takes_dp4a = profile.has_dp4a;
    return dims;
  }
  std::optional<gpu::Mma> mma() {
    const auto dims = this->dims();
    return dims ? gpu::mma_of(sum(), s[sum()], *dims, profile) : std::nullopt;
  }

  Schedule& s;
  const Tensor output;
  const graph::Node* const anchor;
  const gpu::GpuProfile& profile;
  const std::optional<gpu::Winograd>& winograd;
  const std::vector<Tensor> stored;

 private:
  Tensor sum_;
};

/// A template: the first of the rows below that has nothing against a group takes it.
struct Template {
  /// Why it does not take the group (one sentence for people), or null.
  const char* (*why_not)(Stages& group);
  Candidate (*make)(Stages& group);
};

const char* no_winograd(Stages& g) { return g.winograd ? nullptr : "no 3x3 convolution of floats"; }
Candidate winograd(Stages& g) {
  const gpu::Winograd& stages = *g.winograd;
  const Tensor sum = g.s.cache_write(stages.products, grid::kThreadScope);
  const gpu::Tiles layer = gpu::tiles_of(sum, g.s[sum], gpu::kWinogradDims);
  return {{"winograd", gpu::tile_knobs(layer, g.profile),
           gpu::point_of(layer, gpu::tiles_default(layer, g.profile))},
          [=, &g](const Point& p) {
            gpu::schedule_winograd(g.s, g.output, *g.winograd, sum, gpu::tiles_at(layer, p), g.profile);
          }};
}

const char* no_serial(Stages& g) {
  const auto in_time = [](const schedule::Stage* stage) { return stage->compute().recurrence.has_value(); };
  return std::ranges::any_of(g.s.stages(), in_time) ? nullptr : "nothing of it waits for the step before";
}
Candidate serial(Stages&) {
  return {{"serial", std::nullopt, {}}, [](const Point&) {}};
}

const char* no_rows(Stages& g) {
  if (!g.anchor || !is_softmax(*g.anchor)) return "no softmax";
  if (g.profile.shared_bytes == 0) return "blocks share no memory";
  return gpu::are_rows(g.output, g.stored) ? nullptr : "its stages are not of the rows of the result";
}
Candidate rows(Stages& g) {
  const std::int64_t columns = g.output.shape().back();
  const gpu::Rows layer{gpu::elements_of(g.output) / columns, columns};
  return {{"rows", gpu::row_knobs(layer, g.profile), point_of(gpu::rows_default(layer, g.profile))},
          [&g](const Point& p) { gpu::schedule_rows(g.s, g.output, g.stored, gpu::rows_at(p)); }};
}

const char* no_kernels(Stages& g) {
  return g.is_elementwise() || g.is_of_a_sum() ? "one kernel computes it" : nullptr;
}
/// One for each stage that is stored.
Candidate kernels(Stages& g) {
  const gpu::Flat layer{gpu::elements_of(g.output), 2};  // no vectors: some stage sums up
  return {{"kernels", gpu::flat_knobs(layer, g.profile), point_of(gpu::flat_default(layer, g.profile))},
          [&g](const Point& p) {
            for (const Tensor& stage : g.stored) gpu::schedule_flat(g.s, stage, Tensor(), gpu::flat_at(p));
            gpu::schedule_flat(g.s, g.output, Tensor(), gpu::flat_at(p));
          }};
}

Candidate flat(std::string_view name, Stages& g, const Tensor& sum) {
  const gpu::Flat layer{gpu::elements_of(g.output), sum.defined() ? gpu::terms_of(g.s[sum]) : 1};
  return {{name, gpu::flat_knobs(layer, g.profile), point_of(gpu::flat_default(layer, g.profile))},
          [=, &g](const Point& p) { gpu::schedule_flat(g.s, g.output, sum, gpu::flat_at(p)); }};
}
const char* no_elements(Stages& g) { return g.is_elementwise() ? nullptr : "it sums up"; }
Candidate elements(Stages& g) { return flat("elementwise", g, Tensor()); }

const char* no_mma(Stages& g) { return g.mma() ? nullptr : "no products that tensor cores take"; }
Candidate mma(Stages& g) {
  const gpu::Mma layer = *g.mma();
  return {{layer.type == expr::DType::F32 ? kRoundedTensorCores : kTensorCores,
           gpu::mma_knobs(layer, g.profile), point_of(gpu::mma_default(layer, g.profile))},
          [=, &g](const Point& p) {
            gpu::schedule_mma(g.s, g.output, g.sum(), *g.dims(), layer, gpu::mma_at(p));
          }};
}

const char* no_tiles(Stages& g) {
  const auto dims = g.dims();
  if (!dims) return "no convolution or product";
  const auto& shape = g.sum().shape();
  const std::int64_t rows = dims->row ? shape[*dims->row] : 1,
                     columns = dims->column ? shape[*dims->column] : 1;
  if (rows * columns < kFewestOutputs) return "its tiles would have too little in common";
  return g.s[g.sum()].compute().others.empty() ? nullptr : "it has several sums";
}
Candidate tiles(Stages& g) {
  const gpu::Tiles layer = gpu::tiles_of(g.sum(), g.s[g.sum()], *g.dims());
  return {{"tiles", gpu::tile_knobs(layer, g.profile),
           gpu::point_of(layer, gpu::tiles_default(layer, g.profile))},
          [=, &g](const Point& p) {
            gpu::schedule_tiles(g.s, g.output, g.sum(), *g.dims(), gpu::tiles_at(layer, p));
          }};
}

const char* no_shared_sums(Stages& g) {
  if (g.profile.shared_bytes == 0) return "blocks share no memory";
  if (gpu::terms_of(g.s[g.sum()]) < kFewestTerms) return "its sums are too short for a barrier";
  return gpu::elements_of(g.sum()) < g.profile.processors * g.profile.lanes
             ? nullptr
             : "it has sums enough for all threads";
}
Candidate shared_sums(Stages& g) {
  const auto& shape = g.sum().shape();
  const auto several = std::find_if(shape.rbegin(), shape.rend(), [](std::int64_t n) { return n > 1; });
  gpu::SharedSums layer{gpu::elements_of(g.sum()), several == shape.rend() ? 1 : *several,
                        gpu::terms_of(g.s[g.sum()])};
  layer.has_dots = g.profile.has_dp4a && gpu::are_dots_of_memory(g.s[g.sum()]);
  return {{"shared sums", gpu::shared_sum_knobs(layer, g.profile),
           point_of(gpu::shared_sums_default(layer, g.profile))},
          [=, &g](const Point& p) {
            gpu::schedule_shared_sums(g.s, g.output, g.sum(), layer, gpu::shared_sums_at(p));
          }};
}

const char* nothing(Stages&) { return nullptr; }
Candidate sums(Stages& g) { return flat("sums", g, g.sum()); }

/// Rows below 'kernels' are for one sum, or for none.
constexpr Template kTemplates[] = {
    {no_winograd, winograd}, {no_serial, serial},           {no_rows, rows},
    {no_kernels, kernels},   {no_elements, elements},       {no_mma, mma},
    {no_tiles, tiles},       {no_shared_sums, shared_sums}, {nothing, sums},
};

Candidate candidate_for(Stages& group) {
  return std::ranges::find_if(kTemplates, [&](const Template& t) { return t.why_not(group) == nullptr; })
      ->make(group);
}

}  // namespace

bool GridTemplate::rounds() const { return name == kRoundedTensorCores; }

namespace {

/// A group's expressions, and what is asked of them.
struct Composed {
  explicit Composed(const graph::Graph& graph) : composer(graph) {}
  Composer composer;
  std::vector<Tensor> results, kept;
  const graph::Node* anchor = nullptr;
  std::optional<gpu::Winograd> winograd;
};

/// Whether it is a product of matrices, of a type that tensor cores take.
bool is_product(const graph::Graph& graph, const graph::Node& node, const gpu::GpuProfile& profile) {
  if (!profile.has_tensor_cores || !std::holds_alternative<graph::MatMul>(node.op)) return false;
  const expr::DType type = graph::dtype_of(graph.tensor(node.inputs[0]).type);
  return type == expr::DType::F32 ? profile.has_tf32 : intrinsics::warp_terms(type) > 0;
}

/// `by_cores`: products of matrices are expressed as tensor cores take them.
Composed compose(const graph::Graph& graph, std::span<const graph::NodeId> group,
                 const gpu::GpuProfile& profile, bool by_cores) {
  Composed made(graph);
  Composer& composer = made.composer;
  for (const graph::NodeId id : group) {
    const graph::Node& node = graph.node(id);
    if (profile.winograd && gpu::takes_winograd(graph, node)) {
      made.winograd = gpu::add_winograd(composer, graph, node);
      made.kept.push_back(made.winograd->data);
      made.results.push_back(made.winograd->result);
    } else if (by_cores && is_product(graph, node, profile)) {
      made.results.push_back(composer.add_product(node, profile.has_tf32));
    } else if (profile.has_dp4a && graph::takes_sums_of_bytes(graph, node)) {
      made.results.push_back(composer.add_sums_of_bytes(node));
    } else {
      made.results.push_back(takes_packed(graph, node) ? composer.add_over_packed(node) : composer.add(node));
    }
    if (!graph::is_injective(fusion_class_of(node.op))) made.anchor = &node;
  }
  return made;
}

/// `choose`: a point of the template. Nothing where tensor cores do not take what is expressed for them.
std::optional<GridKernel> try_kernel(const graph::Graph& graph, std::span<const graph::NodeId> group,
                                     const gpu::GpuProfile& profile, const Watch& watch,
                                     const std::function<Point(const GridTemplate&)>& choose, bool by_cores) {
  Composed made = compose(graph, group, profile, by_cores);
  const Tensor& output = made.results.back();
  Schedule s({output});
  gpu::inline_stages(s, output, made.results, made.kept);
  Stages stages(s, output, made.anchor, profile, made.winograd);
  Candidate taken = candidate_for(stages);
  if (by_cores && taken.by.name != kTensorCores && taken.by.name != kRoundedTensorCores) return std::nullopt;
  GridKernel result{{}, std::move(taken.by), {}};
  result.point = choose(result.by);
  VDLA_CHECK_USER(!result.by.space || result.by.space->legal(result.point))
      << "knobs " << fmt::format("{}", fmt::join(result.point, ", ")) << " of template '" << result.by.name
      << "' are none that '" << graph.node(group.back()).name << "' can have on a machine '" << profile.name
      << "'";
  taken.apply(result.point);
  result.kernel = made.composer.lower(s, graph.node(group.back()), watch);
  return result;
}

GridKernel make_kernel(const graph::Graph& graph, std::span<const graph::NodeId> group,
                       const gpu::GpuProfile& profile, const Watch& watch,
                       const std::function<Point(const GridTemplate&)>& choose) {
  VDLA_CHECK(!group.empty()) << "a group without nodes";
  const auto has_product = [&](graph::NodeId id) { return is_product(graph, graph.node(id), profile); };
  if (std::ranges::any_of(group, has_product))
    if (auto made = try_kernel(graph, group, profile, watch, choose, true)) return std::move(*made);
  return *try_kernel(graph, group, profile, watch, choose, false);
}

}  // namespace

GridKernel grid_kernel(const graph::Graph& graph, std::span<const graph::NodeId> group,
                       const gpu::GpuProfile& profile, const Watch& watch, const Point* point) {
  return make_kernel(graph, group, profile, watch,
                     [&](const GridTemplate& by) { return point ? *point : by.standard; });
}

GridKernel grid_kernel_with(const graph::Graph& graph, std::span<const graph::NodeId> group,
                            const gpu::GpuProfile& profile, std::string_view knobs, const Watch& watch) {
  return make_kernel(graph, group, profile, watch, [&](const GridTemplate& by) {
    if (knobs.empty()) return by.standard;
    VDLA_CHECK_USER(by.space) << "template '" << by.name << "' of '" << graph.node(group.back()).name
                              << "' has no knobs, got " << knobs;
    return by.space->parse(knobs);
  });
}

GridKernel grid_kernel_by(const graph::Graph& graph, std::span<const graph::NodeId> group,
                          const gpu::GpuProfile& profile, const KnobBook& book, const Watch& watch) {
  std::optional<KnobTask> task;
  std::string note = "no knobs";
  GridKernel made = make_kernel(graph, group, profile, watch, [&](const GridTemplate& by) {
    if (!by.space) return by.standard;
    task = gpu::task_of(graph, group, by.name, *by.space);
    BookKnobs taken = knobs_of(book, *task);
    note = std::move(taken.note);
    return taken.point.value_or(by.standard);
  });
  made.kernel.task = std::move(task);
  made.kernel.knobs = std::move(note);
  return made;
}

}  // namespace vdla::pipeline
