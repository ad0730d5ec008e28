// SPDX-License-Identifier: Apache-2.0
#include "kit/cut_module.h"

#include <algorithm>
#include <optional>
#include <set>

#include "runtime/session/port.h"
#include "support/error.h"

namespace vdla::kit {
namespace {

/// A module whose outputs are values inside of another one, in the module's own form.
struct CutModule {
  runtime::Module module;
  std::vector<runtime::Tensor> values;  ///< descriptions of its outputs
};

void add_output(CutModule& cut, runtime::TensorIndex index) {
  const runtime::Tensor& t = cut.module.tensors[index];
  cut.module.outputs.push_back({index, t.name, t.type, t.shape, {}, {}});
  cut.values.push_back(t);
}

/// The module without outputs, in its first run: what states begin with is constant.
CutModule first_run_of(const runtime::Module& module) {
  CutModule cut{module, {}};
  runtime::Module& m = cut.module;
  for (runtime::State& state : m.states) m.tensors[state.begin].data = std::move(state.initial);
  m.states.clear();
  m.outputs.clear();
  m.class_names.clear();
  return cut;
}

/// The whole module with all that its steps make as outputs.
CutModule with_results(const runtime::Module& module) {
  CutModule cut = first_run_of(module);
  std::set<runtime::TensorIndex> results;
  for (std::size_t i = 0; i < module.steps.size(); ++i) {
    if (const runtime::GpuSegment* segment = runtime::segment_of(module, i)) {
      for (const runtime::GpuTensor& t : segment->outputs) results.insert(t.tensor);
    } else if (const auto* host = std::get_if<runtime::HostStep>(&module.steps[i])) {
      results.insert(host->results.begin(), host->results.end());
    } else {
      for (const runtime::DeviceTensor& d : std::get<runtime::DeviceStep>(module.steps[i]).outputs)
        results.insert(d.tensor);
    }
  }
  for (const runtime::TensorIndex t : results)
    if (runtime::element_count(module.tensors[t].shape) > 0) add_output(cut, t);
  return cut;
}

/// Number of instructions up to the last one of the layers; 0: there is none.
std::size_t end_of_layers(const isa::Program& program, const std::vector<std::uint32_t>& layers) {
  const auto& insns = program.source_map.insns;
  for (std::size_t i = insns.size(); i > 0; --i)
    if (std::ranges::find(layers, insns[i - 1].layer) != layers.end()) return i;
  return 0;
}

/// The module up to where a tensor of one of its steps is whole. Nothing where it lies on chip, or its
/// program has parts that are started on their own.
std::optional<CutModule> cut_at(const runtime::Module& module, std::size_t index,
                                const runtime::InnerTensor& inner) {
  const auto& step = std::get<runtime::DeviceStep>(module.steps[index]);
  const std::size_t end = end_of_layers(step.program, inner.layers);
  if (!inner.window || !step.program.entries.empty() || end == 0 || !module.gpu.empty()) return std::nullopt;
  CutModule cut = first_run_of(module);
  runtime::Module& m = cut.module;
  m.steps.resize(index + 1);
  std::erase_if(m.alternatives, [&](const runtime::StepAlternatives& a) { return a.step > index; });
  std::erase_if(m.nodes,
                [&](const runtime::NodeInfo& n) { return n.step > static_cast<std::int32_t>(index); });
  auto& last = std::get<runtime::DeviceStep>(m.steps.back());
  const isa::Insn finish = last.program.insns.back();
  last.program.insns.resize(end);
  last.program.insns.push_back(finish);
  last.program.source_map.insns.resize(end + 1);
  last.program.source_map.insns.back() = {};
  last.inner.clear();
  m.tensors.push_back(inner.tensor);
  const auto made = static_cast<runtime::TensorIndex>(m.tensors.size() - 1);
  last.outputs = {{made, *inner.window, inner.offset, inner.layout}};
  add_output(cut, made);
  return cut;
}

}  // namespace

void read_by_cuts(const runtime::Module& module, const std::vector<runtime::Bytes>& inputs,
                  const ModuleRunner& run, runtime::TensorSink& sink) {
  for (std::size_t i = 0; i < module.inputs.size(); ++i) {
    const runtime::Port& port = module.inputs[i];
    sink.tensor(module.tensors[port.tensor], runtime::to_tensor(module, port, inputs.at(i)));
  }
  const auto read = [&](const CutModule& cut) {
    const std::vector<runtime::Bytes> values = run(cut.module, inputs);
    VDLA_CHECK(values.size() == cut.values.size());
    for (std::size_t i = 0; i < values.size(); ++i) sink.tensor(cut.values[i], values[i]);
  };
  read(with_results(module));
  for (std::size_t i = 0; i < module.steps.size(); ++i)
    if (const auto* step = std::get_if<runtime::DeviceStep>(&module.steps[i]))
      for (const runtime::InnerTensor& inner : step->inner)
        if (const std::optional<CutModule> cut = cut_at(module, i, inner)) read(*cut);
}

}  // namespace vdla::kit
