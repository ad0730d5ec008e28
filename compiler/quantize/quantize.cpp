// SPDX-License-Identifier: Apache-2.0
// The way of a network through the quantiser.
#include "compiler/quantize/quantize.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/quantize/layers.h"
#include "compiler/quantize/mixed.h"
#include "compiler/quantize/network.h"
#include "compiler/quantize/operators.h"
#include "compiler/quantize/points.h"
#include "compiler/quantize/rewrite.h"
#include "compiler/quantize/statistics.h"
#include "support/error.h"

namespace vdla::quantize {
namespace {

/// "Ceil at node 'x', Floor at node 'y', ...", three at most.
std::string some_operators(const Network& network) {
  constexpr int kMost = 3;
  std::string text;
  for (int n = 0; n < std::min(network.graph().node_size(), kMost); ++n)
    text += (n == 0 ? "" : ", ") + what(network.graph().node(n));
  return text + (network.graph().node_size() > kMost ? ", ..." : "");
}

/// ", which Pad at node 'x' makes,", or nothing for an input.
std::string made_by(const Network& network, const std::string& tensor) {
  const int node = network.producer(tensor);
  return node < 0 ? "" : ", which " + what(network.graph().node(node)) + " makes,";
}

/// Channels of a tensor: element i is of channel i / inner % count.
struct ChannelOrder {
  std::size_t count = 1, inner = 1;
};

/// Channels of what a layer with weights reads.
std::map<std::string, ChannelOrder> channels_read(const Network& network) {
  std::map<std::string, ChannelOrder> result;
  for (const onnx::NodeProto& node : network.graph().node()) {
    if (!has_weights(network, node) || !network.is_activation(node.input(0))) continue;
    const graph::Shape& shape = network.shape(node.input(0));
    const bool rows = node.op_type() == "Gemm" || node.op_type() == "MatMul";
    ChannelOrder c{static_cast<std::size_t>(rows ? shape.back() : shape.at(1)), 1};
    for (std::size_t d = 2; d < shape.size() && !rows; ++d) c.inner *= static_cast<std::size_t>(shape[d]);
    result[node.input(0)] = c;
  }
  return result;
}

std::map<std::string, Statistics> observe(const Network& network, const std::vector<std::string>& points,
                                          std::span<const Sample> samples, const Prepare& prepare) {
  std::vector<std::string> made, read;  // outputs of nodes, inputs of the model
  for (const std::string& p : points) (network.producer(p) >= 0 ? made : read).push_back(p);
  const auto channels = channels_read(network);
  std::map<std::string, Statistics> result;
  const Run run = made.empty() ? [](const Sample&) { return std::vector<std::vector<float>>{}; }
                               : prepare(network.showing(made));
  for (const bool second : {false, true}) {
    for (const Sample& sample : samples) {
      const auto outputs = run(sample);
      VDLA_CHECK(outputs.size() == made.size()) << outputs.size() << " outputs, asked for " << made.size();
      const auto take = [&](const std::string& tensor, std::span<const float> values) {
        if (second) return result[tensor].add_histogram(values);
        const auto found = channels.find(tensor);
        const ChannelOrder c = found != channels.end()
                                   ? found->second
                                   : ChannelOrder{1, std::max<std::size_t>(values.size(), 1)};
        result[tensor].add_range(values, c.count, c.inner);
      };
      for (const std::string& input : read) {
        const graph::Bytes& bytes = sample.at(input);
        take(input, {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)});
      }
      for (std::size_t i = 0; i < made.size(); ++i) take(made[i], outputs[i]);
    }
  }
  return result;
}

/// Leaves in float what makes or reads a tensor without a range. Returns whether there is one.
bool keep_what_is_not_finite(Network& network, const std::map<std::string, Statistics>& seen) {
  const auto is_infinite = [&](const std::string& tensor) {
    const auto found = seen.find(tensor);
    return found != seen.end() && !found->second.is_finite();
  };
  std::vector<std::string> made;
  for (const Layer& layer : layers_of(network))
    if (std::ranges::any_of(layer.reads, is_infinite) || std::ranges::any_of(layer.made, is_infinite))
      made.insert(made.end(), layer.made.begin(), layer.made.end());
  for (const onnx::NodeProto& node : network.graph().node())
    if (is_known(network, node) &&
        (std::ranges::any_of(node.input(), is_infinite) || std::ranges::any_of(node.output(), is_infinite)))
      made.push_back(node.output(0));
  network.keep_in_float(made);
  return !made.empty();
}

/// Leaves in float what reads a constant that has no range.
void keep_readers_of_infinite_constants(Network& network) {
  std::vector<std::string> made;
  for (const onnx::NodeProto& node : network.graph().node()) {
    if (!is_known(network, node) || has_weights(network, node)) continue;
    for (const std::string& t : operands(node))
      if (network.is_float_constant(t) &&
          !std::ranges::all_of(network.weights(t).values, [](float v) { return std::isfinite(v); }))
        made.push_back(node.output(0));
  }
  network.keep_in_float(made);
}

}  // namespace

Result quantize(std::span<const std::byte> model, const std::string& name, std::span<const Sample> samples,
                const Prepare& prepare, const Options& options) {
  Network network(model, name);
  VDLA_CHECK_USER(!samples.empty()) << network.where() << "needs samples of its input, got none";
  VDLA_CHECK_USER(options.percentile > 50 && options.percentile <= 100)
      << "a percentile of " << options.percentile << ", needs one above 50 and at most 100";
  VDLA_CHECK_USER(!network.inputs().empty()) << network.where() << "has no input";
  Result result;
  result.folded_batch_norms = fold_batch_norms(network);
  if (options.equalise) result.equalised_pairs = equalise(network);
  multiply_by_reciprocals(network);
  spread_gemms(network);
  network.freeze();
  keep_readers_of_infinite_constants(network);
  std::map<std::string, Statistics> seen;
  std::string infinite;
  do {
    const auto points = points_of(network);
    VDLA_CHECK_USER(!points.empty() || infinite.empty())
        << network.where() << infinite << " has values on the samples that are not finite";
    VDLA_CHECK_USER(!points.empty()) << network.where() << "has no operator with an integer form, only "
                                     << some_operators(network);
    seen = observe(network, points, samples, prepare);
    for (const std::string& p : points)
      if (infinite.empty() && !seen.at(p).is_finite()) infinite = "tensor '" + p + "'" + made_by(network, p);
  } while (keep_what_is_not_finite(network, seen));
  for (const Field& field : to_fields(options.pixels))
    network.set_property("vdla." + field.name, field.value);
  write_mixed(network, seen, samples, prepare, options, result);
  return result;
}

}  // namespace vdla::quantize
