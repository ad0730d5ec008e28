// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/segment/slices.h"

#include <algorithm>

#include "compiler/pipeline/device/layout.h"
#include "compiler/pipeline/device/storage.h"

namespace vdla::pipeline {

using graph::NodeId;
using graph::TensorId;

namespace {

const PlacedNode& placed_node(const Placement& nodes, NodeId n) { return nodes[static_cast<std::size_t>(n)]; }

}  // namespace

Slices::Slices(const graph::Graph& graph, const Placement& nodes, const std::vector<NodeId>& group,
               const std::vector<bool>& leaving, const isa::Geometry& geometry)
    : graph_(graph), geometry_(geometry) {
  for (NodeId n : group) take(n, nodes, group, leaving);
}

void Slices::take(NodeId concat, const Placement& nodes, const std::vector<NodeId>& group,
                  const std::vector<bool>& leaving) {
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
    if (made && !reshaped && !leaving[static_cast<std::size_t>(id)]) slices_.try_emplace(id, slice);
    const device::Image& image = joined->inputs[i];
    (joined->rows ? slice.pixels : slice.channels) += joined->rows ? image.h * image.w : image.c;
  }
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
