// SPDX-License-Identifier: Apache-2.0
// Networks of one convolution with random shapes and numbers.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace vdla::testing {

struct ConvShape {
  graph::Shape in, weights;  ///< NHWC, OHWI
  graph::Conv2d op;
};

/// Kernels, strides, dilations and unequal pads; up to `most_channels` input channels.
inline ConvShape random_conv(std::mt19937& random, unsigned most_channels) {
  const auto in = [&](unsigned low, unsigned high) {
    return static_cast<std::int64_t>(low + random() % (high - low + 1));
  };
  ConvShape s;
  s.weights = {in(1, 6), in(1, 4), in(1, 4), in(1, most_channels)};
  s.op.stride = {in(1, 3), in(1, 3)};
  s.op.dilation = {in(1, 2), in(1, 2)};
  s.op.pads = {in(0, 2), in(0, 2), in(0, 2), in(0, 2)};
  s.op.input_zero_point = static_cast<std::int32_t>(in(0, 255)) - 128;
  s.in = {in(1, 2), (s.weights[1] - 1) * s.op.dilation.h + in(1, 6),
          (s.weights[2] - 1) * s.op.dilation.w + in(1, 6), s.weights[3]};
  return s;
}

inline std::string to_string(const ConvShape& s) {
  const auto pair = [](graph::Hw v) { return std::to_string(v.h) + "x" + std::to_string(v.w); };
  const graph::Pads& p = s.op.pads;
  return "in " + graph::to_string(s.in) + " weights " + graph::to_string(s.weights) + " stride " +
         pair(s.op.stride) + " dilation " + pair(s.op.dilation) + " pads " + std::to_string(p.top) + " " +
         std::to_string(p.bottom) + " " + std::to_string(p.left) + " " + std::to_string(p.right) +
         " zero point " + std::to_string(s.op.input_zero_point);
}

template <class T>
std::vector<T> random_values(std::size_t count, unsigned seed, int low, int high) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T& v : values)
    v = static_cast<T>(low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1)));
  return values;
}

/// Input "x", node "conv" with bias and a multiplier per output channel.
inline graph::Graph conv_graph(const ConvShape& s, unsigned seed) {
  graph::Graph g;
  g.name = "random";
  const auto x = g.add_tensor({"x", graph::DataType::Int8, s.in, {}, nullptr});
  g.add_input(x);
  const auto outputs = static_cast<std::size_t>(s.weights[0]);
  const auto w =
      g.add_constant("w", graph::DataType::Int8, s.weights,
                     graph::to_bytes(random_values<std::int8_t>(
                         static_cast<std::size_t>(graph::element_count(s.weights)), seed, -127, 127)));
  const auto b = g.add_constant("b", graph::DataType::Int32, {s.weights[0]},
                                graph::to_bytes(random_values<std::int32_t>(outputs, seed + 1, -3000, 3000)));
  graph::Conv2d op = s.op;
  op.out.multiplier.clear();
  for (const auto m : random_values<std::int32_t>(outputs, seed + 2, 1 << 30, 0x7fffffff))
    op.out.multiplier.push_back({m, -8});
  op.out.zero_point = -5;
  op.out.min = -100;
  g.add_output(g.add_node("conv", op, {x, w, b}));
  return g;
}

/// Uniform bytes for the input.
inline std::vector<graph::Bytes> conv_input(const graph::Graph& g, unsigned seed) {
  const auto values = random_values<std::int8_t>(g.tensor(g.inputs[0].tensor).bytes(), seed + 3, -128, 127);
  return {*graph::to_bytes(values)};
}

}  // namespace vdla::testing
