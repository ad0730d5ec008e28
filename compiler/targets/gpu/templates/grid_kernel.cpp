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

/// The functions of a group's stages; `anchor` is its one node that is not injective, or null.
class Chooser {
 public:
  Chooser(Schedule& s, const Tensor& output, const graph::Node* anchor, const gpu::GpuProfile& profile)
      : s_(s), output_(output), anchor_(anchor), profile_(profile) {}

  Candidate winograd(const gpu::Winograd& stages) {
    const Tensor sum = s_.cache_write(stages.products, grid::kThreadScope);
    const gpu::Tiles layer = gpu::tiles_of(sum, s_[sum], gpu::kWinogradDims);
    return {{"winograd", gpu::tile_knobs(layer, profile_),
             gpu::point_of(layer, gpu::tiles_default(layer, profile_))},
            [=, this](const Point& p) {
              gpu::schedule_winograd(s_, output_, stages, sum, gpu::tiles_at(layer, p), profile_);
            }};
  }

  Candidate choose() {
    const auto in_time = [](const schedule::Stage* stage) { return stage->compute().recurrence.has_value(); };
    if (std::ranges::any_of(s_.stages(), in_time)) return {{"serial", std::nullopt, {}}, [](const Point&) {}};
    std::vector<Tensor> stored = gpu::stored_stages(s_, output_);
    if (anchor_ && is_softmax(*anchor_) && profile_.shared_bytes > 0 && gpu::are_rows(output_, stored))
      return rows(stored);
    if (output_.rank() == 0) return kernels(stored);
    if (s_[output_].has_reduction()) {
      if (!stored.empty()) return kernels(stored);
      stored.push_back(s_.cache_write(output_, grid::kThreadScope));  // the result itself is a sum
    }
    if (stored.empty()) return flat("elementwise", Tensor());
    if (stored.size() > 1 || !s_[stored[0]].has_reduction() || !gpu::reads_own_place(s_, output_, stored[0]))
      return kernels(stored);
    const Tensor& sum = stored[0];
    auto dims = anchor_ ? tile_dims(*anchor_, sum.rank()) : std::nullopt;
    if (dims) dims->takes_dp4a = profile_.has_dp4a;
    const std::int64_t terms = gpu::terms_of(s_[sum]);
    if (dims)
      if (const auto layer = gpu::mma_of(sum, s_[sum], *dims, profile_)) return mma(sum, *dims, *layer);
    if (dims && takes_tiles(sum, *dims)) return tiles(sum, *dims);
    if (profile_.shared_bytes > 0 && terms >= kFewestTerms &&
        gpu::elements_of(sum) < profile_.processors * profile_.lanes)
      return shared_sums(sum);
    return flat("sums", sum);
  }

 private:
  bool takes_tiles(const Tensor& sum, const gpu::TileDims& dims) const {
    const auto& shape = sum.shape();
    const std::int64_t rows = dims.row ? shape[*dims.row] : 1,
                       columns = dims.column ? shape[*dims.column] : 1;
    return rows * columns >= kFewestOutputs && s_[sum].compute().others.empty();
  }

  Candidate flat(std::string_view name, const Tensor& sum) {
    const gpu::Flat layer{gpu::elements_of(output_), sum.defined() ? gpu::terms_of(s_[sum]) : 1};
    return {{name, gpu::flat_knobs(layer, profile_), point_of(gpu::flat_default(layer, profile_))},
            [=, this](const Point& p) { gpu::schedule_flat(s_, output_, sum, gpu::flat_at(p)); }};
  }

  /// One for each stage that is stored.
  Candidate kernels(const std::vector<Tensor>& stored) {
    gpu::Flat layer{gpu::elements_of(output_), 2};  // no vectors: some stage sums up
    return {{"kernels", gpu::flat_knobs(layer, profile_), point_of(gpu::flat_default(layer, profile_))},
            [=, this](const Point& p) {
              for (const Tensor& stage : stored) gpu::schedule_flat(s_, stage, Tensor(), gpu::flat_at(p));
              gpu::schedule_flat(s_, output_, Tensor(), gpu::flat_at(p));
            }};
  }

  Candidate shared_sums(const Tensor& sum) {
    const auto& shape = sum.shape();
    const auto several = std::find_if(shape.rbegin(), shape.rend(), [](std::int64_t n) { return n > 1; });
    gpu::SharedSums layer{gpu::elements_of(sum), several == shape.rend() ? 1 : *several,
                          gpu::terms_of(s_[sum])};
    layer.has_dots = profile_.has_dp4a && gpu::are_dots_of_memory(s_[sum]);
    return {{"shared sums", gpu::shared_sum_knobs(layer, profile_),
             point_of(gpu::shared_sums_default(layer, profile_))},
            [=, this](const Point& p) {
              gpu::schedule_shared_sums(s_, output_, sum, layer, gpu::shared_sums_at(p));
            }};
  }

  Candidate rows(const std::vector<Tensor>& stages) {
    const gpu::Rows layer{gpu::elements_of(output_) / output_.shape().back(), output_.shape().back()};
    return {{"rows", gpu::row_knobs(layer, profile_), point_of(gpu::rows_default(layer, profile_))},
            [=, this](const Point& p) { gpu::schedule_rows(s_, output_, stages, gpu::rows_at(p)); }};
  }

  Candidate mma(const Tensor& sum, const gpu::TileDims& dims, const gpu::Mma& layer) {
    return {{layer.type == expr::DType::F32 ? kRoundedTensorCores : kTensorCores,
             gpu::mma_knobs(layer, profile_), point_of(gpu::mma_default(layer, profile_))},
            [=, this](const Point& p) { gpu::schedule_mma(s_, output_, sum, dims, layer, gpu::mma_at(p)); }};
  }

  Candidate tiles(const Tensor& sum, const gpu::TileDims& dims) {
    const gpu::Tiles layer = gpu::tiles_of(sum, s_[sum], dims);
    return {
        {"tiles", gpu::tile_knobs(layer, profile_),
         gpu::point_of(layer, gpu::tiles_default(layer, profile_))},
        [=, this](const Point& p) { gpu::schedule_tiles(s_, output_, sum, dims, gpu::tiles_at(layer, p)); }};
  }

  Schedule& s_;
  const Tensor output_;
  const graph::Node* anchor_;
  const gpu::GpuProfile& profile_;
};

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
  Chooser chooser(s, output, made.anchor, profile);
  Candidate taken = made.winograd ? chooser.winograd(*made.winograd) : chooser.choose();
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
