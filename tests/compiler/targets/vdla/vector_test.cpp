// SPDX-License-Identifier: Apache-2.0
// Layers on the vector unit against the kernel contract.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error.h"
#include "tests/compiler/targets/vdla/harness.h"

namespace vdla::pipeline::device {
namespace {

struct WindowShape {
  const char* name;
  Image in, out;
  SlidingWindow window;
};

// kernel h, w; stride h, w; dilation h, w; pad top, left
const WindowShape kWindows[] = {
    {"one_pixel", {1, 1, 3}, {1, 1, 3}, {}},
    {"same_3x3", {8, 8, 8}, {8, 8, 8}, {3, 3, 1, 1, 1, 1, 1, 1}},
    {"stride_2", {9, 9, 5}, {4, 4, 5}, {3, 3, 2, 2, 1, 1, 0, 0}},
    {"pad_after", {8, 8, 12}, {4, 4, 12}, {3, 3, 2, 2, 1, 1, 0, 0}},
    {"rectangular", {7, 12, 6}, {6, 5, 6}, {4, 3, 1, 2, 1, 1, 1, 0}},
    {"wide_kernel", {5, 6, 4}, {5, 6, 4}, {5, 5, 1, 1, 1, 1, 2, 2}},
    {"whole_image", {8, 8, 64}, {1, 1, 64}, {8, 8, 8, 8, 1, 1, 0, 0}},
    {"mean_of_a_large_image", {40, 40, 6}, {1, 1, 6}, {40, 40, 1, 1, 1, 1, 0, 0}},
    {"one_column", {6, 1, 9}, {3, 1, 9}, {2, 1, 2, 1, 1, 1, 0, 0}},
    {"many_channels", {4, 4, 100}, {2, 2, 100}, {2, 2, 2, 2, 1, 1, 0, 0}},
};

class Windows : public ::testing::TestWithParam<WindowShape> {
 protected:
  template <class Layer>
  Layer layer() const {
    Layer op;
    op.name = GetParam().name;
    op.in = GetParam().in;
    op.out = GetParam().out;
    op.window = GetParam().window;
    return op;
  }
  void expect(const Op& op) {
    expect_exact(op, tiny(), random_);
    expect_exact(op, oblong(), random_);
    expect_exact(op, paper(), random_);
    expect_exact(op, pairs(), random_);
    expect_exact(op, quads(), random_);
  }
  std::mt19937 random_{5};
};

TEST_P(Windows, DepthwiseConvolution) {
  auto op = layer<DepthwiseConv2d>();
  op.input_zero = -17;
  op.stage.zero_point = 4;
  randomise(op, random_);
  expect(op);
}

TEST_P(Windows, DepthwiseConvolutionWithDilationAndWeightZeroPoint) {
  auto op = layer<DepthwiseConv2d>();
  op.window.dilation_h = 2;
  op.window.pad_top += (op.window.kernel_h - 1) / 2;
  op.weight_zero = 100;
  randomise(op, random_);
  expect(op);
}

TEST_P(Windows, DepthwiseConvolutionWithChannelMultiplier) {
  auto op = layer<DepthwiseConv2d>();
  op.out.c = 2 * op.in.c;
  op.input_zero = 9;
  randomise(op, random_);
  expect(op);
}

TEST_P(Windows, MaxPool) {
  auto op = layer<MaxPool2d>();
  op.min = -100;
  op.max = 120;
  expect(op);
}

TEST_P(Windows, AvgPool) {
  auto op = layer<AvgPool2d>();
  op.min = -50;
  expect(op);
}

TEST_P(Windows, AvgPoolOfUnsignedPixels) {
  auto op = layer<AvgPool2d>();
  op.offset = 128;
  expect(op);
}

TEST_P(Windows, SumPool) {
  auto op = layer<SumPool2d>();
  op.input_zero = -128;
  op.stage.zero_point = -5;
  randomise(op.stage, op.out.c, 1.0 / double(op.window.kernel_h * op.window.kernel_w), random_);
  expect(op);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Windows, ::testing::ValuesIn(kWindows),
                         [](const auto& info) { return info.param.name; });

TEST(Add, EqualsTheKernelContract) {
  std::mt19937 random(2);
  for (const isa::Geometry& g : {tiny(), oblong(), paper(), pairs(), quads()}) {
    for (int i = 0; i < 20; ++i) {
      const Image image{1 + int(random() % 9), 1 + int(random() % 9), 1 + int(random() % 40)};
      expect_exact(random_add(image, random), g, random);
    }
  }
}

TEST(Extremum, IsTheLargerOrTheSmaller) {
  std::mt19937 random(3);
  for (const isa::Geometry& g : {tiny(), oblong(), paper(), pairs(), quads()}) {
    for (int i = 0; i < 10; ++i) {
      const Image image{1 + int(random() % 9), 1 + int(random() % 9), 1 + int(random() % 40)};
      expect_exact(Extremum{"extremum", image, i % 2 == 1}, g, random);
    }
  }
}

TEST(Requantize, EqualsTheKernelContract) {
  std::mt19937 random(4);
  for (const isa::Geometry& g : {tiny(), oblong(), paper(), pairs(), quads()}) {
    Requantize op;
    op.name = "requantize";
    op.image = {7, 9, 21};
    op.input_zero = -128;
    op.stage.zero_point = 3;
    op.stage.min = 3;
    randomise(op.stage, 1, 0.7, random);
    expect_exact(op, g, random);
    randomise(op.stage, 21, 1.9, random);
    expect_exact(op, g, random);
  }
}

TEST(TileKnobs, TilesNeedNotDivideTheLayer) {
  std::mt19937 random(4);
  for (std::int64_t stride : {1, 2}) {
    MaxPool2d op;
    op.name = "pool";
    op.in = {9, 11, 18};
    op.window = {3, 3, stride, stride, 1, 1, 1, 1};
    op.out = {8 / stride + 1, 10 / stride + 1, 18};
    expect_exact(op, tiny(), random, TileKnobs{4, 3, 2, 2});
  }
}

TEST(TileKnobs, OfAnotherKindOfLayerAreRefused) {
  std::mt19937 random(4);
  Add op;
  op.name = "add7";
  op.image = {8, 8, 8};
  op.stage.multiplier = {{1 << 30, -18}};
  EXPECT_THAT(
      [&] { lower(op, tiny(), {}, ConvKnobs{}); },
      ::testing::ThrowsMessage<UserError>(::testing::HasSubstr("add7: is a layer on the vector unit")));
  EXPECT_THAT([&] { lower(op, tiny(), {}, TileKnobs{8, 8, 2, 1}); },
              ::testing::ThrowsMessage<UserError>(
                  ::testing::HasSubstr("needs 128 entries of out, which has 64; fits: tile")));
}

TEST(Unsupported, SaysWhy) {
  Requantize op;
  op.name = "r";
  op.image = {2, 2, 4};
  op.stage.multiplier = {{1 << 30, 0}};
  EXPECT_EQ(unsupported(op, tiny()), std::nullopt);
  op.input_zero = 300;
  EXPECT_EQ(unsupported(op, tiny()), "input zero point 300 is beyond int8");
  op.input_zero = 0;
  op.stage.multiplier = {{1 << 30, -40}};
  EXPECT_EQ(unsupported(op, tiny()), "shift -40 is beyond -31..31");

  MaxPool2d wide;
  wide.name = "wide";
  wide.in = {4, 400, 4};
  wide.out = {4, 1, 4};
  wide.window.kernel_w = 400;
  EXPECT_EQ(
      unsupported(wide, tiny()),
      "the smallest tile needs 400 entries of inp, which has 256; a variant needs inp_depth 512 for it");
  EXPECT_EQ(unsupported(wide, paper()), std::nullopt);
}

TEST(Layout, RoundTrips) {
  std::mt19937 random(1);
  for (const isa::Geometry& g : {tiny(), oblong(), paper(), pairs(), quads()}) {
    const Image image{3, 5, 13};
    const Int8s dense = random_int8(3 * 5 * 13, random);
    const Int8s device = to_device(dense, image, g, 7);
    EXPECT_EQ(std::int64_t(device.size()), activation_bytes(image, g));
    EXPECT_EQ(device.back(), 7);
    EXPECT_EQ(from_device(device, image, g), dense);
  }
}

}  // namespace
}  // namespace vdla::pipeline::device
