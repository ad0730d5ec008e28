// SPDX-License-Identifier: Apache-2.0
// Products of matrices whose second operand comes packed: convolutions of 1x1 over packed weights.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/pipeline/device/from_graph.h"
#include "compiler/pipeline/device/limits.h"
#include "compiler/pipeline/device/operator.h"
#include "compiler/pipeline/device/templates.h"
#include "support/error.h"

namespace vdla::pipeline::device {
namespace {

/// One of the products, without its weights and multipliers.
Conv2d as_conv2d(const MatMul& op) {
  Conv2d conv;
  conv.name = op.name;
  conv.in = op.in;
  conv.out = {1, op.in.w, op.columns};
  conv.weight_zero = op.weight_zero;
  conv.stage = op.stage;
  return conv;
}

void check(const MatMul& op) {
  check_image(op.name, "first operand", op.in);
  VDLA_CHECK_USER(op.in.h == 1 && op.columns > 0)
      << op.name << ": multiplies " << text(op.in) << " with " << op.columns
      << " columns, needs a height of 1 and at least one column";
  VDLA_CHECK_USER(!op.a_of.empty() && op.a_of.size() == op.b_of.size())
      << op.name << ": has " << op.a_of.size() << " first and " << op.b_of.size()
      << " second operands, needs as many of each, at least one";
  check_size(op.name, "its multipliers", op.stage.multiplier.size(), 1);
  check_stage(op.name, op.stage, op.columns);
}

Reason why_not(const MatMul& op, const isa::Geometry& g) {
  if (auto why = one_value(op.stage.min, op.stage.max)) return why;
  if (auto why = bad_shift(op.stage.multiplier)) return why;
  if (auto why = bad_zero("weight", op.weight_zero)) return why;
  return misfit(space_of(as_conv2d(op), g), g);
}

std::int64_t results(const MatMul& op) { return static_cast<std::int64_t>(op.a_of.size()); }

/// One product once for each result.
void lower(const MatMul& op, Lowering& l) {
  const isa::Geometry& g = l.geometry();
  const Conv2d conv = as_conv2d(op);
  const Space space = space_of(conv, g);
  const ConvKnobs knobs = l.conv_knobs(op.name, space);
  l.add_part(conv2d(conv, knobs, g),
             {{Role::Input, 0}, {Role::Weights, 0}, {Role::Scales, 0}, {Role::Output, 0}}, to_string(knobs),
             l.views(conv.in, conv.out));
  const DevicePart one = std::move(l.kernel().parts.back());
  l.kernel().parts.clear();
  const std::int64_t columns = padded_channels(op.columns, g);
  const auto distance = [&](Role role) {
    switch (role) {
      case Role::Input:
        return activation_bytes(conv.in, g);
      case Role::Weights:
        return space.parts * columns * padded_channels(op.in.c, g);
      case Role::Scales:
        return kScaleParams * columns * static_cast<std::int64_t>(sizeof(std::int32_t));
      case Role::Output:
        return activation_bytes(conv.out, g);
      case Role::SecondInput:
      case Role::Constants:
      case Role::Scratch:
        break;
    }
    return std::int64_t{0};
  };
  for (std::size_t i = 0; i < op.a_of.size(); ++i) {
    DevicePart part = one;
    for (DeviceParam& p : part.params) {
      const std::int64_t matrix = p.role == Role::Input    ? op.a_of[i]
                                  : p.role == Role::Output ? static_cast<std::int64_t>(i)
                                                           : op.b_of[i];
      p.offset += matrix * distance(p.role);
    }
    l.kernel().parts.push_back(std::move(part));
  }
}

std::optional<double> estimate(const MatMul& op, const isa::Geometry& g, const isa::Timing& t,
                               const OnChip& on_chip) {
  const auto one = total(least_work(space_of(as_conv2d(op), g, on_chip), g, t));
  return one ? std::optional(static_cast<double>(results(op)) * *one) : std::nullopt;
}

}  // namespace

template <>
const Operator<MatMul>& row<MatMul>() {
  static constexpr Operator<MatMul> kRow{
      .kind = [](const MatMul&) -> std::string_view { return "batch_matmul"; },
      .inputs =
          [](const MatMul& op) {
            return std::vector<Image>{{(1 + std::ranges::max(op.a_of)) * op.in.h, op.in.w, op.in.c}};
          },
      .output = [](const MatMul& op) { return Image{results(op), op.in.w, op.columns}; },
      .check = check,
      .why_not = why_not,
      .estimate = estimate,
      .lower = lower,
      .macs = [](const MatMul& op) { return results(op) * op.in.w * op.in.c * op.columns; },
      .bound_to_dram = [](const MatMul&, const isa::Geometry&) -> Reason {
        return "several images or matrices";
      },
  };
  return kRow;
}

namespace {

/// Which of the matrices of `batch` each result of `out` takes.
std::vector<std::int64_t> matrices_of(const graph::Shape& out, const graph::Shape& batch) {
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < graph::element_count(out); ++i) {
    std::int64_t rest = i, matrix = 0, step = 1;
    for (std::size_t d = 1; d <= batch.size(); ++d) {
      const std::int64_t extent = batch[batch.size() - d], all = out[out.size() - d];
      matrix += extent == 1 ? 0 : rest % all * step;
      step *= extent;
      rest /= all;
    }
    result.push_back(matrix);
  }
  return result;
}

/// `a` ends with the rows and the terms of a sum, `batch` is of the second operand.
MatMul product(const GraphNode& n, const graph::BatchMatMul& op, const graph::Shape& a, std::int64_t columns,
               const graph::Shape& batch) {
  const graph::Shape results(n.out().begin(), n.out().end() - 2);
  return {n.name(),
          {1, a[a.size() - 2], a.back()},
          columns,
          matrices_of(results, graph::Shape(a.begin(), a.end() - 2)),
          matrices_of(results, batch),
          op.b_zero_point,
          op.out};
}

}  // namespace

LayerOrNot from_graph(const GraphNode&, const graph::BatchMatMul&) {
  return WhyNot{"its second operand is not packed into entries"};
}

LayerOrNot from_graph(const GraphNode& n, const graph::PackedMatMul& op) {
  return Layer{product(n, op.product, n.in(), op.columns, op.batch), n.node.inputs};
}

std::optional<std::string> why_not_packed(const graph::Graph& graph, const graph::Node& node,
                                          const isa::Geometry& geometry) {
  const GraphNode n{graph, node};
  const auto& op = std::get<graph::BatchMatMul>(node.op);
  graph::Shape a = n.in(), b = n.input(1).shape;
  if (op.transpose_a) std::swap(a[a.size() - 1], a[a.size() - 2]);
  const std::int64_t columns = b[b.size() - (op.transpose_b ? 2 : 1)];
  return unsupported(product(n, op, a, columns, graph::Shape(b.begin(), b.end() - 2)), geometry);
}

}  // namespace vdla::pipeline::device
