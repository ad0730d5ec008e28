// SPDX-License-Identifier: Apache-2.0
#include "tools/explore/measure.h"

#include <chrono>

#include "compiler/pipeline/compile.h"
#include "support/error.h"
#include "tools/vdla/module_writer.h"

namespace vdla::explore {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<runtime::Bytes> zeros(const runtime::Module& module) {
  std::vector<runtime::Bytes> inputs;
  for (const auto& port : module.inputs) inputs.emplace_back(module.tensors[port.tensor].bytes());
  return inputs;
}

}  // namespace

Json measure(const graph::Graph& graph, const isa::Variant& variant, const std::string& engine,
             const std::filesystem::path& executable) {
  Json point{{"format", kPointFormat}};
  const auto begin = std::chrono::steady_clock::now();
  std::unique_ptr<tools::SimulatedDevice> device;
  try {
    pipeline::CompileOptions options;
    options.variant = variant;
    options.machine_code = false;
    runtime::Module module = tools::to_module(pipeline::compile(graph, options));
    VDLA_CHECK_USER(runtime::needs_device(module)) << "no layer of the network runs on the device";
    point["seconds"]["compile"] = seconds_since(begin);
    device = std::make_unique<tools::SimulatedDevice>(
        std::move(module), engine, tools::DeviceOptions{.costs = true, .host_steps = false}, executable);
  } catch (const UserError& e) {
    point["status"] = "unbuildable";
    point["reason"] = e.what();
    return point;
  }
  const auto run_begin = std::chrono::steady_clock::now();
  const runtime::Module& module = device->session().module();
  const runtime::Result result = device->session().run(zeros(module));
  point["status"] = "ok";
  point["seconds"]["run"] = seconds_since(run_begin);
  point["record"] = run_record(module, device->name(), result, device->profiles(), {.pictures = false});
  return point;
}

}  // namespace vdla::explore
