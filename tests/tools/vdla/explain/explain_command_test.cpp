// SPDX-License-Identifier: Apache-2.0
// What the compiler made of a layer, on the command line: vdla explain --schedule, --loops; vdla compile
// --print-after.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/tools/cli.h"

namespace vdla::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class ExplainLayers : public Cli {
 protected:
  nlohmann::json explained(const std::string& arguments) const {
    const Outcome outcome = run("explain " + arguments + " --json");
    EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
    return nlohmann::json::parse(outcome.out);
  }
  std::string network() const { return example("digits.onnx"); }
};

TEST_F(ExplainLayers, ANetworkIsExplainedAsItsModuleIs) {
  const nlohmann::json of_network = explained(network() + " --variant tiny");
  nlohmann::json of_module = explained(digits("tiny"));
  EXPECT_EQ(of_network.at("nodes"), of_module.at("nodes"));
  EXPECT_EQ(of_network.at("variant"), "tiny");
  EXPECT_FALSE(of_network.contains("layers"));
}

TEST_F(ExplainLayers, LayersOnTheDeviceSayTheirInstructions) {
  const nlohmann::json listing = nlohmann::json::parse(run("disasm " + digits("tiny") + " --json").out);
  std::size_t layers = 0;
  const nlohmann::json module = explained(digits("tiny"));
  for (const nlohmann::json& node : module.at("nodes")) {
    if (!node.contains("insns")) continue;
    ++layers;
    const nlohmann::json& insns = node.at("insns");
    const std::string layer = "layer '" + node.at("name").get<std::string>() + "'";
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < listing.size(); ++i)
      if (listing[i].value("source", "").starts_with(layer)) own.push_back(listing[i].at("index"));
    ASSERT_FALSE(own.empty()) << layer;
    EXPECT_EQ(insns, nlohmann::json({{"first", own.front()}, {"last", own.back()}, {"count", own.size()}}));
    EXPECT_THAT(run("explain " + digits("tiny")).out,
                HasSubstr(std::to_string(own.front()) + ".." + std::to_string(own.back())));
  }
  EXPECT_GE(layers, 5u);
}

TEST_F(ExplainLayers, TensorsOfTheModelLeadToTheValuesThatTheyBecame) {
  const std::string module = digits("tiny");
  for (const std::string& file : {module, network() + " --variant tiny"}) {
    const nlohmann::json rows = explained(file + " --tensor conv1.conv --tensor conv1.weight").at("tensors");
    ASSERT_EQ(rows.size(), 2u) << file;
    EXPECT_EQ(rows[0].at("name"), "conv1.conv");
    EXPECT_EQ(rows[0].at("likeness"), "within") << "the Relu behind it is part of the convolution";
    EXPECT_EQ(rows[0].at("value"), "conv1.conv");
    EXPECT_EQ(rows[1].at("kind"), "constant");
    EXPECT_EQ(rows[1].at("likeness"), "reordered");
  }
  EXPECT_THAT(run("explain " + module + " --tensors").out,
              HasSubstr("the result of 'pool', in another order (vdla, step 1)\n"));
  expect_error("explain " + module + " --tensor conv1.con",
               {"has no tensor 'conv1.con'", "did you mean 'conv1.conv'", "--tensors lists them"});
}

TEST_F(ExplainLayers, LoopsOfALayerAreLoopIrThatOptReads) {
  const nlohmann::json layer = explained(network() + " --loops pool").at("layers").at(0);
  EXPECT_EQ(layer.at("name"), "pool");
  EXPECT_FALSE(layer.contains("schedules"));
  const nlohmann::json& loops = layer.at("loops");
  ASSERT_GE(loops.size(), 2u);  // the pool, and the border of its result
  EXPECT_EQ(loops[0].at("function"), "max_pool2d");
  EXPECT_THAT(loops[0].at("loops").get<std::string>(), HasSubstr("tensorize max {"));
  EXPECT_THAT(loops[0].at("tensorized").get<std::string>(), HasSubstr("intrinsic max("));
  for (const char* key : {"loops", "tensorized"}) {
    const std::string text = loops[0].at(key);
    write_file(path("f.loop"), text);
    EXPECT_EQ(run("opt " + path("f.loop")).out, text);
  }
}

TEST_F(ExplainLayers, TheBorderOfAResultIsOneFunctionWithAnOutputForEachSide) {
  std::vector<std::string> borders;
  const nlohmann::json pool = explained(network() + " --loops pool");
  for (const nlohmann::json& f : pool.at("layers").at(0).at("loops"))
    if (f.at("function") == "border") borders.push_back(f.at("loops"));
  ASSERT_EQ(borders.size(), 1u);
  for (const char* side : {"out top: i8[", "out left: i8[", "out right: i8[", "out bottom: i8["})
    EXPECT_THAT(borders[0], HasSubstr(side));
}

