// SPDX-License-Identifier: Apache-2.0
// Nodes of old operator sets lifted to 13: the same numbers come out, and what has no form there is refused.
#include "compiler/quantize/lift.h"

#include <gmock/gmock.h>

#include <cstring>
#include <random>

#include "compiler/import/import.h"
#include "compiler/import/onnx_importer.h"
#include "compiler/pipeline/reference.h"
#include "compiler/pipeline/rewrite/graph_passes.h"
#include "support/error.h"
#include "tests/compiler/import/onnx_builder.h"

namespace vdla::quantize {
namespace {

using ::testing::HasSubstr;
using vdla::testing::OnnxModel;
constexpr int kReal = onnx::TensorProto::FLOAT;
constexpr int kInt64 = onnx::TensorProto::INT64;

onnx::AttributeProto& attribute_of(onnx::NodeProto& n, const std::string& name,
                                   onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto& a = *n.add_attribute();
  a.set_name(name);
  a.set_type(type);
  return a;
}
void real(onnx::NodeProto& n, const std::string& name, float value) {
  attribute_of(n, name, onnx::AttributeProto::FLOAT).set_f(value);
}
void reals(onnx::NodeProto& n, const std::string& name, const std::vector<float>& values) {
  auto& a = attribute_of(n, name, onnx::AttributeProto::FLOATS);
  for (const float v : values) a.add_floats(v);
}
void text(onnx::NodeProto& n, const std::string& name, const std::string& value) {
  attribute_of(n, name, onnx::AttributeProto::STRING).set_s(value);
}

/// A model of that operator set with an input x.
OnnxModel of_set(std::int64_t set, const std::vector<std::int64_t>& shape = {2, 3, 4}) {
  OnnxModel m;
  m.opset(set);
  m.input("x", shape);
  return m;
}

graph::Bytes lifted(const OnnxModel& m) {
  const graph::Bytes bytes = m.bytes();
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
  Values values = import::values_of(model, "'old': ");
  lift(model, values, "'old': ");
  EXPECT_EQ(model.opset_import(0).version(), kQuantisedSet);
  model.set_ir_version(7);
  const std::string text = model.SerializeAsString();
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

/// Outputs for seeded inputs.
std::vector<graph::Bytes> run(const graph::Bytes& model) {
  const graph::Graph g = pipeline::run_passes(import::import_onnx(model, "small.onnx"));
  std::mt19937 random(5);
  std::normal_distribution<float> normal(0, 1);
  std::vector<graph::Bytes> inputs;
  for (const graph::Port& port : g.inputs) {
    std::vector<float> values(static_cast<std::size_t>(graph::element_count(port.model_shape)));
    for (float& v : values) v = normal(random);
    const auto* at = reinterpret_cast<const std::byte*>(values.data());
    inputs.emplace_back(at, at + values.size() * sizeof(float));
  }
  return pipeline::Reference(g).run(inputs);
}

void expect_same(OnnxModel& m, const std::string& output = "y",
                 onnx::TensorProto::DataType type = onnx::TensorProto::FLOAT) {
  m.output(output, type);
  EXPECT_EQ(run(m.bytes()), run(lifted(m)));
}

void expect_refused(OnnxModel& m, const std::string& message) {
  m.output("y");
  try {
    lifted(m);
    ADD_FAILURE() << "lifted";
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), HasSubstr(message));
  }
}

TEST(Lift, ABroadcastBeginsAtTheDimensionThatAnAttributeTells) {
  for (const std::int64_t set : {1, 6}) {
    for (const char* op : {"Add", "Div", "Mul", "Pow", "Sub"}) {
      OnnxModel m = of_set(set);
      m.constant("b", kReal, {3}, {1, 2, 3});
      auto& n = m.node(op, {"x", "b"}, "y");
      OnnxModel::integer(n, "axis", 1);
      OnnxModel::integer(n, "broadcast", 1);
      SCOPED_TRACE(std::string(op) + " of set " + std::to_string(set));
      expect_same(m);
    }
  }
}

TEST(Lift, ABroadcastInputIsAlignedToo) {
  OnnxModel m = of_set(6);
  m.input("b", {3});
  auto& n = m.node("Add", {"x", "b"}, "y");
  OnnxModel::integer(n, "axis", 1);
  OnnxModel::integer(n, "broadcast", 1);
  expect_same(m);
}

TEST(Lift, ABroadcastWithoutAnAxisEndsWithTheLastDimension) {
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{3, 4}, {1}}) {
    OnnxModel m = of_set(6);
    m.input("b", shape);
    OnnxModel::integer(m.node("Greater", {"x", "b"}, "y"), "broadcast", 1);
    expect_same(m, "y", onnx::TensorProto::BOOL);
  }
}

