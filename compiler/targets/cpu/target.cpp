// SPDX-License-Identifier: Apache-2.0
// The CPU's row: it takes everything.
#include "compiler/targets/target.h"
#include "compiler/targets/cpu/kernels/host_kernel.h"

namespace vdla::targets {
namespace {

Answer host_function(const Asked& asked) {
  return Function{
      .kernel = host_kernel(asked.graph, asked.nodes, asked.options.cpu, asked.watch, asked.knobs.book),
      .by = "",
      .knobs = ""};
}

/// Operations, and every byte that a node reads and writes once.
double cpu_seconds(const Work& work) {
  double seconds = 0;
  for (const graph::NodeId id : work.nodes) {
    const graph::Node& node = work.graph.node(id);
    std::size_t moved = work.graph.tensor(node.output).bytes();
    for (const graph::TensorId input : node.inputs)
      if (input != graph::kNone) moved += work.graph.tensor(input).bytes();
    seconds += work_of(work.graph, id) / work.options.host.operations_per_second +
               static_cast<double>(moved) / work.options.host.bytes_per_second;
  }
  return seconds;
}

double no_border(const pipeline::CompileOptions&, double) { return 0; }

passes::Target cpu_table(const isa::Geometry&, std::span<const intrinsics::Intrinsic>) {
  return passes::cpu_target();
}

}  // namespace

const Target& cpu() {
  static constexpr Target kRow{.name = "cpu",
                               .takes = host_function,
                               .seconds = cpu_seconds,
                               .border = no_border,
                               .table = cpu_table,
                               .book = pipeline::cpu_book_of};
  return kRow;
}

}  // namespace vdla::targets
