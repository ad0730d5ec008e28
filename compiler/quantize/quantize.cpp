// SPDX-License-Identifier: Apache-2.0
// The way of a network through the quantiser.
#include "compiler/quantize/quantize.h"

#include <algorithm>
#include <map>

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
        const std::size_t c =
            found != channels.end() && values.size() % found->second == 0 ? found->second : 1;
        result[tensor].add_range(values, c, values.size() / c);
      };
      for (const std::string& input : read) {
        const graph::Bytes& bytes = sample.at(input);
        take(input, {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)});
      }
      for (std::size_t i = 0; i < made.size(); ++i) take(made[i], outputs[i]);
    }
  }
  for (const std::string& p : points)
    VDLA_CHECK_USER(result.at(p).is_finite())
        << network.where() << "tensor '" << p << "'" << made_by(network, p)
        << " has values on the samples that are not finite";
  return result;
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
  network.freeze();
  const auto points = points_of(network);
  VDLA_CHECK_USER(!points.empty()) << network.where() << "has no operator with an integer form, only "
                                   << some_operators(network);
  const auto seen = observe(network, points, samples, prepare);
  for (const Field& field : to_fields(options.pixels))
    network.set_property("vdla." + field.name, field.value);
  write_mixed(network, seen, samples, prepare, options, result);
  return result;
}

}  // namespace vdla::quantize
