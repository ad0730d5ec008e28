// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/compose.h"

#include "support/error.h"

namespace vdla::graph {

namespace {

/// OHWI with both kernel dimensions back to front.
SharedBytes turned(const Tensor& weights) {
  const Shape& w = weights.shape;
  const auto pixel = static_cast<std::size_t>(w[3]), taps = static_cast<std::size_t>(w[1] * w[2]);
  const Bytes& from = *weights.data;
  auto to = std::make_shared<Bytes>(from.size());
  for (std::size_t o = 0; o < static_cast<std::size_t>(w[0]); ++o)
    for (std::size_t t = 0; t < taps; ++t)
      for (std::size_t i = 0; i < pixel; ++i)
        (*to)[(o * taps + t) * pixel + i] = from[(o * taps + taps - 1 - t) * pixel + i];
  return to;
}

/// Pixel i of the spread image comes from (i - before) / stride.
Source apart(std::size_t dimension, std::int64_t before, std::int64_t stride) {
  Source source{-before, Extents(4), stride};
  source.step[dimension] = 1;
  return source;
}

}  // namespace

TensorId add_transposed_conv2d(Graph& graph, const std::string& name, const TransposedConv2d& op,
                               const std::vector<TensorId>& inputs, Quantization quantization) {
  VDLA_CHECK_USER(inputs.size() >= 2 && graph.tensor(inputs[0]).shape.size() == 4 &&
                  graph.tensor(inputs[1]).shape.size() == 4 && graph.tensor(inputs[1]).constant())
      << "'" << name << "': a transposed convolution needs data and constant weights of 4 dimensions";
  const Tensor weights = graph.tensor(inputs[1]);
  const Shape x = graph.tensor(inputs[0]).shape, &w = weights.shape;
  VDLA_CHECK_USER(w[3] == x[3]) << "'" << name << "': weights " << to_string(w) << " (OHWI) do not fit "
                                << x[3] << " input channels";
  View spread;
  spread.shape = {x[0], op.output.h + w[1] - 1, op.output.w + w[2] - 1, x[3]};
  spread.source = {apart(0, 0, 1), apart(1, w[1] - 1 - op.pad_top, op.stride.h),
                   apart(2, w[2] - 1 - op.pad_left, op.stride.w), apart(3, 0, 1)};
  spread.outside = Outside::Fill;
  spread.fill = expr::int_imm(op.input_zero_point, expr::DType::I8);
  Conv2d conv;
  conv.input_zero_point = op.input_zero_point;
  conv.weight_zero_point = op.weight_zero_point;
  conv.out = op.out;
  std::vector<TensorId> operands = inputs;
  operands[0] =
      graph.add_node(name + "/spread", std::move(spread), {inputs[0]}, graph.tensor(inputs[0]).quantization);
  operands[1] = graph.add_constant(weights.name, weights.type, w, turned(weights), weights.quantization);
  return graph.add_node(name, std::move(conv), std::move(operands), std::move(quantization));
}

}  // namespace vdla::graph
