// SPDX-License-Identifier: Apache-2.0
// Passes that keep every integer and change what the integers stand for: each is caught, whichever pass does
// it.
#include <gmock/gmock.h>

#include "compiler/graph/drop_dead.h"
#include "compiler/graph/text/text.h"
#include "compiler/graph/verify_quantization.h"
#include "compiler/import/import.h"
#include "compiler/observe/pass_list.h"
#include "compiler/pipeline/rewrite/graph_passes.h"
#include "isa/variants/variants.h"
#include "support/error.h"
#include "tests/compiler/import/data_networks.h"

namespace vdla::pipeline {
namespace {

using graph::Graph;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Rewriting = Graph (*)(Graph, const CompileOptions&, const KeptOff&, GraphChoices&);

/// Runs one broken pass under the name of a real one.
Graph rewritten_by(Rewriting run, const char* text) {
  const GraphPass pass{Pass::FoldBoundary, PassFor::All, run};
  return run_passes({&pass, 1}, graph::parse(text), {}, {});
}
void expect_caught(Rewriting run, const char* text, const std::string& said) {
  EXPECT_THAT([&] { rewritten_by(run, text); },
              ThrowsMessage<InternalError>(HasSubstr("pass fold-boundary: " + said)));
}

// The values of an input, of a pool and of an output get another scale each time.
const char* const kReinterpreted =
    "graph \"g\"\n"
    "input %x \"x\": int8[1, 4, 4, 2] scale 0.5 zero 3 model float32[1, 4, 4, 2]\n"
    "%in \"in\" scale 1 zero 3 = reshape(%x) {shape = [1, 4, 4, 2]}\n"
    "%pool \"pool\" scale 1 zero 3 = max_pool2d(%in) {kernel = [2, 2]}\n"
    "%out \"out\" scale 2 zero 3 = reshape(%pool) {shape = [1, 3, 3, 2]}\n"
    "output %out model float32[1, 3, 3, 2]\n";

Graph drops_at_the_input(Graph g, const CompileOptions&, const KeptOff&, GraphChoices&) {
  g.nodes[1].inputs[0] = g.inputs[0].tensor;
  const graph::Replaced replaced[] = {{g.nodes[0].output, g.inputs[0].tensor}};
  return drop_dead(std::move(g), replaced);
}

Graph moves_the_input(Graph g, const CompileOptions&, const KeptOff&, GraphChoices&) {
  const graph::Replaced replaced[] = {{g.inputs[0].tensor, g.nodes[0].output}};
  g.tensor(g.nodes[0].output).name = g.tensor(g.inputs[0].tensor).name;
  g.inputs[0].tensor = g.nodes[0].output;
  g.nodes.erase(g.nodes.begin());
  return drop_dead(std::move(g), replaced);
}

Graph moves_the_output(Graph g, const CompileOptions&, const KeptOff&, GraphChoices&) {
  const graph::Replaced replaced[] = {{g.nodes[2].output, g.nodes[1].output}};
  g.outputs[0].tensor = g.nodes[1].output;
  g.tensor(g.nodes[1].output).name = g.tensor(g.nodes[2].output).name;
  return drop_dead(std::move(g), replaced);
}

TEST(Meaning, AReinterpretationThatIsDroppedIsCaught) {
  expect_caught(drops_at_the_input, kReinterpreted,
                "node 'pool' (max_pool2d) gives 'x' with scale 0.5 zero point 3 as scale 1 zero point 3");
  expect_caught(moves_the_input, kReinterpreted,
                "gives the integers of the port 'x' another meaning: scale 1 zero point 3");
  expect_caught(moves_the_output, kReinterpreted,
                "gives the integers of the port 'out' another meaning: scale 1 zero point 3");
}

TEST(Meaning, AValueNotedWithAnotherScaleIsCaught) {
  const Rewriting notes = [](Graph g, const CompileOptions&, const KeptOff&, GraphChoices&) {
    g.tensor(g.outputs[0].tensor).quantization.scale = {4};
    return g;
  };
  expect_caught(notes, kReinterpreted, "gives the integers of the port 'out' another meaning: scale 4");
}

const char* const kTwice =
    "graph \"g\"\n"
    "input %x \"x\": int8[2, 6] scale 0.5 zero 3\n"
    "%a \"a\" scale 1 zero 0 = reshape(%x) {shape = [12]}\n"
    "%b \"b\" scale 2 zero 0 = reshape(%a) {shape = [3, 4]}\n"
    "%m \"m\" scale 2 zero 0 = maximum(%b, %b)\n"
    "output %m\n";

TEST(Meaning, TwoReinterpretationsThatBecomeOneHideTheValueBetween) {
  const Rewriting merges = [](Graph g, const CompileOptions&, const KeptOff&, GraphChoices&) {
    const graph::Replaced replaced[] = {{g.nodes[0].output, g.nodes[1].output}};
    g.nodes[1].inputs[0] = g.inputs[0].tensor;
    return drop_dead(std::move(g), replaced);
  };
  expect_caught(
      merges, kTwice,
      "shows 'a' of the model, which had scale 1 zero point 0, as a value with scale 2 zero point 0");
}

const char* const kOneDense =
    "graph \"g\"\n"
    "input %x \"x\": int8[1, 4] scale 0.5 zero 3\n"
    "const %w \"w\": int8[2, 4] scale 0.5 zero 0 = splat 1\n"
    "%n \"n\" scale 0.25 zero 1 = fully_connected(%x, %w) {input_zero_point = 3, out = {zero_point = 1}}\n"
    "output %n\n";

TEST(Meaning, IntegersOfANodeThatAreNoLongerThoseOfItsTensorsAreCaught) {
  const Rewriting zero_point = [](Graph g, const CompileOptions&, const KeptOff&, GraphChoices&) {
    std::get<graph::FullyConnected>(g.nodes[0].op).input_zero_point = 0;
    return g;
  };
  expect_caught(zero_point, kOneDense, "node 'n' (fully_connected) reads 'x' with zero point 0");
  const Rewriting multiplier = [](Graph g, const CompileOptions&, const KeptOff&, GraphChoices&) {
    std::get<graph::FullyConnected>(g.nodes[0].op).out.multiplier = {{1 << 30, 0}};
    return g;
  };
  expect_caught(multiplier, kOneDense, "node 'n' (fully_connected) multiplies by 0.5");
}

TEST(Meaning, APortThatIsRenamedOrOfAnotherTypeIsCaught) {
  const Rewriting renames = [](Graph g, const CompileOptions&, const KeptOff&, GraphChoices&) {
    g.tensor(g.inputs[0].tensor).name = "n";
    return g;
  };
  expect_caught(renames, kOneDense, "calls the port 'x' 'n'");
  const Rewriting retypes = [](Graph g, const CompileOptions&, const KeptOff&, GraphChoices&) {
    g.outputs[0].model_type = graph::DataType::Float32;
    return g;
  };
  expect_caught(retypes, kOneDense, "makes the port 'n' of int8 1x2 one of float32 1x2");
}

TEST(Meaning, AGraphThatContradictsItselfIsLeftAlone) {
  const std::string text = std::string(kOneDense).replace(std::string(kOneDense).find("zero 3"), 6, "zero 9");
  const Rewriting notes = [](Graph g, const CompileOptions&, const KeptOff&, GraphChoices&) {
    g.tensor(g.inputs[0].tensor).quantization.scale = {4};
    return g;
  };
  EXPECT_NO_THROW(rewritten_by(notes, text.c_str()));
}

// Fold-boundary gave the pool's operands the scale of the input and its result that of the output.
TEST(Meaning, ValuesThatStateNothingMayBeGivenAScale) {
  EXPECT_NO_THROW(rewritten_by(
      [](Graph g, const CompileOptions&, const KeptOff&, GraphChoices&) {
        g.tensor(g.nodes[0].output).quantization = {{4}, {0}, -1};
        return g;
      },
      "graph \"g\"\n"
      "input %x: int8[4] scale 0.5 zero 3\n"
      "%a = maximum(%x, %x)\n"
      "%b scale 4 zero 0 = reshape(%a) {shape = [2, 2]}\n"
      "output %b\n"));
}

/// After the passes of both targets.
void rewrite(const Graph& graph) {
  CompileOptions options;
  options.variant = isa::load_variant("paper");
  Graph result = run_passes(graph);
  for (const PassFor target : {PassFor::Cpu, PassFor::Device})
    result = run_passes(graph_passes(target), std::move(result), options, {});
}

TEST(Meaning, PassesKeepReinterpretationsWhereverTheyStand) {
  for (const char* text : {kReinterpreted, kTwice}) EXPECT_NO_THROW(rewrite(graph::parse(text)));
  // Behind a transpose that an order of weights takes the place of.
  EXPECT_NO_THROW(
      rewrite(graph::parse("graph \"g\"\n"
                           "input %x \"x\": int8[1, 2, 3] scale 0.5 zero 3\n"
                           "const %w \"w\": int8[2, 6] scale 0.5 zero 0 = splat 1\n"
                           "%t \"t\" scale 0.5 zero 3 = transpose(%x) {perm = [0, 2, 1]}\n"
                           "%r \"r\" scale 1 zero 0 = reshape(%t) {shape = [1, 6]}\n"
                           "%n \"n\" scale 0.5 zero 0 = fully_connected(%r, %w)\n"
                           "output %n\n")));
}

TEST(Meaning, ImportedNetworksAgreeWithThemselvesAndKeepTheirMeaning) {
  VDLA_NEED_DATA();
  vdla::testing::each_network_of_the_data([](const auto&, const Graph& imported) {
    EXPECT_EQ(graph::quantization_fault(imported).value_or(""), "");
    EXPECT_NO_THROW(rewrite(imported));
  });
}

}  // namespace
}  // namespace vdla::pipeline
