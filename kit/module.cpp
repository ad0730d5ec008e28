// SPDX-License-Identifier: Apache-2.0
#include "kit/module.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "compiler/graph/sources.h"
#include "compiler/loop/print.h"
#include "isa/variants/variants.h"
#include "kit/data_type.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::kit {
namespace {

/// Copies the tensors that steps and ports use, each once. Equal constants are one: the steps of an unrolled
/// recurrence share their weights.
class Writer {
 public:
  Writer(const pipeline::CompiledModel& model, HostCode host_code)
      : model_(model), host_code_(host_code), index_(model.graph.tensors.size(), kAbsent) {}

  runtime::Module write() {
    module_.model_name = model_.graph.name;
    module_.provenance.producer = std::string("vdla ") + VDLA_VERSION;
    module_.target = model_.use_device ? "vdla" : "cpu";
    if (const auto& gpu = model_.gpu; !gpu.empty())
      module_.target = model_.use_device ? "vdla," + gpu[0].kind + ",cpu" : gpu[0].kind;
    module_.variant = model_.variant;
    for (const auto& p : model_.graph.inputs) module_.inputs.push_back(port(p));
    for (const auto& p : model_.graph.outputs) module_.outputs.push_back(port(p));
    for (const auto& s : model_.graph.states)
      module_.states.push_back({tensor(s.begin), tensor(s.end), *s.initial});
    for (const auto& step : model_.steps)
      module_.steps.push_back(std::visit(
          overloaded{[&](const pipeline::DeviceStep& s) { return runtime::Step(device_step(s)); },
                     [&](const pipeline::HostStep& s) { return runtime::Step(host_step(s.kernel)); }},
          step));
    for (const targets::GpuSteps& s : model_.gpu) module_.gpu.push_back(gpu_segment(s));
    add_alternatives();
    for (const auto& n : model_.nodes)
      module_.nodes.push_back({n.name, n.op, std::string(pipeline::name_of(n.place)), n.reason,
                               n.place == pipeline::Place::Device ? n.name : "", n.step,
                               static_cast<std::uint64_t>(n.macs), n.estimated_cycles,
                               static_cast<std::uint64_t>(n.bytes_to_device),
                               static_cast<std::uint64_t>(n.bytes_from_device), n.sources, n.constants});
    for (const auto& o : model_.objects) module_.objects.push_back({o.triple, o.cpu, o.features, o.elf});
    return std::move(module_);
  }

 private:
  static constexpr runtime::TensorIndex kAbsent = UINT32_MAX;

  runtime::TensorIndex tensor(graph::TensorId id) {
    auto& index = index_.at(static_cast<std::size_t>(id));
    if (index == kAbsent) {
      const graph::Tensor& t = model_.graph.tensor(id);
      runtime::Tensor made = described(t);
      if (t.constant()) made.data = *t.data;
      index = add(std::move(made));
    }
    return index;
  }

  /// The tensor without its data.
  static runtime::Tensor described(const graph::Tensor& t) {
    return {t.name,  to_runtime(t.type),
            t.shape, {t.quantization.scale, t.quantization.zero_point, t.quantization.axis},
            {},      t.sources.value_or(Sources{})};
  }

  runtime::TensorIndex add(runtime::Tensor t) {
    if (t.data.empty()) return append(std::move(t));
    auto& alike = constants_[{t.type, t.shape, t.data.size()}];
    for (const runtime::TensorIndex i : alike) {
      runtime::Tensor& other = module_.tensors[i];
      if (other.data != t.data || other.quantization != t.quantization) continue;
      graph::add_sources(other.sources, t.sources);
      return i;
    }
    alike.push_back(append(std::move(t)));
    return alike.back();
  }

  runtime::TensorIndex append(runtime::Tensor t) {
    module_.tensors.push_back(std::move(t));
    return static_cast<runtime::TensorIndex>(module_.tensors.size() - 1);
  }

  runtime::Port port(const graph::Port& p) {
    return {tensor(p.tensor), model_.graph.tensor(p.tensor).name, to_runtime(p.model_type),
            p.model_shape,    {p.perm.begin(), p.perm.end()},     p.rounding};
  }

  runtime::DeviceTensor device_tensor(const pipeline::DeviceTensor& t) {
    const graph::Tensor& source = model_.graph.tensor(t.tensor);
    const auto channels = t.pixel_bytes / static_cast<std::int64_t>(bytes_of(source.type));
    return {tensor(t.tensor), t.window, t.offset,
            runtime::padded_layout(source.shape, to_runtime(source.type), channels)};
  }

  runtime::InnerTensor inner_tensor(const pipeline::InnerTensor& t) {
    const graph::Tensor& source = model_.graph.tensor(t.tensor);
    runtime::InnerTensor out{described(source), t.window, t.offset, {}, t.layers};
    out.layout.block = t.block / static_cast<std::int64_t>(bytes_of(source.type));
    out.layout.block_stride = t.block_bytes;
    std::vector<std::int64_t>& strides = out.layout.strides;
    strides.resize(source.shape.empty() ? 0 : source.shape.size() - 1);
    if (!strides.empty()) strides.back() = t.pixel_bytes;
    std::int64_t stride = t.row_bytes;
    for (std::size_t d = strides.size(); d-- > 1;) {
      strides[d - 1] = stride;
      stride *= source.shape[d - 1];
    }
    // Neither a border nor the channels of a neighbour lie behind the last element.
    const std::int64_t last = t.image.c - 1;
    out.layout.bytes = (t.image.h - 1) * t.row_bytes + (t.image.w - 1) * t.pixel_bytes +
                       last / t.block * t.block_bytes + last % t.block + 1;
    return out;
  }

