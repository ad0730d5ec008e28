// SPDX-License-Identifier: Apache-2.0
// Products of matrices whose second operand comes packed: convolutions of 1x1 over packed weights.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/targets/vdla/templates/from_graph.h"
#include "compiler/targets/vdla/templates/limits.h"
#include "compiler/targets/vdla/templates/operator.h"
#include "compiler/targets/vdla/templates/pack.h"
#include "compiler/targets/vdla/templates/templates.h"
#include "support/error.h"
#include "support/int8_summands.h"

namespace vdla::pipeline::device {
namespace {

/// One of the products, without its weights and multipliers. Its second operand is packed with all blocks of
/// the first one's pixels.
Conv2d as_conv2d(const MatMul& op, const isa::Geometry& g) {
  Conv2d conv;
  conv.name = op.name;
  conv.in = {op.in.h, op.in.w, padded_channels(op.in.c, g)};
  conv.out = {1, op.in.w, op.columns};
  conv.weight_zero = op.weight_zero;
  conv.stage = op.stage;
  return conv;
}

/// Its second operand is packed in parts.
Space space_of(const MatMul& op, const isa::Geometry& g, const OnChip& on_chip) {
  Space s = space_of(as_conv2d(op, g), g, on_chip);
  s.corrects = false;
  return s;
}

void check(const MatMul& op) {
  check_image(op.name, "first operand", op.in);
  VDLA_CHECK_USER(op.in.h == 1 && op.columns > 0)
      << op.name << ": multiplies " << text(op.in) << " with " << op.columns
      << " columns, needs a height of 1 and at least one column";
  for (const MatMul::BatchAxis& axis : op.batch)
    VDLA_CHECK_USER(axis.extent > 1 && axis.a >= 0 && axis.b >= 0)
        << op.name << ": has an axis of " << axis.extent << " products, " << axis.a << " first and " << axis.b
        << " second operands apart, needs at least 2 and no operand before the first";
  VDLA_CHECK_USER(op.batch.size() <= 1 || !(op.in_by_row || op.out_by_row))
      << op.name << ": has " << op.batch.size() << " axes of products by row, needs one";
  check_size(op.name, "its multipliers", op.stage.multiplier.size(), 1);
  check_stage(op.name, op.stage, op.columns);
}

Reason why_not(const MatMul& op, const isa::Geometry& g) {
  const std::array<std::int64_t, 3> wanted{g.block_in, g.block_out, channel_block(g)};
  if (op.packed && *op.packed != wanted)
    return fmt::format("its second operand is packed for another array, in entries of {}, this one takes {}",
                       fmt::join(*op.packed, "x"), fmt::join(wanted, "x"));
  if (auto why = one_value(op.stage.min, op.stage.max)) return why;
  if (auto why = bad_shift(op.stage.multiplier)) return why;
  if (auto why = bad_zero("weight", op.weight_zero)) return why;
  return misfit(space_of(op, g, {}), g);
}

std::int64_t results(const MatMul& op) {
  std::int64_t count = 1;
  for (const MatMul::BatchAxis& axis : op.batch) count *= axis.extent;
  return count;
}

std::int64_t first_operands(const MatMul& op) {
  std::int64_t last = 0;
  for (const MatMul::BatchAxis& axis : op.batch) last += (axis.extent - 1) * axis.a;
  return last + 1;
}

/// Bytes from one matrix to the next, and the view of the first: `matrices` of them, one behind the other or
/// row by row.
std::int64_t place(View& first, const Image& matrix, std::int64_t matrices, bool by_row,
                   const isa::Geometry& g) {
  if (!by_row) return activation_bytes(matrix, g);
  const std::int64_t row = first.pixel;
  first.pixel *= matrices;
  return row;
}

void lower(const MatMul& op, Lowering& l) {
  const isa::Geometry& g = l.geometry();
  const Conv2d conv = as_conv2d(op, g);
  const Space space = space_of(op, g, {});
  const ConvKnobs knobs = l.conv_knobs(op.name, space);
  const std::int64_t columns = padded_channels(op.columns, g);
  Views views = l.views(conv.in, conv.out);
  const std::int64_t a = place(views.in, conv.in, first_operands(op), op.in_by_row, g),
                     out = place(views.out, conv.out, results(op), op.out_by_row, g);
  const std::int64_t weights = space.parts * columns * padded_channels(op.in.c, g);
  const std::int64_t scales = kScaleParams * columns * static_cast<std::int64_t>(sizeof(std::int32_t));
  OuterAxes outer;
  std::int64_t inside = results(op);  // results in one iteration
  for (const MatMul::BatchAxis& axis : op.batch) {
    inside /= axis.extent;
    outer.push_back({"product", axis.extent, axis.a * a, inside * out, axis.b * weights, axis.b * scales});
  }
  l.set_function(conv2d(conv, knobs, g, {}, outer),
                 {{Role::Input, 0}, {Role::Weights, 0}, {Role::Scales, 0}, {Role::Output, 0}},
                 to_string(knobs), views);
  l.note_weights(text_of_parts(space.parts));
}

/// All matrices as one image.
Image beside(std::int64_t count, const Image& matrix, bool by_row) {
  return by_row ? Image{matrix.w, count, matrix.c} : Image{count, matrix.w, matrix.c};
}

std::optional<double> estimate(const MatMul& op, const isa::Geometry& g, const isa::Timing& t,
                               const OnChip& on_chip) {
  const auto one = total(least_work(space_of(op, g, on_chip), g, t));
  return one ? std::optional(static_cast<double>(results(op)) * *one) : std::nullopt;
}

}  // namespace

std::int64_t conv_parts(const MatMul& op) { return int8_summands(op.weight_zero); }

template <>
const Operator<MatMul>& row<MatMul>() {
  static constexpr Operator<MatMul> kRow{
      .kind = [](const MatMul&) -> std::string_view { return "batch_matmul"; },
      .inputs =
          [](const MatMul& op) {
            return std::vector<Image>{beside(first_operands(op), op.in, op.in_by_row)};
          },
      .output = [](const MatMul& op) { return beside(results(op), {1, op.in.w, op.columns}, op.out_by_row); },
      .check = check,
      .why_not = why_not,
      .estimate = estimate,
      .lower = lower,
      .space = [](const MatMul& op, const isa::Geometry& g, const isa::Timing& t,
                  const OnChip& on_chip) { return layer_space(space_of(op, g, on_chip), g, t); },
      .macs = [](const MatMul& op) { return results(op) * op.in.w * op.in.c * op.columns; },
      .bound_to_dram = [](const MatMul&, const isa::Geometry&) -> Reason {
        return "several images or matrices";
      },
  };
  return kRow;
}

namespace {

/// From one result to the next along dimension `d` of `out`, how many of the matrices of `batch`.
std::int64_t distance(const graph::Shape& batch, std::size_t d, const graph::Shape& out) {
  const std::size_t missing = out.size() - batch.size();
  if (d < missing || batch[d - missing] == 1) return 0;
  std::int64_t step = 1;
  for (std::size_t inner = d - missing + 1; inner < batch.size(); ++inner) step *= batch[inner];
  return step;
}

std::vector<MatMul::BatchAxis> batch_axes(const graph::Shape& out, const graph::Shape& a,
                                          const graph::Shape& b) {
  std::vector<MatMul::BatchAxis> axes;
  for (std::size_t d = 0; d < out.size(); ++d) {
    const MatMul::BatchAxis axis{out[d], distance(a, d, out), distance(b, d, out)};
    if (axis.extent == 1) continue;
    // One loop over what counts on in both operands.
    if (!axes.empty() && axes.back().a == axis.a * axis.extent && axes.back().b == axis.b * axis.extent) {
      axes.back() = {axes.back().extent * axis.extent, axis.a, axis.b};
    } else {
      axes.push_back(axis);
    }
  }
  return axes;
}

/// `results` and `a` end with the rows and the columns, or the terms of a sum; `batch` is of the second
/// operand.
MatMul product(const GraphNode& n, const graph::BatchMatMul& op, const graph::Shape& results,
               const graph::Shape& a, std::int64_t columns, const graph::Shape& batch) {
  MatMul made;
  made.name = n.name();
  made.in = {1, a[a.size() - 2], a.back()};
  made.columns = columns;
  made.batch = batch_axes(graph::Shape(results.begin(), results.end() - 2),
                          graph::Shape(a.begin(), a.end() - 2), batch);
  made.weight_zero = op.b_zero_point;
  made.stage = op.out;
  return made;
}

/// The rows behind the batch.
graph::Shape rows_behind(graph::Shape shape, bool by_row) {
  if (by_row) std::swap(shape[shape.size() - 3], shape[shape.size() - 2]);
  return shape;
}

}  // namespace

LayerOrNot from_graph(const GraphNode&, const graph::BatchMatMul&) {
  return WhyNot{"its second operand is not packed into entries"};
}

LayerOrNot from_graph(const GraphNode& n, const graph::PackedMatMul& op) {
  const auto maker = std::ranges::find(n.graph.nodes, n.node.inputs.at(2), &graph::Node::output);
  const auto* scales = maker == n.graph.nodes.end() ? nullptr : std::get_if<graph::PackScales>(&maker->op);
  if (scales && (scales->product.out.multiplier != op.product.out.multiplier || scales->entry != op.entry))
    return WhyNot{"its scales are packed for another product"};
  const graph::Shape results = rows_behind(n.out(), op.out_by_row);
  if ((op.a_by_row || op.out_by_row) &&
      graph::element_count(graph::Shape(results.begin(), results.end() - 3)) != 1)
    return WhyNot{"its rows lie outside of one of several dimensions of its batch"};
  MatMul made = product(n, op.product, results, rows_behind(n.in(), op.a_by_row), op.columns, op.batch);
  made.in_by_row = op.a_by_row;
  made.out_by_row = op.out_by_row;
  made.packed = {op.entry.depth, op.entry.lanes, op.entry.block};
  return Layer{std::move(made), n.node.inputs};
}

std::optional<std::string> why_not_packed(const graph::Graph& graph, const graph::Node& node,
                                          const isa::Geometry& geometry) {
  const GraphNode n{graph, node};
  const auto& op = std::get<graph::BatchMatMul>(node.op);
  graph::Shape a = n.in(), b = n.input(1).shape;
  if (op.transpose_a) std::swap(a[a.size() - 1], a[a.size() - 2]);
  const std::int64_t columns = b[b.size() - (op.transpose_b ? 2 : 1)];
  return unsupported(product(n, op, n.out(), a, columns, graph::Shape(b.begin(), b.end() - 2)), geometry);
}

}  // namespace vdla::pipeline::device
