// SPDX-License-Identifier: Apache-2.0
// A convolution and the depthwise one behind it, piece by piece, against the kernel contract.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/targets/vdla/templates/spaces.h"
#include "isa/spec/operations.h"
#include "isa/timing/work.h"
#include "support/error.h"
#include "tests/compiler/targets/vdla/harness.h"

namespace vdla::pipeline::device {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct PairShape {
  const char* name;
  Image in, between, out;
  SlidingWindow first, second;
};

// kernel h, w; stride h, w; dilation h, w; pad top, left
constexpr SlidingWindow kSameSize{3, 3, 1, 1, 1, 1, 1, 1}, kHalfSize{3, 3, 2, 2, 1, 1, 0, 0};

const PairShape kPairs[] = {
    {"pointwise", {6, 5, 12}, {6, 5, 16}, {6, 5, 16}, {}, kSameSize},
    {"part_of_a_block", {6, 5, 12}, {6, 5, 21}, {6, 5, 21}, {}, kSameSize},
    {"one_pixel", {1, 1, 4}, {1, 1, 4}, {1, 1, 4}, {}, {}},
    {"pad_after", {8, 8, 8}, {8, 8, 8}, {4, 4, 8}, {}, kHalfSize},
    {"stride_and_pad", {9, 7, 8}, {9, 7, 8}, {5, 4, 8}, {}, {3, 3, 2, 2, 1, 1, 1, 1}},
    {"conv_in_front", {8, 8, 5}, {8, 8, 12}, {8, 8, 12}, kSameSize, kSameSize},
    {"conv_with_stride", {13, 12, 3}, {6, 6, 8}, {3, 3, 8}, kHalfSize, kHalfSize},
    {"dilated", {9, 8, 4}, {9, 8, 4}, {9, 8, 4}, {}, {3, 3, 1, 1, 2, 2, 2, 2}},
    {"tall_kernel", {9, 4, 4}, {9, 4, 4}, {9, 4, 4}, {}, {5, 1, 1, 1, 1, 1, 2, 0}},
    {"no_padding", {9, 8, 4}, {9, 8, 4}, {7, 6, 4}, {}, {3, 3, 1, 1, 1, 1, 0, 0}},
    {"windows_of_padding", {4, 5, 4}, {4, 5, 4}, {8, 9, 4}, {}, {3, 3, 1, 1, 1, 1, 3, 3}},
    {"rows_that_nobody_reads", {9, 8, 4}, {9, 8, 4}, {2, 2, 4}, {}, {2, 2, 3, 3, 1, 1, 0, 0}},
    {"strips", {24, 24, 16}, {24, 24, 32}, {24, 24, 32}, {}, kSameSize},
};

ConvDepthwise pair_layer(const PairShape& shape, std::mt19937& random) {
  ConvDepthwise op;
  op.name = shape.name;
  op.first.name = "first";
  op.first.in = shape.in;
  op.first.out = shape.between;
  op.first.window = shape.first;
  op.first.input_zero = 7;
  op.first.stage.zero_point = -20;
  randomise(op.first, random);
  op.second.name = "second";
  op.second.in = shape.between;
  op.second.out = shape.out;
  op.second.window = shape.second;
  op.second.input_zero = -20;
  randomise(op.second, random);
  return op;
}

class Chain : public ::testing::TestWithParam<PairShape> {};

TEST_P(Chain, EqualsTheKernelContract) {
  std::mt19937 random(8);
  const ConvDepthwise op = pair_layer(GetParam(), random);
  expect_exact(op, paper(), random);
  isa::Geometry little = tiny();  // strips of a row
  if (!unsupported(op, little)) expect_exact(op, little, random);
  little.out_depth = 256;
  expect_exact(op, little, random);
}

TEST_P(Chain, EqualsTheKernelContractWhereEntriesOfInpAndOutDiffer) {
  std::mt19937 random(10);
  const ConvDepthwise op = pair_layer(GetParam(), random);
  for (isa::Geometry g : {oblong(), broad()}) {
    g.out_depth = 512;
    expect_exact(op, g, random);
  }
}

TEST_P(Chain, TakesWeightZeroPoints) {
  std::mt19937 random(9);
  ConvDepthwise op = pair_layer(GetParam(), random);
  op.first.weight_zero = 100;
  op.second.weight_zero = -60;
  expect_exact(op, paper(), random);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Chain, ::testing::ValuesIn(kPairs),
                         [](const auto& info) { return std::string(info.param.name); });

/// Every cut of the space is a program, and the right one.
TEST(ChainKnobs, AllGiveTheResult) {
  std::mt19937 random(11);
  for (const PairShape& shape : {kPairs[1], kPairs[4], kPairs[12]}) {
    const ConvDepthwise op = pair_layer(shape, random);
    for (isa::Geometry g : {tiny(), broad(), oblong()}) {
      g.out_depth = 512;
      if (unsupported(op, g)) continue;
      const auto layer = layer_space(op, g, {}, {}, g.inp_depth);
      ASSERT_TRUE(layer);
      const std::vector<Knob>& knobs = layer->space.knobs();
      int legal = 0;
      for (std::int64_t rows = 1; rows <= knobs[0].values; ++rows)
        for (std::int64_t slab = 1; slab <= (knobs.size() > 1 ? knobs[1].values : 1); ++slab) {
          Point point{rows};
          if (knobs.size() > 1) point.push_back(slab);
          if (!layer->space.legal(point)) {
            EXPECT_THROW(lower(op, g, {}, layer->knobs(point)), UserError) << layer->space.text(point);
            continue;
          }
          ++legal;
          SCOPED_TRACE(layer->space.text(point));
          if (legal % 3 == 0)
            expect_exact(op, g, random, layer->knobs(point));
          else
            program_of(op, lower(op, g, {}, layer->knobs(point)), g);
        }
      EXPECT_GT(legal, 1) << shape.name;
    }
  }
}

TEST(ChainKnobs, ThoseOfAnotherLayerAreRefused) {
  std::mt19937 random(11);
  const ConvDepthwise op = pair_layer(kPairs[0], random);
  EXPECT_THAT([&] { lower(op, tiny(), {}, TileKnobs{}); },
              ThrowsMessage<UserError>(
                  HasSubstr("pointwise: is two convolutions piece by piece, got the knobs of a layer on")));
}

/// What a program loads of a window, in bytes.
std::size_t loaded_from(isa::Window window, const isa::Program& program, const isa::Geometry& g) {
  std::size_t bytes = 0;
  for (const isa::Insn& insn : program.insns)
    if (const auto* memory = std::get_if<isa::MemoryInsn>(&insn);
        memory && memory->opcode == isa::Opcode::Load && memory->window == window)
      bytes += isa::piece_bytes_of(*memory, g) * std::size_t{memory->run} * memory->x_count *
               memory->y_count * memory->z_count;
  return bytes;
}

/// The result of the first lies in out, the second reads it there, and neither goes to DRAM.
TEST(ChainPlaces, AreInOutAndNowhereElse) {
  std::mt19937 random(8);
  const ConvDepthwise op = pair_layer(kPairs[0], random);
  const isa::Geometry g = tiny();
  const DeviceKernel kernel = lower(op, g, {});
  const isa::Program program = program_of(op, kernel, g);
  std::size_t stored = 0, reads_of_out = 0;
  for (const isa::Insn& insn : program.insns) {
    if (const auto* memory = std::get_if<isa::MemoryInsn>(&insn);
        memory && memory->opcode == isa::Opcode::Store)
      stored += std::size_t{memory->run} * memory->x_count * memory->y_count * memory->z_count;
    if (const auto* vector = std::get_if<isa::VectorInsn>(&insn); vector && vector->op == isa::VectorOp::Mac)
      reads_of_out += vector->a_buffer == isa::Buffer::Out;
  }
  EXPECT_EQ(stored, 6u * 5 * 4) << "an entry for each pixel and block of the result";
  EXPECT_GT(reads_of_out, 0u);
}

/// Where activations cannot stay in inp, the input of several blocks of channels is loaded once, in parts
/// that find room.
TEST(ChainPlaces, HoldTheInputWhereTheVectorUnitCannotWriteInp) {
  std::mt19937 random(8);
  const auto of_rows = [&](std::int64_t rows) {
    const Image image{rows, 6, 32};
    return pair_layer({"blocks", image, image, image, {}, kSameSize}, random);
  };
  isa::Geometry g = broad();
  g.inp_depth = 1024;
  const auto loaded = [&](const ConvDepthwise& op) {
    return loaded_from(isa::Window::Input, program_of(op, lower(op, g, {}), g), g);
  };
  const ConvDepthwise low = of_rows(12), high = of_rows(24);
  EXPECT_LT(loaded(low), 2u * 12 * 6 * 32) << "not once for each of four blocks";
  expect_exact(low, g, random);
  EXPECT_LT(loaded(high), 2u * 24 * 6 * 32) << "in parts, whose strips share rows";
  expect_exact(high, g, random);
}

/// Weights and parameters of a block are loaded once for all its strips, where half of wgt and par has room
/// for those of two blocks; with more blocks than places and several slabs once for each slab.
TEST(ChainPlaces, KeepTheConstantsOfABlockOverItsStrips) {
  std::mt19937 random(8);
  const auto constants_of = [&](const ConvDepthwise& op, const isa::Geometry& g) {
    const DeviceKernel kernel = lower(op, g, {});
    return std::pair{loaded_from(isa::Window::Const, program_of(op, kernel, g), g), kernel.constants.size()};
  };
  const auto of_channels = [&](std::int64_t channels, std::int64_t width) {
    const Image image{24, width, channels};
    return pair_layer({"blocks", image, image, image, {}, kSameSize}, random);
  };
  isa::Geometry square = tiny(), oblong = broad();
  square.out_depth = oblong.out_depth = 512;
  square.par_depth = oblong.par_depth = 64;
  oblong.inp_depth = 1024;
  for (const std::int64_t channels : {4, 8, 12}) {
    const ConvDepthwise op = of_channels(channels, 24);
    const auto [loaded, all] = constants_of(op, square);
    EXPECT_LE(loaded, all) << channels;
    expect_exact(op, square, random);
  }
  const ConvDepthwise slabs = of_channels(32, 6);
  const auto [loaded, all] = constants_of(slabs, oblong);
  EXPECT_GT(loaded, all) << "four blocks, two places, several slabs";
  expect_exact(slabs, oblong, random);
  square.par_depth = 16;
  const auto [without, once] = constants_of(of_channels(4, 24), square);
  EXPECT_GT(without, once) << "each strip loads its own where par is too small";
}

/// A window of one dimension with padding of at most its reach, and the size of what it makes of `in`.
struct Side {
  std::int64_t kernel, stride, dilation, pad, out;
};

Side drawn_side(std::int64_t in, std::mt19937& random) {
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  Side s{draw(1, 4), draw(1, 3), draw(1, 2), 0, 0};
  const std::int64_t reach = (s.kernel - 1) * s.dilation;
  s.pad = draw(0, reach);
  const std::int64_t behind = draw(0, reach);
  s.out = std::max<std::int64_t>(0, s.pad + in + behind - reach - 1) / s.stride + 1;
  return s;
}

SlidingWindow window_of(const Side& y, const Side& x) {
  return {y.kernel, x.kernel, y.stride, x.stride, y.dilation, x.dilation, y.pad, x.pad};
}

/// Shapes and machines that nobody chose: sizes that nothing divides, K and N of any two powers of two.
TEST(ChainShapes, DrawnAtRandomEqualTheKernelContract) {
  std::mt19937 random(29);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  int done = 0;
  for (int trial = 0; trial < 80; ++trial) {
    const Image in{draw(1, 17), draw(1, 13), draw(1, 19)};
    const Side y = drawn_side(in.h, random), x = drawn_side(in.w, random);
    const bool pointwise = draw(0, 1) == 1;
    const Image between{pointwise ? in.h : y.out, pointwise ? in.w : x.out, draw(1, 21)};
    const Side down = drawn_side(between.h, random), across = drawn_side(between.w, random);
    const PairShape shape{"drawn",
                          in,
                          between,
                          {down.out, across.out, between.c},
                          pointwise ? SlidingWindow{} : window_of(y, x),
                          window_of(down, across)};
    ConvDepthwise op = pair_layer(shape, random);
    if (draw(0, 3) == 0) op.second.weight_zero = static_cast<std::int32_t>(draw(-128, 127));
    isa::Geometry g = tiny();
    g.block_in = 1U << draw(2, 4);
    g.block_out = 1U << draw(2, 4);
    g.inp_depth = 1U << draw(7, 10);
    g.out_depth = 1U << draw(6, 9);
    g.par_depth = 1U << draw(5, 7);
    if (unsupported(op, g)) continue;
    SCOPED_TRACE(fmt::format("trial {}: {}x{}x{} to {}x{}x{} to {}x{}, K {} N {}, depths {} {} {}", trial,
                             in.h, in.w, in.c, between.h, between.w, between.c, down.out, across.out,
                             g.block_in, g.block_out, g.inp_depth, g.out_depth, g.par_depth));
    expect_exact(op, g, random);
    ++done;
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(done, 40);
}

TEST(ChainPlaces, ThatDoNotFitAreNamed) {
  std::mt19937 random(8);
  const ConvDepthwise wide =
      pair_layer({"wide", {4, 200, 4}, {4, 200, 4}, {4, 200, 4}, {}, {3, 3, 1, 1, 1, 1, 1, 1}}, random);
  EXPECT_THAT(unsupported(wide, tiny()).value_or(""),
              ::testing::HasSubstr(
                  "2 places of 606 entries for a row of its result find no room in out, which has 64"));
  isa::Geometry little = tiny();
  little.par_depth = 16;
  const ConvDepthwise tall =
      pair_layer({"tall", {9, 4, 4}, {9, 4, 4}, {9, 4, 4}, {}, {5, 3, 1, 1, 1, 1, 2, 1}}, random);
  EXPECT_THAT(
      unsupported(tall, little).value_or(""),
      ::testing::HasSubstr("18 entries for the constants of its depthwise convolution leave no room in "
                           "par, which has 16"));
  EXPECT_THAT(unsupported(wide, pairs()).value_or(""), ::testing::HasSubstr("an entry holds one pixel"));
}

/// The second reads what the first makes, as it is.
TEST(ChainPlaces, NeedLayersThatFitTogether) {
  std::mt19937 random(8);
  ConvDepthwise op = pair_layer(kPairs[0], random);
  op.second.in.h = 7;
  EXPECT_THROW(unsupported(op, paper()), UserError);
}

}  // namespace
}  // namespace vdla::pipeline::device
