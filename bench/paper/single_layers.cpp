// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/single_layers.h"

namespace vdla::bench::paper {

graph::Graph layer_graph(const ConvShape& s, bool depthwise) {
  graph::Graph graph;
  graph.name = name_of(s);
  const auto input = graph.add_tensor({"x", graph::DataType::Int8, {1, s.size, s.size, s.in}, {}, nullptr});
  graph.add_input(input);
  const graph::Shape shape =
      depthwise ? graph::Shape{1, s.kernel, s.kernel, s.out} : graph::Shape{s.out, s.kernel, s.kernel, s.in};
  const auto weights =
      graph.add_constant("weights", graph::DataType::Int8, shape,
                         graph::to_bytes(std::vector<std::int8_t>(
                             static_cast<std::size_t>(graph::element_count(shape)), std::int8_t{0})));
  const auto add = [&](auto op) {
    op.stride = {s.stride, s.stride};
    op.pads = {s.kernel / 2, s.kernel / 2, s.kernel / 2, s.kernel / 2};
    return graph.add_node("layer", op, {input, weights});
  };
  graph.add_output(depthwise ? add(graph::DepthwiseConv2d{}) : add(graph::Conv2d{}));
  return graph;
}

LayerRun measure_single(const ConvShape& shape, bool depthwise, const std::string& engine) {
  const graph::Graph graph = layer_graph(shape, depthwise);
  const explore::Json hidden = network_record(graph, engine, true),
                      exposed = network_record(graph, engine, false);
  return {.mmac = hidden["macs"].get<double>() / 1e6,
          .ideal = hidden["ideal_gemm_cycles"],
          .hidden = hidden["cycles"],
          .exposed = exposed["cycles"],
          .bytes = hidden["dram"]["read"].get<double>() + hidden["dram"]["write"].get<double>()};
}

}  // namespace vdla::bench::paper
