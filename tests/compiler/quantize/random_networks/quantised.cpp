// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/quantize/random_networks/quantised.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "compiler/onnx_writer/onnx_writer.h"
#include "compiler/pipeline/compile.h"
#include "compiler/quantize/quantize.h"
#include "isa/variants/variants.h"
#include "kit/module.h"
#include "kit/session.h"
#include "support/error.h"
#include "tools/data/output_values.h"

namespace vdla::random_networks {
namespace {

import::ImportOptions with_real_weights() {
  import::ImportOptions options;
  options.real_weights = true;
  return options;
}

/// The one input of a network, by its name in the module.
quantize::Run ready(runtime::Module module, const std::string& engine) {
  const std::vector<runtime::Port> to = module.outputs;
  const std::string name = module.inputs.at(0).name;
  auto session = std::make_shared<kit::Session>(std::move(module), engine, kit::SessionOptions{});
  return [session, to, name](const quantize::Sample& sample) {
    std::vector<std::vector<float>> result;
    for (const graph::Bytes& bytes : session->run_model({sample.at(name)}).outputs) {
      const std::vector<double> values = tools::output_values(to[result.size()], bytes);
      result.emplace_back(values.begin(), values.end());
    }
    return result;
  };
}

/// Nodes that compute in floats. A network's output may be one.
std::vector<std::string> nodes_in_float(const graph::Graph& graph) {
  std::vector<std::string> names;
  for (const graph::Node& node : graph.nodes)
    if (graph.tensor(node.output).type == graph::DataType::Float32) names.push_back(node.name);
  return names;
}

runtime::Module for_device(const graph::Bytes& model) {
  pipeline::CompileOptions options;
  options.variant = isa::load_variant("paper");
  return kit::compile_module(import::import_onnx(model, "int8.onnx"), options);
}

}  // namespace

namespace {

graph::Graph imported(const Network& network) {
  return network.is_onnx ? import::import_onnx(network.drawn.model, "drawn")
                         : import::import_tflite(network.drawn.model, "drawn", with_real_weights());
}

}  // namespace

std::vector<float> in_float(const Network& network, std::size_t sample) {
  const graph::Graph graph = imported(network);
  const std::string name = graph.tensor(graph.inputs.at(0).tensor).name;
  return ready(kit::compile_for_cpu(graph), "")({{name, network.samples.at(sample)}})[0];
}

Verdict quantised(const Network& network, const Reference& reference) {
  Verdict verdict;
  const char* part = "writing as ONNX";
  try {
    const graph::Graph graph = imported(network);
    const graph::Bytes in_onnx =
        network.is_onnx ? network.drawn.model : onnx_writer::to_onnx(graph, "drawn: ");
    const std::string name = graph.tensor(graph.inputs.at(0).tensor).name;
    std::vector<quantize::Sample> samples;
    for (const graph::Bytes& bytes : network.samples) samples.push_back({{name, bytes}});
    part = "quantising";
    const auto prepare = [](const graph::Bytes& model) {
      return ready(kit::compile_for_cpu(import::import_onnx(model, "float.onnx")), "");
    };
    const quantize::Result result = quantize::quantize(in_onnx, "drawn", samples, prepare, {});
    verdict.layers = result.weights.size();
    verdict.left_in_float = result.left_in_float;
    part = "compiling";
    verdict.floats = nodes_in_float(import::import_onnx(result.model, "int8.onnx"));
    const quantize::Run run = ready(for_device(result.model), "functional");
    part = "running";
    double signal = 0, noise = 0;
    for (std::size_t s = 0; s < samples.size(); ++s) {
      const std::vector<float> want = reference(network, s), have = run(samples[s])[0];
      VDLA_CHECK(want.size() == have.size()) << have.size() << " elements, the reference has " << want.size();
      for (std::size_t i = 0; i < want.size(); ++i) {
        signal += static_cast<double>(want[i]) * want[i];
        noise += static_cast<double>(want[i] - have[i]) * (want[i] - have[i]);
      }
    }
    verdict.snr_db = noise > 0 ? 10 * std::log10(signal / noise) : std::numeric_limits<double>::infinity();
  } catch (const std::exception& e) {
    verdict.refused = std::string(part) + ": " + e.what();
  }
  return verdict;
}

}  // namespace vdla::random_networks
