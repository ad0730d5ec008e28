// SPDX-License-Identifier: Apache-2.0
// Which tensors of the model the values of a graph stand for: no pass loses one, what is said is true.
#include "compiler/graph/sources.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>

#include "compiler/graph/drop_dead.h"
#include "compiler/graph/text/text.h"
#include "compiler/import/import.h"
#include "compiler/observe/pass_list.h"
#include "compiler/pipeline/compile.h"
#include "compiler/pipeline/reference.h"
#include "compiler/pipeline/rewrite/graph_passes.h"
#include "isa/variants/variants.h"
#include "support/error.h"
#include "tests/compiler/import/data_networks.h"

namespace vdla::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSubsetOf;
using ::testing::ThrowsMessage;

const char* const kDigits = VDLA_SOURCE_DIR "/examples/digits/digits.onnx";

graph::Graph compiled(const graph::Graph& graph, bool use_device) {
  CompileOptions options;
  options.variant = isa::load_variant("paper");
  options.use_device = use_device;
  options.machine_code = false;
  return compile(graph, options).graph;
}

/// After the passes of both targets.
graph::Graph rewritten(const graph::Graph& graph) {
  CompileOptions options;
  options.variant = isa::load_variant("paper");
  graph::Graph result = run_passes(graph);
  for (const PassFor target : {PassFor::Cpu, PassFor::Device})
    result = run_passes(graph_passes(target), std::move(result), options, {});
  return result;
}

/// Operators whose results are the compiler's own, which it put in front of others.
std::set<std::string> operators_of_own_values(const graph::Graph& g) {
  std::set<std::string> result;
  for (const graph::Node& node : g.nodes)
    if (!stands_for_one(g.tensor(node.output).sources.value())) result.emplace(name_of(node.op));
  return result;
}

TEST(Sources, EveryValueOfTheNetworksSaysWhatItIs) {
  VDLA_NEED_DATA();
  vdla::testing::each_network_of_the_data(
      [](const std::filesystem::path& path, const graph::Graph& imported) {
        const graph::Graph g = rewritten(imported);
        EXPECT_TRUE(std::ranges::includes(source_names(g), source_names(imported)));
        // Operators of ONNX, and of floats, are composed of several of the kit's.
        const auto of_bytes = [&](const graph::Node& n) {
          return imported.tensor(n.output).type == graph::DataType::Int8;
        };
        // So are recurrent layers of integers.
        if (path.extension() == ".tflite" && imported.states.empty() &&
            std::ranges::any_of(imported.nodes, of_bytes))
          EXPECT_THAT(operators_of_own_values(g),
                      IsSubsetOf({"im2col", "view", "transpose", "requantize", "reshape"}));
        for (const graph::Port& port : g.outputs) EXPECT_TRUE(stands_for_one(*g.tensor(port.tensor).sources));
        for (const graph::Port& port : g.inputs) EXPECT_TRUE(stands_for_one(*g.tensor(port.tensor).sources));
      });
}

/// Values by the names of the model's tensors that they are.
std::map<std::string, graph::TensorId> values_of(const graph::Graph& g, Likeness likeness) {
  std::map<std::string, graph::TensorId> result;
  const std::vector<bool> needed = needed_tensors(g);
  for (std::size_t i = 0; i < needed.size(); ++i)
    if (needed[i])
      for (const SourceTensor& s : sources_of(g.tensors[i]))
        if (s.likeness == likeness) result.emplace(s.name, static_cast<graph::TensorId>(i));
  return result;
}

/// Runs the model as it was read and as it is compiled, and compares what both call by one name. The number
/// of names that both have.
std::size_t expect_same_values(const graph::Graph& model, const graph::Graph& made) {
  std::mt19937 random(7);
  std::vector<graph::Bytes> inputs;
  for (const graph::Port& port : model.inputs) {
    inputs.emplace_back(model.tensor(port.tensor).bytes());
    for (std::byte& b : inputs.back()) b = static_cast<std::byte>(random() % 256);
  }
  Reference before(model), after(made);
  before.run(inputs);
  after.run(inputs);
  std::size_t compared = 0;
  for (const Likeness likeness : {Likeness::Same, Likeness::Reordered}) {
    const auto known = values_of(model, likeness), found = values_of(made, likeness);
    for (const auto& [name, value] : found) {
      if (!known.contains(name)) continue;
      EXPECT_TRUE(std::ranges::equal(before.tensor(known.at(name)), after.tensor(value))) << name;
      ++compared;
    }
  }
  return compared;
}

