// SPDX-License-Identifier: Apache-2.0
// Advice beside the hardware: layers of ResNet-18 and MobileNet and the networks of MLPerf Tiny on several
// variants. What the report proposes is run on the RTL engine, as is the variant that it changes, and the
// gain that was printed stands beside the RTL's. Exit status 1 when one is off by more than two percentage
// points, or when there are too few.
//
//   bench_advice [--data FOLDER] [--build] [--least 25]
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "bench/paper/single_layers.h"
#include "compiler/import/import.h"
#include "isa/variants/variants.h"
#include "kit/rtl.h"
#include "support/element_with.h"
#include "support/error.h"
#include "tools/explore/advice.h"
#include "tools/explore/measure.h"

namespace vdla::bench {
namespace {

namespace fs = std::filesystem;
using explore::Json;

constexpr double kAllowed = 0.02;

struct Case {
  std::string name;
  graph::Graph graph;
  isa::Variant variant;
};

struct Row {
  std::string name, variant, change;
  double printed = 0, rtl = 0;
  bool right() const { return std::abs(printed - rtl) <= kAllowed; }
};

isa::Variant with_memory(const std::string& base, const std::string& name, unsigned bytes_per_cycle,
                         unsigned latency, unsigned outstanding) {
  isa::Variant variant = isa::load_variant(base);
  variant.name = name;
  variant.timing.dram_bytes_per_cycle = bytes_per_cycle;
  variant.timing.dram_latency = latency;
  variant.timing.dram_outstanding = outstanding;
  return variant;
}

std::vector<Case> cases_of(const std::string& data) {
  const isa::Variant slow = with_memory("paper", "paper, 4 byte/cycle", 4, 96, 8),
                     far = with_memory("paper", "paper, latency 200", 8, 200, 2),
                     tiny = isa::load_variant("tiny"),
                     tiny_far = with_memory("tiny", "tiny, latency 200", 8, 200, 2);
  std::vector<Case> cases;
  for (const paper::Workload& layer : paper::table2()) {
    // The others are alike, or larger than a run of the RTL should be here.
    constexpr std::string_view kFar[] = {"C3",  "C4",  "C5", "C7", "C8", "C9", "C10",
                                         "C11", "C12", "D3", "D5", "D7", "D9"};
    constexpr std::string_view kSlow[] = {"C3", "C5", "C8", "C11", "C12", "D4", "D6", "D8"};
    const graph::Graph graph = paper::layer_graph(layer.shape, layer.depthwise);
    if (std::ranges::count(kFar, layer.id)) cases.push_back({layer.id, graph, far});
    if (std::ranges::count(kSlow, layer.id)) cases.push_back({layer.id, graph, slow});
  }
  const auto network = [&](const std::string& name, const fs::path& file) {
    for (const isa::Variant& variant : {tiny, tiny_far, slow, far})
      cases.push_back({name, import::import_model(file), variant});
  };
  network("digits", fs::path(VDLA_SOURCE_DIR) / "examples/digits/digits.onnx");
  if (data.empty()) return cases;
  const fs::path models = fs::path(data) / "mlperf_tiny/models";
  network("ResNet-8", models / "pretrainedResnet_quant.tflite");
  network("keyword spotting", models / "kws_ref_model.tflite");
  network("anomaly detection", models / "ad01_int8.tflite");
  network("visual wake words", models / "vww_96_int8.tflite");
  return cases;
}

double rtl_cycles(const graph::Graph& graph, const isa::Variant& variant) {
  const Json point = explore::measure(graph, variant, "rtl");
  VDLA_CHECK_USER(point.at("status") == "ok")
      << variant.name << ": " << point.at("reason").get<std::string>();
  return point.at("record").at("cycles");
}

/// The best proposal whose RTL is built.
std::optional<Row> run(const Case& c, bool build) {
  const Json point = explore::measure(c.graph, c.variant, "systemc");
  VDLA_CHECK_USER(point.at("status") == "ok") << c.name << ": " << point.at("reason").get<std::string>();
  explore::AdviceOptions options;
  options.jobs = std::max(1u, std::thread::hardware_concurrency());
  const Json advice = explore::advise(c.graph, point.at("record"), options);
  const std::vector<explore::Change> changes = explore::changes_of(c.variant);
  for (const Json& tried : advice.at("tried")) {
    if (!tried.value("proposed", false)) continue;
    const explore::Change& change =
        element_with(changes, tried.at("change").get<std::string>(), &explore::Change::name);
    if (build && !kit::rtl_engine_built(change.variant))
      kit::build_rtl_engine(change.variant, sim::RtlBuild::Fast);
    if (!kit::rtl_engine_built(change.variant)) continue;
    const double before = rtl_cycles(c.graph, c.variant);
    const double after = rtl_cycles(c.graph, change.variant);
    return Row{c.name, c.variant.name, change.name, tried.at("gain"), after / before - 1};
  }
  return std::nullopt;
}

int run_all(const std::string& data, bool build, std::size_t least) {
  std::size_t shown = 0, wrong = 0, none = 0;
  fmt::print("{:18} {:20} {:28} {:>9} {:>9}\n", "layer or network", "variant", "proposed", "printed", "RTL");
  for (const Case& c : cases_of(data)) {
    const std::optional<Row> row = run(c, build);
    none += !row;
    if (!row) continue;
    ++shown;
    wrong += !row->right();
    fmt::print("{:18} {:20} {:28} {:>+7.2f} % {:>+7.2f} %{}\n", row->name, row->variant, row->change,
               100 * row->printed, 100 * row->rtl, row->right() ? "" : "  OFF");
    std::fflush(stdout);
  }
  fmt::print(
      "{} proposals, {} off by more than {:.0f} percentage points; {} cases without a proposal that could be "
      "run\n",
      shown, wrong, 100 * kAllowed, none);
  return wrong == 0 && shown >= least ? 0 : 1;
}

}  // namespace
}  // namespace vdla::bench

int main(int argc, char** argv) {
  CLI::App app("Gains that the report prints beside those of the RTL");
  const char* folder = std::getenv("VDLA_DATA");
  std::string data = folder == nullptr ? "" : folder;
  bool build = false;
  std::size_t least = 25;
  app.add_option("--data", data, "Folder of models, VDLA_DATA unless given")->capture_default_str();
  app.add_flag("--build", build, "Build the RTL of geometries that are proposed, a minute or more each");
  app.add_option("--least", least, "So many proposals have to be found")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    return vdla::bench::run_all(data, build, least);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench_advice: {}\n", e.what());
    return 1;
  }
}
