// SPDX-License-Identifier: Apache-2.0
// A layer of the device is one function, whose schedule has all of its loops: over images, groups of channels
// and products of matrices, over pieces of two convolutions, too.
#include <gtest/gtest.h>

#include <string>

#include "compiler/loop/print.h"
#include "tests/compiler/targets/vdla/harness.h"

namespace vdla::pipeline::device {
namespace {

const SlidingWindow kThreeByThree{3, 3, 1, 1, 1, 1, 1, 1};

template <class Layer>
Layer over_windows(std::int64_t images, std::int64_t channels) {
  Layer op;
  op.name = "layer";
  op.in = op.out = {5, 6, channels};
  op.images = images;
  op.window = kThreeByThree;
  return op;
}

Conv2d grouped_conv(std::int64_t images, std::int64_t groups, std::mt19937& random) {
  auto op = over_windows<Conv2d>(images, 32);
  op.groups = groups;
  op.input_zero = 11;
  op.stage.zero_point = -3;
  randomise(op, random);
  return op;
}

DepthwiseConv2d some_depthwise(std::int64_t images, std::mt19937& random) {
  auto op = over_windows<DepthwiseConv2d>(images, 20);
  op.input_zero = 5;
  randomise(op, random);
  return op;
}

std::vector<Op> one_of_each(std::int64_t images, std::mt19937& random) {
  auto sum = over_windows<SumPool2d>(images, 20);
  randomise(sum.stage, sum.out.c, 0.1, random);
  Requantize scaled;
  scaled.name = "scaled";
  scaled.image = {5, 6, 20};
  randomise(scaled.stage, 20, 1, random);
  MatMul product;
  product.name = "product";
  product.in = {1, 20, 32};
  product.columns = 40;
  product.batch = {{2, 1, 0}, {3, 0, 1}};
  Move padded;
  padded.name = "padded";
  padded.in = {5, 6, 20};
  padded.out = {7, 9, 20};
  padded.images = images;
  padded.pad_top = padded.pad_left = 1;
  padded.value = 7;
  Extremum larger;
  larger.name = "larger";
  larger.image = {5, 6, 20};
  Conv2d first = grouped_conv(1, 1, random);
  DepthwiseConv2d second = some_depthwise(1, random);
  second.in = second.out = first.out;
  second.weights = {};
  second.bias = {};
  second.input_zero = first.stage.zero_point;
  randomise(second, random);
  return {grouped_conv(images, 2, random),
          some_depthwise(images, random),
          random_add({5, 6, 20}, random),
          over_windows<MaxPool2d>(images, 20),
          over_windows<AvgPool2d>(images, 20),
          sum,
          scaled,
          product,
          padded,
          Concat{"joined", {{5, 6, 32}, {5, 6, 32}, {5, 6, 32}}},
          larger,
          ConvDepthwise{"pieces", first, second}};
}

TEST(OneFunction, OfSeveralImagesIsExact) {
  std::mt19937 random(8);
  for (const isa::Geometry& g : {tiny(), oblong(), paper(), pairs(), quads()}) {
    for (const Op& op : one_of_each(2, random)) {
      if (std::holds_alternative<MatMul>(op)) continue;  // compared as graphs: tests/e2e/matmul_test.cpp
      if (unsupported(op, g)) continue;
      expect_exact(op, g, random);
    }
  }
}

TEST(OneFunction, HasALoopOverGroupsInsideOfTheOneOverImages) {
  std::mt19937 random(9);
  const DeviceKernel kernel = lower(grouped_conv(3, 2, random), paper(), {});
  const std::string text = loop::to_string(kernel.function.value().func);
  const std::size_t images = text.find("for image in 0..3"), groups = text.find("for group in 0..2");
  EXPECT_LT(images, groups);
  EXPECT_NE(groups, std::string::npos) << text;
}

TEST(OneFunction, KeepsWeightsOverImages) {
  std::mt19937 random(10);
  ConvKnobs knobs;
  knobs.reuse = Reuse::KeepWeights;
  for (const isa::Geometry& g : {tiny(), paper(), pairs()}) {
    const auto loads_of_weights = [&](std::int64_t images) {
      const Conv2d op = grouped_conv(images, 2, random);
      expect_exact(op, g, random, knobs);
      int loads = 0;
      for (const isa::Insn& insn : program_of(op, lower(op, g, {}, knobs), g).insns) {
        const auto* load = std::get_if<isa::MemoryInsn>(&insn);
        loads += load && load->opcode == isa::Opcode::Load && load->buffer == isa::Buffer::Wgt ? 1 : 0;
      }
      return loads;
    };
    EXPECT_EQ(loads_of_weights(3), loads_of_weights(1));
  }
}

TEST(OneFunction, AProductReadsABroadcastOperandAgain) {
  MatMul op;
  op.name = "product";
  op.in = {1, 16, 32};
  op.columns = 16;
  op.batch = {{2, 1, 0}, {3, 0, 1}};
  const DeviceFunction function = lower(op, paper(), {}).function.value();
  const auto strides = [&](std::size_t i) { return function.func.params.at(i).buffer->strides; };
  EXPECT_EQ(strides(0)[0], 16 * 32);  // first operands, along both axes
  EXPECT_EQ(strides(0)[1], 0);
  EXPECT_EQ(strides(1)[0], 16 * 32) << "packed operands have the second axis alone";
  EXPECT_EQ(strides(2)[0], kScaleParams * 16);
  EXPECT_EQ(strides(3)[0], 3 * 16 * 16);
  EXPECT_EQ(strides(3)[1], 16 * 16);
}

}  // namespace
}  // namespace vdla::pipeline::device
