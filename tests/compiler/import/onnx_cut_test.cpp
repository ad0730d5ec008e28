// SPDX-License-Identifier: Apache-2.0
// ONNX networks that are cut between tensors.
#include <gmock/gmock.h>
#include <onnx/defs/parser.h>

#include "compiler/import/import.h"
#include "support/error.h"

namespace vdla::import {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

graph::Graph cut(const std::string& text, std::vector<std::string> from, std::vector<std::string> until,
                 std::map<std::string, graph::Shape> shapes = {}) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  const auto status = onnx::OnnxParser::Parse(*model.mutable_graph(), text.c_str());
  EXPECT_TRUE(status.IsOK()) << status.ErrorMessage();
  const std::string file = model.SerializeAsString();
  ImportOptions options;
  options.from = std::move(from);
  options.until = std::move(until);
  options.shapes = std::move(shapes);
  return import_onnx(std::as_bytes(std::span(file)), "text.onnx", options);
}

std::vector<std::string> names_of(const graph::Graph& g, const std::vector<graph::Port>& ports) {
  std::vector<std::string> result;
  for (const graph::Port& p : ports) result.push_back(g.tensor(p.tensor).name);
  return result;
}

constexpr const char* kBetweenOthers =
    "g (float[2,3] x) => (float[2,3] y) <float[2,3] a> "
    "{ a = Nonsense (x) b = Neg (a) c = Transpose (b) y = Nonsense (c) }";

TEST(OnnxCut, RefusedOperatorsOutsideOfTheCutDoNotMatter) {
  const graph::Graph g = cut(kBetweenOthers, {"a"}, {"c"});
  EXPECT_THAT(names_of(g, g.inputs), ElementsAre("a"));
  EXPECT_THAT(names_of(g, g.outputs), ElementsAre("c"));
  EXPECT_EQ(g.outputs[0].model_shape, (graph::Shape{3, 2}));
  EXPECT_THROW(cut(kBetweenOthers, {"a"}, {}), Refused);
  EXPECT_THROW(cut(kBetweenOthers, {}, {"c"}), Refused);
}

TEST(OnnxCut, ShapesThatTheModelDoesNotStateComeOfItsImport) {
  const graph::Graph g = cut(kBetweenOthers, {"c"}, {"c"});
  EXPECT_EQ(g.inputs.at(0).model_shape, (graph::Shape{3, 2}));
}

TEST(OnnxCut, ATensorOfUnknownShapeIsNamed) {
  const char* text = "g (float[2] x) => (float[2] y) { a = Nonsense (x) y = Neg (a) }";
  EXPECT_THAT([&] { cut(text, {"a"}, {}); },
              ThrowsMessage<UserError>(HasSubstr("does not state type and shape of 'a'")));
}

TEST(OnnxCut, FreeExtentsOfATensorAreGivenAsThoseOfAnInput) {
  const char* text = "g (float[2] x) => (float[N,M] y) <float[N,M] a> { a = Nonsense (x) y = Neg (a) }";
  EXPECT_THAT([&] { cut(text, {"a"}, {}); }, ThrowsMessage<UserError>(HasSubstr("--shape")));
  const graph::Graph g = cut(text, {"a"}, {}, {{"a", {4, 5}}});
  EXPECT_EQ(g.inputs.at(0).model_shape, (graph::Shape{4, 5}));
}

TEST(OnnxCut, InputsOfTheModelStayWhereTheyAreNeeded) {
  const char* text = "g (float[2] x, float[2] z) => (float[2] y) { a = Neg (x) y = Max (a, z) }";
  const graph::Graph g = cut(text, {"a"}, {});
  EXPECT_THAT(names_of(g, g.inputs), ElementsAre("a", "z"));
  const graph::Graph until = cut(text, {}, {"a"});
  EXPECT_THAT(names_of(until, until.inputs), ElementsAre("x"));
}

/// A node stays for its other result.
TEST(OnnxCut, TheInputIsNotWrittenByANodeThatIsNeeded) {
  const graph::Graph g =
      cut("g (float[4] x) => (float[2] y) { a, b = Split (x) c = Neg (a) y = Add (c, b) }", {"a"}, {});
  EXPECT_THAT(names_of(g, g.inputs), ElementsAre("a", "x"));
}

/// Names that a branch reads are needed, too.
TEST(OnnxCut, WhatABranchReadsIsNeeded) {
  const graph::Graph g =
      cut("g (float[4] x) => (float[4] y) <bool k = {1}> { a = Abs (x) "
          "y = If (k) <then_branch = t () => (float[4] o) { o = Neg (a) }, "
          "else_branch = e () => (float[4] o) { o = Abs (a) }> }",
          {"a"}, {"y"});
  EXPECT_THAT(names_of(g, g.inputs), ElementsAre("a"));
}

TEST(OnnxCut, UnknownAndIdleTensorsAreNamed) {
  const char* text = "g (float[2] first) => (float[2] third) { second = Neg (first) third = Abs (second) }";
  EXPECT_THAT([&] { cut(text, {"secnd"}, {}); },
              ThrowsMessage<UserError>(
                  AllOf(HasSubstr("has no tensor 'secnd'"), HasSubstr("did you mean 'second'?"))));
  EXPECT_THAT(
      [&] { cut(text, {"third"}, {"second"}); },
      ThrowsMessage<UserError>(HasSubstr("begins at tensor 'third' (--from), which no output needs")));
}

}  // namespace
}  // namespace vdla::import
