// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/device_segment.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>

#include "compiler/codegen/vdla/segment.h"
#include "compiler/graph/memory_plan.h"
#include "compiler/pipeline/device/layout.h"
#include "compiler/pipeline/device/lower.h"
#include "compiler/tensorize/table.h"
#include "compiler/tensorize/tensorize.h"
#include "isa/timing/work.h"
#include "isa/verify/verify.h"
#include "support/error.h"

namespace vdla::pipeline {

namespace {

using codegen::DramPlace;
using graph::NodeId;
using graph::TensorId;

constexpr std::int64_t kAlignment = 64;  // bytes: bursts and entries begin on their own

/// DRAM places of the tensors that one step touches. A reshape's output shares its input's place.
class Places {
 public:
  Places(const graph::Graph& graph, const std::vector<PlacedNode>& nodes, const std::vector<NodeId>& group,
         const std::vector<bool>& leaving, const isa::Geometry& geometry)
      : graph_(graph), geometry_(geometry) {
    find_roots(nodes, group);
    find_windows(nodes, group, leaving);
    place_all();
  }

  DramPlace of(TensorId id) const { return places_.at(root(id)); }
  std::uint64_t window_bytes(isa::Window window) const { return sizes_.at(static_cast<std::size_t>(window)); }
  const std::vector<TensorId>& arriving() const { return arriving_; }
  const std::vector<TensorId>& leaving() const { return leaving_; }
  DeviceTensor tensor(TensorId id) const {
    const DramPlace place = of(id);
    return {id, place.window, place.offset, image_of(graph_.tensor(id))};
  }

 private:
  struct Use {
    isa::Window window = isa::Window::Act;
    std::int64_t bytes = 0;
    int first = 0, last = 0;
  };

  TensorId root(TensorId id) const {
    const auto found = roots_.find(id);
    return found == roots_.end() ? id : root(found->second);
  }

  void find_roots(const std::vector<PlacedNode>& nodes, const std::vector<NodeId>& group) {
    for (NodeId n : group)
      if (!nodes[static_cast<std::size_t>(n)].op) roots_[graph_.node(n).output] = graph_.node(n).inputs[0];
  }

  Use& use(TensorId id, int step) {
    const auto [entry, is_new] = uses_.try_emplace(root(id));
    Use& u = entry->second;
    if (is_new) u.first = step;
    u.last = step;
    u.bytes = std::max(u.bytes, device::activation_bytes(image_of(graph_.tensor(id)), geometry_));
    return u;
  }

  void find_windows(const std::vector<PlacedNode>& nodes, const std::vector<NodeId>& group,
                    const std::vector<bool>& leaving) {
    std::map<TensorId, bool> made;
    for (NodeId n : group) made[graph_.node(n).output] = true;
    for (int step = 0; step < static_cast<int>(group.size()); ++step) {
      const NodeId n = group[static_cast<std::size_t>(step)];
      for (TensorId id : nodes[static_cast<std::size_t>(n)].inputs) {
        Use& u = use(id, step);
        if (made.contains(id) || u.window == isa::Window::Input) continue;
        u.window = isa::Window::Input;
        arriving_.push_back(id);
      }
      const TensorId output = graph_.node(n).output;
      Use& u = use(output, step);
      if (!leaving[static_cast<std::size_t>(output)]) continue;
      leaving_.push_back(output);
      // A reshape of an input would leave from where it arrived: that is allowed, windows are only memory.
      if (u.window == isa::Window::Act) u.window = isa::Window::Output;
    }
  }

  void place_all() {
    std::vector<TensorId> planned;
    std::vector<graph::Lifetime> lifetimes;
    for (const auto& [id, u] : uses_) {
      if (u.window == isa::Window::Act) {
        planned.push_back(id);
        lifetimes.push_back({u.bytes, u.first, u.last});
        continue;
      }
      std::uint64_t& size = sizes_[static_cast<std::size_t>(u.window)];
      places_[id] = {u.window, size};
      size += static_cast<std::uint64_t>((u.bytes + kAlignment - 1) / kAlignment * kAlignment);
    }
    const graph::MemoryPlan plan = graph::plan_memory(lifetimes, kAlignment);
    for (std::size_t i = 0; i < planned.size(); ++i)
      places_[planned[i]] = {isa::Window::Act, static_cast<std::uint64_t>(plan.offsets[i])};
    sizes_[static_cast<std::size_t>(isa::Window::Act)] = static_cast<std::uint64_t>(plan.bytes);
  }

