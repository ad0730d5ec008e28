// SPDX-License-Identifier: Apache-2.0
// Scan and Loop: trips by hand, and those that are refused. Drawn ones are in random_graphs/loops.cpp.
#include <gmock/gmock.h>

#include "tests/compiler/import/onnx_text.h"

namespace vdla::import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using vdla::testing::graph_in_set;
using vdla::testing::values_in_set;

/// Sums of the rows so far, of constants: 1 2, 3 4, 5 6.
std::string sums(const std::string& attributes,
                 const std::string& outputs = "float[2] last, float[3, 2] all") {
  return "g (float[1] x) => (" + outputs +
         ") <float[2] zero = {0, 0}, float[3, 2] rows = {1, 2, 3, 4, 5, 6}> {"
         " last, all = Scan <" +
         attributes +
         "body = b (float[2] sum, float[2] row) => (float[2] next, float[2] copy)"
         " { next = Add (sum, row) copy = Identity (next) }> (zero, rows) }";
}

std::string loop(const std::string& constants, const std::string& inputs, const std::string& condition) {
  return "g (float[1] x, bool b) => (float[1] y) <" + constants +
         "float[1] one = {1}> { y = Loop <body = l (int64 i, bool c, float[1] v) => (bool d, float[1] w)"
         " { d = " +
         condition + " w = Add (v, one) }> (" + inputs + ", one) }";
}

void expect_refused(const std::string& text, const std::string& sentence) {
  EXPECT_THAT([&] { graph_in_set(16, text); }, ThrowsMessage<UserError>(HasSubstr(sentence))) << text;
}

TEST(OnnxLoops, AScanGivesTheLastStateAndEachTripsRow) {
  EXPECT_THAT(values_in_set(16, sums("num_scan_inputs = 1, ")), ElementsAre(9, 12));
  EXPECT_THAT(values_in_set(16, sums("num_scan_inputs = 1, "), 1), ElementsAre(1, 2, 4, 6, 9, 12));
  EXPECT_THAT(values_in_set(16, sums("num_scan_inputs = 1, scan_input_directions = [1], "), 1),
              ElementsAre(5, 6, 8, 10, 9, 12));
}

TEST(OnnxLoops, ALoopEndsByItsNumberOrItsCondition) {
  const std::string three = "int64 three = {3}, bool yes = {1}, int64 one_more = {1}, ";
  EXPECT_THAT(values_in_set(16, loop(three, "three, yes", "Identity (c)")), ElementsAre(4));
  EXPECT_THAT(values_in_set(16, loop(three, "three, yes", "Less (i, one_more)")), ElementsAre(3));
}

TEST(OnnxLoops, TripsThatAreNotKnownAreRefused) {
  const std::string three = "int64 three = {3}, bool yes = {1}, ";
  expect_refused(loop(three, "three, b", "Identity (c)"), "needs its condition (input 1) to be known");
  expect_refused(loop(three, "three, yes", "Identity (b)"),
                 "has a condition that is computed from the model's inputs");
  expect_refused(
      "g (float[1000000, 1] x) => (float[1] y) <float[1] zero = {0}> { y = Scan <num_scan_inputs = 1, body = "
      "b "
      "(float[1] sum, float[1] row) => (float[1] next) { next = Add (sum, row) }> (zero, x) }",
      "has 1000000 trips of 1 nodes, at most 65536 nodes in all are read");
}

TEST(OnnxLoops, BodiesThatDoNotFitAreRefused) {
  expect_refused(sums("num_scan_inputs = 2, "), "scans 2 and 3 elements at once");
  expect_refused(sums("num_scan_inputs = 3, "), "scans 3 of 2 inputs, needs 1 to all");
  expect_refused(sums("num_scan_inputs = 1, scan_input_axes = [0, 0], "),
                 "has scan_input_axes of 2 numbers, needs 1");
  expect_refused(
      "g (float[1] x) => (float[1] y) <int64 n = {1}, bool yes = {1}> { y = Loop <body = l (int64 i, bool c, "
      "float[1] x) => (bool d, float[1] w) { d = Identity (c) w = Identity (x) }> (n, yes, x) }",
      "has 'x' in its body, which is given outside of it already");
}

}  // namespace
}  // namespace vdla::import
