// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <random>

#include "tests/runtime/module/small_modules.h"

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

/// Tensor t is alive from step begin to step end.
struct Alive {
  std::size_t begin, end, bytes;
};

Module alive(const std::vector<Alive>& tensors, std::size_t steps) {
  Module m;
  m.steps.resize(steps, HostStep{});
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    m.tensors.push_back({.name = std::to_string(t),
                         .shape = {static_cast<std::int64_t>(tensors[t].bytes)},
                         .quantization = {},
                         .data = {}});
    for (const std::size_t step : {tensors[t].begin, tensors[t].end})
      std::get<HostStep>(m.steps[step]).arguments.push_back(static_cast<TensorIndex>(t));
  }
  return m;
}

/// The plan by a look at all that has a place.
std::vector<std::size_t> simple_plan(const std::vector<Alive>& tensors) {
  std::vector<std::size_t> order(tensors.size()), offsets(tensors.size()), placed;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t t) { return tensors[t].bytes; });
  const auto aligned = [&](std::size_t t) { return (tensors[t].bytes + 63) / 64 * 64; };
  for (const std::size_t t : order) {
    std::size_t at = 0;
    for (const std::size_t other : placed) {
      if (tensors[t].begin > tensors[other].end || tensors[other].begin > tensors[t].end) continue;
      if (at + aligned(t) <= offsets[other]) break;
      at = std::max(at, offsets[other] + aligned(other));
    }
    offsets[t] = at;
    placed.insert(std::ranges::upper_bound(placed, at, {}, [&](std::size_t p) { return offsets[p]; }), t);
  }
  return offsets;
}

TEST(Arena, PlacesAreThoseOfASearchThroughAll) {
  static_assert(kTensorAlignment == 64);
  std::mt19937 random(1);
  for (const std::size_t longest : {1u, 3u, 40u, 900u}) {
    constexpr std::size_t kSteps = 900, kTensors = 1500;
    std::vector<Alive> tensors;
    for (std::size_t t = 0; t < kTensors; ++t) {
      const std::size_t begin = random() % kSteps;
      tensors.push_back({begin, std::min(kSteps - 1, begin + random() % longest), 1 + random() % 6 * 50});
    }
    EXPECT_EQ(plan_arena(alive(tensors, kSteps)).offsets, simple_plan(tensors)) << longest;
  }
}

/// Time grew with the square of the number of tensors.
TEST(Arena, FiftyThousandTensorsHavePlacesAtOnce) {
  constexpr std::size_t kTensors = 50'000;
  std::vector<Alive> chain, fan;
  for (std::size_t t = 0; t < kTensors; ++t) {
    chain.push_back({t, std::min(kTensors - 1, t + 2), 16});
    fan.push_back({t, kTensors - 1, 16});
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(plan_arena(alive(chain, kTensors)).bytes, 3 * kTensorAlignment);
  EXPECT_EQ(plan_arena(alive(fan, kTensors)).bytes, kTensors * kTensorAlignment);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20)) << "0.2 s alone";
}

}  // namespace
}  // namespace vdla::runtime