TEST_F(ExplainLayers, ScheduleAndLoopsArePrintedTogether) {
  const std::string out = run("explain " + network() + " --schedule add --loops add").out;
  EXPECT_THAT(out, StartsWith("# add (add), vdla: "));
  const auto schedule = out.find("\n# schedule of conv2d_add, layer add\ncache_read weights wgt acc\n");
  const auto loops = out.find("\n# loops of conv2d_add\nfunc conv2d_add(");
  const auto tensorized = out.find("\n# tensorized loops of conv2d_add\nfunc conv2d_add(");
  EXPECT_LT(schedule, loops);
  EXPECT_LT(loops, tensorized);
  EXPECT_NE(tensorized, std::string::npos);
}

TEST_F(ExplainLayers, CostsOfNodesThatGoTogetherAreSaidOnce) {
  const std::string wanted = " nodes together: on the device ";
  const auto times_in = [&](const std::string& text) {
    std::size_t times = 0;
    for (std::size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) ++times;
    return times;
  };
  const std::string arguments = network() + " --variant tiny";
  const std::string text = run("explain " + arguments).out;
  EXPECT_EQ(times_in(text), 1u) << text;
  EXPECT_THAT(text, HasSubstr("; its result goes to DRAM: it is read outside"));
  std::size_t reasons = 0;
  const nlohmann::json whole = explained(arguments);
  for (const nlohmann::json& node : whole.at("nodes"))
    reasons += times_in(node.at("reason").get<std::string>());
  EXPECT_GT(reasons, 1u) << "JSON has the whole reason at each node";
}

TEST_F(ExplainLayers, AFunctionOfAGpuHasItsNodesTemplateAndKnobs) {
  const nlohmann::json layer = explained(network() + " --target cuda --loops pool").at("layers").at(0);
  EXPECT_EQ(layer.at("place"), "gpu");
  const nlohmann::json& nodes = layer.at("nodes");
  EXPECT_NE(std::ranges::find(nodes, "pool"), nodes.end()) << layer;
  EXPECT_THAT(layer.at("reason").get<std::string>(),
              HasSubstr("by template '" + layer.at("template").get<std::string>() + "'"));
  EXPECT_THAT(layer.at("knobs").get<std::string>(), HasSubstr("="));
}

TEST_F(ExplainLayers, AFusedNodeOfTheCpuHasTheFunctionOfItsGroup) {
  const nlohmann::json all = explained(network() + " --target cpu");
  std::string inner, outer;
  for (const nlohmann::json& n : all.at("nodes")) {
    const std::string reason = n.at("reason"), marker = "computed with '";
    if (const auto begin = reason.find(marker); n.at("place") == "cpu" && begin != std::string::npos) {
      inner = n.at("name");
      outer = reason.substr(begin + marker.size());
      outer.pop_back();
    }
  }
  ASSERT_NE(inner, "");
  const nlohmann::json layers =
      explained(network() + " --target cpu --loops " + inner + " --loops " + outer).at("layers");
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(layers[0].at("loops"), layers[1].at("loops"));
  EXPECT_EQ(layers[0].at("loops").size(), 1u);
}

TEST_F(ExplainLayers, ANodeThatIsComputedWithAnotherSaysWithWhich) {
  const std::string out = run("explain " + network() + " --loops conv2.conv").out;
  EXPECT_THAT(out, HasSubstr("folded: computed with 'add'"));
  EXPECT_THAT(out, HasSubstr("# it has no function of its own"));
}

TEST_F(ExplainLayers, AModuleHasTheLoopsOfTheCpuAndSaysWhereTheOthersAre) {
  const std::string module = digits();
  const nlohmann::json on_cpu = explained(module + " --loops conv1.conv/taps").at("layers").at(0);
  EXPECT_EQ(on_cpu.at("loops"),
            explained(network() + " --loops conv1.conv/taps").at("layers").at(0).at("loops"));
  expect_error("explain " + module + " --loops add",
               {"does not keep the loops of 'add'", "give vdla explain the network", "vdla compile digits"});
  expect_error("explain " + module + " --schedule conv1.conv/taps", {"does not keep the schedules of"});
  expect_error("explain " + module + " --variant tiny", {"--variant", "is a compiled module"});
}