  const graph::Graph& graph_;
  const isa::Geometry& geometry_;
  std::map<TensorId, TensorId> roots_;
  std::map<TensorId, Use> uses_;
  std::map<TensorId, DramPlace> places_;
  std::array<std::uint64_t, isa::kWindowCount> sizes_{};
  std::vector<TensorId> arriving_, leaving_;
};

/// Where each parameter of a part lies.
std::vector<DramPlace> places_of(const device::DevicePart& part, const PlacedNode& node, TensorId output,
                                 DramPlace constants, const Places& places) {
  std::vector<DramPlace> result;
  for (const device::DeviceParam& param : part.params) {
    DramPlace place = constants;
    switch (param.role) {
      case device::Role::Input:
        place = places.of(node.inputs.at(0));
        break;
      case device::Role::SecondInput:
      case device::Role::Weights:
        place = places.of(node.inputs.at(1));
        break;
      case device::Role::Scales:
        place = places.of(node.inputs.at(2));
        break;
      case device::Role::Constants:
        break;
      case device::Role::Output:
        place = places.of(output);
        break;
    }
    place.offset += static_cast<std::uint64_t>(param.offset);
    result.push_back(place);
  }
  return result;
}

/// Throws unless the program is right for these inputs and makes these outputs.
void prove(DeviceStep& step, const std::string& name) {
  const auto bytes_of = [&](const std::vector<DeviceTensor>& tensors) {
    std::vector<isa::WindowBytes> list;
    for (const DeviceTensor& t : tensors)
      list.push_back(
          {t.window, t.offset,
           t.offset + static_cast<std::uint64_t>(device::activation_bytes(t.image, step.program.geometry))});
    return list;
  };
  isa::VerifyOptions options;
  options.defined = bytes_of(step.inputs);
  options.results = bytes_of(step.outputs);
  const auto begin = std::chrono::steady_clock::now();
  const isa::Report report = isa::verify(step.program, options);
  step.verify_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  VDLA_CHECK(report.clean()) << "the program for '" << name << "' cannot be proven right:\n" << report.text();
}

}  // namespace

DeviceStep device_segment(const graph::Graph& graph, const std::vector<PlacedNode>& nodes,
                          const std::vector<NodeId>& group, const std::vector<bool>& leaving,
                          const CompileOptions& options) {
  const isa::Variant& variant = options.variant;
  const Places places(graph, nodes, group, leaving, variant.geometry);
  const std::vector<tensorize::Intrinsic> table = tensorize::device_intrinsics(variant.geometry);
  codegen::SegmentBuilder segment(
      variant.geometry, {}, options.latency_hiding ? codegen::Latency::Hidden : codegen::Latency::Exposed);
  for (NodeId n : group) {
    const PlacedNode& node = nodes[static_cast<std::size_t>(n)];
    if (!node.op) continue;
    const device::DeviceKernel kernel = device::lower(*node.op, variant.geometry, variant.timing);
    const DramPlace constants = segment.add_constants(kernel.constants);
    for (const device::DevicePart& part : kernel.parts)
      segment.add({graph.node(n).name, std::string(device::kind_of(*node.op)), part.schedule},
                  tensorize::tensorize(part.func, table),
                  places_of(part, node, graph.node(n).output, constants, places));
  }
  DeviceStep step{segment.finish(), {}, {}, 0};
  for (isa::Window w : {isa::Window::Act, isa::Window::Input, isa::Window::Output})
    step.program.data_window_sizes[static_cast<std::size_t>(w)] = places.window_bytes(w);
  for (TensorId id : places.arriving()) step.inputs.push_back(places.tensor(id));
  for (TensorId id : places.leaving()) step.outputs.push_back(places.tensor(id));
  isa::check(step.program);
  prove(step, graph.name);
  return step;
}

double estimated_cycles(const isa::Program& program, const std::string& layer, const isa::Timing& timing) {
  std::map<isa::Unit, double> work;
  double most = 0;
  for (std::size_t i = 0; i < program.insns.size(); ++i) {
    const isa::SourceLayer* source = program.source_map.layer_of(i);
    if (source == nullptr || source->name != layer) continue;
    double& cycles = work[isa::unit_of(program.insns[i])];
    cycles += static_cast<double>(isa::least_cycles(program.insns[i], program.geometry, timing));
    most = std::max(most, cycles);
  }
  return most;
}

}  // namespace vdla::pipeline
