// SPDX-License-Identifier: Apache-2.0
#include "runtime/arena.h"

#include <gtest/gtest.h>

#include "tests/runtime/small_modules.h"

namespace vdla::runtime {
namespace {

TEST(Arena, TensorsThatAreNeverAliveTogetherShareSpace) {
  const ArenaPlan plan = plan_arena(two_host_steps());  // in, middle, out: a chain
  EXPECT_EQ(plan.bytes, 128u);
  EXPECT_EQ(plan.unshared_bytes, 192u);
  EXPECT_EQ(plan.offsets[0], plan.offsets[2]);
  EXPECT_NE(plan.offsets[0], plan.offsets[1]);
}

TEST(Arena, LiveTensorsNeverOverlap) {
  Module m = two_host_steps();
  m.outputs.push_back(m.outputs[0]);
  m.outputs.back().tensor = 0;  // the input is an output as well
  const ArenaPlan plan = plan_arena(m);
  EXPECT_EQ(plan.bytes, 192u);
}

TEST(Arena, PortsThatLieApartTakeNothing) {
  const Module m = two_host_steps();  // in, middle, out
  EXPECT_EQ(plan_arena(m, Ports::Apart).bytes, 64u);
}

TEST(Arena, ConstantsAndUnusedTensorsTakeNothing) {
  Module m = two_host_steps();
  m.tensors.push_back({.name = "unused", .shape = {1000}, .quantization = {}, .data = {}});
  m.tensors.push_back({.name = "constant", .shape = {1000}, .quantization = {}, .data = Bytes(1000)});
  std::get<HostStep>(m.steps[0]).arguments.push_back(4);
  EXPECT_EQ(plan_arena(m).bytes, 128u);
}

}  // namespace
}  // namespace vdla::runtime
