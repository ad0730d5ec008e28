// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/kernels.h"

#include <utility>

#include "compiler/passes/target.h"
#include "support/error.h"

namespace vdla::pipeline {

loop::Func lower_for_device(const loop::Func& func, const isa::Geometry& machine,
                            std::span<const intrinsics::Intrinsic> own) {
  return passes::lower(targets::vdla().table(machine, own), func);
}

passes::Target gpu_table(const std::string& kind) { return targets::gpu_target(kind).table({}, {}); }

vdla::gpu::Program gpu_program(const std::string& kind, const loop::Func& lowered) {
  return targets::gpu_target(kind).program(lowered);
}

targets::Function gpu_function(const graph::Graph& graph, std::span<const graph::NodeId> nodes,
                               const CompileOptions& options, const targets::WantedKnobs& knobs) {
  targets::Answer answer = targets::gpu_target(options.gpu.value().kind)
                               .takes({.graph = graph, .nodes = nodes, .options = options, .knobs = knobs});
  if (const auto* no = std::get_if<targets::WhyNot>(&answer)) throw UserError(no->reason);
  return std::get<targets::Function>(std::move(answer));
}

}  // namespace vdla::pipeline