TEST(Lift, ASlopeForEachChannelStaysOne) {
  OnnxModel m = of_set(6);
  m.constant("slope", kReal, {3}, {0.1, 0.2, 0.3});
  m.node("PRelu", {"x", "slope"}, "y");
  expect_same(m);
}

TEST(Lift, BatchNormsOfAllSets) {
  for (const std::int64_t set : {1, 6, 7}) {
    OnnxModel m = of_set(set);
    for (const char* name : {"scale", "bias", "mean", "variance"}) m.constant(name, kReal, {3}, {1, 2, 3});
    auto& n = m.node("BatchNormalization", {"x", "scale", "bias", "mean", "variance"}, "y");
    OnnxModel::integer(n, "spatial", 1);
    if (set < 7) OnnxModel::integer(n, "is_test", 1);
    if (set < 6) OnnxModel::ints(n, "consumed_inputs", {0, 0, 0, 1, 1});
    expect_same(m);
  }
}

TEST(Lift, TypesAreNumbers) {
  OnnxModel m = of_set(1);
  text(m.node("Cast", {"x"}, "y"), "to", "INT32");
  expect_same(m, "y", onnx::TensorProto::INT32);
}

TEST(Lift, LimitsAreInputs) {
  for (const std::int64_t set : {1, 6}) {
    OnnxModel m = of_set(set);
    real(m.node("Clip", {"x"}, "low"), "min", -0.5F);
    real(m.node("Clip", {"low"}, "both"), "max", 0.5F);
    m.node("Clip", {"both"}, "y");
    expect_same(m);
  }
}

TEST(Lift, LimitsHaveTheTypeOfWhatTheyLimit) {
  OnnxModel m = of_set(6);
  auto& cast = m.node("Cast", {"x"}, "d");
  OnnxModel::integer(cast, "to", onnx::TensorProto::DOUBLE);
  real(m.node("Clip", {"d"}, "y"), "max", 0.25F);
  expect_same(m, "y", onnx::TensorProto::DOUBLE);
}

// Concat of set 1 has no axis, which is 1.
TEST(Lift, DefaultsThatChangedAreWrittenOut) {
  OnnxModel concat = of_set(1);
  concat.node("Concat", {"x", "x"}, "y");
  expect_same(concat);
  OnnxModel selu = of_set(1);
  selu.node("Selu", {"x"}, "y");
  expect_same(selu);
}

TEST(Lift, DropoutDropsNothing) {
  for (const std::int64_t set : {1, 6, 7, 10}) {
    OnnxModel m = of_set(set);
    auto& n = m.node("Dropout", {"x"}, "y");
    real(n, "ratio", 0.3F);
    if (set < 7) OnnxModel::integer(n, "is_test", 1);
    if (set > 6) n.add_output("unread");
    expect_same(m);
  }
}

TEST(Lift, GemmBroadcastsByItself) {
  OnnxModel m = of_set(6, {2, 3});
  m.constant("w", kReal, {3, 2}, {1, 2, 3, 4, 5, 6});
  m.constant("c", kReal, {2}, {7, 8});
  OnnxModel::integer(m.node("Gemm", {"x", "w", "c"}, "y"), "broadcast", 1);
  expect_same(m);
}

// The version converter of ONNX needs shapes that models do not state.
TEST(Lift, AllDimensionsFromTheAxisOnAreOne) {
  for (const std::int64_t set : {1, 11}) {
    for (const char* op : {"Hardmax", "LogSoftmax", "Softmax"}) {
      for (const std::int64_t axis : {-9, 0, 2}) {
        OnnxModel m = of_set(set);
        m.node("Relu", {"x"}, "r");
        auto& n = m.node(op, {"r"}, "y");
        if (axis >= 0) OnnxModel::integer(n, "axis", axis);
        SCOPED_TRACE(std::string(op) + " along " + std::to_string(axis));
        expect_same(m);
      }
    }
  }
}

// The importer passes over the axis of a value without elements.
TEST(Lift, AnAxisOutsideOfAnEmptyValueIsNotFollowed) {
  OnnxModel m = of_set(1);
  m.constant("empty", kReal, {0, 3}, {});
  OnnxModel::integer(m.node("Softmax", {"empty"}, "y"), "axis", -9);
  m.output("y");
  EXPECT_NO_THROW(lifted(m));
}

