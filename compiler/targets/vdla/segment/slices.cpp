// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/vdla/segment/slices.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/knobs/choice.h"
#include "compiler/targets/vdla/templates/layout.h"
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
  for (NodeId n : group) take(n, nodes, group, leaving, book);
}

void Slices::take(NodeId concat, const Placement& nodes, const std::vector<NodeId>& group,
                  const std::vector<bool>& leaving, const KnobBook* book) {
  const auto& op = placed_node(nodes, concat).op;
  const auto* joined = op ? std::get_if<device::Concat>(&*op) : nullptr;
  if (joined == nullptr) return;
  const auto& inputs = placed_node(nodes, concat).inputs;
  Slice slice{graph_.node(concat).output, 0, 0};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const TensorId id = inputs[i];
    const bool made = std::ranges::any_of(
        group, [&](NodeId n) { return graph_.node(n).output == id && placed_node(nodes, n).op.has_value(); });
    const bool reshaped = std::ranges::any_of(
        group, [&](NodeId n) { return !placed_node(nodes, n).op && graph_.node(n).inputs[0] == id; });
    const auto here = inputs.begin() + static_cast<std::ptrdiff_t>(i);
    const bool again = std::find(inputs.begin(), here, id) != here;
    if (made && !reshaped && !again && !leaving[static_cast<std::size_t>(id)])
      choose(concat, id, slice, book);
    const device::Image& image = joined->inputs[i];
    (joined->rows ? slice.pixels : slice.channels) += joined->rows ? image.h * image.w : image.c;
  }
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

std::int64_t Slices::own_pitch(TensorId id) const {
  return device::padded_channels(device::image_of(graph_.tensor(id)).c, geometry_);
}

std::int64_t Slices::offset_of(TensorId id) const {
  const auto found = slices_.find(id);
  if (found == slices_.end()) return 0;
  const Slice& slice = found->second;
  return slice.pixels * own_pitch(root_of(id)) + slice.channels + offset_of(slice.whole);
}

std::vector<bool> Slices::in_place(NodeId n, const PlacedNode& node) const {
  std::vector<bool> all;
  const auto begin = node.inputs.begin();
  for (auto at = begin; at != node.inputs.end(); ++at)
    all.push_back(whole_of(*at) == graph_.node(n).output && std::find(begin, at, *at) == at);
  return all;
}

device::DeviceFunction Slices::placed(device::DeviceFunction function, const PlacedNode& node,
                                      TensorId output) const {
  for (std::size_t i = 0; i < function.params.size(); ++i) {
    device::DeviceParam& param = function.params[i];
    const bool in = param.role == device::Role::Input, second = param.role == device::Role::SecondInput;
    if (!in && !second && param.role != device::Role::Output) continue;
    const TensorId id = in || second ? node.inputs.at(second ? 1 : param.input) : output;
    const std::int64_t own = own_pitch(id), pitch = own_pitch(root_of(id));
    if (own == pitch) continue;
    std::vector<std::int64_t> strides = function.func.params[i].buffer->strides;
    for (std::size_t d = 0; d + 2 < strides.size(); ++d) strides[d] = strides[d] / own * pitch;
    function.func = device::with_storage(function.func, i, function.func.params[i].buffer->scope, strides);
    param.offset = param.offset / own * pitch + param.offset % own;
  }
  return function;
}

}  // namespace vdla::pipeline
