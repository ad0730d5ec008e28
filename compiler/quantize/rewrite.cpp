// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/rewrite.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "support/error.h"

namespace vdla::quantize {
namespace {

/// Sweeps over all pairs; ranges settle long before.
constexpr int kSweeps = 20;

/// The bias of a convolution, made of zeros where it has none.
Weights bias_of(Network& network, onnx::NodeProto& conv, std::int64_t channels) {
  if (conv.input_size() > 2 && !conv.input(2).empty()) return network.weights(conv.input(2));
  Weights bias{{channels}, std::vector<float>(static_cast<std::size_t>(channels))};
  const std::string name = network.own(conv.output(0), "bias");
  network.add_constant(name, onnx::TensorProto::FLOAT, bias.shape, bias.values);
  if (conv.input_size() > 2)
    conv.set_input(2, name);
  else
    conv.add_input(name);
  return bias;
}

bool has_own_weights(const Network& network, const onnx::NodeProto& node) {
  for (int i = 1; i < node.input_size(); ++i)
    if (!node.input(i).empty() &&
        (!network.is_constant(node.input(i)) || network.consumers(node.input(i)).size() != 1))
      return false;
  return node.input_size() > 1;
}

bool has_constant_parameters(const Network& network, const onnx::NodeProto& norm) {
  for (int i = 1; i <= 4; ++i)
    if (!network.is_float_constant(norm.input(i))) return false;
  return norm.output_size() == 1;
}

/// An initialiser of new name for a node's input.
void set_constant(Network& network, onnx::NodeProto& node, int input, const std::string& name,
                  const Weights& w) {
  network.add_constant(name, onnx::TensorProto::FLOAT, w.shape, w.values);
  node.set_input(input, name);
}

}  // namespace

int fold_batch_norms(Network& network) {
  std::vector<bool> gone(static_cast<std::size_t>(network.graph().node_size()));
  int folded = 0;
  for (int n = 0; n < network.graph().node_size(); ++n) {
    const onnx::NodeProto& norm = network.graph().node(n);
    if (norm.op_type() != "BatchNormalization") continue;
    const int before = network.producer(norm.input(0));
    if (before < 0 || network.sole_consumer(norm.input(0)) != n) continue;
    onnx::NodeProto& conv = *network.graph().mutable_node(before);
    if (conv.op_type() != "Conv" || !has_own_weights(network, conv)) continue;
    if (!has_constant_parameters(network, norm)) continue;
    Weights parameters[4];
    for (int i = 0; i < 4; ++i) parameters[i] = network.weights(norm.input(i + 1));
    const auto& [scale, shift, mean, variance] = parameters;
    const float epsilon = attribute(norm, "epsilon", 1e-5f);
    Weights w = network.weights(conv.input(1));
    Weights b = bias_of(network, conv, w.shape.at(0));
    for (std::size_t o = 0; o < b.values.size(); ++o) {
      const float factor = scale.values.at(o) / std::sqrt(variance.values.at(o) + epsilon);
      for (std::size_t i = o * w.row(); i < (o + 1) * w.row(); ++i) w.values[i] *= factor;
      b.values[o] = (b.values[o] - mean.values.at(o)) * factor + shift.values.at(o);
    }
    network.set_weights(conv.input(1), w);
    network.set_weights(conv.input(2), b);
    conv.set_output(0, norm.output(0));
    gone[static_cast<std::size_t>(n)] = true;
    ++folded;
  }
  network.remove_nodes(gone);
  return folded;
}

void multiply_by_reciprocals(Network& network) {
  for (onnx::NodeProto& node : *network.graph().mutable_node()) {
    if (node.op_type() != "Div" || !network.is_activation(node.input(0)) ||
        !network.is_float_constant(node.input(1)))
      continue;
    Weights w = network.weights(node.input(1));
    for (float& v : w.values) v = 1 / v;
    if (!std::ranges::all_of(w.values, [](float v) { return v != 0 && std::isfinite(v); })) continue;
    node.set_op_type("Mul");
    set_constant(network, node, 1, network.own(node.output(0), "reciprocal"), w);
  }
}

int equalise(Network& network) {
  std::vector<std::pair<int, int>> pairs;
  for (int n = 0; n < network.graph().node_size(); ++n) {
    const onnx::NodeProto& first = network.graph().node(n);
    if (first.op_type() != "Conv" || !has_own_weights(network, first)) continue;
    int next = network.sole_consumer(first.output(0));
    if (next >= 0 && network.graph().node(next).op_type() == "Relu")
      next = network.sole_consumer(network.graph().node(next).output(0));
    if (next < 0) continue;
    const onnx::NodeProto& second = network.graph().node(next);
    if (second.op_type() != "Conv" || !has_own_weights(network, second)) continue;
    const std::int64_t groups = attribute(second, "group", std::int64_t{1});
    const std::int64_t channels = network.weights(first.input(1)).shape.at(0);
    const bool depthwise = groups == channels && network.weights(second.input(1)).shape.at(0) == channels;
    if (groups == 1 || depthwise) pairs.emplace_back(n, next);
  }
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (const auto& [a, b] : pairs) {
      onnx::NodeProto &first = *network.graph().mutable_node(a), &second = *network.graph().mutable_node(b);
      Weights w1 = network.weights(first.input(1)), w2 = network.weights(second.input(1));
      Weights bias = bias_of(network, first, w1.shape[0]);
      const auto channels = static_cast<std::size_t>(w1.shape[0]);
      // Element i of w2 reads channel (i / window) % channels, or i / window where it is depthwise.
      const auto inputs = static_cast<std::size_t>(w2.shape.at(1));
      const std::size_t window = w2.row() / inputs;
      const auto reads = [&](std::size_t i) {
        return inputs == 1 ? i / window % channels : i / window % inputs;
      };
      std::vector<float> r1(channels), r2(channels);
      for (std::size_t i = 0; i < w1.values.size(); ++i)
        r1[i / w1.row()] = std::max(r1[i / w1.row()], std::abs(w1.values[i]));
      for (std::size_t i = 0; i < w2.values.size(); ++i)
        r2[reads(i)] = std::max(r2[reads(i)], std::abs(w2.values[i]));
      std::vector<float> factor(channels, 1);
      for (std::size_t c = 0; c < channels; ++c)
        if (r1[c] > 0 && r2[c] > 0) factor[c] = std::sqrt(r2[c] / r1[c]);
      for (std::size_t i = 0; i < w1.values.size(); ++i) w1.values[i] *= factor[i / w1.row()];
      for (std::size_t c = 0; c < channels; ++c) bias.values[c] *= factor[c];
      for (std::size_t i = 0; i < w2.values.size(); ++i) w2.values[i] /= factor[reads(i)];
      network.set_weights(first.input(1), w1);
      network.set_weights(first.input(2), bias);
      network.set_weights(second.input(1), w2);
    }
  }
  return static_cast<int>(pairs.size());
}

}  // namespace vdla::quantize
