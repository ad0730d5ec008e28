// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/vdla/segment/slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/knobs/choice.h"
#include "compiler/targets/vdla/templates/layout.h"
#include "compiler/targets/vdla/templates/parts.h"
#include "compiler/targets/vdla/templates/storage.h"

namespace vdla::pipeline {

using graph::NodeId;
using graph::TensorId;

namespace {

const PlacedNode& placed_node(const Placement& nodes, NodeId n) { return nodes[static_cast<std::size_t>(n)]; }

}  // namespace

Slices::Slices(const graph::Graph& graph, const Placement& nodes, const std::vector<NodeId>& group,
               const std::vector<bool>& leaving, const isa::Geometry& geometry, const KnobBook* book)
    : graph_(graph), geometry_(geometry) {
  for (std::size_t i = 0; i < group.size(); ++i) {
    const graph::Node& node = graph_.node(group[i]);
    if (placed_node(nodes, group[i]).op)
      stored_[node.output] = {i, i};
    else if (const auto shown = wide_.find(node.inputs[0]); shown != wide_.end())
      wide_[node.output] = shown->second;
    take(group[i], nodes, group, leaving, book);
    read_in_place(group[i], nodes, group, leaving);
  }
}

void Slices::take(NodeId concat, const Placement& nodes, const std::vector<NodeId>& group,
                  const std::vector<bool>& leaving, const KnobBook* book) {
  const auto& op = placed_node(nodes, concat).op;
  const auto* joined = op ? std::get_if<device::Concat>(&*op) : nullptr;
  if (joined == nullptr || joined->columns) return;  // pixels of a slice would be at two distances
  const auto& inputs = placed_node(nodes, concat).inputs;
  const TensorId whole = graph_.node(concat).output;
  if (const std::int64_t pitch = device::pixel_bytes_of(*op, geometry_); pitch != padded_pitch(whole))
    wide_[whole] = pitch;
  Stored& all = stored_.at(whole);
  std::vector<std::pair<std::int64_t, std::size_t>>
      front;  // ends of parts, and when these are stored at last
  for (const device::Part& part : device::parts_of(*joined, geometry_)) {
    std::size_t last = all.last;
    if (part.input && is_possible(inputs, *part.input, nodes, group, leaving)) {
      const TensorId id = inputs[*part.input];
      const bool over = std::ranges::any_of(front, [&](const auto& before) {
        return before.first > part.channel && before.second >= stored_.at(id).first;
      });
      if (!over) choose(concat, id, {whole, part.row * part.image.w, part.channel}, book);
      if (whole_of(id) == whole) {
        last = stored_.at(id).last;
        all.first = std::min(all.first, stored_.at(id).first);
      }
    }
    if (!joined->rows) front.emplace_back(device::end_of(part, geometry_), last);
  }
}

void Slices::read_in_place(NodeId select, const Placement& nodes, const std::vector<NodeId>& group,
                           const std::vector<bool>& leaving) {
  const auto& op = placed_node(nodes, select).op;
  const auto* selected = op ? std::get_if<device::Select>(&*op) : nullptr;
  const TensorId id = graph_.node(select).output;
  if (selected == nullptr || leaving[static_cast<std::size_t>(id)] || is_shown(id, nodes, group)) return;
  if (const auto place = device::within(*selected, geometry_))
    slices_.emplace(id, Slice{placed_node(nodes, select).inputs[0], place->pixels, place->channels});
}

bool Slices::is_shown(TensorId id, const Placement& nodes, const std::vector<NodeId>& group) const {
  return std::ranges::any_of(
      group, [&](NodeId n) { return !placed_node(nodes, n).op && graph_.node(n).inputs[0] == id; });
}

bool Slices::is_possible(const std::vector<TensorId>& inputs, std::size_t i, const Placement& nodes,
                         const std::vector<NodeId>& group, const std::vector<bool>& leaving) const {
  const TensorId id = inputs[i];
  const auto here = inputs.begin() + static_cast<std::ptrdiff_t>(i);
  const bool again = std::find(inputs.begin(), here, id) != here;
  return stored_.contains(id) && !wide_.contains(id) && !is_shown(id, nodes, group) && !again &&
         !leaving[static_cast<std::size_t>(id)];
}

void Slices::choose(NodeId concat, TensorId id, const Slice& slice, const KnobBook* book) {
  constexpr std::size_t kInPlace = 1;  // index of the values
  if (slices_.contains(id)) return;
  const std::string& name = graph_.tensor(id).name;
  const Choice choice(book, fmt::format("input '{}' of concatenation '{}'", name, graph_.node(concat).name),
                      "made", {"apart", "in-place"});
  const std::size_t taken = choice.wanted().value_or(kInPlace);
  if (taken == kInPlace) slices_.emplace(id, slice);
  if (choice.wanted())
    notes_[concat] +=
        fmt::format("; '{}' is {}{}", name, taken == kInPlace ? "made in its place" : "copied", choice.by());
  if (book) tasks_.push_back(choice.task(taken));
}

std::string Slices::note(NodeId concat) const {
  const auto found = notes_.find(concat);
  return found == notes_.end() ? "" : found->second;
}

TensorId Slices::whole_of(TensorId id) const {
  const auto found = slices_.find(id);
  return found == slices_.end() ? graph::kNone : found->second.whole;
}

TensorId Slices::root_of(TensorId id) const {
  const TensorId whole = whole_of(id);
  return whole == graph::kNone ? id : root_of(whole);
}

std::int64_t Slices::padded_pitch(TensorId id) const {
  return device::padded_channels(device::image_of(graph_.tensor(id)).c, geometry_);
}

std::int64_t Slices::own_pitch(TensorId id) const {
  const auto wide = wide_.find(id);
  return wide == wide_.end() ? padded_pitch(id) : wide->second;
}

std::int64_t Slices::offset_of(TensorId id) const {
  const auto found = slices_.find(id);
  if (found == slices_.end()) return 0;
  const Slice& slice = found->second;
  return slice.pixels * pitch_of(id) + slice.channels + offset_of(slice.whole);
}

std::vector<bool> Slices::in_place(NodeId n, const PlacedNode& node) const {
  std::vector<bool> all;
  const auto begin = node.inputs.begin();
  const TensorId output = graph_.node(n).output;
  for (auto at = begin; at != node.inputs.end(); ++at)
    all.push_back(whole_of(output) == *at || (whole_of(*at) == output && std::find(begin, at, *at) == at));
  return all;
}

device::DeviceFunction Slices::placed(device::DeviceFunction function, const PlacedNode& node,
                                      TensorId output) const {
  for (std::size_t i = 0; i < function.params.size(); ++i) {
    device::DeviceParam& param = function.params[i];
    const bool in = param.role == device::Role::Input, second = param.role == device::Role::SecondInput;
    if (!in && !second && param.role != device::Role::Output) continue;
    const TensorId id = in || second ? node.inputs.at(second ? 1 : param.input) : output;
    // A layer is lowered with the pitch of its own result, and with what it reads as if that were by blocks.
    const std::int64_t own = in || second ? padded_pitch(id) : own_pitch(id), pitch = pitch_of(id);
    if (own == pitch) continue;
    std::vector<std::int64_t> strides = function.func.params[i].buffer->strides;
    for (std::size_t d = 0; d + 2 < strides.size(); ++d) strides[d] = strides[d] / own * pitch;
    function.func = device::with_storage(function.func, i, function.func.params[i].buffer->scope, strides);
    param.offset = param.offset / own * pitch + param.offset % own;
  }
  return function;
}

}  // namespace vdla::pipeline
