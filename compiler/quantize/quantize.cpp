// SPDX-License-Identifier: Apache-2.0
// The way of a network through the quantiser.
#include "compiler/quantize/quantize.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/quantize/network.h"
#include "compiler/quantize/operators.h"
#include "compiler/quantize/qdq.h"
#include "compiler/quantize/rewrite.h"
#include "compiler/quantize/statistics.h"
#include "support/error.h"

namespace vdla::quantize {
namespace {

/// Activations that get a scale, in the order in which they are made.
std::vector<std::string> points_of(const Network& network) {
  std::vector<std::string> points;
  std::set<std::string> seen;
  const auto add = [&](const std::string& tensor) {
    if (seen.insert(tensor).second) points.push_back(tensor);
  };
  for (const onnx::NodeProto& node : network.graph().node()) {
    if (!is_known(network, node)) continue;
    for (const std::string& operand : operands(node)) {
      if (network.is_constant(operand)) continue;
      const int from = network.producer(operand);
      if (from < 0 || !is_known(network, network.graph().node(from)) ||
          !joins_its_reader(network, network.graph().node(from)))
        add(operand);
    }
    const bool ends_in_float = node.op_type() == "Softmax" && network.is_output(node.output(0));
    if (!ends_in_float && !joins_its_reader(network, node)) add(node.output(0));
  }
  return points;
}

/// Copy of the model whose outputs are `tensors`.
graph::Bytes showing(const Network& network, const std::vector<std::string>& tensors) {
  Network copy = network;
  copy.graph().clear_output();
  for (const std::string& t : tensors) {
    onnx::ValueInfoProto& info = *copy.graph().add_output();
    info.set_name(t);
    info.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  }
  return copy.bytes();
}

/// Channels of what a layer with weights reads; 1 where they are not told apart.
std::map<std::string, std::size_t> channels_read(const Network& network) {
  std::map<std::string, std::size_t> result;
  for (const onnx::NodeProto& node : network.graph().node()) {
    if (!has_weights(network, node)) continue;
    const Weights w = network.weights(node.input(1));
    const std::int64_t groups = attribute(node, "group", std::int64_t{1});
    result[node.input(0)] = static_cast<std::size_t>(
        node.op_type() == "Conv" ? w.shape.at(1) * groups : w.shape.at(1 - channel_axis(node)));
  }
  return result;
}

std::map<std::string, Statistics> observe(const Network& network, const std::vector<std::string>& points,
                                          std::span<const graph::Bytes> samples, const Prepare& prepare) {
  std::vector<std::string> made;  // names that a model can have as outputs
  for (const std::string& p : points)
    if (network.producer(p) >= 0) made.push_back(p);
  const auto channels = channels_read(network);
  std::map<std::string, Statistics> result;
  const Run run = made.empty() ? [](const graph::Bytes&) { return std::vector<std::vector<float>>{}; }
                               : prepare(showing(network, made));
  for (const bool second : {false, true}) {
    for (const graph::Bytes& sample : samples) {
      const auto outputs = run(sample);
      VDLA_CHECK(outputs.size() == made.size()) << outputs.size() << " outputs, asked for " << made.size();
      const auto take = [&](const std::string& tensor, std::span<const float> values) {
        if (second) return result[tensor].add_histogram(values);
        const auto found = channels.find(tensor);
        const std::size_t c =
            found != channels.end() && values.size() % found->second == 0 ? found->second : 1;
        result[tensor].add_range(values, c, values.size() / c);
      };
      take(network.input(), {reinterpret_cast<const float*>(sample.data()), sample.size() / sizeof(float)});
      for (std::size_t i = 0; i < made.size(); ++i) take(made[i], outputs[i]);
    }
  }
  for (const std::string& p : points)
    VDLA_CHECK_USER(result.at(p).is_finite())
        << network.where() << "tensor '" << p << "' has values on the samples that are not finite";
  return result;
}

/// The scale of each point; a moving operator hands on that of its input.
std::map<std::string, Scale> scales_of(const Network& network, const std::vector<std::string>& points,
                                       const std::map<std::string, Statistics>& seen,
                                       const Options& options) {
  std::map<std::string, Scale> result;
  for (const std::string& p : points) {
    const int from = network.producer(p);
    const onnx::NodeProto* node = from < 0 ? nullptr : &network.graph().node(from);
    const auto inherited = node && is_moving(*node) ? result.find(node->input(0)) : result.end();
    result[p] = inherited != result.end() ? inherited->second : seen.at(p).scale(options);
  }
  return result;
}

}  // namespace

Result quantize(std::span<const std::byte> model, const std::string& name,
                std::span<const graph::Bytes> samples, const Prepare& prepare, const Options& options) {
  Network network(model, name);
  VDLA_CHECK_USER(!samples.empty()) << network.where() << "needs samples of its input, got none";
  VDLA_CHECK_USER(options.percentile > 50 && options.percentile <= 100)
      << "a percentile of " << options.percentile << ", needs one above 50 and at most 100";
  network.input();
  Result result;
  result.folded_batch_norms = fold_batch_norms(network);
  if (options.equalise) result.equalised_pairs = equalise(network);
  network.freeze();
  const auto points = points_of(network);
  VDLA_CHECK_USER(!points.empty()) << network.where() << "has no operator that the quantiser knows";
  const auto seen = observe(network, points, samples, prepare);
  const auto scales = scales_of(network, points, seen, options);
  for (const Field& field : to_fields(options.pixels))
    network.set_property("vdla." + field.name, field.value);
  result.model = with_scales(network, scales, seen, options, result);
  for (const std::string& p : points) {
    const Statistics& s = seen.at(p);
    const Scale& scale = scales.at(p);
    result.activations.push_back(
        {p, s.low(), s.high(), scale.scale, scale.zero_point, s.cut_off(scale), s.snr_db(scale)});
  }
  return result;
}

}  // namespace vdla::quantize