TEST(Lift, PowersOfNormsAreWholeNumbers) {
  OnnxModel pool = of_set(1, {1, 2, 4, 4});
  auto& n = pool.node("LpPool", {"x"}, "y");
  OnnxModel::ints(n, "kernel_shape", {2, 2});
  expect_same(pool);
  OnnxModel half = of_set(1, {1, 2, 4, 4});
  auto& root = half.node("LpPool", {"x"}, "y");
  OnnxModel::ints(root, "kernel_shape", {2, 2});
  real(root, "p", 1.5F);
  expect_refused(half,
                 "LpPool at node 'y_node' of operator set 1 cannot be lifted to set 13, which scales by "
                 "channel need: it has a norm of power 1.5");
}

TEST(Lift, ListsBecomeInputs) {
  const auto expect = [](std::int64_t set, const char* op, const char* list,
                         const std::vector<std::int64_t>& values, const std::vector<std::int64_t>& shape) {
    OnnxModel m = of_set(set, shape);
    OnnxModel::ints(m.node(op, {"x"}, "y"), list, values);
    SCOPED_TRACE(op);
    expect_same(m);
  };
  expect(11, "ReduceSum", "axes", {1}, {2, 3, 4});
  expect(11, "ReduceSum", "axes", {-1}, {2, 3, 4});
  expect(11, "Squeeze", "axes", {0}, {1, 3, 1});
  expect(11, "Unsqueeze", "axes", {0, 2}, {3, 4});
  expect(1, "Reshape", "shape", {4, -1}, {2, 3, 4});
  expect(1, "Pad", "paddings", {0, 1, 0, 0, 0, 2}, {2, 3, 4});
}

TEST(Lift, WithoutAListAllAxesAreMeant) {
  for (const char* op : {"ReduceSum", "Squeeze"}) {
    OnnxModel m = of_set(11, {1, 3, 1});
    m.node(op, {"x"}, "y");
    expect_same(m);
  }
}

TEST(Lift, PadsAndTheirValueAreInputs) {
  OnnxModel m = of_set(2);
  auto& n = m.node("Pad", {"x"}, "y");
  OnnxModel::ints(n, "pads", {0, 1, 1, 0, 0, 1});
  real(n, "value", 0.5F);
  expect_same(m);
}

TEST(Lift, ResizeTakesTheSameElements) {
  for (const std::vector<double>& scales :
       {std::vector<double>{1, 1, 2, 3}, {1, 1, 0.5, 0.75}, {1, 1, 1.3, 1.7}}) {
    for (const char* mode : {"nearest", "linear"}) {
      OnnxModel m = of_set(10, {1, 2, 4, 5});
      m.constant("scales", kReal, {4}, scales);
      text(m.node("Resize", {"x", "scales"}, "y"), "mode", mode);
      SCOPED_TRACE(mode);
      expect_same(m);
    }
  }
  OnnxModel mixed = of_set(10, {1, 2, 4, 5});
  mixed.constant("scales", kReal, {4}, {1, 1, 2, 0.5});
  mixed.node("Resize", {"x", "scales"}, "y");
  expect_refused(mixed, "makes some dimensions larger and some smaller by nearest elements");
}

TEST(Lift, UpsampleBecomesResize) {
  OnnxModel first = of_set(1, {1, 2, 4, 5});
  auto& n = first.node("Upsample", {"x"}, "y");
  real(n, "height_scale", 2);
  real(n, "width_scale", 3);
  text(n, "mode", "bilinear");
  expect_same(first);
  OnnxModel list = of_set(7, {1, 2, 4, 5});
  reals(list.node("Upsample", {"x"}, "y"), "scales", {1, 1, 2, 2});
  expect_same(list);
  OnnxModel input = of_set(9, {1, 2, 4, 5});
  input.constant("scales", kReal, {4}, {1, 1, 2, 2});
  text(input.node("Upsample", {"x", "scales"}, "y"), "mode", "linear");
  expect_same(input);
}

TEST(Lift, ScatterBecomesScatterElements) {
  OnnxModel m = of_set(9, {3, 3});
  m.constant("places", kInt64, {1, 3}, {1, 0, 2});
  m.constant("updates", kReal, {1, 3}, {1, 2, 3});
  m.node("Scatter", {"x", "places", "updates"}, "y");
  expect_same(m);
}

TEST(Lift, BoundsOfASliceAreInputs) {
  for (const bool axes : {false, true}) {
    OnnxModel m = of_set(1);
    auto& n = m.node("Slice", {"x"}, "y");
    OnnxModel::ints(n, "starts", {0, 1});
    OnnxModel::ints(n, "ends", {1, -1});
    if (axes) OnnxModel::ints(n, "axes", {1, 2});
    expect_same(m);
  }
}

