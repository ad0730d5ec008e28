// SPDX-License-Identifier: Apache-2.0
// Whole networks against the goals of this kit, on variant `paper`: ResNet-18 (seeded weights) layer by
// layer, with latency hiding and without, then each goal beside what was reached. Exit status 1 when one is
// missed.
//
//   bench_networks [--resnet8 pretrainedResnet_quant.tflite] [--bound NETWORK ...] [--engine rtl]
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "bench/validation/network_cycles.h"
#include "compiler/import/import.h"

namespace vdla::bench {
namespace {

void print(const Run& run) {
  fmt::print("{:24} {:12} {:>9} {:>9} {:>6} {:>9} {:>6}\n", "layer", "operator", "ideal", "cycles", "%",
             "exposed", "%");
  const auto row = [](const std::string& name, const std::string& op, double ideal, double hidden,
                      double exposed) {
    fmt::print("{:24} {:12} {:>9.0f} {:>9.0f} {:>6.1f} {:>9.0f} {:>6.1f}\n", name, op, ideal, hidden,
               100 * ideal / hidden, exposed, 100 * ideal / exposed);
  };
  for (const Layer& l : run.layers) row(l.name, l.op, l.ideal, l.hidden, l.exposed);
  row("total", "", run.ideal, run.hidden, run.exposed);
  fmt::print(
      "exposed: latency hiding off, one unit works at a time. Layers overlap, and cycles run from the "
      "previous\n"
      "layer's last instruction to the layer's own: one that began before that can show more than 100 "
      "%.\n\n");
}

struct Goal {
  std::string what;
  double need, have;
  bool at_least;  ///< else at most

  bool met() const { return at_least ? have >= need : have <= need; }
};

/// The convolutions of ResNet-18 by their names in the zoo.
std::vector<Goal> resnet18_goals(const Run& run) {
  double ideal = 0, cycles = 0, best = 0, worst3 = 1e9, worst1 = 1e9, first = 0;
  for (const Layer& l : run.layers) {
    if (!l.op.starts_with("conv2d") || l.name == "fc") continue;
    if (l.name == "conv1") {
      first = l.hidden;
      continue;
    }
    ideal += l.ideal;
    cycles += l.hidden;
    double& worst = l.name.ends_with("downsample") ? worst1 : worst3;
    worst = std::min(worst, l.share());
    if (l.share() <= 1) best = std::max(best, l.share());  // more: it began before its predecessor ended
  }
  return {{"ResNet-18: convolutions, the first one aside, mean %", 97, 100 * ideal / cycles, true},
          {"ResNet-18: best layer that did not begin early, %", 99, 100 * best, true},
          {"ResNet-18: least of the 3x3 layers, %", 96, 100 * worst3, true},
          {"ResNet-18: least of the 1x1 layers of stride 2, %", 80, 100 * worst1, true},
          {"ResNet-18: first convolution, Mcycle", 0.55, first / 1e6, false},
          {"ResNet-18: whole network, Mcycle", 7.5, run.hidden / 1e6, false}};
}

bool print(const std::vector<Goal>& goals) {
  bool all = true;
  for (const Goal& g : goals) {
    fmt::print("{:52} {} {:>6}  {:>8.3f}  {}\n", g.what, g.at_least ? ">=" : "<=", g.need, g.have,
               g.met() ? "met" : "MISSED");
    all &= g.met();
  }
  return all;
}

/// A network beside its own bound: what its busiest part has to do when nothing else is in its way.
void print_bound(const std::string& file, const std::string& engine) {
  const explore::Json r = network_record(import::import_model(file), engine);
  const double bus = (r["dram"]["read"].get<double>() + r["dram"]["write"].get<double>()) /
                     r["variant"]["timing"]["dram_bytes_per_cycle"].get<double>(),
               array = r["units"]["gemm"]["busy"], vector = r["units"]["vector"]["busy"],
               cycles = r["cycles"];
  const double bound = std::max({bus, array, vector});
  fmt::print("{:28} {:>9.0f} {:>9.0f} {:>9.0f} {:>9.0f} {:>9.0f} {:>6.1f}\n",
             std::filesystem::path(file).stem().string(), cycles, array, vector, bus, bound,
             100 * bound / cycles);
}

}  // namespace
}  // namespace vdla::bench

int main(int argc, char** argv) {
  using namespace vdla;
  using namespace vdla::bench;
  CLI::App app{
      "Cycles of whole networks on variant paper, with latency hiding and without, beside the goals."};
  std::string resnet8, engine = "systemc";
  app.add_option("--resnet8", resnet8, "MLPerf Tiny's ResNet-8 as TFLite, to measure it too");
  std::vector<std::string> beside;
  app.add_option("--bound", beside, "Networks to print beside their own bounds; may be repeated");
  app.add_option("--engine", engine, "systemc or rtl")
      ->check(CLI::IsMember({"systemc", "rtl"}))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    const Run run = measure_network(resnet18(), engine);
    print(run);
    std::vector<Goal> goals = resnet18_goals(run);
    if (!resnet8.empty()) {
      const Run small = measure_network(import::import_model(resnet8), engine);
      print(small);
      goals.push_back({"ResNet-8: whole network, cycles", 58000, small.hidden, false});
    }
    const bool met = print(goals);
    if (!beside.empty())
      fmt::print("\n{:28} {:>9} {:>9} {:>9} {:>9} {:>9} {:>6}\n", "network", "cycles", "array", "vector",
                 "bus", "bound", "%");
    for (const std::string& file : beside) print_bound(file, engine);
    return met ? 0 : 1;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
