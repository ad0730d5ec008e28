// SPDX-License-Identifier: Apache-2.0
// TFLite networks that are cut between tensors.
#include <gmock/gmock.h>

#include "compiler/import/import.h"
#include "support/error.h"
#include "tests/compiler/import/tflite/chain.h"

namespace vdla::import {
namespace {

using ::testing::AllOf;
using testing::chain;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kUnique;
using ::testing::ThrowsMessage;
using tflite::TensorType;

graph::Graph cut(const std::vector<std::byte>& file, std::vector<std::string> from,
                 std::vector<std::string> until) {
  ImportOptions options;
  options.from = std::move(from);
  options.until = std::move(until);
  return import_tflite(file, "built.tflite", options);
}

std::vector<std::string> names(const graph::Graph& g, const std::vector<graph::Port>& ports) {
  std::vector<std::string> result;
  for (const graph::Port& p : ports) result.push_back(g.tensor(p.tensor).name);
  return result;
}

/// Refused operators at both ends.
std::vector<std::byte> between_others() {
  return chain(
      {{"x"}, {"a"}, {"b"}, {"c"}, {"y"}},
      {{kUnique, {0}, {1}}, {testing::kNeg, {1}, {2}}, {testing::kAbs, {2}, {3}}, {kUnique, {3}, {4}}});
}

TEST(TfliteCut, RefusedOperatorsOutsideOfTheCutDoNotMatter) {
  const graph::Graph g = cut(between_others(), {"a"}, {"c"});
  EXPECT_THAT(names(g, g.inputs), ElementsAre("a"));
  EXPECT_THAT(names(g, g.outputs), ElementsAre("c"));
  EXPECT_EQ(g.nodes.size(), 2u);
  EXPECT_THROW(cut(between_others(), {"a"}, {}), Refused);
  EXPECT_THROW(cut(between_others(), {}, {"c"}), Refused);
}

TEST(TfliteCut, InputsOfTheModelStayWhereTheyAreNeeded) {
  constexpr int kMaximum = 55;
  const auto file =
      chain({{"x"}, {"z"}, {"a"}, {"y"}}, {{testing::kNeg, {0}, {2}}, {kMaximum, {2, 1}, {3}}}, {0, 1});
  const graph::Graph g = cut(file, {"a"}, {});
  EXPECT_THAT(names(g, g.inputs), ElementsAre("a", "z"));
  EXPECT_THAT(names(cut(file, {}, {"a"}), cut(file, {}, {"a"}).inputs), ElementsAre("x"));
}

TEST(TfliteCut, TensorsOfUnsignedBytesKeepTypeAndScale) {
  constexpr int kQuantize = 114;
  const auto file =
      chain({{"x"}, {"a", TensorType::UINT8, 0.5F, 100}, {"b", TensorType::UINT8, 0.25F, 3}, {"y"}},
            {{kUnique, {0}, {1}}, {kQuantize, {1}, {2}}, {kUnique, {2}, {3}}});
  const graph::Graph g = cut(file, {"a"}, {"b"});
  ASSERT_EQ(g.inputs.size(), 1u);
  const graph::Tensor& a = g.tensor(g.inputs[0].tensor);
  EXPECT_EQ(g.inputs[0].model_type, graph::DataType::UInt8);
  EXPECT_THAT(a.quantization.scale, ElementsAre(0.5F));
  EXPECT_THAT(a.quantization.zero_point, ElementsAre(100 - 128));
  EXPECT_EQ(g.outputs.at(0).model_type, graph::DataType::UInt8);
  EXPECT_THAT(g.tensor(g.outputs[0].tensor).quantization.scale, ElementsAre(0.25F));
}

TEST(TfliteCut, ATensorBeforeTheCutMayBeAnOutputToo) {
  const auto file = chain({{"x"}, {"a"}, {"b"}, {"y"}},
                          {{testing::kNeg, {0}, {1}}, {testing::kAbs, {1}, {2}}, {testing::kNeg, {2}, {3}}});
  const graph::Graph g = cut(file, {"b"}, {"y", "a"});
  EXPECT_THAT(names(g, g.inputs), ElementsAre("b", "x"));
  EXPECT_THAT(names(g, g.outputs), ElementsAre("y", "a"));
  EXPECT_EQ(g.nodes.size(), 2u);
}

TEST(TfliteCut, UnknownAndIdleTensorsAreNamed) {
  const auto file =
      chain({{"first"}, {"second"}, {"third"}}, {{testing::kNeg, {0}, {1}}, {testing::kAbs, {1}, {2}}});
  EXPECT_THAT([&] { cut(file, {"secnd"}, {}); },
              ThrowsMessage<UserError>(
                  AllOf(HasSubstr("has no tensor 'secnd'"), HasSubstr("did you mean 'second'?"))));
  EXPECT_THAT(
      [&] { cut(file, {"third"}, {"second"}); },
      ThrowsMessage<UserError>(HasSubstr("begins at tensor 'third' (--from), which no output needs")));
}

TEST(TfliteCut, ANameOfTwoTensorsIsRefused) {
  const auto file = chain({{"x"}, {"a"}, {"a"}, {"y"}},
                          {{testing::kNeg, {0}, {1}}, {testing::kAbs, {1}, {2}}, {testing::kNeg, {2}, {3}}});
  EXPECT_THAT([&] { cut(file, {"a"}, {}); }, ThrowsMessage<UserError>(HasSubstr("has 2 tensors 'a'")));
}

}  // namespace
}  // namespace vdla::import
