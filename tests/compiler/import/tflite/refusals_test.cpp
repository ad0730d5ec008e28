// SPDX-License-Identifier: Apache-2.0
// Models with several operators that the kit does not take: one error and one report for all of them.
#include <gmock/gmock.h>

#include "compiler/import/import.h"
#include "support/error.h"
#include "tests/compiler/import/tflite/chain.h"

namespace vdla::import {
namespace {

using ::testing::AllOf;
using testing::chain;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::kRandomUniform;
using testing::kUnique;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;
using tflite::TensorType;

struct Caught {
  std::string message;
  ModelReport report;
};

Caught refused(const std::vector<std::byte>& file) {
  try {
    import_tflite(file, "built.tflite");
  } catch (const Refused& e) {
    EXPECT_NE(e.report, nullptr);
    return {e.what(), e.report ? *e.report : ModelReport{}};
  }
  ADD_FAILURE() << "nothing is refused";
  return {};
}

TEST(TfliteRefusals, OperatorsBehindARefusedOneAreLookedAt) {
  const Caught c = refused(chain({{"x"}, {"u"}, {"n"}, {"r"}, {"y"}}, {{kUnique, {0}, {1}},
                                                                       {testing::kNeg, {1}, {2}},
                                                                       {kRandomUniform, {2}, {3}},
                                                                       {testing::kAbs, {3}, {4}}}));
  EXPECT_EQ(c.report.operators, 4u);
  EXPECT_EQ(c.report.taken, 2u);
  EXPECT_EQ(c.report.not_looked_at, 0u);
  ASSERT_EQ(c.report.refusals.size(), 2u);
  EXPECT_EQ(c.report.refusals[0].op, "UNIQUE");
  EXPECT_THAT(c.report.refusals[0].nodes, ElementsAre("unique_0"));
  EXPECT_THAT(c.report.refusals[0].types, ElementsAre("FLOAT32"));
  EXPECT_EQ(c.report.refusals[0].reason, "is not known to this kit");
  EXPECT_THAT(c.report.refusals[0].remedy, HasSubstr("--until"));
  EXPECT_EQ(c.report.refusals[1].op, "RANDOM_UNIFORM");
  EXPECT_THAT(c.message,
              AllOf(StartsWith("TFLite model 'built.tflite': UNIQUE at node 'unique_0' is not known"),
                    EndsWith("; and 1 more is refused (vdla explain lists them)")));
}

TEST(TfliteRefusals, OneRefusalIsNotSaidToBeSeveral) {
  const Caught c = refused(chain({{"x"}, {"y"}}, {{kUnique, {0}, {1}}}));
  EXPECT_THAT(c.message, Not(HasSubstr("vdla explain")));
  EXPECT_EQ(c.report.taken, 0u);
}

TEST(TfliteRefusals, NodesThatAreRefusedForOneReasonAreCountedTogether) {
  const Caught c =
      refused(chain({{"x"}, {"a", TensorType::INT8, 0.5F}, {"b", TensorType::INT8, 0.25F}, {"y"}},
                    {{kUnique, {0}, {1}}, {kUnique, {1}, {2}}, {kUnique, {2}, {3}}}));
  ASSERT_EQ(c.report.refusals.size(), 1u);
  EXPECT_THAT(c.report.refusals[0].nodes, ElementsAre("unique_0", "unique_1", "unique_2"));
  EXPECT_THAT(c.report.refusals[0].types, ElementsAre("FLOAT32", "INT8 with a scale"));
}

TEST(TfliteRefusals, AnInputThatIsNotReadIsRefusedBesideOperators) {
  const Caught c = refused(chain({{"x", TensorType::STRING}, {"z"}, {"a"}, {"y"}},
                                 {{testing::kNeg, {0}, {2}}, {kUnique, {1}, {3}}}, {0, 1}));
  ASSERT_EQ(c.report.refusals.size(), 2u);
  EXPECT_FALSE(c.report.refusals[0].is_operator);
  EXPECT_EQ(c.report.refusals[0].op, "input");
  EXPECT_THAT(c.report.refusals[0].nodes, ElementsAre("x"));
  EXPECT_THAT(c.report.refusals[0].remedy, StartsWith("needs integers of 8 or 16 bits with a scale"));
  EXPECT_EQ(c.report.refusals[1].op, "UNIQUE");
  EXPECT_EQ(c.report.operators, 2u);
  EXPECT_EQ(c.report.not_looked_at, 1u);
}

TEST(TfliteRefusals, WhatOnlyTheElementsOfARefusedResultTellIsNotLookedAt) {
  constexpr int kPad = 34, kTile = 69;
  const Caught c = refused(chain({{"x", TensorType::INT8, 0.5F},
                                  {"s", TensorType::INT32},
                                  {"p", TensorType::INT8, 0.5F},
                                  {"y", TensorType::INT8, 0.5F}},
                                 {{kUnique, {0}, {1}}, {kPad, {0, 1}, {2}}, {kTile, {0, 1}, {3}}}));
  ASSERT_EQ(c.report.refusals.size(), 1u) << c.message;
  EXPECT_EQ(c.report.refusals[0].op, "UNIQUE");
  EXPECT_EQ(c.report.not_looked_at, 2u);
}

TEST(TfliteRefusals, ADamagedFileIsNoListOfRefusals) {
  std::vector<std::byte> file = chain({{"x"}, {"y"}}, {{kUnique, {0}, {1}}});
  file.resize(file.size() / 2);
  try {
    import_tflite(file, "cut.tflite");
    FAIL() << "a file that is cut is taken";
  } catch (const Refused&) {
    FAIL() << "a file that is cut is reported by operator";
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), HasSubstr("truncated or corrupt"));
  }
}

}  // namespace
}  // namespace vdla::import
