// SPDX-License-Identifier: Apache-2.0
// vdla explain of networks of which operators are refused.
#include <onnx/defs/parser.h>

#include <nlohmann/json.hpp>

#include "tests/tools/cli.h"

namespace vdla::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ExplainRefusals : public Cli {
 protected:
  std::string refused_network() const {
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(17);
    const auto status = onnx::OnnxParser::Parse(
        *model.mutable_graph(),
        "g (float[4] x) => (float[4] y) <float[4] u, float[4] n, float[4] v> "
        "{ u = Nonsense (x) n = Neg (u) v = Trilu (n) w = Nonsense (v) y = Abs (w) }");
    EXPECT_TRUE(status.IsOK()) << status.ErrorMessage();
    write_file(path("net.onnx"), model.SerializeAsString());
    return path("net.onnx");
  }
};

TEST_F(ExplainRefusals, AllRefusedOperatorsAreListedWithReasonAndRemedy) {
  const Outcome outcome = run("explain " + refused_network());
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("net.onnx does not compile: 3 of 5 operators are refused\n"),
                    HasSubstr("\nNonsense: 2 nodes, first 'Nonsense_0'\n"),
                    HasSubstr("\nTrilu: 1 node, 'Trilu_2'\n  element types  float32\n"
                              "  reads          n\n  gives          v\n"
                              "  reason         has input 0 of shape 4\n"
                              "  remedy         needs at least 2 dimensions\n"),
                    HasSubstr("\n1 of 5 operators (20.00 %) would compile\nnot looked at: 1, which")));
}

TEST_F(ExplainRefusals, NamesOfTheModelBeginNoLines) {
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(read_text(refused_network())));
  model.mutable_graph()->mutable_node(0)->set_name("a\n  remedy         none");
  model.mutable_graph()->mutable_node(0)->set_op_type("Non\nsense");
  write_file(path("net.onnx"), model.SerializeAsString());
  const std::string out = run("explain " + path("net.onnx")).out;
  EXPECT_THAT(out, HasSubstr("\nNon\\u000asense: 1 node, 'a\\u000a  remedy         none'\n"));
}

TEST_F(ExplainRefusals, TheReportIsData) {
  const Outcome outcome = run("explain --json " + refused_network());
  EXPECT_EQ(outcome.status, 1);
  const auto report = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(report.at("operators"), 5);
  EXPECT_EQ(report.at("taken"), 1);
  EXPECT_EQ(report.at("refused"), 3);
  EXPECT_EQ(report.at("not_looked_at"), 1);
  EXPECT_EQ(report.at("refusals").at(0).at("operator"), "Nonsense");
  EXPECT_EQ(report.at("refusals").at(0).at("nodes"), nlohmann::json({"Nonsense_0", "Nonsense_3"}));
  EXPECT_EQ(report.at("refusals").at(1).at("remedy"), "needs at least 2 dimensions");
}

TEST_F(ExplainRefusals, CompileNamesTheFirstAndWhereTheOthersAreListed) {
  expect_error("compile " + refused_network() + " -o " + path("net.vdla"),
               {"Nonsense at node 'Nonsense_0'", "; and 2 more are refused (vdla explain lists them)"});
}

TEST_F(ExplainRefusals, ThePartBetweenRefusedOperatorsRuns) {
  const std::string part = refused_network() + " --target cpu --from u --until n";
  EXPECT_EQ(run("explain " + part).status, 0);
  EXPECT_EQ(run("compile " + part + " -o " + path("part.vdla")).status, 0);
  for (const std::string& network : {path("part.vdla"), part})
    EXPECT_EQ(run("run " + network + " --random-input 1").status, 0) << network;
  expect_error("explain " + refused_network() + " --target cpu --from uu", {"has no tensor 'uu'"});
}

TEST_F(ExplainRefusals, GraphTextIsNotCut) {
  ASSERT_EQ(run("opt " + example("digits.onnx") + " -o " + path("net.graph")).status, 0);
  expect_error("explain " + path("net.graph") + " --until conv1.conv",
               {"is a graph in text, which is not cut"});
}

TEST_F(ExplainRefusals, QuantizeTakesThePart) {
  const Outcome outcome = run("quantize " + refused_network() +
                              " --from u --until nn --calibration x.npy -o " + path("int8.onnx"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("has no tensor 'nn'"));
}

}  // namespace
}  // namespace vdla::tools
