// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/random_layers.h"

#include <algorithm>
#include <cmath>

namespace vdla::e2e {

double uniform(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

int uniform(std::mt19937& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

graph::Multiplier multiplier_of(double real) {
  int exponent = 0;
  const double fraction = std::frexp(real, &exponent);
  auto value = std::llround(fraction * (1ll << 31));
  if (value == 1ll << 31) {
    value /= 2;
    ++exponent;
  }
  return {static_cast<std::int32_t>(value), exponent};
}

graph::Add random_add(std::mt19937& random) {
  const double a = std::exp(uniform(random, -5., 1.)), b = a * std::exp(uniform(random, -2., 2.));
  const double out = (a + b) * uniform(random, 0.3, 1.2);
  const double twice_largest = 2 * std::max(a, b);
  graph::Add op;
  op.left_shift = 20;
  op.a_zero_point = uniform(random, -128, 127);
  op.b_zero_point = uniform(random, -128, 127);
  op.a = multiplier_of(a / twice_largest);
  op.b = multiplier_of(b / twice_largest);
  op.out.multiplier = {multiplier_of(twice_largest / ((1 << op.left_shift) * out))};
  op.out.zero_point = uniform(random, -128, 127);
  if (uniform(random, 0, 3) == 0) op.out.min = op.out.zero_point;  // a fused ReLU
  return op;
}

graph::TensorId add_convolution(graph::Graph& graph, const std::string& name, graph::TensorId input,
                                std::int64_t channels, std::int64_t kernel, std::mt19937& random) {
  const std::int64_t in = graph.tensor(input).shape.at(3), taps = kernel * kernel * in;
  std::vector<std::int8_t> weights(static_cast<std::size_t>(channels * taps));
  for (auto& w : weights) w = static_cast<std::int8_t>(uniform(random, -127, 127));
  std::vector<std::int32_t> bias(static_cast<std::size_t>(channels));
  for (auto& b : bias) b = uniform(random, -3000, 3000);
  graph::Conv2d op;
  op.pads = {kernel / 2, kernel / 2, kernel / 2, kernel / 2};
  op.input_zero_point = uniform(random, -20, 20);
  op.out.zero_point = uniform(random, -20, 20);
  op.out.multiplier.clear();
  const double gain = 60 / (73. * 73 * std::sqrt(static_cast<double>(taps)));
  for (std::int64_t c = 0; c < channels; ++c)
    op.out.multiplier.push_back(multiplier_of(gain * uniform(random, 0.5, 1.5)));
  const auto w = graph.add_constant(name + ".weights", graph::DataType::Int8, {channels, kernel, kernel, in},
                                    graph::to_bytes(weights));
  const auto b =
      graph.add_constant(name + ".bias", graph::DataType::Int32, {channels}, graph::to_bytes(bias));
  return graph.add_node(name, op, {input, w, b});
}

}  // namespace vdla::e2e
