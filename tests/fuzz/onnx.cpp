// SPDX-License-Identifier: Apache-2.0
// ONNX files: the importer, and the graph that it makes held to its rules.
#include "compiler/graph/graph.h"
#include "compiler/import/import.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vdla;
  fuzzing::accepted([&] { import::summarise_onnx(fuzzing::as_bytes(data, size), "fuzz"); });
  graph::Graph graph;
  if (fuzzing::accepted([&] { graph = import::import_onnx(fuzzing::as_bytes(data, size), "fuzz"); }))
    graph::verify(graph);
  fuzzing::accepted([&] { import::read_onnx_tensor(fuzzing::as_bytes(data, size), "fuzz"); });
  return 0;
}
