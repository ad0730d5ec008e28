// SPDX-License-Identifier: Apache-2.0
// Graph text: parse, print and parse again, as text for people too.
#include <string>

#include "compiler/graph/text/text.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vdla;
  fuzzing::accepted([&] {
    const graph::Graph graph = graph::parse(fuzzing::as_text(data, size));
    const std::string text = graph::print(graph);
    VDLA_CHECK(graph::print(graph::parse(text)) == text) << "printed text does not print as itself: " << text;
    graph::print(graph, graph::Data::LeftOut);
  });
  return 0;
}
