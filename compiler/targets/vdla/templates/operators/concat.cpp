// SPDX-License-Identifier: Apache-2.0
// Images beside each other along their channels, or below each other. Each input is copied by DMA, where it
// is not made in its place: an output of one schedule with tiles of its own.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/schedule/schedule.h"
#include "compiler/targets/vdla/templates/from_graph.h"
#include "compiler/targets/vdla/templates/limits.h"
#include "compiler/targets/vdla/templates/operator.h"
#include "compiler/targets/vdla/templates/templates.h"
#include "support/error.h"

namespace vdla::pipeline::device {

using expr::Tensor;

namespace {

/// A copy of input `i`.
Move copy_of(const Concat& op, std::size_t i) { return {op.name, op.inputs[i], op.inputs[i], 1, 0, 0, 0}; }

void check(const Concat& op) {
  VDLA_CHECK_USER(!op.inputs.empty()) << op.name << ": has no input";
  for (const Image& i : op.inputs) {
    check_image(op.name, "input", i);
    const Image& first = op.inputs[0];
    VDLA_CHECK_USER(i.w == first.w && (op.rows ? i.c == first.c : i.h == first.h))
        << op.name << ": " << text(i) << " does not fit beside " << text(first);
  }
}

Image output(const Concat& op) {
  Image all = op.inputs[0];
  for (std::size_t i = 1; i < op.inputs.size(); ++i)
    (op.rows ? all.h : all.c) += op.rows ? op.inputs[i].h : op.inputs[i].c;
  return all;
}

/// Parts of a pixel begin where its blocks do.
Reason why_not(const Concat& op, const isa::Geometry& g) {
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const bool last = i + 1 == op.inputs.size();
    if (!op.rows && !last && op.inputs[i].c % channel_block(g) != 0)
      return fmt::format(
          "its input {} has {} channels, no multiple of {}: the next one would not begin at a block", i,
          op.inputs[i].c, channel_block(g));
    const Move copy = copy_of(op, i);
    if (auto reason = misfit(space_of(copy, g), cost_of(copy, g), g)) return reason;
  }
  return std::nullopt;
}

/// An input that is not made in its place: an output of the schedule.
struct Copy {
  Moved tensors;
  TileKnobs knobs;
  std::int64_t pixels;
};

void lower(const Concat& op, Lowering& l) {
  const isa::Geometry& g = l.geometry();
  const Image out = output(op);
  std::vector<Copy> copies;
  std::vector<Tensor> outputs, args;
  std::vector<DeviceParam> params;
  std::vector<View> views;
  std::int64_t row = 0, channel = 0;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const Image& image = op.inputs[i];
    if (!l.residence().is_in_place(i)) {
      const Move move = copy_of(op, i);
      const TileKnobs knobs = l.tile_knobs(op.name, space_of(move, g), cost_of(move, g));
      check_fits(op.name, space_of(move, g), cost_of(move, g), knobs, g);
      copies.push_back({moved(move, g, {}, fmt::format(".{}", i)), knobs, image.h * image.w});
      const Moved& copy = copies.back().tensors;
      outputs.push_back(copy.out);
      args.insert(args.end(), {copy.input.parameter(), copy.out});
      params.insert(params.end(), {{Role::Input, 0, i}, {Role::Output, 0}});
      views.insert(views.end(),
                   {view(image, std::nullopt, 0, 0, 0, g), view(out, std::nullopt, row, 0, channel, g)});
    }
    (op.rows ? row : channel) += op.rows ? image.h : image.c;
  }
  if (copies.empty()) return;
  schedule::Schedule s(outputs);
  for (const Copy& copy : copies) schedule_move(s, copy.tensors, copy.knobs, g);
  const Copy& largest = *std::ranges::max_element(copies, {}, &Copy::pixels);
  l.set_function({"concat", std::move(s), args}, std::move(params), to_string(largest.knobs), views);
}

}  // namespace

template <>
const Operator<Concat>& row<Concat>() {
  static constexpr Operator<Concat> kRow{
      .kind = [](const Concat&) -> std::string_view { return "concat"; },
      .inputs = [](const Concat& op) { return op.inputs; },
      .output = output,
      .check = check,
      .why_not = why_not,
      .estimate = [](const Concat&, const isa::Geometry&, const isa::Timing&,
                     const OnChip&) { return std::optional(0.0); },  // as stored in place
      .lower = lower,
      .bound_to_dram = [](const Concat&, const isa::Geometry&) -> Reason { return "DMA moves it"; },
  };
  return kRow;
}

LayerOrNot from_graph(const GraphNode& n, const graph::Concat& op) {
  const graph::Shape& shape = n.out();
  const std::size_t rank = shape.size();
  const auto axis = static_cast<std::size_t>(op.axis < 0 ? op.axis + static_cast<int>(rank) : op.axis);
  Concat d{n.name(), {}, axis + 1 != rank};
  for (graph::TensorId id : n.node.inputs) {
    const graph::Tensor& tensor = n.graph.tensor(id);
    if (tensor.type != graph::DataType::Int8)
      return WhyNot{"it joins " + std::string(name_of(tensor.type)) + ", the device moves int8"};
    d.inputs.push_back(image_of(tensor.shape));
  }
  // Rows follow each other in memory where nothing is in front of them.
  const graph::Shape front(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis));
  if (d.rows && (graph::element_count(front) != 1 || (rank > 2 && axis + 2 == rank)))
    return WhyNot{
        fmt::format("it joins along dimension {} of {}, the device joins channels, or rows of one image",
                    axis, graph::to_string(shape))};
  return Layer{std::move(d), n.node.inputs};
}

}  // namespace vdla::pipeline::device
