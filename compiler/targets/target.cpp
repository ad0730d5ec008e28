// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "compiler/graph/ops.h"
#include "compiler/targets/gpu/code/llvm_program.h"
#include "support/error.h"
#include "support/nearest.h"

namespace vdla::targets {
namespace {

const Target& gpu_row(std::string_view kind) {
  const auto found = std::ranges::find(gpus(), kind, &Target::name);
  VDLA_CHECK_USER(found != gpus().end())
      << "no kind of GPU is called '" << kind << "'; there are "
      << fmt::format("{}", fmt::join(gpu_kinds(), ", ")) << did_you_mean(kind, gpu_kinds());
  return *found;
}

}  // namespace

std::vector<const Target*> all_targets() {
  std::vector<const Target*> all{&vdla(), &cpu()};
  for (const Target& target : gpus()) all.push_back(&target);
  return all;
}

std::vector<std::string> gpu_kinds() {
  std::vector<std::string> kinds;
  for (const Target& target : gpus()) kinds.emplace_back(target.name);
  return kinds;
}

TargetList parse_targets(const std::string& text) {
  TargetList list;
  std::vector<std::string> known;
  for (const Target* target : all_targets()) known.emplace_back(target->name);
  std::istringstream parts(text + ",");
  for (std::string name; std::getline(parts, name, ',');) {
    VDLA_CHECK_USER(std::ranges::count(known, name) != 0)
        << fmt::format("'{}' is not in {{{}}}{}", name, fmt::join(known, ","), did_you_mean(name, known));
    VDLA_CHECK_USER(std::ranges::count(list.names, name) == 0) << "has '" << name << "' twice, leave one out";
    list.names.push_back(name);
    if (name == vdla().name) {
      list.device = true;
    } else if (name == cpu().name) {
      list.cpu = true;
    } else {
      VDLA_CHECK_USER(list.gpu.empty()) << "'" << text << "' has two kinds of GPU, needs one at most";
      list.gpu = name;
    }
  }
  return list;
}

const Target& gpu_target(std::string_view kind) {
  const Target& target = gpu_row(kind);
  if (target.by_llvm) require_llvm(target.by_llvm);
  return target;
}

pipeline::GpuOptions gpu_options(const std::string& kind, const std::string& machine) {
  const std::string_view standard = gpu_row(kind).machine;
  return {.kind = kind, .profile = pipeline::gpu::profile_named(machine.empty() ? standard : machine)};
}

double work_of(const graph::Graph& graph, graph::NodeId id) {
  const graph::Node& node = graph.node(id);
  return static_cast<double>(
      std::max(macs(graph, node), graph::element_count(graph.tensor(node.output).shape)));
}

}  // namespace vdla::targets
