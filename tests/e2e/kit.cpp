// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/kit.h"

#include "compiler/import/import.h"
#include "compiler/pipeline/compile.h"
#include "compiler/pipeline/reference.h"
#include "isa/variants/variants.h"
#include "kit/module.h"
#include "kit/rtl.h"
#include "kit/systemc.h"
#include "runtime/container/module_file.h"
#include "runtime/session/port.h"
#include "tools/common/model_input.h"

namespace vdla::e2e {

std::string absent(const std::string& engine) {
  if (engine == "systemc" && !kit::have_systemc()) return "this build has no SystemC engine";
  if (engine == "rtl" && !kit::rtl_engine_built(isa::load_variant("tiny"))) return "no RTL engine is built";
  return "";
}

std::vector<std::string> engines() { return kit::engine_names(); }

std::vector<std::string> present_engines() {
  std::vector<std::string> result;
  for (const std::string& name : engines())
    if (absent(name).empty()) result.push_back(name);
  return result;
}

graph::Graph import_data(const std::string& path_in_data) {
  return import::import_model(vdla::testing::data_folder() / path_in_data);
}

runtime::Module compile_with(const graph::Graph& graph, const pipeline::CompileOptions& options) {
  return runtime::parse(runtime::serialize(kit::compile_module(graph, options)), "test");
}

runtime::Module compile(const graph::Graph& graph, const std::string& variant,
                        const std::set<std::string>& on_cpu) {
  pipeline::CompileOptions options;
  options.use_device = variant != "cpu";
  options.variant = isa::load_variant(options.use_device ? variant : "paper");
  options.on_cpu = on_cpu;
  return compile_with(graph, options);
}

runtime::Module compile(const graph::Graph& graph, const isa::Variant& variant) {
  pipeline::CompileOptions options;
  options.variant = variant;
  return compile_with(graph, options);
}

EngineSession::EngineSession(const runtime::Module& module, const std::string& engine,
                             const kit::SessionOptions& options)
    : session_(module, engine, options) {}

std::vector<tools::Sample> samples(const runtime::Module& module, const std::filesystem::path& path,
                                   std::size_t limit) {
  auto all = tools::load_samples(path.string(), tools::input_spec(module), {});
  if (all.size() > limit) all.resize(limit);
  return all;
}

std::vector<tools::Sample> random_samples(const runtime::Module& module, std::size_t count) {
  std::vector<tools::Sample> result;
  for (std::size_t seed = 1; seed <= count; ++seed)
    result.push_back(tools::random_sample(tools::input_spec(module), seed));
  return result;
}

std::size_t expect_same_everywhere(const graph::Graph& graph, const std::vector<tools::Sample>& samples,
                                   const std::vector<std::string>& on, const std::string& variant) {
  const runtime::Module for_cpu = compile(graph, "cpu"), for_device = compile(graph, variant);
  EngineSession cpu(for_cpu, "");
  std::vector<std::unique_ptr<EngineSession>> machines;
  for (const std::string& name : on) machines.push_back(std::make_unique<EngineSession>(for_device, name));
  pipeline::Reference interpreter(graph);
  std::size_t compared = 0;
  for (const tools::Sample& sample : samples) {
    const Bytes input = runtime::to_tensor(for_cpu, for_cpu.inputs.at(0), sample.bytes);
    const std::vector<Bytes> expected = interpreter.run({input});
    EXPECT_EQ(cpu.run({input}), expected) << sample.name << " on the CPU target";
    for (std::size_t i = 0; i < on.size(); ++i)
      EXPECT_EQ(machines[i]->run({input}), expected) << sample.name << " on engine " << on[i];
    compared += 1 + on.size();
  }
  return compared;
}

std::string case_name(const ::testing::TestParamInfo<std::string>& info) { return info.param; }

}  // namespace vdla::e2e
