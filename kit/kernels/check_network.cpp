// SPDX-License-Identifier: Apache-2.0
#include "kit/kernels/check_network.h"

#include <algorithm>
#include <random>

#include "compiler/grid/kernels.h"
#include "compiler/passes/target.h"
#include "compiler/pipeline/compile.h"
#include "compiler/pipeline/reference.h"
#include "kit/module.h"
#include "runtime/session/session.h"
#include "support/error.h"
#include "support/refused_as.h"

namespace vdla::kit {
namespace {

using Bytes = std::vector<std::byte>;
using Group = std::vector<graph::NodeId>;

/// Fills the parameters of a program: `bytes_of(argument)` is what stands behind one. Outputs are poisoned.
template <class BytesOf>
void write_arguments(const pipeline::HostKernel& kernel, gpu::Loaded& program, const BytesOf& bytes_of) {
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const std::span<const std::byte> value = bytes_of(kernel.arguments[i]);
    const bool is_output = kernel.func.params[i].direction == loop::Direction::Out;
    program.write(i, is_output ? Bytes(value.size(), std::byte{0xa5}) : Bytes(value.begin(), value.end()));
  }
}

/// Options of a compile for the device alone.
pipeline::CompileOptions compile_options(const KernelDevice& device,
                                         const pipeline::gpu::GpuProfile& profile) {
  pipeline::CompileOptions options;
  options.use_device = options.machine_code = false;
  options.gpu = {.kind = device.kind, .profile = profile};
  return options;
}

/// Runs the functions of one network.
class Checker {
 public:
  Checker(const graph::Graph& graph, const NetworkCheckOptions& options)
      : graph_(graph),
        options_(options),
        compile_(compile_options(*options.device, options.profile)),
        random_(options.seed),
        reference_(graph) {
    std::vector<Bytes> inputs;
    for (const graph::Port& port : graph.inputs) {
      const graph::Tensor& t = graph.tensor(port.tensor);
      inputs.push_back(draw_values(
          *expr::make_buffer(t.name, graph::dtype_of(t.type), t.shape, expr::kGlobalScope), random_));
    }
    reference_.run(inputs);
  }

  /// With the default knobs, or drawn ones.
  LayerCheck check(const Group& group, bool drawn) {
    LayerCheck row;
    for (const graph::NodeId id : group) row.nodes.push_back(graph_.node(id).name);
    row.layer = row.nodes.back();
    try {
      run(group, drawn, row);
    } catch (const DeviceFault& fault) {
      row.failed = fault.what();
    } catch (const UserError& error) {
      row.refused = error.what();
    }
    return row;
  }

 private:
  void run(const Group& group, bool drawn, LayerCheck& row) {
    targets::WantedKnobs knobs{.text = options_.knobs};
    if (drawn) knobs = {.drawn_by = &random_};
    const targets::Function function = pipeline::gpu_function(graph_, group, compile_, knobs);
    row.by = function.by;
    row.knobs = function.knobs;
    const loop::Func lowered =
        passes::lower(pipeline::gpu_table(options_.device->kind), function.kernel.func, passes::Verify::Yes);
    for (const grid::Kernel& kernel : grid::split_launches(lowered).kernels) {
      ++row.launches;
      std::int64_t threads = 1;
      for (std::size_t d = 0; d < kernel.blocks.size(); ++d) threads *= kernel.blocks[d] * kernel.threads[d];
      row.threads += threads;
      row.shared_bytes = std::max(row.shared_bytes, kernel.shared_bytes);
    }
    const gpu::Program program = options_.device->program(lowered);
    refused_as<DeviceFault>([&] {
      const auto loaded = options_.device->device->load(program);
      compare(function, *loaded, row);
      row.unwatched = loaded->unwatched();
    });
  }

  void compare(const targets::Function& function, gpu::Loaded& program, LayerCheck& row) const {
    const pipeline::HostKernel& kernel = function.kernel;
    const auto value_of = [&](const pipeline::KernelArgument& a) {
      return a.tensor == graph::kNone ? std::span<const std::byte>(*a.data) : reference_.tensor(a.tensor);
    };
    write_arguments(kernel, program, value_of);
    program.run();
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
      const auto value = value_of(kernel.arguments[i]);
      Bytes seen(value.size());
      program.read(i, seen);
      compare_values(*kernel.func.params[i].buffer, value, seen, row.check,
                     function.rounds ? kRoundedTolerance : kKernelTolerance);
    }
  }

  const graph::Graph& graph_;
  const NetworkCheckOptions& options_;
  const pipeline::CompileOptions compile_;
  std::mt19937_64 random_;
  pipeline::Reference reference_;
};

}  // namespace

std::vector<LayerCheck> check_network(const graph::Graph& graph, const NetworkCheckOptions& options,
                                      const std::function<void(const LayerCheck&)>& seen) {
  auto [prepared, groups] = pipeline::fuse_network(graph);
  if (!options.layer.empty()) {
    const graph::NodeId wanted = graph::find_node(prepared, options.layer);
    std::erase_if(groups, [&](const Group& group) { return std::ranges::count(group, wanted) == 0; });
  }
  Checker checker(prepared, options);
  std::vector<LayerCheck> rows;
  for (const Group& group : groups) {
    unsigned drawn = 0;
    for (unsigned i = 0; i <= drawn; ++i) {
      rows.push_back(checker.check(group, i > 0));
      if (seen) seen(rows.back());
      if (i == 0 && !rows.back().knobs.empty()) drawn = options.points;  // a template with knobs made it
    }
  }
  return rows;
}

std::vector<graph::Bytes> run_on_grid(const graph::Graph& graph, const std::vector<graph::Bytes>& inputs,
                                      const KernelDevice& device, const pipeline::gpu::GpuProfile& profile) {
  runtime::Module module = compile_for_cpu(graph, compile_options(device, profile));
  for (const runtime::NodeInfo& node : module.nodes)
    VDLA_CHECK_USER(node.place != "cpu") << "'" << node.name << "': " << node.reason;
  return refused_as<DeviceFault>([&] {
    runtime::SessionOptions options;
    options.gpu = device.device.get();
    runtime::Session session(std::move(module), nullptr, options);
    return session.run_model(inputs).outputs;
  });
}

}  // namespace vdla::kit