TEST(Sources, ValuesOfACompiledNetworkAreTheTensorsThatTheyStandFor) {
  const graph::Graph digits = import::import_model(kDigits);
  EXPECT_GE(expect_same_values(digits, compiled(digits, true)), 15u);
}

TEST(Sources, ValuesOfCompiledResnet8AreTheTensorsThatTheyStandFor) {
  VDLA_NEED_DATA();
  const graph::Graph model =
      import::import_model(vdla::testing::data_folder() / "mlperf_tiny/models/pretrainedResnet_quant.tflite");
  EXPECT_GE(expect_same_values(model, compiled(model, true)), 30u);
}

/// Every name of the file: what a QuantizeLinear or a Relu makes has no value of its own.
TEST(Sources, EveryTensorOfAnOnnxFileIsNamed) {
  const std::set<std::string> names = source_names(compiled(import::import_model(kDigits), true));
  for (const char* name : {"input",        "input.q",
                           "input.dq",     "conv1.conv",
                           "conv1",        "conv1.q",
                           "conv1.dq",     "conv2.weight.float",
                           "conv2.weight", "conv2.bias.float",
                           "conv2.bias",   "conv2.conv",
                           "add",          "pool",
                           "pool.q",       "mean",
                           "flat",         "dense",
                           "dense.q",      "dense.dq"})
    EXPECT_THAT(names, Contains(name));
}

// ---- passes

graph::Graph loses(graph::Graph g, const CompileOptions&, const KeptOff&, GraphChoices&) {
  g.nodes[1].inputs[0] = g.nodes[0].inputs[0];
  return drop_dead(std::move(g));
}

graph::Graph hands_on(graph::Graph g, const CompileOptions&, const KeptOff&, GraphChoices&) {
  const graph::Replaced replaced[] = {{g.nodes[0].output, g.nodes[1].output, Likeness::Within}};
  g.nodes[1].inputs[0] = g.nodes[0].inputs[0];
  return drop_dead(std::move(g), replaced);
}

graph::Graph adds(graph::Graph g, const CompileOptions&, const KeptOff&, GraphChoices&) {
  const graph::TensorId made = g.add_node("more", graph::Maximum{}, g.nodes[1].inputs);
  std::swap(g.nodes[1], g.nodes[2]);
  g.nodes[2].inputs = {made, made};
  return g;
}

const char* const kChain =
    "graph \"g\"\n"
    "input %x: int8[4]\n"
    "%a = maximum(%x, %x)\n"
    "%b = minimum(%a, %x)\n"
    "output %b\n";

graph::Graph after(graph::Graph (*run)(graph::Graph, const CompileOptions&, const KeptOff&, GraphChoices&)) {
  const GraphPass pass{Pass::FoldPad, PassFor::All, run};
  return run_passes({&pass, 1}, graph::parse(kChain), {}, {});
}

TEST(Sources, APassThatLosesATensorIsRefused) {
  EXPECT_THAT([] { after(loses); },
              ThrowsMessage<InternalError>(HasSubstr("pass fold-pad loses tensor 'a' of the model")));
}

graph::Graph adds_what_does_not_fit(graph::Graph g, const CompileOptions&, const KeptOff&, GraphChoices&) {
  g.add_node("more", graph::Reshape{{5}}, {g.nodes[0].output});
  return g;
}

TEST(GraphPasses, ANodeThatDoesNotFitIsAFaultOfThePass) {
  EXPECT_THAT([] { after(adds_what_does_not_fit); },
              ThrowsMessage<InternalError>(AllOf(HasSubstr("pass fold-pad makes a node that does not fit"),
                                                 HasSubstr("node 'more' (reshape)"))));
}

TEST(Sources, WhatAPassReplacesIsSaidOfWhatIsThere) {
  const graph::Graph g = after(hands_on);
  EXPECT_THAT(*g.tensor(g.outputs[0].tensor).sources,
              ElementsAre(SourceTensor{"b", Likeness::Same}, SourceTensor{"a", Likeness::Within}));
}

TEST(Sources, WhatAPassAddsIsTheCompilersOwnMadeOfItsOperands) {
  const graph::Graph g = after(adds);
  EXPECT_THAT(*g.tensor(g.nodes[1].output).sources,
              ElementsAre(SourceTensor{"a", Likeness::From}, SourceTensor{"x", Likeness::From}));
}

}  // namespace
}  // namespace vdla::pipeline
