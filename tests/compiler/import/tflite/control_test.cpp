// SPDX-License-Identifier: Apache-2.0
// WHILE, IF and CALL: trips and branches by hand, and those that are refused. Drawn ones are in
// random_tflite/control.cpp.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>

#include "compiler/pipeline/reference.h"
#include "support/error.h"
#include "tests/compiler/import/tflite/file.h"

namespace vdla::import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using tflite::BuiltinOptions;
using tflite::File;
using tflite::FileFunction;
using tflite::FileOperator;
using tflite::FileTensor;
using tflite::Ints;
using tflite::stored_reals;
using tflite::TensorType;

using Floats = std::vector<float>;

constexpr int kAddCode = 0, kConcatenationCode = 2, kCallCode = 31, kLessCode = 58, kNegCode = 59,
              kIfCode = 118, kWhileCode = 119;

FileTensor number(std::uint8_t value) { return {{}, TensorType::INT32, {value, 0, 0, 0}, 0}; }
FileTensor count() { return {{}, TensorType::INT32, {}, 0}; }
FileTensor truth() { return {{}, TensorType::BOOL, {}, 0}; }

Floats numbers_after(const graph::Graph& g, const Floats& x, std::size_t output = 0) {
  const graph::Bytes out = pipeline::Reference(g).run({*graph::to_bytes(x)}).at(output);
  Floats result(out.size() / 4);
  std::memcpy(result.data(), out.data(), out.size());
  return result;
}

/// A counter below a limit.
FileFunction below(std::uint8_t limit) {
  return {{count(), stored_reals({2}), number(limit), truth()},
          {0, 1},
          {3},
          {{.code = kLessCode, .inputs = {0, 2}, .outputs = {3}}}};
}

FileOperator add(flatbuffers::FlatBufferBuilder& b, const Ints& inputs, int output) {
  return {kAddCode, BuiltinOptions::AddOptions, tflite::CreateAddOptions(b).Union(), inputs, {output}};
}

/// Adds one to the counter, and x to itself.
FileFunction doubling(flatbuffers::FlatBufferBuilder& b) {
  return {{count(), stored_reals({2}), number(1), count(), stored_reals({2})},
          {0, 1},
          {3, 4},
          {add(b, {0, 2}, 3), add(b, {1, 1}, 4)}};
}

/// The loop of two subgraphs from a counter of 0 on.
graph::Graph loop(File& file, const FileFunction& condition, const FileFunction& body, int cond = 1,
                  int trip = 2) {
  file.functions = {condition, body};
  file.build(kWhileCode, BuiltinOptions::WhileOptions, tflite::CreateWhileOptions(file.builder(), cond, trip),
             {number(0), stored_reals({2}), count(), stored_reals({2})}, {0, 1}, 2);
  return import_tflite(file.bytes(), "built.tflite");
}

TEST(TfliteWhile, HasNodesForEachTrip) {
  File file;
  const graph::Graph g = loop(file, below(3), doubling(file.builder()));
  EXPECT_THAT(numbers_after(g, {1, -2}, 1), ElementsAre(8, -16));
  EXPECT_EQ(g.nodes.at(0).name, "while_0/0/add_1");
  EXPECT_EQ(g.nodes.at(2).name, "while_0/2/add_1");
}

TEST(TfliteWhile, WithoutTripsGivesWhatCame) {
  File file;
  EXPECT_THAT(numbers_after(loop(file, below(0), doubling(file.builder())), {1, -2}, 1), ElementsAre(1, -2));
}

// A constant with a scale was a tensor of the graph for each trip.
TEST(TfliteWhile, ConstantsOfABodyAreThereOnce) {
  File file;
  FileFunction body = doubling(file.builder());
  FileTensor weights{{2}, TensorType::INT8, {3, 4}, 0.5F};
  FileTensor sum{{2}, TensorType::INT8, {}, 0.5F};
  body.tensors[1] = body.tensors[4] = sum;
  body.tensors.push_back(weights);
  body.operators[1].inputs = {1, 5};
  FileFunction condition = below(3);
  condition.tensors[1] = sum;
  file.functions = {condition, body};
  file.build(kWhileCode, BuiltinOptions::WhileOptions, tflite::CreateWhileOptions(file.builder(), 1, 2),
             {number(0), sum, count(), sum}, {0, 1}, 2);
  const graph::Graph g = import_tflite(file.bytes(), "built.tflite");
  EXPECT_EQ(std::ranges::count_if(g.tensors,
                                  [](const graph::Tensor& t) { return t.constant() && t.shape.size() == 1; }),
            1);
}

// Each trip appends its x to what there is, whose extent the file leaves free.
TEST(TfliteWhile, ValuesMayGrow) {
  File file;
  FileFunction body = doubling(file.builder()), condition = below(3);
  FileTensor any = stored_reals({1});
  any.free = {-1};
  body.tensors[1] = body.tensors[4] = condition.tensors[1] = any;
  body.operators[1] = {kConcatenationCode,
                       BuiltinOptions::ConcatenationOptions,
                       tflite::CreateConcatenationOptions(file.builder(), 0).Union(),
                       {1, 1},
                       {4}};
  file.functions = {condition, body};
  file.build(kWhileCode, BuiltinOptions::WhileOptions, tflite::CreateWhileOptions(file.builder(), 1, 2),
             {number(0), stored_reals({1}), count(), any}, {0, 1}, 2);
  EXPECT_THAT(numbers_after(import_tflite(file.bytes(), "built.tflite"), {5}, 1),
              ElementsAre(5, 5, 5, 5, 5, 5, 5, 5));
}