TEST_F(ExplainLayers, TheNetworkBehindPlaceAndLoopsIsTheNetwork) {
  const Outcome outcome = run("explain --place pool=cpu --loops pool " + network());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("# pool (max_pool2d), cpu: placed there on request"));
}

TEST_F(ExplainLayers, ANetworkAsTextIsTheNetwork) {
  const std::string text = path("digits.graph");
  EXPECT_EQ(run("opt " + network() + " -o " + text).status, 0);
  EXPECT_EQ(explained(text + " --loops add"), explained(network() + " --loops add"));
  EXPECT_EQ(run("compile " + text + " -o " + path("of_text.vdla")).status, 0);
  EXPECT_EQ(run("disasm " + path("of_text.vdla")).out, run("disasm " + digits()).out);
  expect_error("explain " + text + " --bind x=1", {"binds input 'x'", "needs an ONNX model"});
  write_file(path("broken.graph"), read_text(text).substr(0, 200));
  expect_error("explain " + path("broken.graph"), {"broken.graph: line 3, column "});
}

TEST_F(ExplainLayers, AMistypedLayerIsUnderstood) {
  expect_error("explain " + network() + " --loops pol", {"no node 'pol'", "did you mean 'pool'?"});
  expect_error("explain " + digits() + " --schedule conv3.con", {"did you mean 'conv3.conv'?"});
}

class PrintAfter : public Cli {
 protected:
  std::string compile_digits(const std::string& passes) const {
    return "compile " + example("digits.onnx") + " -o " + path("d.vdla") + " --print-after=" + passes;
  }
};

TEST_F(PrintAfter, PassesThatWereNamedArePrintedOnStandardError) {
  const Outcome outcome = run(compile_digits("partition,tensorize"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, StartsWith("# after partition\ncpu: conv1.conv/taps: "));
  EXPECT_THAT(outcome.err, HasSubstr("\n# after tensorize of 'add', function conv2d_add\nfunc conv2d_add("));
  EXPECT_THAT(outcome.err, Not(HasSubstr("# after lower")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("# after")));
}

TEST_F(PrintAfter, TheModuleIsTheSame) {
  const std::string plain = path("plain.vdla");
  EXPECT_EQ(run("compile " + example("digits.onnx") + " -o " + plain).status, 0);
  EXPECT_EQ(run(compile_digits("all")).status, 0);
  EXPECT_EQ(read_file(path("d.vdla")), read_file(plain));
}

TEST_F(PrintAfter, LlvmIsTheLastThatAFunctionOfTheCpuGoesThrough) {
  const Outcome outcome = run(compile_digits("unroll,llvm-ir") + " --target cpu --cpu-levels");
  EXPECT_EQ(outcome.status, 0);
  const std::string head = "# after llvm-ir of 'pool', function k_pool\n";
  const std::size_t first = outcome.err.find(head), second = outcome.err.find(head, first + 1);
  ASSERT_NE(second, std::string::npos) << "one for each level of CPUs";
  EXPECT_LT(outcome.err.find("# after unroll of 'pool'"), first);
  EXPECT_THAT(outcome.err.substr(first, second - first), HasSubstr("@k_pool(ptr"));
}

TEST_F(PrintAfter, AFailedCompileHasPrintedThePassesBeforeTheFault) {
  const Outcome outcome = run(compile_digits("fuse-clamp") + " --place pol=cpu");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, StartsWith("# after fuse-clamp\ngraph \"digits\"\n"));
  EXPECT_THAT(outcome.err, HasSubstr("\nvdla: error: "));
}

TEST_F(PrintAfter, AQuestionMarkListsThePasses) {
  const Outcome list = run(compile_digits("?"));
  EXPECT_EQ(list.status, 0);
  EXPECT_THAT(list.err, IsEmpty());
  std::set<std::string> printed;
  const std::string all = run(compile_digits("all")).err, mark = "# after ";
  for (auto at = all.find(mark); at != std::string::npos; at = all.find(mark, at + 1)) {
    const auto begin = at + mark.size();
    printed.insert(all.substr(begin, all.find_first_of(" \n", begin) - begin));
  }
  EXPECT_GT(printed.size(), 20u);
  for (const std::string& name : printed) EXPECT_THAT(list.out, HasSubstr("\n  " + name + " "));
}

TEST_F(PrintAfter, AMistypedPassIsUnderstood) {
  expect_error(compile_digits("lowr"), {"'lowr' is not in {all,import,", "did you mean 'lower'?"}, 2);
  expect_error(compile_digits("lower,tensorise"), {"'tensorise'", "did you mean 'tensorize'?"}, 2);
}

}  // namespace
}  // namespace vdla::tools