  runtime::DeviceStep device_step(const pipeline::DeviceStep& s) {
    runtime::DeviceStep out{s.program, {}, {}};
    for (const auto& t : s.inputs) out.inputs.push_back(device_tensor(t));
    for (const auto& t : s.outputs) out.outputs.push_back(device_tensor(t));
    for (const auto& t : s.inner) out.inner.push_back(inner_tensor(t));
    return out;
  }

  void add_alternatives() {
    std::map<std::pair<std::string, std::string>, std::uint32_t> layers;  // layers of task and context
    const auto task_of = [](const pipeline::HostStep& s) {
      return std::pair(s.kernel.task->task, s.kernel.task->context);
    };
    for (const auto& step : model_.steps)
      if (const auto* s = std::get_if<pipeline::HostStep>(&step); s && s->kernel.task) ++layers[task_of(*s)];
    for (std::size_t i = 0; i < model_.steps.size(); ++i) {
      const auto* s = std::get_if<pipeline::HostStep>(&model_.steps[i]);
      if (!s || s->others.empty()) continue;
      const pipeline::KnobTask& task = *s->kernel.task;
      runtime::StepAlternatives made{
          i, task.task, task.context, {}, layers.at(task_of(*s)), s->knobs, s->estimate, {}};
      for (const pipeline::Knob& knob : task.space.knobs())
        made.space.push_back({knob.name, knob.values, knob.names});
      for (const pipeline::OtherKernel& other : s->others)
        made.others.push_back({host_step(other.kernel), other.knobs, other.estimate});
      module_.alternatives.push_back(std::move(made));
    }
  }

  runtime::HostStep host_step(const pipeline::HostKernel& kernel) {
    runtime::HostStep out{kernel.func.name, {}, {}, {}, {}};
    if (host_code_ == HostCode::Kept) out.loop_ir = loop::to_string(kernel.func);
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
      const auto& argument = kernel.arguments[i];
      const loop::Param& param = kernel.func.params[i];
      const auto index = argument.tensor != graph::kNone
                             ? tensor(argument.tensor)
                             : add({param.buffer->name,
                                    to_runtime(graph::data_type_of(param.buffer->dtype)),
                                    param.buffer->shape,
                                    {},
                                    *argument.data});
      const auto bytes = expr::storage_size(*param.buffer) * expr::bytes(param.buffer->dtype);
      out.parameters.push_back(
          {to_runtime(graph::data_type_of(param.buffer->dtype)), static_cast<std::uint64_t>(bytes)});
      out.arguments.push_back(index);
      if (param.direction != loop::Direction::In) out.results.push_back(index);
    }
    return out;
  }

  runtime::GpuSegment gpu_segment(const targets::GpuSteps& s) {
    runtime::GpuSegment out;
    out.kind = s.kind;
    out.first_step = s.first_step;
    out.program = s.network.program;
    for (const targets::GridFunction& f : s.network.functions)
      out.layers.push_back({f.last - f.first, f.by, f.knobs});
    const auto& tensors = s.network.tensors;
    const auto buffer_of = [&](graph::TensorId id) {
      return static_cast<std::size_t>(std::ranges::find(tensors, id) - tensors.begin());
    };
    for (const graph::TensorId id : s.inputs) out.inputs.push_back({tensor(id), buffer_of(id)});
    for (const graph::TensorId id : s.outputs) out.outputs.push_back({tensor(id), buffer_of(id)});
    for (const targets::GridNetwork::Constant& c : s.network.constants)
      out.constants.push_back({c.tensor != graph::kNone ? tensor(c.tensor) : own_constant(c), c.buffer});
    return out;
  }

  runtime::TensorIndex own_constant(const targets::GridNetwork::Constant& c) {
    return add({c.declared->name,
                to_runtime(graph::data_type_of(c.declared->dtype)),
                c.declared->shape,
                {},
                *c.data});
  }

  const pipeline::CompiledModel& model_;
  const HostCode host_code_;
  std::vector<runtime::TensorIndex> index_;
  std::map<std::tuple<runtime::DataType, std::vector<std::int64_t>, std::size_t>,
           std::vector<runtime::TensorIndex>>
      constants_;
  runtime::Module module_;
};

}  // namespace

runtime::DataType to_runtime(graph::DataType type) {
  switch (type) {
#define VDLA_CASE(name, code, text, bytes) \
  case graph::DataType::name:              \
    return runtime::DataType::name;
    VDLA_RUNTIME_DATA_TYPES(VDLA_CASE)
#undef VDLA_CASE
  }
  return runtime::DataType::Int8;
}

runtime::Module to_module(const pipeline::CompiledModel& model, HostCode host_code) {
  return Writer(model, host_code).write();
}

runtime::Module compile_module(const graph::Graph& graph, const pipeline::CompileOptions& options) {
  return to_module(pipeline::compile(graph, options));
}

runtime::Module compile_for_cpu(const graph::Graph& graph, pipeline::CompileOptions options) {
  options.use_device = false;
  options.variant = isa::load_variant("paper");
  return compile_module(graph, options);
}

}  // namespace vdla::kit