void expect_refused_loop(const FileFunction& condition, const FileFunction& body, const std::string& words,
                         int cond = 1, int trip = 2) {
  File file;
  EXPECT_THAT([&] { loop(file, condition, body, cond, trip); }, ThrowsMessage<UserError>(HasSubstr(words)));
}

TEST(TfliteWhile, TripsThatAreNotKnownAreRefused) {
  File file;  // its builder makes options of the bodies, which no operator here reads
  FileFunction body = doubling(file.builder());
  for (FileOperator& o : body.operators) o = {kNegCode, BuiltinOptions::NONE, 0, {o.inputs[0]}, o.outputs};
  const FileFunction of_data{{count(), stored_reals({2}), truth(), {{2}, TensorType::BOOL, {}, 0}},
                             {0, 1},
                             {3},
                             {{.code = kLessCode, .inputs = {1, 1}, .outputs = {3}}}};
  expect_refused_loop(
      of_data, body,
      "WHILE at node 'while_0' has a condition that is computed from the model's inputs, needs one that is "
      "known when the model is compiled: convert the network with a fixed number of trips");
  const FileFunction always{{count(), stored_reals({2}), {{}, TensorType::BOOL, {1}, 0}}, {0, 1}, {2}, {}};
  const FileFunction nothing{{count(), stored_reals({2})}, {0, 1}, {0, 1}, {}};
  expect_refused_loop(always, nothing, "has 65537 trips of 1 nodes, at most 65536 nodes in all are read");
  FileFunction two = below(1);
  two.tensors[3].shape = {2};
  two.tensors[2] = {{2}, TensorType::INT32, std::vector<std::uint8_t>(8), 0};
  expect_refused_loop(two, body, "has a condition of 2, needs one element");
}

TEST(TfliteWhile, DamagedOnesAreRefused) {
  File file;
  FileFunction body = doubling(file.builder());
  for (FileOperator& o : body.operators) o = {kNegCode, BuiltinOptions::NONE, 0, {o.inputs[0]}, o.outputs};
  expect_refused_loop(below(1), body, "names subgraph 7 of 3 (corrupt)", 7);
  expect_refused_loop(below(1), body, "names subgraph -1 of 3 (corrupt)", 1, -1);
  expect_refused_loop(below(1), body, "stands for subgraph 0, which contains it (corrupt)", 1, 0);
  FileFunction few = body;
  few.outputs.pop_back();
  expect_refused_loop(below(1), few, "has 2 outputs, its subgraph 2 has 1");
  FileFunction none = below(1);
  none.outputs = {};
  expect_refused_loop(none, body, "has 1 outputs, its subgraph 1 has 0");
  FileFunction narrow = body;
  narrow.tensors[1].shape = {1};
  expect_refused_loop(below(1), narrow, "needs one type, shape and scale");
}

FileFunction negating() {
  return {
      {stored_reals({2}), stored_reals({2})}, {0}, {1}, {{.code = kNegCode, .inputs = {0}, .outputs = {1}}}};
}
FileFunction same() { return {{stored_reals({2})}, {0}, {0}, {}}; }

graph::Graph branch(const FileTensor& condition) {
  File file;
  file.functions = {negating(), same()};
  return file.import(kIfCode, BuiltinOptions::IfOptions, tflite::CreateIfOptions(file.builder(), 1, 2),
                     {condition, stored_reals({2}), stored_reals({2})}, {0, 1});
}

TEST(TfliteIf, IsTheBranchThatItsConditionChooses) {
  EXPECT_THAT(numbers_after(branch({{1}, TensorType::BOOL, {1}, 0}), {1, -2}), ElementsAre(-1, 2));
  EXPECT_THAT(numbers_after(branch({{}, TensorType::BOOL, {0}, 0}), {1, -2}), ElementsAre(1, -2));
}

TEST(TfliteIf, AConditionThatIsNotKnownIsRefused) {
  EXPECT_THAT(
      [] { branch(truth()); },
      ThrowsMessage<UserError>(HasSubstr("IF at node 'if_0' needs its condition (input 0) to be known")));
  EXPECT_THAT([] { branch({{2}, TensorType::BOOL, {1, 0}, 0}); },
              ThrowsMessage<UserError>(HasSubstr("has a condition (input 0) of 2 elements, needs one")));
}

TEST(TfliteCall, IsItsSubgraph) {
  File file;
  file.functions = {negating()};
  const graph::Graph g =
      file.import(kCallCode, BuiltinOptions::CallOptions, tflite::CreateCallOptions(file.builder(), 1),
                  {stored_reals({2}), stored_reals({2})}, {0});
  EXPECT_THAT(numbers_after(g, {1, -2}), ElementsAre(-1, 2));
}

}  // namespace
}  // namespace vdla::import
