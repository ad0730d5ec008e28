// SPDX-License-Identifier: Apache-2.0
// Values of the model's tensors in a run: on every engine those of the interpreter, also of what stays on
// chip, lies in part of another tensor, or was made nowhere whole; and a wrong weight shows at its layer
// first.
#include <algorithm>
#include <map>
#include <random>

#include "compiler/graph/sources.h"
#include "compiler/import/import.h"
#include "driver/sim/sim_transport.h"
#include "isa/variants/variants.h"
#include "kit/cut_module.h"
#include "kit/engine.h"
#include "kit/model_tensors.h"
#include "tests/e2e/kit.h"
#include "tests/e2e/random_layers.h"

namespace vdla::e2e {
namespace {

using graph::DataType;
using graph::TensorId;
using kit::ModelTensor;

const std::filesystem::path kDigitNetwork =
    std::filesystem::path(VDLA_SOURCE_DIR) / "examples/digits/digits.onnx";

/// Convolutions one after the other, two beside each other in a concatenation, a sum around one.
graph::Graph joined_network(unsigned seed, std::int64_t height, std::int64_t channels,
                            std::int64_t width = 7) {
  std::mt19937 random(seed);
  graph::Graph g;
  g.name = "joined";
  const TensorId x = g.add_tensor({"x", DataType::Int8, {1, height, width, 3}, {}, nullptr});
  g.add_input(x);
  const TensorId a = add_convolution(g, "a", x, channels, 3, random);
  const TensorId b = add_convolution(g, "b", a, 16, 1, random);
  const TensorId c = add_convolution(g, "c", a, channels + 3, 3, random);
  const TensorId both = g.add_node("both", graph::Concat{3}, {b, c});
  const TensorId d = add_convolution(g, "d", both, channels, 1, random);
  const TensorId sum = g.add_node("sum", random_add(random), {a, d});
  const TensorId flat = g.add_node("flat", graph::Reshape{{1, 1, height * width, channels}}, {sum});
  g.add_output(add_convolution(g, "e", flat, 5, 1, random));
  graph::name_sources(g);
  return g;
}

/// Channels that end within a block beside each other, a part of them, and others around that.
graph::Graph moved_network(unsigned seed) {
  std::mt19937 random(seed);
  graph::Graph g;
  g.name = "moved";
  const TensorId x = g.add_tensor({"x", DataType::Int8, {1, 5, 6, 3}, {}, nullptr});
  g.add_input(x);
  const TensorId a = add_convolution(g, "a", x, 7, 1, random);
  const TensorId b = add_convolution(g, "b", a, 12, 3, random);
  const TensorId both = g.add_node("both", graph::Concat{3}, {a, b});
  graph::View part{{1, 5, 6, 10}, {}, graph::Outside::Never, {}};
  for (std::size_t d = 0; d < 4; ++d) {
    part.source.push_back({d == 3 ? 4 : 0, graph::Extents(4), 1});
    part.source.back().step[d] = 1;
  }
  const TensorId c = add_convolution(g, "c", g.add_node("part", part, {both}), 9, 3, random);
  const TensorId padded = g.add_node("padded", graph::Pad{{0, 0, 0, 2}, {0, 0, 0, 3}, -5}, {c});
  g.add_output(add_convolution(g, "d", padded, 5, 1, random));
  graph::name_sources(g);
  return g;
}

std::vector<Bytes> random_inputs(const graph::Graph& g, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Bytes> inputs;
  for (const graph::Port& port : g.inputs) {
    inputs.emplace_back(g.tensor(port.tensor).bytes());
    for (std::byte& b : inputs.back()) b = static_cast<std::byte>(random());
  }
  return inputs;
}

std::vector<ModelTensor> tensors_on(const std::string& engine, const runtime::Module& module,
                                    const graph::Graph& g, const std::vector<Bytes>& inputs) {
  kit::ReadTensors read;
  kit::SessionOptions options;
  options.probe = &read;
  EngineSession(module, engine, options).run(inputs);
  return kit::model_tensors(g, module, read);
}

/// Name of the first tensor with other bytes; "": none has.
std::string first_difference(const std::vector<ModelTensor>& have, const std::vector<ModelTensor>& want) {
  EXPECT_EQ(have.size(), want.size());
  for (std::size_t i = 0; i < std::min(have.size(), want.size()); ++i) {
    EXPECT_EQ(have[i].name, want[i].name);
    EXPECT_EQ(have[i].shape, want[i].shape) << have[i].name;
    if (have[i].bytes != want[i].bytes) return have[i].name;
  }
  return "";
}

class TensorsOn : public ::testing::TestWithParam<std::string> {};

TEST_P(TensorsOn, AreTheInterpretersOnEveryVariant) {
  VDLA_NEED_ENGINE(GetParam());
  std::size_t read = 0, on_chip = 0, in_memory = 0;
  unsigned seed = 0;
  for (const char* variant : {"tiny", "paper", "1x16x8", "4x8x8", "2x16x16"}) {
    if (GetParam() == "rtl" && std::string_view(variant) != "tiny" && std::string_view(variant) != "paper")
      continue;
    std::vector<graph::Graph> graphs{import::import_model(kDigitNetwork), joined_network(++seed, 5, 16),
                                     joined_network(++seed, 40, 24), joined_network(++seed, 1, 48, 1),
                                     moved_network(++seed)};
    for (const graph::Graph& g : graphs) {
      SCOPED_TRACE(g.name + " for " + variant);
      const runtime::Module module =
          compile(g, isa::load_variant(std::string(VDLA_SOURCE_DIR "/isa/variants/") + variant + ".json"));
      for (const runtime::Step& step : module.steps)
        if (const auto* device = std::get_if<runtime::DeviceStep>(&step))
          for (const runtime::InnerTensor& t : device->inner) ++(t.window ? in_memory : on_chip);
      const std::vector<Bytes> inputs = random_inputs(g, ++seed);
      const std::vector<ModelTensor> have = tensors_on(GetParam(), module, g, inputs);
      EXPECT_EQ(first_difference(have, kit::interpreted_tensors(g, inputs)), "");
      read +=
          static_cast<std::size_t>(std::ranges::count_if(have, std::logical_not(), &ModelTensor::recomputed));
    }
  }
  EXPECT_GE(on_chip, 6u);
  EXPECT_GT(in_memory, 4u);
  EXPECT_GT(read, 60u);
}

INSTANTIATE_TEST_SUITE_P(On, TensorsOn, ::testing::ValuesIn(engines()), case_name);

/// The concatenation is written by two steps.
TEST(Tensors, OfTheCpuAreTheInterpreters) {
  const graph::Graph g = joined_network(7, 6, 16);
  const std::vector<Bytes> inputs = random_inputs(g, 8);
  EXPECT_EQ(
      first_difference(tensors_on("", compile(g, "cpu"), g, inputs), kit::interpreted_tensors(g, inputs)),
      "");
}

/// A board shows memory alone, after programs that end earlier.
TEST(Tensors, OfADeviceBehindATransportAreReadByCuts) {
  for (const std::string& name : present_engines()) {
    SCOPED_TRACE(name);
    const graph::Graph g = joined_network(12, 40, 24);
    const runtime::Module module = compile(g, "tiny");
    const auto engine = kit::make_engine(name, module.variant);
    driver::SimTransport transport(*engine);
    const std::vector<Bytes> inputs = random_inputs(g, 13);
    kit::ReadTensors read;
    std::size_t runs = 0;
    kit::read_by_cuts(
        module, inputs,
        [&](const runtime::Module& cut, const std::vector<Bytes>& from) {
          ++runs;
          return kit::Session(cut, transport.transport(), "board").run_model(from).outputs;
        },
        read);
    const std::vector<ModelTensor> have = kit::model_tensors(g, module, read);
    EXPECT_EQ(first_difference(have, kit::interpreted_tensors(g, inputs)), "");
    EXPECT_GT(runs, 3u);
    EXPECT_GE(std::ranges::count_if(have, std::logical_not(), &ModelTensor::recomputed), 5);
  }
}

/// Two values of equal extents in one order: names alone cannot tell which one an output is.
TEST(Tensors, OfPortsNeedNoName) {
  graph::Graph g = joined_network(14, 5, 8);
  const TensorId square = g.add_node("square", graph::Reshape{{1, 5, 5, 7}}, {g.outputs[0].tensor});
  g.outputs.clear();
  g.add_output(square);
  g.add_output(g.add_node("turned", graph::Transpose{{0, 2, 1, 3}}, {square}));
  for (graph::Tensor& t : g.tensors)
    if (!t.constant())
      t.sources = Sources{{t.name, Likeness::Reordered}, {t.name + ".dq", Likeness::Reordered}};
  g.tensor(g.outputs[1].tensor).sources->push_back({"square", Likeness::Reordered});
  const std::vector<Bytes> inputs = random_inputs(g, 15);
  const std::vector<ModelTensor> have = tensors_on("functional", compile(g), g, inputs);
  EXPECT_EQ(first_difference(have, kit::interpreted_tensors(g, inputs)), "");
  for (const char* output : {"square", "turned"})
    EXPECT_FALSE(std::ranges::find(have, output, &ModelTensor::name)->recomputed) << output;
}

// Such a network was said to be another one than the module's.
TEST(Tensors, OfPortsThatTheHostQuantises) {
  std::mt19937 random(20);
  graph::Graph g;
  g.name = "floats";
  const graph::Quantization steps{{0.25}, {3}, -1};
  const TensorId x = g.add_tensor({"x", DataType::Float32, {1, 6, 6, 8}, {}, nullptr});
  g.add_input(x);
  const TensorId q = g.add_node("q", graph::Quantize{0.25F, 3}, {x}, steps);
  const TensorId y = add_convolution(g, "y", q, 16, 3, random);
  g.tensor(y).quantization = steps;
  g.add_output(g.add_node("reals", graph::Dequantize{0.25F, 3}, {y}));
  graph::name_sources(g);
  const runtime::Module module = compile(g);
  ASSERT_EQ(module.tensors[module.inputs[0].tensor].type, runtime::DataType::Int8);
  std::vector<float> values(6 * 6 * 8);
  for (float& v : values) v = static_cast<float>(random() % 200) * 0.25F - 25;
  const std::vector<Bytes> reals{*graph::to_bytes(values)};
  kit::ReadTensors read;
  kit::SessionOptions options;
  options.probe = &read;
  kit::Session(module, "functional", options).run_model(reals);
  const std::vector<ModelTensor> have = kit::model_tensors(g, module, read);
  EXPECT_EQ(first_difference(have, kit::interpreted_tensors(g, reals)), "");
  EXPECT_EQ(std::ranges::count_if(have, &ModelTensor::recomputed), 0);
}

TEST(Tensors, AWrongWeightShowsAtItsLayerFirst) {
  const graph::Graph g = joined_network(9, 9, 16);
  const std::vector<Bytes> inputs = random_inputs(g, 10);
  const std::vector<ModelTensor> want = kit::interpreted_tensors(g, inputs);
  // One layer computes d and the sum, and keeps the sum.
  for (const auto& [layer, first] :
       std::map<std::string, std::string>{{"a", "a"}, {"b", "b"}, {"c", "c"}, {"d", "sum"}, {"e", "e"}}) {
    graph::Graph wrong = g;
    const graph::Node& node = wrong.node(graph::find_node(wrong, layer));
    graph::Tensor& weights = wrong.tensor(node.inputs[1]);
    auto bytes = std::make_shared<graph::Bytes>(*weights.data);
    for (std::byte& b : *bytes) b ^= std::byte{0x40};  // of one alone the result may not tell
    weights.data = bytes;
    EXPECT_EQ(first_difference(tensors_on("functional", compile(wrong), g, inputs), want), first);
  }
}

/// A fault at a random place of a random network: other weights, another scale, two channels that changed
/// places.
TEST(Tensors, ARandomFaultShowsAtItsLayerFirst) {
  std::mt19937 random(77);
  const std::vector<std::string> layers{"a", "b", "c", "d", "e"};
  unsigned shown = 0;
  for (unsigned i = 0; i < 40; ++i) {
    const graph::Graph g = joined_network(100 + i, uniform(random, 3, 12), 4 * uniform(random, 2, 7));
    const std::vector<Bytes> inputs = random_inputs(g, i);
    graph::Graph wrong = g;
    const std::string layer = layers[random() % layers.size()];
    const graph::NodeId id = graph::find_node(wrong, layer);
    graph::Node& node = wrong.nodes[static_cast<std::size_t>(id)];
    graph::Tensor& weights = wrong.tensor(node.inputs[1]);
    auto bytes = std::make_shared<graph::Bytes>(*weights.data);
    const std::size_t channel = bytes->size() / static_cast<std::size_t>(weights.shape[0]);
    auto& multipliers = std::get<graph::Conv2d>(node.op).out.multiplier;
    switch (random() % 3) {
      case 0:
        for (std::size_t k = 0; k < channel; ++k) (*bytes)[k] ^= std::byte{0x20};
        break;
      case 1:
        std::swap_ranges(bytes->begin(), bytes->begin() + static_cast<std::ptrdiff_t>(channel),
                         bytes->begin() + static_cast<std::ptrdiff_t>(channel));
        break;
      default:
        multipliers[random() % multipliers.size()].shift += 2;
    }
    weights.data = bytes;
    const std::string engine = i % 2 == 0 || absent("systemc") != "" ? "functional" : "systemc";
    const std::vector<ModelTensor> want = kit::interpreted_tensors(g, inputs),
                                   have = tensors_on(engine, compile(wrong, i % 3 == 0 ? "tiny" : "paper"), g,
                                                     inputs);
    const std::string first = first_difference(have, want);
    if (first.empty()) continue;  // it changes nothing
    ++shown;
    const auto makes = std::ranges::find(have, layer, &ModelTensor::node);
    EXPECT_EQ(first, makes->recomputed ? "sum" : makes->name)
        << "network " << i << ", fault in '" << layer << "'";
  }
  EXPECT_GT(shown, 35u);
}

}  // namespace
}  // namespace vdla::e2e