TEST(Lift, SizesOfASplitAreAnInput) {
  for (const std::int64_t set : {1, 2, 11}) {
    OnnxModel m = of_set(set, {3, 4});
    auto& n = m.node("Split", {"x"}, "y");
    n.add_output("rest");
    OnnxModel::ints(n, "split", {1, 2});
    OnnxModel::integer(n, "axis", 0);
    m.output("rest");
    expect_same(m);
  }
}

TEST(Lift, ATileRepeatsOneDimension) {
  OnnxModel m = of_set(1);
  m.constant("tiles", kInt64, {1}, {3});
  m.constant("axis", kInt64, {1}, {1});
  m.node("Tile", {"x", "tiles", "axis"}, "y");
  expect_same(m);
}

TEST(Lift, TheCountOfTopKIsAnInput) {
  OnnxModel m = of_set(1);
  auto& n = m.node("TopK", {"x"}, "y");
  n.add_output("places");
  OnnxModel::integer(n, "k", 2);
  m.output("places", onnx::TensorProto::INT64);
  expect_same(m);
}

TEST(Lift, OldNodesMayNameWhatTheyConsume) {
  OnnxModel m = of_set(1);
  OnnxModel::ints(m.node("Sigmoid", {"x"}, "y"), "consumed_inputs", {0});
  expect_same(m);
}

TEST(Lift, NamesOfTheModelAreNotGivenAgain) {
  OnnxModel m = of_set(11);
  m.constant("y/axes", kReal, {1}, {3});
  m.node("Add", {"x", "y/axes"}, "s");
  OnnxModel::ints(m.node("ReduceSum", {"s"}, "y"), "axes", {1});
  expect_same(m);
}

/// A model of set 1 with most kinds of rules.
OnnxModel many_rules() {
  OnnxModel m = of_set(1, {1, 2, 4, 5});
  m.constant("b", kReal, {2}, {1, 2});
  m.constant("tiles", kInt64, {1}, {2});
  m.constant("axis", kInt64, {1}, {3});
  auto& sum = m.node("Add", {"x", "b"}, "sum");
  OnnxModel::integer(sum, "axis", 1);
  OnnxModel::integer(sum, "broadcast", 1);
  m.node("Softmax", {"sum"}, "soft");
  m.node("Tile", {"soft", "tiles", "axis"}, "tile");
  auto& larger = m.node("Upsample", {"tile"}, "larger");
  real(larger, "height_scale", 2);
  real(larger, "width_scale", 2);
  auto& part = m.node("Slice", {"larger"}, "part");
  OnnxModel::ints(part, "starts", {0, 1});
  OnnxModel::ints(part, "ends", {1, 7});
  OnnxModel::ints(part, "axes", {1, 2});
  OnnxModel::ints(m.node("Pad", {"part"}, "padded"), "paddings", {0, 0, 1, 1, 0, 0, 1, 1});
  OnnxModel::integer(m.node("TopK", {"padded"}, "best"), "k", 2);
  real(m.node("Clip", {"best"}, "y"), "max", 0.5F);
  return m;
}

TEST(Lift, ChangedFilesAreLiftedOrRefused) {
  OnnxModel m = many_rules();
  m.output("y");
  const graph::Bytes bytes = m.bytes();
  std::mt19937 random(7);
  int lifted_ones = 0;
  for (int i = 0; i < 1000; ++i) {
    graph::Bytes changed = bytes;
    for (int k = 0; k < 1 + i % 3; ++k) changed[random() % changed.size()] = static_cast<std::byte>(random());
    onnx::ModelProto model;
    if (!model.ParseFromArray(changed.data(), static_cast<int>(changed.size()))) continue;
    try {
      Values values = import::values_of(model, "");
      lift(model, values, "");
      ++lifted_ones;
    } catch (const UserError&) {
    }
  }
  EXPECT_GT(lifted_ones, 0);
}

TEST(Lift, WhatHasNoFormThereIsRefusedByName) {
  OnnxModel one_hot = of_set(9);
  one_hot.constant("depth", kInt64, {1}, {3});
  one_hot.constant("values", kReal, {2}, {0, 1});
  one_hot.node("OneHot", {"x", "depth", "values"}, "y");
  expect_refused(one_hot, "'old': OneHot at node 'y_node' of operator set 9 cannot be lifted to set 13");
  OnnxModel mask = of_set(7);
  mask.node("Dropout", {"x"}, "y").add_output("mask");
  mask.output("mask");
  expect_refused(mask, "Dropout at node 'y_node' of operator set 7 cannot be lifted to set 13");
}

}  // namespace
}  // namespace vdla::quantize
