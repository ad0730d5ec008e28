// SPDX-License-Identifier: Apache-2.0
// Extents that are known only when the model runs: outputs have the largest one, and an output more says what
// a run finds; later nodes hand it on.
#include <cstring>

#include "compiler/pipeline/reference.h"
#include "tests/compiler/import/onnx_text.h"

namespace vdla::import {
namespace {

using ::testing::ElementsAre;
using testing::graph_in_set;
using testing::refused;
using testing::values_in_set;

template <class T>
graph::Bytes bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::int64_t> integers(const graph::Bytes& bytes) {
  std::vector<std::int64_t> values(bytes.size() / sizeof(std::int64_t));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// An output of int64 over the largest extents, and its extents.
struct Output {
  graph::Shape largest;
  std::vector<std::int64_t> values, extents;
};

/// Runs a graph of set 13 with float inputs; its first output is y, of int64.
Output run(const std::string& text, const std::vector<std::vector<float>>& inputs) {
  const graph::Graph g = graph_in_set(13, text);
  EXPECT_EQ(g.outputs.size(), 2U);
  EXPECT_EQ(g.tensor(g.outputs.at(1).tensor).name, "y/extents");
  std::vector<graph::Bytes> bytes;
  for (const auto& input : inputs) bytes.push_back(bytes_of(input));
  const auto out = pipeline::Reference(g).run(bytes);
  return {g.outputs[0].model_shape, integers(out[0]), integers(out.at(1))};
}

/// NonZero of four numbers, of which two are not zero, and what nodes make of its result i [1, count].
Output behind(const std::string& nodes, const std::string& constants = "") {
  return run("g (float[4] x" + constants + ") => (int64 y) { i = NonZero (x) " + nodes + " }",
             {{0, 7, 0, 9}});
}

std::vector<std::int64_t> first(const Output& o, std::size_t count) {
  return {o.values.begin(), o.values.begin() + static_cast<std::ptrdiff_t>(count)};
}

TEST(OnnxExtents, NonZeroHasARowForEachDimension) {
  const Output o = run("g (float[2,3] x) => (int64 y) { y = NonZero (x) }", {{0, 5, 0, 6, 0, 7}});
  EXPECT_EQ(o.largest, (graph::Shape{2, 6}));
  EXPECT_THAT(o.extents, ElementsAre(2, 3));
  EXPECT_THAT(first(o, 3), ElementsAre(0, 1, 1));
  EXPECT_EQ(std::vector(o.values.begin() + 6, o.values.begin() + 9), (std::vector<std::int64_t>{1, 0, 2}));
}

TEST(OnnxExtents, ConstantsHaveTheirOwn) {
  const graph::Graph g = graph_in_set(13, "g (float[4] x = {0, 7, 0, 9}) => (int64 y) { y = NonZero (x) }");
  EXPECT_EQ(g.outputs.size(), 1U);
  EXPECT_EQ(g.outputs[0].model_shape, (graph::Shape{1, 2}));
  EXPECT_THAT(
      values_in_set<std::int64_t>(13, "g (float[4] x = {0, 7, 0, 9}) => (int64 y) { y = NonZero (x) }"),
      ElementsAre(1, 3));
}

TEST(OnnxExtents, GoWithTheDimension) {
  EXPECT_THAT(behind("y = Transpose (i)").extents, ElementsAre(2, 1));
  EXPECT_THAT(behind("y = Squeeze (i, a)", ", int64[1] a = {0}").extents, ElementsAre(2));
  EXPECT_THAT(behind("y = Unsqueeze (i, a)", ", int64[1] a = {1}").extents, ElementsAre(1, 1, 2));
  EXPECT_THAT(behind("y = Reshape (i, s)", ", int64[1] s = {-1}").extents, ElementsAre(2));
  EXPECT_THAT(
      behind("t = Concat <axis = 0> (i, i) u = Transpose (t) y = Reshape (u, s)", ", int64[1] s = {-1}")
          .extents,
      ElementsAre(4));
}

TEST(OnnxExtents, ElementsKeepThem) {
  const Output o = behind("y = Add (i, o)", ", int64[1] o = {10}");
  EXPECT_THAT(o.extents, ElementsAre(1, 2));
  EXPECT_THAT(first(o, 2), ElementsAre(11, 13));
}

TEST(OnnxExtents, IndicesGiveThemToWhatTheyChoose) {
  const Output o = behind("y = Gather <axis = 1> (t, i)", ", int64[2,4] t = {1, 2, 3, 4, 5, 6, 7, 8}");
  EXPECT_EQ(o.largest, (graph::Shape{2, 1, 4}));
  EXPECT_THAT(o.extents, ElementsAre(2, 1, 2));
  EXPECT_THAT(first(o, 2), ElementsAre(2, 4));
}

TEST(OnnxExtents, NegativeIndicesCountFromTheEndOfTheRun) {
  const graph::Graph g = graph_in_set(
      13, "g (float[4] x, int64 l = {-1}) => (int64 y) { i = NonZero (x) y = Gather <axis = 1> (i, l) }");
  EXPECT_EQ(g.outputs.size(), 1U);
  EXPECT_THAT(integers(pipeline::Reference(g).run({bytes_of<float>({0, 7, 0, 9})})[0]), ElementsAre(3));
}

TEST(OnnxExtents, SlicesAreCutToThem) {
  const std::string bounds = ", int64[1] b = {1}, int64[1] e = {3}, int64[1] a = {1}";
  const Output o = behind("y = Slice (i, b, e, a)", bounds);
  EXPECT_EQ(o.largest, (graph::Shape{1, 2}));
  EXPECT_THAT(o.extents, ElementsAre(1, 1));
  EXPECT_EQ(o.values[0], 3);
}

/// Parts end where their own extents do.
TEST(OnnxExtents, PartsAreJoinedWithoutGaps) {
  const Output o = behind("y = Concat <axis = 1> (i, t, i)", ", int64[1,1] t = {5}");
  EXPECT_THAT(o.extents, ElementsAre(1, 5));
  EXPECT_THAT(first(o, 5), ElementsAre(1, 3, 5, 1, 3));
}

TEST(OnnxExtents, ShapeAndSizeAreOfTheRun) {
  const auto count = [](const std::string& node) {
    const graph::Graph g =
        graph_in_set(13, "g (float[4] x) => (int64 y) { i = NonZero (x) y = " + node + " (i) }");
    return integers(pipeline::Reference(g).run({bytes_of<float>({0, 7, 0, 9})}).at(0));
  };
  EXPECT_THAT(count("Shape"), ElementsAre(1, 2));
  EXPECT_THAT(count("Size"), ElementsAre(2));
}

/// Elements beyond an extent count for nothing.
TEST(OnnxExtents, NonZeroOfTheirElements) {
  const Output o = behind("j = Add (i, o) y = NonZero (j)", ", int64[1] o = {-1}");
  EXPECT_THAT(o.extents, ElementsAre(2, 1));
  EXPECT_EQ(o.values[4], 1);
}

TEST(OnnxExtents, OperatorsThatCannotHandThemOnAreRefused) {
  const auto text = [](const std::string& node, const std::string& more = "") {
    return "g (float[4] x, int64[4] t" + more + ") => (int64 y) { i = NonZero (x) y = " + node + " }";
  };
  refused(13, text("Add (i, t)"),
          "reads 'i', whose extent along dimension 1 is known only when the model runs, beside a value of "
          "extent 4 there");
  refused(13, text("Tile (i, r)", ", int64[2] r = {1, 2}"),
          "with an extent that is known only when the model runs, which it cannot");
  refused(13, text("ArgMax <axis = 1> (i)"), "works along dimension 1 of 'i'");
  refused(13, "g (float[4] x, float[4] z) => (int64 y) { i = NonZero (x) j = NonZero (z) y = Add (i, j) }",
          "whose extents along dimension 1 are counted apart");
  refused(13,
          "g (float[4] x, float[3,4] m, int64[1] a = {0}) => (float y) { i = NonZero (x) j = Squeeze (i, a) "
          "f = Cast <to = 1> (j) y = MatMul (m, f) }",
          "adds up along dimension 0");
  refused(
      13,
      "g (float[4] x, int64[1] z = {0}, int64[1] o = {1}, int64[2] r = {1, 0}) => (int64 y) { i = NonZero "
      "(x) s = Slice (i, z, z, o) y = Reshape (s, r) }",
      "needs a shape in which that dimension begins one");
}

TEST(OnnxExtents, AnOutputWithoutElementsHasOneOfZero) {
  for (const std::string node : {"Flatten (x)", "Softmax (x)", "Abs (x)"}) {
    const graph::Graph g = graph_in_set(11, "g (float[0,3] x) => (float[0,3] y) { y = " + node + " }");
    ASSERT_EQ(g.outputs.size(), 2U) << node;
    EXPECT_EQ(g.outputs[0].model_shape, (graph::Shape{1, 3})) << node;
    EXPECT_THAT(g.tensor(g.outputs[1].tensor).values<std::int64_t>(), ElementsAre(0, 3)) << node;
  }
}

TEST(OnnxExtents, APartBeyondTheLargestExtentHasNoElement) {
  const graph::Graph g = graph_in_set(
      13,
      "g (float[1] x, int64[1] b = {1}, int64[1] e = {9}, int64[1] a = {1}) => (int64 y) { i = NonZero (x) y "
      "= Slice (i, b, e, a) }");
  ASSERT_EQ(g.outputs.size(), 2U);
  EXPECT_THAT(integers(pipeline::Reference(g).run({bytes_of<float>({7})}).at(1)), ElementsAre(1, 0));
}

TEST(OnnxExtents, IndicesIntoAnotherDimensionOfNothingChooseNothing) {
  const graph::Graph g = graph_in_set(
      13, "g (float[0,3] t = {}, int64[2] i = {2, 0}) => (float y) { y = Gather <axis = 1> (t, i) }");
  ASSERT_EQ(g.outputs.size(), 2U);
  EXPECT_THAT(g.tensor(g.outputs[1].tensor).values<std::int64_t>(), ElementsAre(0, 2));
}

TEST(OnnxExtents, NoIndexChoosesNothing) {
  const graph::Graph g =
      graph_in_set(13, "g (float[4,3] t, int64[0] i = {}) => (float y) { y = Gather (t, i) }");
  ASSERT_EQ(g.outputs.size(), 2U);
  EXPECT_THAT(g.tensor(g.outputs[1].tensor).values<std::int64_t>(), ElementsAre(0, 3));
}

TEST(OnnxExtents, AFoldOfNothingLeavesOthersUnchanged) {
  const auto text = [](const std::string& op) {
    return "g (float[2,0] x = {}) => (float y) { y = " + op + " <axes = [1], keepdims = 0> (x) }";
  };
  EXPECT_THAT(values_in_set(11, text("ReduceSum")), ElementsAre(0, 0));
  EXPECT_THAT(values_in_set(11, text("ReduceProd")), ElementsAre(1, 1));
}

/// Numbers of y, 3 1 3 2 1 but for their order.
TEST(OnnxUnique, ElementsThatDifferHaveTheirPlacesAndCounts) {
  const auto of_run = [](const std::string& outputs, const std::string& sorted) {
    const graph::Graph g = graph_in_set(
        11, "g (float[5] x) => (int64 y) { " + outputs + " = Unique <sorted = " + sorted + "> (x) }");
    const auto out = pipeline::Reference(g).run({bytes_of<float>({3, 1, 3, 2, 1})});
    auto values = integers(out[0]);
    if (out.size() > 1) values.resize(static_cast<std::size_t>(integers(out[1]).at(0)));
    return values;
  };
  EXPECT_THAT(of_run("v, y", "1"), ElementsAre(1, 3, 0));
  EXPECT_THAT(of_run("v, p, y", "1"), ElementsAre(2, 0, 2, 1, 0));
  EXPECT_THAT(of_run("v, p, n, y", "1"), ElementsAre(2, 1, 2));
  EXPECT_THAT(of_run("v, y", "0"), ElementsAre(0, 1, 3));
  EXPECT_THAT(of_run("v, p, y", "0"), ElementsAre(0, 1, 0, 2, 1));
  EXPECT_THAT(of_run("v, p, n, y", "0"), ElementsAre(2, 2, 1));
  EXPECT_THAT(
      values_in_set(11, "g (float[5] x = {3, 1, 3, 2, 1}) => (float y) { y = Unique <sorted = 0> (x) }"),
      ElementsAre(3, 1, 2));
  refused(11, "g (float[2,2] x) => (float y) { y = Unique <axis = 0> (x) }",
          "compares parts of 2x2 along an axis, needs one dimension, or no axis");
}

std::string suppression(const std::string& attributes, const std::string& threshold) {
  return "g (float[1,4,4] b, float[1,1,4] s, int64[1] m = {3}, float[1] o = {0.5}" + threshold +
         ") => (int64 y) { y = NonMaxSuppression " + attributes + "(b, s, m, o" +
         (threshold.empty() ? "" : ", t") + ") }";
}

/// Boxes 0 and 1 overlap by 0.9, 2 lies apart, 3 is 2 with its corners in another order.
const std::vector<float> kBoxes = {0, 0, 1, 1, 0, 0.05F, 1, 1.05F, 5, 5, 6, 6, 6, 6, 5, 5};

TEST(OnnxNonMaxSuppression, TheBestOfBoxesThatOverlapStays) {
  const Output o = run(suppression("", ""), {kBoxes, {0.7F, 0.9F, 0.2F, 0.3F}});
  EXPECT_EQ(o.largest, (graph::Shape{3, 3}));
  EXPECT_THAT(o.extents, ElementsAre(2, 3));
  EXPECT_THAT(first(o, 6), ElementsAre(0, 0, 1, 0, 0, 3));
}

TEST(OnnxNonMaxSuppression, LowScoresAreOut) {
  const Output o = run(suppression("", ", float[1] t = {0.9}"), {kBoxes, {0.95F, 0.9F, 0.2F, 0.3F}});
  EXPECT_THAT(o.extents, ElementsAre(1, 3));
  EXPECT_THAT(first(o, 3), ElementsAre(0, 0, 0));
}

/// x, y, width and height of the centre.
TEST(OnnxNonMaxSuppression, BoxesMayHaveCentres) {
  const Output o = run(suppression("<center_point_box = 1> ", ""),
                       {{0, 0, 2, 2, 0.1F, 0, 2, 2, 9, 9, 2, 2, 9, 9, 2, 2}, {0.1F, 0.2F, 0.4F, 0.3F}});
  EXPECT_THAT(o.extents, ElementsAre(2, 3));
  EXPECT_THAT(first(o, 6), ElementsAre(0, 0, 2, 0, 0, 1));
}

TEST(OnnxNonMaxSuppression, BatchesAndClassesAreChosenApart) {
  const Output o = run(
      "g (float[2,1,4] b, float[2,2,1] s, int64[1] m = {1}, float[1] o, float[1] t = {0.5}) => (int64 y) { y "
      "= NonMaxSuppression (b, s, m, , t) }",
      {{0, 0, 1, 1, 0, 0, 1, 1}, {0.9F, 0.1F, 0.8F, 0.7F}, {0}});
  EXPECT_THAT(o.extents, ElementsAre(3, 3));
  EXPECT_THAT(first(o, 9), ElementsAre(0, 0, 0, 1, 0, 0, 1, 1, 0));
}

TEST(OnnxNonMaxSuppression, BoxesBeyondTheirExtentAreOut) {
  const Output o =
      run("g (float[4] x, float[4,4] b, float[4] s, int64[1] m = {3}, float[1] o = {0.5}, int64[1] z = {0}, "
          "int64[2] zz = {0, 1}) => (int64 y) { i = NonZero (x) j = Squeeze (i, z) c = Gather (b, j) d = "
          "Gather (s, j) e = Unsqueeze (c, z) f = Unsqueeze (d, zz) y = NonMaxSuppression (e, f, m, o) }",
          {{1, 0, 0, 1}, kBoxes, {0.7F, 0.9F, 0.2F, 0.3F}});
  EXPECT_THAT(o.extents, ElementsAre(2, 3));
  EXPECT_THAT(first(o, 6), ElementsAre(0, 0, 0, 0, 0, 1));
}

TEST(OnnxNonMaxSuppression, TooManyStepsAreRefused) {
  refused(13,
          "g (float[1,600,4] b, float[1,1,600] s, int64[1] m = {600}) => (int64 y) { y = NonMaxSuppression "
          "(b, s, m) }",
          "chooses up to 600 boxes of a class, needs max_output_boxes_per_class of at most 500");
  refused(13,
          "g (float[100,500,4] b, float[100,1,500] s, int64[1] m = {500}) => (int64 y) { y = "
          "NonMaxSuppression (b, s, m) }",
          "chooses 500 boxes in each of 100 pictures, needs 8000 in all at most");
}

}  // namespace
}  // namespace vdla::import
