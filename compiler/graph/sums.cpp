// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/sums.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "compiler/graph/shape.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::graph {
namespace {

/// 2^8: in [2^30, 2^31) / 2^31 * 2^9.
constexpr Multiplier kSaturates{1 << 30, 9, 0};
/// Most that the output stage adds to a scaled sum, and the rounding.
constexpr std::int64_t kZeroPointRoom = 256;
constexpr std::int64_t kMost = INT32_MAX - kZeroPointRoom;

/// distance() of each channel, which is the first dimension or the last one.
std::vector<std::int64_t> distances(std::span<const std::int8_t> weights, std::int32_t zero_point,
                                    std::size_t channels, std::size_t channel_axis) {
  std::vector<std::int64_t> result(channels, 0);
  const std::size_t depth = weights.size() / channels;
  if (channel_axis == 0) {
    for (std::size_t c = 0; c < channels; ++c)
      result[c] = distance(weights.subspan(c * depth, depth), zero_point);
    return result;
  }
  for (std::size_t i = 0; i < depth; ++i)
    for (std::size_t c = 0; c < channels; ++c)
      result[c] += std::abs(std::int64_t{weights[i * channels + c]} - zero_point);
  return result;
}

/// Elements of a window; one of more than 2^24 x 2^24 counts as such, which is too many for any sum.
std::int64_t area(const Hw& kernel) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 24;
  return std::min(kernel.h, kLargest) * std::min(kernel.w, kLargest);
}

class Limiter {
 public:
  Limiter(Graph& graph, const std::string& where) : graph_(graph), where_(where) {}

  void run() {
    for (Node& node : graph_.nodes) {
      node_ = &node;
      std::visit(overloaded{
                     [&](Conv2d& op) { weighted(op, 0); },
                     [&](DepthwiseConv2d& op) { weighted(op, 3); },
                     [&](FullyConnected& op) { weighted(op, 0); },
                     [&](BatchMatMul& op) {
                       const Shape& a = shape(0);
                       const std::int64_t depth = a[a.size() - (op.transpose_a ? 2 : 1)];
                       check(op.out, depth * reach(op.a_zero_point) * reach(op.b_zero_point));
                     },
                     [&](Add& op) {
                       check(op.out, summand(op, op.a, op.a_zero_point) + summand(op, op.b, op.b_zero_point));
                     },
                     [&](SumPool2d& op) { check(op.out, area(op.kernel) * reach(op.input_zero_point)); },
                     [&](AvgPool2d& op) { check(area(op.kernel) * 256, 0, kMost); },
                     [&](Mean& op) { check(op.out, mean_count(op) * reach(op.input_zero_point)); },
                     [&](auto& op) {
                       if constexpr (requires { op.largest_sum(); }) check(op.out, op.largest_sum());
                     },
                 },
                 node.op);
    }
  }

 private:
  const Shape& shape(std::size_t input) const { return graph_.tensor(node_->inputs.at(input)).shape; }

  void check(std::int64_t bound, std::int32_t left, std::int64_t most) const {
    VDLA_CHECK_USER(bound <= most >> left)
        << where_ << "node '" << node_->name << "' has sums of up to " << bound
        << ", which its scales multiply by up to " << (std::int64_t{1} << left) << ": that can pass the "
        << most << " which int32 has room for; needs fewer terms in a sum, or an output scale that is larger";
  }

  /// Most of a product: one that is shifted right in the end leaves room for the zero point.
  static std::int64_t most(const Multiplier& m) { return m.right() > 0 ? INT32_MAX : kMost; }

  void check(OutputStage& out, std::int64_t bound) const { check(out, std::vector<std::int64_t>{bound}); }

  /// One bound, or one for each multiplier.
  void check(OutputStage& out, const std::vector<std::int64_t>& bounds) const {
    for (Multiplier& m : out.multiplier)
      if (m.shift >= kSaturates.shift && m.value > 0) m = kSaturates;
    for (std::size_t i = 0; i < std::max(bounds.size(), out.multiplier.size()); ++i) {
      const Multiplier& m = out.multiplier[out.multiplier.size() == 1 ? 0 : i];
      if (m.value == 0) continue;  // whatever the sum is, the result is the zero point
      check(bounds[bounds.size() == 1 ? 0 : i], m.left(), most(m));
    }
  }

  /// An operand of a sum of two, as it comes out of its multiplier, which is at most 1.
  static std::int64_t summand(const Add& op, const Multiplier& m, std::int32_t zero_point) {
    const double factor = std::abs(std::ldexp(static_cast<double>(m.value), m.shift - 31));
    const std::int64_t shifted = reach(zero_point) << op.left_shift;
    return static_cast<std::int64_t>(std::ceil(std::min(1.0, factor) * static_cast<double>(shifted))) + 1;
  }

  std::int64_t mean_count(const Mean& op) const {
    std::int64_t count = 1;
    const Shape& x = shape(0);
    for (int a : op.axes) count *= x[static_cast<std::size_t>(a < 0 ? a + static_cast<int>(x.size()) : a)];
    return count;
  }

  std::int64_t bias(std::size_t channel) const {
    if (node_->inputs.size() < 3 || node_->inputs[2] == kNone) return 0;
    const Tensor& b = graph_.tensor(node_->inputs[2]);
    if (!b.constant()) return 0;
    return std::abs(std::int64_t{b.values<std::int32_t>()[channel]});
  }

  /// Products with weights whose dimension `channel_axis` is the output channel.
  template <class Op>
  void weighted(Op& op, std::size_t channel_axis) {
    const Tensor& w = graph_.tensor(node_->inputs.at(1));
    const auto channels = static_cast<std::size_t>(w.shape.at(channel_axis));
    const std::int64_t depth = element_count(w.shape) / static_cast<std::int64_t>(channels);
    const std::int64_t x = reach(op.input_zero_point);
    std::int64_t largest_bias = 0;
    for (std::size_t c = 0; c < channels; ++c) largest_bias = std::max(largest_bias, bias(c));
    std::int32_t left = 0;
    for (const Multiplier& m : op.out.multiplier)
      left = std::max(left, std::clamp(m.shift, 0, kSaturates.shift) + m.guard);
    // Most layers are far from it, whatever their weights are.
    const std::int64_t by_type = depth * x * reach(op.weight_zero_point) + largest_bias;
    if (!w.constant() || by_type <= kMost >> left) return check(op.out, by_type);
    std::vector<std::int64_t> bounds =
        distances(w.values<std::int8_t>(), op.weight_zero_point, channels, channel_axis);
    for (std::int64_t& bound : bounds) bound *= x;
    for (std::size_t c = 0; c < channels; ++c) bounds[c] += bias(c);
    check(op.out, bounds);
  }

  Graph& graph_;
  const std::string& where_;
  const Node* node_ = nullptr;
};

}  // namespace

void limit_sums(Graph& graph, const std::string& where) { Limiter(graph, where).run(); }

std::int64_t distance(std::span<const std::int8_t> weights, std::int32_t zero_point) {
  std::int64_t sum = 0;
  for (const std::int8_t weight : weights) sum += std::abs(std::int64_t{weight} - zero_point);
  return sum;
}

}  // namespace vdla::graph
