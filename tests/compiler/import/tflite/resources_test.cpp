// SPDX-License-Identifier: Apache-2.0
// Variables of TFLite: what they hold in the first run and in later ones, and files that are refused.
#include <gmock/gmock.h>

#include <cstring>
#include <functional>

#include "compiler/import/import.h"
#include "compiler/import/schema/tflite_generated.h"
#include "compiler/pipeline/reference.h"
#include "support/error.h"

namespace vdla::import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;

constexpr int kAdd = 0, kCallOnce = 129, kVarHandle = 142, kReadVariable = 143, kAssignVariable = 144;

/// A subgraph while it is built: each tensor is two numbers, unless it names a variable.
class VariableFunction {
 public:
  VariableFunction(flatbuffers::FlatBufferBuilder& b,
                   std::vector<flatbuffers::Offset<tflite::Buffer>>& buffers)
      : b_(b), buffers_(buffers) {}

  int tensor(tflite::TensorType type = tflite::TensorType::FLOAT32, const Floats& constant = {}) {
    const Ints shape = type == tflite::TensorType::RESOURCE ? Ints{1} : Ints{2};
    unsigned buffer = 0;
    if (!constant.empty()) {
      std::vector<std::uint8_t> bytes(4 * constant.size());
      std::memcpy(bytes.data(), constant.data(), bytes.size());
      buffer = static_cast<unsigned>(buffers_.size());
      buffers_.push_back(tflite::CreateBufferDirect(b_, &bytes));
    }
    flatbuffers::Offset<tflite::QuantizationParameters> q;
    if (type == tflite::TensorType::INT8) {
      const Floats scale{0.5F};
      const std::vector<std::int64_t> zero{-3};
      q = tflite::CreateQuantizationParametersDirect(b_, nullptr, nullptr, &scale, &zero);
    }
    const std::string name = "t" + std::to_string(tensors.size());
    tensors.push_back(tflite::CreateTensorDirect(b_, &shape, type, buffer, name.c_str(), q));
    return static_cast<int>(tensors.size() - 1);
  }
  int handle(const char* name) {
    const int made = tensor(tflite::TensorType::RESOURCE);
    add(kVarHandle, {}, {made}, tflite::BuiltinOptions::VarHandleOptions,
        tflite::CreateVarHandleOptionsDirect(b_, "", name).Union());
    return made;
  }
  int read(int handle, tflite::TensorType type = tflite::TensorType::FLOAT32) {
    const int made = tensor(type);
    add(kReadVariable, {handle}, {made});
    return made;
  }
  void assign(int handle, int value) { add(kAssignVariable, {handle, value}, {}); }
  void once(int subgraph) {
    add(kCallOnce, {}, {}, tflite::BuiltinOptions::CallOnceOptions,
        tflite::CreateCallOnceOptions(b_, subgraph).Union());
  }
  int sum(int a, int b) {
    const int made = tensor();
    add(kAdd, {a, b}, {made}, tflite::BuiltinOptions::AddOptions, tflite::CreateAddOptions(b_).Union());
    return made;
  }

  std::vector<flatbuffers::Offset<tflite::Tensor>> tensors;
  std::vector<flatbuffers::Offset<tflite::Operator>> operators;
  Ints inputs, outputs;

 private:
  void add(int code, const Ints& in, const Ints& out,
           tflite::BuiltinOptions kind = tflite::BuiltinOptions::NONE,
           flatbuffers::Offset<void> options = {}) {
    const Ints codes{kAdd, kCallOnce, kVarHandle, kReadVariable, kAssignVariable};
    const auto index = static_cast<unsigned>(std::ranges::find(codes, code) - codes.begin());
    operators.push_back(tflite::CreateOperatorDirect(b_, index, &in, &out, kind, options));
  }

  flatbuffers::FlatBufferBuilder& b_;
  std::vector<flatbuffers::Offset<tflite::Buffer>>& buffers_;
};

using Build = std::function<void(VariableFunction&)>;

/// Imports a file whose first function has input 0; `others` are its further subgraphs.
graph::Graph import(const Build& build, const std::vector<Build>& others = {}) {
  flatbuffers::FlatBufferBuilder b;
  std::vector<flatbuffers::Offset<tflite::Buffer>> buffers{tflite::CreateBuffer(b)};
  std::vector<flatbuffers::Offset<tflite::SubGraph>> graphs;
  const auto add = [&](const Build& one, bool first) {
    VariableFunction f(b, buffers);
    if (first) f.inputs = {f.tensor()};
    one(f);
    graphs.push_back(tflite::CreateSubGraphDirect(b, &f.tensors, &f.inputs, &f.outputs, &f.operators));
  };
  add(build, true);
  for (const Build& other : others) add(other, false);
  std::vector<flatbuffers::Offset<tflite::OperatorCode>> codes;
  for (const int code : {kAdd, kCallOnce, kVarHandle, kReadVariable, kAssignVariable})
    codes.push_back(
        tflite::CreateOperatorCodeDirect(b, static_cast<std::int8_t>(std::min(code, 127)), nullptr, 1, code));
  b.Finish(tflite::CreateModelDirect(b, 3, &codes, &graphs, "", &buffers), "TFL3");
  return import_tflite(std::as_bytes(std::span(b.GetBufferPointer(), b.GetSize())), "built.tflite");
}

/// Adds the input to variable "total".
void add_up(VariableFunction& f) {
  const int total = f.handle("total");
  const int sum = f.sum(f.read(total), 0);
  f.assign(total, sum);
  f.outputs = {sum};
}

