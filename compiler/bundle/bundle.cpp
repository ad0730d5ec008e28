// SPDX-License-Identifier: Apache-2.0
#include "compiler/bundle/bundle.h"

#include "compiler/bundle/answers_c.h"
#include "compiler/bundle/build_files.h"
#include "compiler/bundle/convert_c.h"
#include "compiler/bundle/driver_sources.h"
#include "compiler/bundle/kernels.h"
#include "compiler/bundle/model_c.h"
#include "runtime/container/module_file.h"
#include "support/error.h"

namespace vdla::bundle {
namespace {

/// "conv1/taps": what runs in the step, as the model calls it.
std::string node_of(const runtime::Module& module, const PlannedStep& step) {
  std::string names;
  for (const runtime::NodeInfo& node : module.nodes)
    if (node.step == static_cast<std::int32_t>(step.index)) names += (names.empty() ? "" : ", ") + node.name;
  return names.empty() ? step.host->kernel : names;
}

KernelArchive kernels_of(const Plan& plan) {
  std::vector<KernelToMake> kernels;
  std::string nodes;
  for (const PlannedStep& step : plan.steps) {
    if (!step.host) continue;
    kernels.push_back({step.symbol, node_of(plan.module, step), step.host});
    nodes += (nodes.empty() ? "'" : ", '") + kernels.back().node + "'";
  }
  if (kernels.empty()) return {};
  VDLA_CHECK_USER(!plan.cpu_target.empty())
      << nodes << (kernels.size() == 1 ? " runs" : " run")
      << " on the CPU, whose machine code needs a CPU target: --cpu-target " << names_of_cpu_targets();
  return make_kernels(kernels, cpu_target_named(plan.cpu_target));
}

std::string text_of(const runtime::Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Bundle bundle(const runtime::Module& module, const Options& options) {
  if (!options.cpu_target.empty()) (void)cpu_target_named(options.cpu_target);
  Plan plan = make_plan(module, options);
  KernelArchive kernels = kernels_of(plan);
  place_buffers(plan, kernels.buffers);
  plan.memory.kernel_stack = kernels.stack_bytes;
  DataFiles data = data_c(plan);
  plan.memory.constants = data.bytes;
  Bundle made{.files = {{plan.name + ".h", header_c(plan)},
                        {plan.name + ".c", model_c(plan)},
                        {plan.name + "_data.h", std::move(data.header)},
                        {plan.name + "_data.c", std::move(data.source)},
                        {plan.name + ".mk", make_lines(plan)},
                        {"CMakeLists.txt", cmake_lists(plan)},
                        {"README.md", readme(plan, options)},
                        {plan.name + ".vdla", text_of(runtime::serialize(module))}},
              .memory = plan.memory,
              .float_nodes = std::move(kernels.float_nodes)};
  const auto add_if_any = [&](std::string path, std::string content) {
    if (content.empty())
      made.absent.push_back(std::move(path));
    else
      made.files.push_back({std::move(path), std::move(content)});
  };
  const bool tests_itself = !options.answers.empty();
  add_if_any(plan.name + "_convert.c", conversions_c(plan));
  add_if_any(plan.name + "_answers.h", tests_itself ? answers_h(plan, options.answers) : "");
  add_if_any(plan.name + "_answers.c", tests_itself ? answers_c(plan, options.answers) : "");
  add_if_any(archive_name(plan.name), std::move(kernels.bytes));
  for (const DriverSource& source : driver_sources())
    made.files.push_back({"vdla/" + std::string(source.path), std::string(source.text)});
  return made;
}

}  // namespace vdla::bundle
