// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/report.h"

#include <algorithm>
#include <map>

#include "compiler/graph/sources.h"
#include "isa/timing/estimate.h"

namespace vdla::pipeline {
namespace {

NodeReport& report_of(std::vector<NodeReport>& reports, graph::NodeId n) { return reports[at(n)]; }

/// Work by layer name.
std::map<std::string, isa::Work> work_by_layer(const isa::Program& program, const isa::Timing& timing) {
  std::map<std::string, isa::Work> work;
  for (std::size_t i = 0; i < program.insns.size(); ++i)
    if (const isa::SourceLayer* source = program.source_map.layer_of(i))
      isa::add_work(work[source->name], program.insns[i], program.geometry, timing);
  return work;
}

void report_transfers(const graph::Graph& graph, const Placement& nodes, const Group& group,
                      const DeviceStep& step, std::vector<NodeReport>& reports) {
  const auto bytes = [&](graph::TensorId id) { return static_cast<std::int64_t>(graph.tensor(id).bytes()); };
  for (const DeviceTensor& t : step.inputs)
    for (graph::NodeId n : group.nodes) {
      const auto& inputs = nodes[at(n)].inputs;
      if (std::find(inputs.begin(), inputs.end(), t.tensor) == inputs.end()) continue;
      report_of(reports, n).bytes_to_device += bytes(t.tensor);
      break;
    }
  for (const DeviceTensor& t : step.outputs)
    for (graph::NodeId n : group.nodes)
      if (graph.node(n).output == t.tensor) report_of(reports, n).bytes_from_device += bytes(t.tensor);
}

}  // namespace

std::vector<NodeReport> report_places(const graph::Graph& g, const Placement& nodes) {
  std::vector<NodeReport> result;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    NodeReport report;
    report.name = g.nodes[i].name;
    report.op = name_of(g.nodes[i].op);
    report.place = nodes[i].place;
    report.reason = nodes[i].reason;
    if (nodes[i].op) {
      report.macs = device::macs_of(*nodes[i].op);  // with those of a node folded into it
    } else if (nodes[i].place != Place::Folded) {
      report.macs = macs(g, g.nodes[i]);
    }
    report.sources = graph::sources_of(g.tensor(g.nodes[i].output));
    for (const graph::TensorId id : g.nodes[i].inputs)
      if (id != graph::kNone && g.tensor(id).constant())
        graph::add_sources(report.constants, sources_of(g.tensor(id)));
    report.lost = nodes[i].lost;
    for (const std::string& lost : report.lost) report.reason += "; " + lost;
    if (report.place == Place::Device && !nodes[i].costs.empty()) report.reason += "; " + nodes[i].costs;
    result.push_back(std::move(report));
  }
  return result;
}

void report_step(const graph::Graph& graph, const Placement& nodes, const Group& group,
                 const DeviceStep& step, int index, const isa::Variant& variant,
                 std::vector<NodeReport>& reports) {
  report_transfers(graph, nodes, group, step, reports);
  const std::map<std::string, isa::Work> work = work_by_layer(step.program, variant.timing);
  for (std::size_t i = 0; i < group.nodes.size(); ++i) {
    NodeReport& report = report_of(reports, group.nodes[i]);
    if (i < step.results.size() && !step.results[i].text.empty()) {
      report.reason += "; " + step.results[i].text;
      if (step.results[i].by_shape && report.bytes_from_device == 0)
        report.lost.push_back(step.results[i].text);
    }
    if (i < step.knobs.size() && !step.knobs[i].empty()) report.reason += "; " + step.knobs[i];
    if (i < step.weights.size() && !step.weights[i].empty()) {
      report.weights = step.weights[i];
      report.reason += "; " + report.weights;
    }
    report.step = index;
    const auto found = work.find(report.name);
    report.estimated_cycles = found == work.end() ? 0 : found->second.total();
  }
}

}  // namespace vdla::pipeline
