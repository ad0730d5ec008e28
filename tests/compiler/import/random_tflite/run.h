// SPDX-License-Identifier: Apache-2.0
// A drawn file on this kit.
#pragma once

#include "compiler/graph/verify_quantization.h"
#include "support/error.h"
#include "tests/compiler/import/random_graphs/judge.h"
#include "tests/compiler/import/random_tflite/draw.h"

namespace vdla::random_tflite {

inline random_graphs::Ran run_here(const Drawn& drawn, random_graphs::Place place) {
  return random_graphs::run_here(
      [&] {
        graph::Graph graph = import::import_tflite(drawn.model, "drawn");
        const auto fault = graph::quantization_fault(graph);
        VDLA_CHECK(!fault) << *fault;
        return graph;
      },
      [&](const runtime::Port&, std::size_t place_of_port) { return drawn.inputs.at(place_of_port); }, place,
      drawn.runs);
}

}  // namespace vdla::random_tflite
