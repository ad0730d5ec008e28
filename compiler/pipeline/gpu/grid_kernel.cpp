// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/gpu/grid_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "compiler/graph/fuse.h"
#include "compiler/pipeline/gpu/flat.h"
#include "compiler/pipeline/gpu/shared_sums.h"
#include "compiler/pipeline/gpu/stages.h"
#include "compiler/pipeline/gpu/tiles.h"
#include "compiler/pipeline/host/composer.h"
#include "compiler/schedule/schedule.h"
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

bool is_softmax(const graph::Node& node) {
  return std::holds_alternative<graph::Softmax>(node.op) ||
         std::holds_alternative<graph::SoftmaxFloat>(node.op);
}

/// The functions of a group's stages; `anchor` is its one node that is not injective, or null.
class Chooser {
 public:
  Chooser(Schedule& s, const Tensor& output, const graph::Node* anchor, const gpu::Machine& machine)
      : s_(s), output_(output), anchor_(anchor), machine_(machine) {}

  Candidate choose() {
    const auto in_time = [](const schedule::Stage* stage) { return stage->compute().recurrence.has_value(); };
    if (std::ranges::any_of(s_.stages(), in_time)) return {{"serial", std::nullopt, {}}, [](const Point&) {}};
    std::vector<Tensor> stored = gpu::stored_stages(s_, output_);
    if (anchor_ && is_softmax(*anchor_) && machine_.shared_bytes > 0 && gpu::are_rows(output_, stored))
      return rows(stored);
    if (output_.rank() == 0) return kernels(stored);
    if (s_[output_].has_reduction()) {
      if (!stored.empty()) return kernels(stored);
      stored.push_back(s_.cache_write(output_, gpu::kPrivateScope));  // the result itself is a sum
    }
    if (stored.empty()) return flat("elementwise", Tensor());
    if (stored.size() > 1 || !s_[stored[0]].has_reduction() || !gpu::reads_own_place(s_, output_, stored[0]))
      return kernels(stored);
    const Tensor& sum = stored[0];
    const auto dims = anchor_ ? tile_dims(*anchor_, sum.rank()) : std::nullopt;
    const std::int64_t terms = gpu::terms_of(s_[sum]);
    if (dims && takes_tiles(sum, *dims)) return tiles(sum, *dims);
    if (machine_.shared_bytes > 0 && terms >= kFewestTerms &&
        gpu::elements_of(sum) < machine_.processors * machine_.lanes)
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
    return {{name, gpu::flat_knobs(layer, machine_), point_of(gpu::flat_default(layer, machine_))},
            [=, this](const Point& p) { gpu::schedule_flat(s_, output_, sum, gpu::flat_at(p)); }};
  }

  /// One for each stage that is stored.
  Candidate kernels(const std::vector<Tensor>& stored) {
    gpu::Flat layer{gpu::elements_of(output_), 2};  // no vectors: some stage sums up
    return {{"kernels", gpu::flat_knobs(layer, machine_), point_of(gpu::flat_default(layer, machine_))},
            [=, this](const Point& p) {
              for (const Tensor& stage : stored) gpu::schedule_flat(s_, stage, Tensor(), gpu::flat_at(p));
              gpu::schedule_flat(s_, output_, Tensor(), gpu::flat_at(p));
            }};
  }

  Candidate shared_sums(const Tensor& sum) {
    const auto& shape = sum.shape();
    const auto several = std::find_if(shape.rbegin(), shape.rend(), [](std::int64_t n) { return n > 1; });
    const gpu::SharedSums layer{gpu::elements_of(sum), several == shape.rend() ? 1 : *several,
                                gpu::terms_of(s_[sum])};
    return {
        {"shared sums", gpu::shared_sum_knobs(layer, machine_),
         point_of(gpu::shared_sums_default(layer, machine_))},
        [=, this](const Point& p) { gpu::schedule_shared_sums(s_, output_, sum, gpu::shared_sums_at(p)); }};
  }

  Candidate rows(const std::vector<Tensor>& stages) {
    const gpu::Rows layer{gpu::elements_of(output_) / output_.shape().back(), output_.shape().back()};
    return {{"rows", gpu::row_knobs(layer, machine_), point_of(gpu::rows_default(layer, machine_))},
            [=, this](const Point& p) { gpu::schedule_rows(s_, output_, stages, gpu::rows_at(p)); }};
  }

  Candidate tiles(const Tensor& sum, const gpu::TileDims& dims) {
    const gpu::Tiles layer = gpu::tiles_of(sum, s_[sum], dims);
    return {{"tiles", gpu::tile_knobs(layer, machine_), point_of(gpu::tiles_default(layer, machine_))},
            [=, this](const Point& p) { gpu::schedule_tiles(s_, output_, sum, dims, gpu::tiles_at(p)); }};
  }

  Schedule& s_;
  const Tensor output_;
  const graph::Node* anchor_;
  const gpu::Machine& machine_;
};

}  // namespace

std::vector<std::vector<graph::NodeId>> grid_groups(const graph::Graph& graph) {
  const std::vector<graph::NodeId> last = graph::fuse(graph, std::vector<bool>(graph.nodes.size(), true));
  std::map<graph::NodeId, std::vector<graph::NodeId>> groups;  // in the order of their last nodes
  for (std::size_t i = 0; i < last.size(); ++i) groups[last[i]].push_back(static_cast<graph::NodeId>(i));
  std::vector<std::vector<graph::NodeId>> result;
  for (auto& [root, nodes] : groups) result.push_back(std::move(nodes));
  return result;
}

GridKernel grid_kernel(const graph::Graph& graph, std::span<const graph::NodeId> group,
                       const gpu::Machine& machine, const Watch& watch, const Point* point) {
  VDLA_CHECK(!group.empty()) << "a group without nodes";
  Composer composer(graph);
  std::vector<Tensor> results;
  const graph::Node* anchor = nullptr;
  for (const graph::NodeId id : group) {
    const graph::Node& node = graph.node(id);
    results.push_back(composer.add(node));
    if (!graph::is_injective(fusion_class_of(node.op))) anchor = &node;
  }
  const Tensor& output = results.back();
  Schedule s({output});
  gpu::inline_stages(s, output, results);
  Candidate taken = Chooser(s, output, anchor, machine).choose();
  GridKernel result{{}, std::move(taken.by), {}};
  result.point = point ? *point : result.by.standard;
  VDLA_CHECK_USER(!result.by.space || result.by.space->legal(result.point))
      << "knobs " << fmt::format("{}", fmt::join(result.point, ", ")) << " of template '" << result.by.name
      << "' are none that '" << graph.node(group.back()).name << "' can have on a machine '" << machine.name
      << "'";
  taken.apply(result.point);
  result.kernel = composer.lower(s, graph.node(group.back()), watch);
  return result;
}

}  // namespace vdla::pipeline