Floats run_variables(pipeline::Reference& reference, const Floats& x) {
  const graph::Bytes out = reference.run({*graph::to_bytes(x)}).at(0);
  Floats result(out.size() / 4);
  std::memcpy(result.data(), out.data(), out.size());
  return result;
}

TEST(TfliteVariables, KeepWhatWasAssigned) {
  pipeline::Reference reference(import(add_up));
  EXPECT_THAT(run_variables(reference, {1, 2}), ElementsAre(1, 2));
  EXPECT_THAT(run_variables(reference, {10, 20}), ElementsAre(11, 22));
  reference.reset_state();
  EXPECT_THAT(run_variables(reference, {10, 20}), ElementsAre(10, 20));
}

TEST(TfliteVariables, BeginWithWhatIsAssignedOnce) {
  const auto main = [](VariableFunction& f) {
    f.once(1);
    add_up(f);
  };
  const auto first = [](VariableFunction& f) {
    f.assign(f.handle("total"), f.tensor(tflite::TensorType::FLOAT32, {100, 200}));
    f.assign(f.handle("nobody reads it"), f.tensor(tflite::TensorType::FLOAT32, {1, 1}));
  };
  pipeline::Reference reference(import(main, {first}));
  EXPECT_THAT(run_variables(reference, {1, 2}), ElementsAre(101, 202));
  EXPECT_THAT(run_variables(reference, {1, 2}), ElementsAre(102, 204));
}

TEST(TfliteVariables, OfIntegersBeginWithTheirZeroPoint) {
  const graph::Graph g = import([](VariableFunction& f) {
    const int handle = f.handle("v");
    const int old = f.read(handle, tflite::TensorType::INT8);
    f.assign(handle, f.read(f.handle("w"), tflite::TensorType::INT8));
    f.outputs = {f.sum(0, 0), old};
  });
  ASSERT_EQ(g.states.size(), 1u);
  EXPECT_EQ(*g.states[0].initial, *graph::to_bytes(std::vector<std::int8_t>{-3, -3}));
}

TEST(TfliteVariables, TwoThatChangePlacesKeepBoth) {
  const auto main = [](VariableFunction& f) {
    f.once(1);
    const int a = f.handle("a"), b = f.handle("b");
    const int old_a = f.read(a), old_b = f.read(b);
    f.assign(a, old_b);
    f.assign(b, old_a);
    f.outputs = {f.sum(0, old_a)};
  };
  const auto first = [](VariableFunction& f) {
    f.assign(f.handle("a"), f.tensor(tflite::TensorType::FLOAT32, {1, 2}));
    f.assign(f.handle("b"), f.tensor(tflite::TensorType::FLOAT32, {3, 4}));
  };
  pipeline::Reference reference(import(main, {first}));
  EXPECT_THAT(run_variables(reference, {0, 0}), ElementsAre(1, 2));
  EXPECT_THAT(run_variables(reference, {0, 0}), ElementsAre(3, 4));
  EXPECT_THAT(run_variables(reference, {0, 0}), ElementsAre(1, 2));
}

TEST(TfliteVariables, OneThatNothingAssignsIsConstant) {
  const graph::Graph g = import([](VariableFunction& f) { f.outputs = {f.sum(f.read(f.handle("v")), 0)}; });
  EXPECT_TRUE(g.states.empty());
  pipeline::Reference reference(g);
  EXPECT_THAT(run_variables(reference, {1, 2}), ElementsAre(1, 2));
}

TEST(TfliteVariables, OneThatIsAssignedBeforeItIsReadKeepsNothing) {
  const graph::Graph g = import([](VariableFunction& f) {
    const int handle = f.handle("v");
    f.assign(handle, 0);
    f.outputs = {f.sum(f.read(handle), 0)};
  });
  EXPECT_TRUE(g.states.empty());
}

void expect_refused(const std::string& sentence, const Build& build, const std::vector<Build>& others = {}) {
  EXPECT_THAT([&] { import(build, others); }, ThrowsMessage<UserError>(HasSubstr(sentence)));
}

TEST(TfliteVariables, WhatIsNoneIsRefused) {
  expect_refused("has input 0 that names no variable", [](VariableFunction& f) { f.outputs = {f.read(0)}; });
  expect_refused("names a variable, and is read where this kit needs values",
                 [](VariableFunction& f) { f.outputs = {f.sum(0, f.handle("v"))}; });
  expect_refused("names no variable, needs a shared name",
                 [](VariableFunction& f) { f.outputs = {f.read(f.handle(""))}; });
  expect_refused("needs one type and shape", [](VariableFunction& f) {
    const int handle = f.handle("v");
    f.read(handle, tflite::TensorType::INT8);
    f.outputs = {f.sum(f.read(handle), 0)};
  });
  expect_refused("names subgraph 5 of 1", [](VariableFunction& f) {
    f.once(5);
    add_up(f);
  });
}

TEST(TfliteVariables, FirstValuesThatAreNotKnownInTimeAreRefused) {
  const auto once = [](VariableFunction& f) {
    f.once(1);
    add_up(f);
  };
  expect_refused("computed from other variables", once,
                 {[](VariableFunction& f) { f.assign(f.handle("total"), f.read(f.handle("other"))); }});
  expect_refused("called once already", once, {[](VariableFunction& f) { f.once(1); }});
  expect_refused("behind operators that use it",
                 [](VariableFunction& f) {
                   add_up(f);
                   f.once(1);
                 },
                 {[](VariableFunction& f) {
                   f.assign(f.handle("total"), f.tensor(tflite::TensorType::FLOAT32, {1, 1}));
                 }});
}

}  // namespace
}  // namespace vdla::import
