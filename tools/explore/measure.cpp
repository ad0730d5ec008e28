// SPDX-License-Identifier: Apache-2.0
#include "tools/explore/measure.h"

#include <ctime>

#include "kit/module.h"
#include "sim/dram/dram.h"
#include "support/error.h"

namespace vdla::explore {
namespace {

/// Processor time of this process: others on the machine do not count.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  constexpr double kNano = 1e-9;
  return static_cast<double>(now.tv_sec) + kNano * static_cast<double>(now.tv_nsec);
}

std::vector<runtime::Bytes> zeros(const runtime::Module& module) {
  std::vector<runtime::Bytes> inputs;
  for (const auto& port : module.inputs) inputs.emplace_back(module.tensors[port.tensor].bytes());
  return inputs;
}

Json unbuildable(const std::string& reason) {
  return {{"format", kPointFormat}, {"status", "unbuildable"}, {"reason", reason}};
}

}  // namespace

Json measure(const graph::Graph& graph, const isa::Variant& variant, const std::string& engine,
             bool latency_hiding) {
  pipeline::CompileOptions options;
  options.variant = variant;
  options.machine_code = false;
  options.latency_hiding = latency_hiding;
  return measure(graph, options, engine);
}

Json measure(const graph::Graph& graph, const pipeline::CompileOptions& options, const std::string& engine) {
  const double begin = processor_seconds();
  runtime::Module module;
  Json lost = Json::array();
  try {
    isa::validate(options.variant.geometry);
    isa::validate(options.variant.timing);
    const pipeline::CompiledModel model = pipeline::compile(graph, options);
    for (const pipeline::NodeReport& node : model.nodes)
      for (const std::string& what : node.lost) lost.push_back({{"node", node.name}, {"what", what}});
    module = kit::to_module(model, kit::HostCode::LeftOut);
  } catch (const UserError& e) {
    return unbuildable(e.what());
  }
  const double compile = processor_seconds() - begin;
  Json point = measure_module(std::move(module), engine);
  if (point.at("status") == "ok") {
    point["seconds"]["compile"] = compile;
    point["lost"] = lost;
  }
  return point;
}

Json measure_module(runtime::Module given, const std::string& engine) {
  try {
    VDLA_CHECK_USER(runtime::needs_device(given)) << "no layer of the network runs on the device";
    dram::make_machine_config(given.variant.timing);
  } catch (const UserError& e) {
    return unbuildable(e.what());
  }
  kit::SessionOptions how{.costs = true, .host_steps = false};
  how.engine.timing_only = engine == "systemc";
  // A lack of the machine (memory, a library of the RTL) is no property of the network or the variant.
  kit::Session session(std::move(given), engine, how);
  const double begin = processor_seconds();
  const runtime::Module& module = session.module();
  const runtime::Result result = session.run(zeros(module));
  Json point{{"format", kPointFormat}, {"status", "ok"}};
  point["seconds"]["run"] = processor_seconds() - begin;
  point["record"] = run_record(module, session.name(), result, session.profiles(), {.pictures = false});
  return point;
}

}  // namespace vdla::explore
