// SPDX-License-Identifier: Apache-2.0
// Images joined along their channels, rows or columns, and channels of one value beside them. Each part is
// moved by DMA, where it is not made in its place.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/targets/vdla/templates/copies.h"
#include "compiler/targets/vdla/templates/from_graph.h"
#include "compiler/targets/vdla/templates/limits.h"
#include "compiler/targets/vdla/templates/operator.h"
#include "compiler/targets/vdla/templates/parts.h"
#include "support/error.h"

namespace vdla::pipeline::device {
namespace {

bool joins_channels(const Concat& op) { return !op.rows && !op.columns; }

/// Extent of an image, or place of a part, along which images are joined.
template <class Extents>
std::int64_t& along(const Concat& op, Extents& e) {
  if constexpr (requires { e.h; })
    return op.rows ? e.h : op.columns ? e.w : e.c;
  else
    return op.rows ? e.row : op.columns ? e.column : e.channel;
}

void check(const Concat& op) {
  VDLA_CHECK_USER(!op.inputs.empty()) << op.name << ": has no input";
  VDLA_CHECK_USER(!op.rows || !op.columns) << op.name << ": joins rows and columns, needs one of them";
  VDLA_CHECK_USER(op.before >= 0 && op.after >= 0 && (joins_channels(op) || op.before + op.after == 0))
      << op.name << ": pads " << (joins_channels(op) ? "channels" : "pixels") << " by " << op.before
      << " and " << op.after << ", needs channels by 0 at least";
  for (const Image& i : op.inputs) {
    check_image(op.name, "input", i);
    const Image& first = op.inputs[0];
    VDLA_CHECK_USER((op.rows || i.h == first.h) && (op.columns || i.w == first.w) &&
                    (joins_channels(op) || i.c == first.c))
        << op.name << ": " << text(i) << " does not fit beside " << text(first);
  }
}

Image output(const Concat& op) {
  Image all = op.inputs[0];
  all.c += op.before + op.after;
  for (std::size_t i = 1; i < op.inputs.size(); ++i) {
    Image image = op.inputs[i];
    along(op, all) += along(op, image);
  }
  return all;
}

Reason why_not(const Concat& op, const isa::Geometry& g) {
  if (op.before + op.after > 0)
    if (auto why = bad_zero("the border's", op.value)) return why;
  for (const Part& part : parts_of(op, g))
    if (auto reason = why_no_copy(part.image, g)) return reason;
  return std::nullopt;
}

/// Inputs count as stored in place, but for columns.
std::optional<double> estimate(const Concat& op, const isa::Geometry& g, const isa::Timing& timing,
                               const OnChip&) {
  double cycles = 0;
  for (const Part& part : parts_of(op, g)) {
    if (part.input && !op.columns) continue;
    const auto one = copy_cycles(part.image, g, timing);
    if (!one) return std::nullopt;
    cycles += *one;
  }
  return cycles;
}

/// Blocks of parts may end behind the last channel's.
std::int64_t pixel_bytes(const Concat& op, const isa::Geometry& g) {
  std::int64_t bytes = padded_channels(output(op).c, g);
  for (const Part& part : parts_of(op, g)) bytes = std::max(bytes, end_of(part, g));
  return bytes;
}

void lower(const Concat& op, Lowering& l) {
  const isa::Geometry& g = l.geometry();
  const Image out = output(op);
  const std::int64_t pixel = pixel_bytes(op, g), row = out.w * pixel;
  Copies copies(op.name, l);
  for (const Part& part : parts_of(op, g)) {
    const View to{part.row * row + part.column * pixel + part.channel, row, pixel};
    if (!part.input)
      copies.fill(part.image, op.value, to);
    else if (!l.residence().is_in_place(*part.input))
      copies.copy(part.image, *part.input, view(part.image, std::nullopt, 0, 0, 0, g), to);
  }
  copies.finish("concat");
}

}  // namespace

std::vector<Part> parts_of(const Concat& op, const isa::Geometry& g) {
  std::vector<Part> parts;
  Part next;
  const auto add = [&](Image image, std::optional<std::size_t> input) {
    parts.push_back({image, input, next.row, next.column, next.channel});
    along(op, next) += along(op, image);
  };
  const auto add_channels = [&](std::int64_t channels) {
    if (channels > 0) add({op.inputs[0].h, op.inputs[0].w, channels}, std::nullopt);
  };
  add_channels(op.before);
  for (std::size_t i = 0; i < op.inputs.size(); ++i) add(op.inputs[i], i);
  add_channels(op.after);
  const auto ends = [&](const Part& part) { return end_of(part, g); };
  if (joins_channels(op) &&
      std::ranges::max(parts | std::views::transform(ends)) < padded_channels(next.channel, g))
    add_channels(1);
  return parts;
}

std::int64_t end_of(const Part& part, const isa::Geometry& g) {
  return part.channel + padded_channels(part.image.c, g);
}

template <>
const Operator<Concat>& row<Concat>() {
  static constexpr Operator<Concat> kRow{
      .kind = [](const Concat&) -> std::string_view { return "concat"; },
      .inputs = [](const Concat& op) { return op.inputs; },
      .output = output,
      .check = check,
      .why_not = why_not,
      .estimate = estimate,
      .lower = lower,
      .bound_to_dram = [](const Concat&, const isa::Geometry&) -> Reason { return "DMA moves it"; },
      .pixel_bytes = pixel_bytes,
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
  // Rows, or columns of one row, follow each other in memory where nothing is in front of them.
  const graph::Shape front(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis));
  const std::int64_t rows = graph::element_count(front);
  if (d.rows && rows > 1) {
    d.rows = false;
    d.columns = true;
    for (Image& image : d.inputs) image = {rows, image.h * image.w / rows, image.c};
  } else if (rank > 2 && axis + 2 == rank) {
    for (Image& image : d.inputs) image = {image.w, 1, image.c};
  }
  return Layer{std::move(d), n.node.inputs};
}

}  // namespace vdla::pipeline::device
