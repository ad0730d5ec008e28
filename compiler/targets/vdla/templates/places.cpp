// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/vdla/templates/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "compiler/expr/affine.h"
#include "compiler/graph/element_read.h"
#include "support/element_with.h"

namespace vdla::pipeline::device {
namespace {

using graph::Extents;
using graph::Shape;

/// Part of an image that a dimension of a tensor belongs to, as image_of() has it.
enum class ImagePart : std::uint8_t { Row, Column, Channel };
ImagePart image_part(std::size_t dimension, std::size_t rank) {
  if (dimension + 1 == rank) return ImagePart::Channel;
  return rank > 2 && dimension + 2 == rank ? ImagePart::Column : ImagePart::Row;
}

/// Place of an element of the result in one dimension of the input.
struct Origin {
  graph::Source source;
  graph::Outside outside = graph::Outside::Never;
  std::int64_t extent = 1;
  std::vector<std::int64_t> table = {};  ///< not empty: the source's place is an index of it

  std::optional<std::int64_t> operator()(const Extents& index) const {
    if (table.empty()) return graph::element_read(source, outside, extent, index);
    std::int64_t place = source.offset;
    for (std::size_t k = 0; k < index.size(); ++k) place += source.step[k] * index[k];
    return table[static_cast<std::size_t>(place)];
  }
};

/// Origins of the dimensions of the input, in their order.
using Origins = std::vector<Origin>;

/// Why one part of the result comes from another part of the input, or nothing.
std::optional<WhyNot> mixed(const Origins& origins, const Shape& out) {
  for (std::size_t d = 0; d < origins.size(); ++d)
    for (std::size_t k = 0; k < out.size(); ++k)
      if (origins[d].source.step[k] != 0 && out[k] > 1 &&
          image_part(d, origins.size()) != image_part(k, out.size()))
        return WhyNot{
            fmt::format("dimension {} of its result goes through dimension {} of its input, the device moves "
                        "rows, columns and channels",
                        k, d)};
  return std::nullopt;
}

/// Returns the place along a part of the input that each place along that part of the result reads.
std::vector<std::int64_t> along(ImagePart part, const Origins& origins, const Shape& out) {
  std::vector<std::int64_t> places;
  Extents index(out.size());
  const auto own = [&](std::size_t k) { return image_part(k, out.size()) == part; };
  for (;;) {
    std::int64_t place = 0;
    for (std::size_t d = 0; d < origins.size() && place != Select::kNowhere; ++d) {
      if (image_part(d, origins.size()) != part) continue;
      const std::optional<std::int64_t> at = origins[d](index);
      place = at ? place * origins[d].extent + *at : Select::kNowhere;
    }
    places.push_back(place);
    std::size_t k = out.size();
    while (k > 0 && (!own(k - 1) || index[k - 1] + 1 == out[k - 1])) {
      --k;
      if (own(k)) index[k] = 0;
    }
    if (k == 0) return places;
    ++index[k - 1];
  }
}

PlacesOrNot places_by(const GraphNode& n, const Origins& origins, std::int32_t value) {
  const graph::Tensor& in = n.input();
  if (in.type != graph::DataType::Int8)
    return WhyNot{"it moves " + std::string(name_of(in.type)) + ", the device moves int8"};
  const Shape& out = n.out();
  if (out.empty() || origins.empty() || graph::element_count(out) == 0)
    return WhyNot{"its result " + graph::to_string(out) + " is no image"};
  if (auto no = mixed(origins, out)) return *no;
  const std::vector<std::int64_t> channels = along(ImagePart::Channel, origins, out);
  const auto is_somewhere = [](std::int64_t channel) { return channel != Select::kNowhere; };
  const auto first = std::ranges::find_if(channels, is_somewhere);
  const auto end = std::ranges::find_if(channels.rbegin(), channels.rend(), is_somewhere).base();
  if (first == channels.end() ||
      std::adjacent_find(first, end, [](std::int64_t a, std::int64_t b) { return b != a + 1; }) != end)
    return WhyNot{"its channels do not follow each other in its input"};
  return Places{n.node.inputs[0],
                along(ImagePart::Row, origins, out),
                along(ImagePart::Column, origins, out),
                *first,
                value,
                first - channels.begin(),
                channels.end() - end};
}

template <class T>
std::vector<std::int64_t> wide(const graph::Tensor& tensor) {
  const std::span<const T> values = tensor.values<T>();
  return {values.begin(), values.end()};
}

}  // namespace

PlacesOrNot places_of(const GraphNode& n, const graph::View& op) {
  Origins origins;
  for (std::size_t d = 0; d < op.source.size(); ++d) origins.push_back({op.source[d], op.outside, n.in()[d]});
  const auto fill = op.fill ? expr::as_constant(op.fill) : std::nullopt;
  return places_by(n, origins, static_cast<std::int32_t>(fill.value_or(0)));
}

PlacesOrNot places_of(const GraphNode& n, const graph::Gather& op) {
  const graph::Tensor& indices = n.input(1);
  if (!indices.constant()) return WhyNot{"its indices are not constant"};
  if (indices.shape.size() != 1)
    return WhyNot{"its indices have " + std::to_string(indices.shape.size()) +
                  " dimensions, the device takes one"};
  const Shape& in = n.in();
  const auto rank = static_cast<int>(in.size());
  const auto axis = static_cast<std::size_t>(op.axis < 0 ? op.axis + rank : op.axis);
  Origins origins;
  for (std::size_t d = 0; d < in.size(); ++d) {
    graph::Source own{0, Extents(in.size()), 1};
    own.step[d] = 1;
    origins.push_back({std::move(own), graph::Outside::Never, in[d]});
  }
  origins[axis].table =
      indices.type == graph::DataType::Int64 ? wide<std::int64_t>(indices) : wide<std::int32_t>(indices);
  for (std::int64_t& place : origins[axis].table)
    place = std::clamp<std::int64_t>(place < 0 ? place + in[axis] : place, 0, in[axis] - 1);
  return places_by(n, origins, 0);
}

namespace {

/// The places of the node that makes a tensor, where it has some.
std::optional<Places> places_in_front(const graph::Graph& graph, graph::TensorId id) {
  const auto maker = std::ranges::find(graph.nodes, id, &graph::Node::output);
  if (maker == graph.nodes.end()) return std::nullopt;
  const GraphNode n{graph, *maker};
  PlacesOrNot places = WhyNot{};
  if (const auto* view = std::get_if<graph::View>(&maker->op)) places = places_of(n, *view);
  if (const auto* gather = std::get_if<graph::Gather>(&maker->op)) places = places_of(n, *gather);
  if (auto* found = std::get_if<Places>(&places)) return std::move(*found);
  return std::nullopt;
}

bool fills(const Places& places) {
  const auto has_none = [](const std::vector<std::int64_t>& of) {
    return std::ranges::find(of, Select::kNowhere) != of.end();
  };
  return has_none(places.rows) || has_none(places.columns);
}

std::vector<std::int64_t> through(const std::vector<std::int64_t>& front, std::vector<std::int64_t> places) {
  for (std::int64_t& place : places)
    if (place != Select::kNowhere) place = front[static_cast<std::size_t>(place)];
  return places;
}

}  // namespace

Places behind(const graph::Graph& graph, Places places) {
  const auto pads = [](const Places& of) { return of.before + of.after > 0; };
  while (auto front = pads(places) ? std::nullopt : places_in_front(graph, places.from)) {
    if (pads(*front)) break;
    if (fills(places) && fills(*front) && places.value != front->value) break;
    if (!fills(places)) places.value = front->value;
    places = {front->from,
              through(front->rows, std::move(places.rows)),
              through(front->columns, std::move(places.columns)),
              front->channel + places.channel,
              places.value,
              0,
              0};
  }
  return places;
}

namespace {

/// Runs of every `apart`-th place. None goes backwards: DMA does not.
std::vector<PlaceRun> interleaved(const std::vector<std::int64_t>& places, std::size_t apart) {
  std::vector<PlaceRun> runs;
  for (std::size_t phase = 0; phase < apart; ++phase) {
    for (std::size_t i = phase; i < places.size();) {
      PlaceRun run{1, static_cast<std::int64_t>(i), 0, places[i], 0};
      std::size_t next = i + apart;
      const bool nowhere = places[i] == Select::kNowhere;
      if (next < places.size() && (nowhere ? places[next] == places[i] : places[next] >= places[i])) {
        run.to_step = static_cast<std::int64_t>(apart);
        run.from_step = places[next] - places[i];
        for (; next < places.size() && places[next] - places[next - apart] == run.from_step; next += apart)
          ++run.count;
      }
      i = next;
      runs.push_back(run);
    }
  }
  return runs;
}

}  // namespace

std::vector<PlaceRun> runs_of(const std::vector<std::int64_t>& places) {
  std::vector<PlaceRun> fewest = interleaved(places, 1);
  for (std::size_t apart = 2; apart < places.size() && apart <= kMostCopies && fewest.size() > apart; ++apart)
    if (std::vector<PlaceRun> runs = interleaved(places, apart); runs.size() < fewest.size())
      fewest = std::move(runs);
  return fewest;
}

}  // namespace vdla::pipeline::device
