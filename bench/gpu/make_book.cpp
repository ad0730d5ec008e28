// SPDX-License-Identifier: Apache-2.0
// A knob book for a network of what bench_gpu_run found best on a GPU that is elsewhere: for functions whose
// sums are of a kind that was measured there.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <string>

#include "bench/gpu/best.h"
#include "bench/gpu/tasks.h"
#include "compiler/pipeline/place/group.h"
#include "compiler/targets/gpu/templates/grid_kernel.h"
#include "compiler/targets/target.h"
#include "support/error.h"

namespace vdla::bench::gpu {
namespace {

struct Flags {
  std::string result, network, book;
};

/// Whether the knobs are some of the task's.
bool are_knobs_of(const pipeline::KnobTask& task, const std::string& knobs) {
  try {
    return task.space.legal(task.space.parse(knobs));
  } catch (const UserError&) {
    return false;  // the layer has another template in the network
  }
}

void make_book(const Flags& flags) {
  const Json result = read_result(flags.result);
  const BestKnobs best = best_of(result);
  const pipeline::GpuOptions target = targets::gpu_options("cuda", result.at("machine"));
  const graph::Graph graph = network_workload(flags.network).graph;
  const pipeline::KnobBook none{pipeline::target_of(target), {}, {}};
  pipeline::KnobBook book = none;
  book.device = result.at("device");
  std::size_t functions = 0, found = 0;
  for (const auto& group : pipeline::functions_of(graph)) {
    const auto task = pipeline::grid_kernel_by(graph, group, target.profile, none).kernel.task;
    if (!task) continue;
    ++functions;
    const auto known = best.find(key_of(graph, group));
    if (known == best.end() || !are_knobs_of(*task, known->second.second)) continue;
    ++found;
    book.put({task->task, task->context, known->second.second, static_cast<std::int64_t>(found)});
  }
  std::ofstream file(flags.book, std::ios::binary);
  file << pipeline::to_json(book);
  VDLA_CHECK_USER(file.good()) << flags.book << " cannot be written";
  fmt::print("{}: {} of the {} functions with knobs have those that were best on {}\n", flags.book, found,
             functions, book.device);
}

}  // namespace
}  // namespace vdla::bench::gpu

int main(int argc, char** argv) {
  using namespace vdla;
  bench::gpu::Flags flags;
  CLI::App app(
      "Makes a knob book of what bench_gpu_run found best; vdla compile --target cuda --book takes it");
  app.add_option("result", flags.result, "What bench_gpu_run wrote")->required()->check(CLI::ExistingFile);
  app.add_option("network", flags.network, "The network whose functions get knobs")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_option("-o,--output", flags.book, "Knob book to write")->required();
  CLI11_PARSE(app, argc, argv);
  try {
    bench::gpu::make_book(flags);
  } catch (const UserError& error) {
    fmt::print(stderr, "bench_gpu_book: {}\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
