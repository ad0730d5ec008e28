// SPDX-License-Identifier: Apache-2.0
#include "bench/mutants/subjects.h"

#include <filesystem>
#include <span>

#include <fmt/format.h>

#include "compiler/import/import.h"
#include "compiler/pipeline/compile.h"
#include "compiler/zoo/zoo.h"
#include "isa/variants/variants.h"
#include "kit/module.h"
#include "runtime/container/module_file.h"
#include "runtime/device/device_program.h"
#include "support/error.h"
#include "tools/common/experiment.h"

namespace vdla::bench {
namespace {

constexpr std::uint64_t kInputSeed = 1;

std::vector<Subject> steps_of(const runtime::Module& module, const std::string& name) {
  std::vector<Subject> list;
  for (const runtime::Step& step : module.steps)
    if (const auto* device = std::get_if<runtime::DeviceStep>(&step))
      list.push_back({name, tools::experiment_of(*device, kInputSeed), runtime::verify_options(*device)});
  return list;
}

pipeline::CompiledModel compile(const graph::Graph& graph, const std::string& variant,
                                const std::set<std::string>& on_cpu) {
  pipeline::CompileOptions options;
  options.variant = isa::load_variant(variant);
  options.on_cpu = on_cpu;
  options.machine_code = false;
  return pipeline::compile(graph, options);
}

std::vector<Subject> compiled(const graph::Graph& graph, const std::string& variant, const std::string& name,
                              const std::set<std::string>& on_cpu) {
  return steps_of(kit::to_module(compile(graph, variant, on_cpu)), name + " on " + variant);
}

}  // namespace

Subject random_subject(const std::string& variant, const isa::RandomProgram& random) {
  Subject subject{"random programs on " + variant, {random.program, {}, {}}, {}};
  subject.options.defined.emplace();
  for (const isa::NamedCode& row : isa::kWindows) {
    const std::vector<std::byte>& bytes = random.contents[row.code];
    if (bytes.empty()) continue;
    const auto window = static_cast<isa::Window>(row.code);
    subject.experiment.inputs.push_back({window, 0, bytes});
    subject.experiment.outputs.push_back({window, 0, bytes});
    subject.options.defined->push_back({window, 0, bytes.size()});
  }
  return subject;
}

std::vector<Subject> random_subjects(const std::string& variant, std::uint64_t seed, unsigned count,
                                     unsigned insns) {
  const isa::Geometry geometry = isa::load_variant(variant).geometry;
  std::vector<Subject> list;
  for (unsigned i = 0; i < count; ++i) {
    isa::RandomOptions options;
    options.seed = seed + i;
    options.insns = insns;
    list.push_back(random_subject(variant, isa::random_program(geometry, options)));
  }
  return list;
}

std::vector<Subject> module_subjects(const std::string& path) {
  return steps_of(runtime::load(path), std::filesystem::path(path).stem().string());
}

std::vector<Subject> model_subjects(const std::string& path, const std::string& variant) {
  return compiled(import::import_model(path), variant, std::filesystem::path(path).stem().string(), {});
}

std::vector<Subject> zoo_subjects(const std::string& network, const std::string& variant, std::size_t first,
                                  std::size_t nodes) {
  const std::string bytes = zoo::make_onnx(network, 1, zoo::Form::Qdq);
  const graph::Graph graph = import::import_onnx(std::as_bytes(std::span(bytes)), network);
  std::set<std::string> on_cpu;
  std::size_t at = 0;
  for (const pipeline::NodeReport& node : compile(graph, variant, {}).nodes) {
    if (node.place != pipeline::Place::Device) continue;
    if (at < first || at >= first + nodes) on_cpu.insert(node.name);
    ++at;
  }
  VDLA_CHECK_USER(first + nodes <= at)
      << network << " has " << at << " nodes on the device, needs " << first + nodes;
  return compiled(graph, variant, fmt::format("{}, layers {} to {},", network, first, first + nodes - 1),
                  on_cpu);
}

}  // namespace vdla::bench
