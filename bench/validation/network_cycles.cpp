// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/network_cycles.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "compiler/import/import.h"
#include "compiler/zoo/zoo.h"
#include "isa/variants/variants.h"
#include "support/error.h"

namespace vdla::bench {

explore::Json network_record(const graph::Graph& graph, const std::string& engine, bool latency_hiding) {
  const explore::Json point = explore::measure(graph, isa::load_variant("paper"), engine, latency_hiding);
  VDLA_CHECK_USER(point["status"] == "ok") << point["reason"].get<std::string>();
  return point["record"];
}

Run measure_network(const graph::Graph& graph, const std::string& engine) {
  const explore::Json hidden = network_record(graph, engine, true),
                      exposed = network_record(graph, engine, false);
  Run run;
  run.ideal = hidden["ideal_gemm_cycles"];
  run.hidden = hidden["cycles"];
  run.exposed = exposed["cycles"];
  for (std::size_t i = 0; i < hidden["layers"].size(); ++i) {
    const auto &a = hidden["layers"][i], &b = exposed["layers"][i];
    run.layers.push_back({a["name"], a["op"], a["ideal_gemm_cycles"], a["cycles"], b["cycles"]});
  }
  return run;
}

graph::Graph resnet18() {
  const auto file =
      std::filesystem::temp_directory_path() / ("vdla_bench_resnet18_" + std::to_string(getpid()) + ".onnx");
  std::ofstream(file, std::ios::binary) << zoo::make_onnx("resnet18", 1, zoo::Form::Qdq);
  graph::Graph graph = import::import_model(file);
  std::filesystem::remove(file);
  return graph;
}

}  // namespace vdla::bench
