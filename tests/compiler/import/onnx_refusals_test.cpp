// SPDX-License-Identifier: Apache-2.0
// Models with several operators that the kit does not take: one error and one report for all of them.
#include <gmock/gmock.h>

#include "compiler/import/import.h"
#include "tests/compiler/import/onnx_text.h"

namespace vdla::import {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

ModelReport refused(const std::string& text, std::string* message = nullptr, int set = 17) {
  try {
    testing::graph_in_set(set, text);
  } catch (const Refused& e) {
    if (message != nullptr) *message = e.what();
    EXPECT_NE(e.report, nullptr);
    return e.report ? *e.report : ModelReport{};
  }
  ADD_FAILURE() << "nothing is refused";
  return {};
}

TEST(OnnxRefusals, OperatorsBehindAStatedValueAreLookedAt) {
  std::string message;
  const ModelReport r = refused(
      "g (float[4] x) => (float[4] y) <float[4] u, float[4] n> "
      "{ u = Nonsense (x) n = Neg (u) m = Nonsense (n) y = Abs (m) }",
      &message);
  EXPECT_EQ(r.operators, 4u);
  EXPECT_EQ(r.taken, 1u);
  EXPECT_EQ(r.not_looked_at, 1u);  // nothing states m
  ASSERT_EQ(r.refusals.size(), 1u);
  EXPECT_EQ(r.refusals[0].op, "Nonsense");
  EXPECT_THAT(r.refusals[0].nodes, ElementsAre("Nonsense_0", "Nonsense_2"));
  EXPECT_THAT(r.refusals[0].types, ElementsAre("float32"));
  EXPECT_THAT(message, EndsWith("; and 1 more is refused (vdla explain lists them)"));
}

TEST(OnnxRefusals, MultiplyAccumulatesOfRefusedLayersAreCounted) {
  const ModelReport r = refused(
      "g (float[1,2,8,8] x, float[4,2,3,3] w, float[4,4,1,1] v) => (float[1,4,6,6] y) <float[1,4,6,6] a> "
      "{ a = Conv <auto_pad = \"NONSENSE\"> (x, w) y = Conv (a, v) }");
  EXPECT_EQ(r.taken, 1u);
  EXPECT_EQ(r.macs_taken, 4u * 6 * 6 * 4);
  EXPECT_EQ(r.refusals.at(0).macs, 4u * 6 * 6 * 2 * 3 * 3);
  EXPECT_EQ(r.macs, r.macs_taken + r.refusals[0].macs);
}

// A function of reals over integers ended as a fault of the kit.
TEST(OnnxRefusals, FunctionsOfRealsOverIntegersAreNamed) {
  for (const std::string op : {"Celu", "Elu", "Gelu", "HardSwish", "IsInf", "Mean", "Mish", "Reciprocal",
                               "Softplus", "Softsign", "Swish", "Tanh", "ThresholdedRelu"}) {
    std::string message;
    refused("g (int32[4] x) => (int32[4] y) { y = " + op + " (x) }", &message, 24);
    EXPECT_THAT(message, HasSubstr(" of int32, ")) << op;
  }
}

/// Shapes that come of a refused operator are not said to be inputs that could be bound.
TEST(OnnxRefusals, AShapeThatARefusedOperatorGivesIsNoInputToBind) {
  const ModelReport r = refused(
      "g (float[4] x) => (float[2,2] y) <int64[2] s> { s = Nonsense (x) t = Neg (s) y = Reshape (x, t) }");
  ASSERT_EQ(r.refusals.size(), 1u);
  EXPECT_EQ(r.refusals[0].op, "Nonsense");
  EXPECT_EQ(r.taken, 1u);
  EXPECT_EQ(r.not_looked_at, 1u);
}

TEST(OnnxRefusals, TheKindOfTheFirstRefusalStays) {
  const std::string text =
      "g (float[4] x, int64[2] s) => (float[2,2] y, float[4] z) { y = Reshape (x, s) z = Nonsense (x) }";
  try {
    testing::graph_in_set(17, text);
    FAIL() << "nothing is refused";
  } catch (const NeedsConstant& e) {
    EXPECT_THAT(e.inputs, ElementsAre("s"));
    EXPECT_THAT(e.what(), HasSubstr("1 more is refused"));
  }
}

/// A refusal within the body of an operator is that of the operator, and what follows is read in the model's
/// own place again.
TEST(OnnxRefusals, NodesBehindARefusedBodyAreThoseOfTheModel) {
  const ModelReport r = refused(
      "g (float[4] x, bool c) => (float[4] y) <bool k = {1}, float[4] a> "
      "{ a = If (k) <then_branch = t () => (float[4] o) { o = Nonsense (x) }, "
      "else_branch = e () => (float[4] o) { o = Neg (x) }> y = Neg (a) }");
  ASSERT_EQ(r.refusals.size(), 1u);
  EXPECT_EQ(r.refusals[0].op, "If");
  EXPECT_THAT(r.refusals[0].reason, HasSubstr("Nonsense at node 'If_0/"));
  EXPECT_EQ(r.operators, 2u);
  EXPECT_EQ(r.taken, 1u);
}

TEST(OnnxRefusals, ARemedyStandsApartFromItsReason) {
  const ModelReport r = refused("g (float[4] x) => (float[4] y) { y = Trilu (x) }");
  EXPECT_EQ(r.refusals.at(0).reason, "has input 0 of shape 4");
  EXPECT_EQ(r.refusals.at(0).remedy, "needs at least 2 dimensions");
}

}  // namespace
}  // namespace vdla::import
