// SPDX-License-Identifier: Apache-2.0
// Ways of hiding latency (the paper's section 4.4) beside each other: cycles of the convolutions of
// ResNet-18, each alone, and of whole networks, on variants of the machine. Exit status 1 where
// placement, which is the default, is not the best one on a variant, in geometric mean.
//
//   bench_latency_hiding --variant bench/paper/variants/slow.json --network vww_96_int8.tflite
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/paper/published.h"
#include "bench/paper/single_layers.h"
#include "bench/validation/network_cycles.h"
#include "compiler/import/import.h"
#include "isa/variants/variants.h"

namespace vdla::bench::paper {
namespace {

struct Way {
  const char* name;
  bool hides = true, rotates = true;
  std::int64_t vthreads = 1;
};
constexpr Way kWays[] = {{"none", false},
                         {"2 threads", true, false, 2},
                         {"4 threads", true, false, 4},
                         {"placement"},
                         {"both", true, true, 2}};
constexpr std::size_t kPlacement = 3;

struct Subject {
  std::string name;
  graph::Graph graph;
};

/// Cycles, or nothing where the variant cannot take it, and why in `reasons`.
std::optional<double> cycles_of(const Subject& subject, const isa::Variant& variant, const Way& way,
                                std::string& reasons) {
  pipeline::CompileOptions options;
  options.variant = variant;
  options.machine_code = false;
  options.latency_hiding = way.hides;
  options.rotate_tiles = way.rotates;
  options.vthreads = way.vthreads;
  const explore::Json point = explore::measure(subject.graph, options, "systemc");
  if (point["status"] == "ok") return point["record"]["cycles"].get<double>();
  reasons += fmt::format("{}, {}: {}\n", subject.name, way.name, point["reason"].get<std::string>());
  return std::nullopt;
}

/// Geometric means of the ways over placement.
class Means {
 public:
  void add(const std::vector<std::optional<double>>& cycles) {
    if (std::ranges::any_of(cycles, [](const auto& c) { return !c; })) return;
    for (std::size_t w = 0; w < std::size(kWays); ++w) logs_[w] += std::log(*cycles[w] / *cycles[kPlacement]);
    ++count_;
  }
  /// No way takes less than placement.
  bool placement_is_best() const {
    return std::ranges::all_of(logs_, [](double log) { return log > -1e-9; });
  }
  void print() const {
    fmt::print("{:32}", "geometric mean over placement");
    for (const double log : logs_) fmt::print(" {:>10.3f}", std::exp(log / std::max(count_, 1)));
    fmt::print("\n\n");
  }

 private:
  double logs_[std::size(kWays)] = {};
  int count_ = 0;
};

/// Whether placement takes the least cycles, in geometric mean.
bool compare(const std::string& title, const std::vector<Subject>& subjects, const isa::Variant& variant) {
  fmt::print("{:32}", title);
  for (const Way& way : kWays) fmt::print(" {:>10}", way.name);
  fmt::print("\n");
  Means means;
  std::string reasons;
  for (const Subject& subject : subjects) {
    std::vector<std::optional<double>> cycles;
    fmt::print("{:32}", subject.name);
    for (const Way& way : kWays) {
      cycles.push_back(cycles_of(subject, variant, way, reasons));
      fmt::print(" {:>10}", cycles.back() ? fmt::format("{:.0f}", *cycles.back()) : "-");
      std::fflush(stdout);
    }
    fmt::print("\n");
    means.add(cycles);
  }
  means.print();
  if (!reasons.empty()) fmt::print("-: cannot be built. {}\n", reasons);
  return means.placement_is_best();
}

std::vector<Subject> layers() {
  std::vector<Subject> all;
  for (const Workload& w : table2())
    if (!w.depthwise) all.push_back({name_of(w), layer_graph(w.shape, false)});
  return all;
}

}  // namespace
}  // namespace vdla::bench::paper

int main(int argc, char** argv) {
  using namespace vdla;
  using namespace vdla::bench;
  using namespace vdla::bench::paper;
  CLI::App app{
      "Cycles with latency hidden in different ways. none: one unit works at a time. threads: virtual "
      "threads of "
      "convolutions and dense layers, each tile where the one before it lay. placement: tiles where space "
      "has "
      "been free for longest, what the kit does. both: two virtual threads, and placement."};
  std::vector<std::string> variants{"paper"}, files;
  bool resnet = false, no_layers = false;
  app.add_option("--variant", variants, "Names of variants, or files; may be repeated")
      ->capture_default_str();
  app.add_option("--network", files, "Networks to measure; may be repeated");
  app.add_flag("--resnet18", resnet, "The zoo's ResNet-18 in int8, too");
  app.add_flag("--no-layers", no_layers, "Leave out the layers");
  CLI11_PARSE(app, argc, argv);
  try {
    std::vector<Subject> networks;
    bool best = true;
    for (const std::string& file : files)
      networks.push_back({std::filesystem::path(file).stem().string(), import::import_model(file)});
    if (resnet) networks.push_back({"resnet18", resnet18()});
    for (const std::string& name : variants) {
      const isa::Variant variant = isa::load_variant(name);
      if (!no_layers) best &= compare("Layers on " + variant.name, layers(), variant);
      if (!networks.empty()) best &= compare("Networks on " + variant.name, networks, variant);
    }
    return best ? 0 : 1;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
