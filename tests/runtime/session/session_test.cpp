// SPDX-License-Identifier: Apache-2.0
// Sessions of modules without device steps.
#include "runtime/session/session.h"

#include <gmock/gmock.h>

#include <cstring>

#include "support/error.h"
#include "tests/runtime/module/small_modules.h"

namespace vdla::runtime {
namespace {

using ::testing::StrEq;
using ::testing::ThrowsMessage;

const Bytes kIn = int8s({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
const Bytes kOut = int8s({3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14});

TEST(Session, RunsHostStepsInOrder) {
  int made = 0;
  Session session(two_host_steps(), nullptr, {.interpreter = add_one_factory(&made)});
  for (int i = 0; i < 2; ++i) {
    const Result result = session.run({kIn});
    EXPECT_EQ(result.outputs, std::vector<Bytes>{kOut});
    EXPECT_EQ(result.cycles, 0u);
    ASSERT_EQ(result.steps.size(), 2u);
    EXPECT_FALSE(result.steps[1].on_device);
    EXPECT_TRUE(result.layers.empty());
  }
  EXPECT_EQ(made, 2);  // kernels are made once
}

TEST(Session, ConvertsAtTheModelsBoundary) {
  Session session(two_host_steps(), nullptr, {.interpreter = add_one_factory()});
  // NCHW floats with scale 0.5 and zero point -1: value v becomes 2 v - 1, plus 2.
  const float in[12] = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23};
  Bytes model(sizeof in);
  std::memcpy(model.data(), in, sizeof in);
  EXPECT_EQ(session.run_model({model}).outputs[0], int8s({1, 21, 41, 3, 23, 43, 5, 25, 45, 7, 27, 47}));
}

TEST(Session, WrongInputs) {
  Session session(two_host_steps(), nullptr, {.interpreter = add_one_factory()});
  EXPECT_THAT([&] { session.run({}); }, ThrowsMessage<UserError>(StrEq("'two' has 1 inputs, got 0")));
  EXPECT_THAT([&] { session.run_model({Bytes(48), Bytes(1)}); },
              ThrowsMessage<UserError>(StrEq("'two' has 1 inputs, got 2")));
  EXPECT_THAT([&] { session.run({Bytes(11)}); },
              ThrowsMessage<UserError>(StrEq("input 'image' has 11 bytes, needs 12: int8 1x2x2x3")));
  EXPECT_THAT([&] { session.run_model({Bytes(47)}); },
              ThrowsMessage<UserError>(StrEq("input 'image' has 47 bytes, needs 48: float32 1x3x2x2")));
}

TEST(Session, KernelsThatCannotRunHere) {
  EXPECT_THAT([] { Session(two_host_steps(), nullptr, {}); },
              ThrowsMessage<UserError>(::testing::AllOf(
                  ::testing::StartsWith("kernel 'add_one' of 'two' cannot run on this machine: "),
                  ::testing::EndsWith(", and there is no interpreter; compile the model for this CPU (vdla "
                                      "compile, --cpu-target)"))));
  EXPECT_THAT([] { Session(two_host_steps(), nullptr, {.interpreter = {}, .interpret = true}); },
              ThrowsMessage<UserError>(
                  StrEq("kernel 'add_one' of 'two' cannot run on this machine: interpretation was "
                        "asked for, and there is no interpreter; compile the model for this CPU (vdla "
                        "compile, --cpu-target)")));
}

/// Kernels got pointers to tensors that have no byte.
TEST(Session, AStepWhoseResultsHaveNoElementsTouchesNothing) {
  Module m = two_host_steps();
  for (const std::size_t t : {1, 2}) m.tensors[t].shape = {1, 0, 2, 3};
  std::get<HostStep>(m.steps[0]).parameters[1].bytes = 0;
  std::get<HostStep>(m.steps[1]).parameters.assign(2, {DataType::Int8, 0});
  m.outputs[0].model_shape = {0};
  int runs = 0;
  const HostKernelFactory counting = [&](const HostStep&) { return [&](std::span<void* const>) { ++runs; }; };
  Session session(m, nullptr, {.interpreter = counting});
  EXPECT_EQ(session.run({kIn}).outputs, std::vector<Bytes>{{}});
  EXPECT_EQ(runs, 0);
}

TEST(Session, ABrokenModuleIsRefused) {
  Module m = two_host_steps();
  std::swap(m.steps[0], m.steps[1]);
  EXPECT_THROW(Session(m, nullptr, {.interpreter = add_one_factory()}), UserError);
}

}  // namespace
}  // namespace vdla::runtime
