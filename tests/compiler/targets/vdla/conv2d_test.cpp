// SPDX-License-Identifier: Apache-2.0
// Convolutions of many shapes and schedules against the kernel contract.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "compiler/targets/vdla/templates/templates.h"
#include "compiler/targets/vdla/templates/window_te.h"
#include "isa/timing/work.h"
#include "support/error.h"
#include "tests/compiler/targets/vdla/harness.h"
#include "tests/test_name.h"

namespace vdla::pipeline::device {
namespace {

struct Shape {
  const char* name;
  Image in, out;
  SlidingWindow window;
  std::int64_t groups = 1;
};

Conv2d layer(const Shape& shape, std::mt19937& random) {
  Conv2d op;
  op.name = shape.name;
  op.in = shape.in;
  op.out = shape.out;
  op.window = shape.window;
  op.groups = shape.groups;
  op.input_zero = static_cast<std::int32_t>(random() % 256) - 128;
  op.stage.zero_point = static_cast<std::int32_t>(random() % 40) - 20;
  op.stage.min = random() % 2 ? op.stage.zero_point : -128;
  randomise(op, random);
  return op;
}

// kernel h, w; stride h, w; dilation h, w; pad top, left
const Shape kShapes[] = {
    {"one_pixel", {1, 1, 4}, {1, 1, 4}, {}},
    {"pointwise", {5, 6, 7}, {5, 6, 9}, {}},
    {"pointwise_stride", {9, 7, 8}, {5, 4, 8}, {1, 1, 2, 2, 1, 1, 0, 0}},
    {"same_3x3", {8, 8, 8}, {8, 8, 8}, {3, 3, 1, 1, 1, 1, 1, 1}},
    {"valid_3x3_odd", {9, 8, 3}, {7, 6, 5}, {3, 3, 1, 1, 1, 1, 0, 0}},
    {"stride_2_pad_after", {8, 8, 5}, {4, 4, 6}, {3, 3, 2, 2, 1, 1, 0, 0}},
    {"stride_2x1", {11, 9, 4}, {5, 9, 12}, {3, 3, 2, 1, 1, 1, 0, 1}},
    {"dilated", {12, 10, 4}, {12, 10, 4}, {3, 3, 1, 1, 2, 3, 2, 3}},
    {"rectangular", {13, 7, 2}, {7, 7, 6}, {4, 2, 2, 1, 1, 1, 1, 0}},
    {"one_row_kernel", {6, 16, 8}, {6, 14, 8}, {1, 3, 1, 1, 1, 1, 0, 0}},
    {"wide_pads", {4, 4, 4}, {8, 8, 4}, {3, 3, 1, 1, 1, 1, 3, 3}},
    {"kernel_larger_than_image", {3, 3, 6}, {3, 3, 6}, {5, 5, 1, 1, 1, 1, 2, 2}},
    {"deep", {4, 4, 70}, {4, 4, 50}, {3, 3, 1, 1, 1, 1, 1, 1}},
    {"groups_of_1", {5, 5, 6}, {5, 5, 6}, {3, 3, 1, 1, 1, 1, 1, 1}, 6},
    {"groups_odd", {6, 6, 6}, {6, 6, 9}, {3, 3, 1, 1, 1, 1, 1, 1}, 3},
    {"groups_of_blocks", {6, 6, 16}, {6, 6, 32}, {3, 3, 1, 1, 1, 1, 1, 1}, 2},
};

class Conv : public ::testing::TestWithParam<Shape> {};

TEST_P(Conv, EqualsTheKernelContractOnTiny) {
  std::mt19937 random(7);
  expect_exact(layer(GetParam(), random), tiny(), random);
}

TEST_P(Conv, EqualsTheKernelContractOnPaper) {
  std::mt19937 random(8);
  expect_exact(layer(GetParam(), random), paper(), random);
}

TEST_P(Conv, EqualsTheKernelContractWithSeveralPixelsPerEntry) {
  std::mt19937 random(10);
  expect_exact(layer(GetParam(), random), pairs(), random);
  expect_exact(layer(GetParam(), random), quads(), random);
}

/// The array takes the blocks of K channels that hold some, where a pixel in DRAM has more of them.
TEST_P(Conv, TakesNoBlockWithoutAChannelWhereNIsLarger) {
  std::mt19937 random(13);
  isa::Geometry g = broad();
  for (const unsigned batch : {1U, 2U}) {
    g.batch = batch;
    const Conv2d op = layer(GetParam(), random);
    expect_exact(op, g, random);
    if (op.groups > 1) continue;
    std::uint64_t steps = 0;
    for (const isa::Insn& insn : program_of(op, lower(op, g, {}), g).insns)
      if (isa::macs_of(insn, g) > 0) steps += isa::steps_of(insn);
    const std::int64_t groups = (op.out.w + batch - 1) / batch, out_blocks = (op.out.c + 7) / 8;
    EXPECT_EQ(steps, static_cast<std::uint64_t>(op.out.h * groups * out_blocks * ((op.in.c + 3) / 4) *
                                                op.window.kernel_h * op.window.kernel_w));
  }
}

TEST_P(Conv, TakesAWeightZeroPoint) {
  std::mt19937 random(9);
  Conv2d op = layer(GetParam(), random);
  op.weight_zero = static_cast<std::int32_t>(random() % 256) - 128;
  expect_exact(op, tiny(), random);
}

// 127 + 128 is the sum of three int8 numbers; two gave -1.
TEST(ConvWeights, MayBe255AboveTheirZeroPoint) {
  std::mt19937 random(12);
  Conv2d op = layer({"same_3x3", {4, 4, 8}, {4, 4, 8}, {3, 3, 1, 1, 1, 1, 1, 1}}, random);
  op.weight_zero = -128;
  Int8s weights(op.weights.begin(), op.weights.end());
  weights.back() = 127;
  op.weights = weights;
  expect_exact(op, tiny(), random);
  EXPECT_EQ(conv_parts(op), 3);
  std::ranges::replace(weights, std::int8_t{127}, std::int8_t{126});
  op.weights = weights;
  expect_exact(op, tiny(), random);
  EXPECT_EQ(conv_parts(op), 2);
}

class ConvWithSum : public ::testing::TestWithParam<Shape> {};

TEST_P(ConvWithSum, AddsAnotherImageOnItsWayOut) {
  std::mt19937 random(11);
  for (const isa::Geometry& g : {tiny(), paper(), oblong(), pairs(), quads()}) {
    Conv2d op = layer(GetParam(), random);
    op.sum = random_add(op.out, random);
    expect_exact(op, g, random);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Conv, ::testing::ValuesIn(kShapes),
                         [](const auto& info) { return info.param.name; });

std::vector<Shape> of_one_group() {
  std::vector<Shape> shapes;
  std::ranges::copy_if(kShapes, std::back_inserter(shapes), [](const Shape& s) { return s.groups == 1; });
  return shapes;
}
INSTANTIATE_TEST_SUITE_P(Shapes, ConvWithSum, ::testing::ValuesIn(of_one_group()),
                         [](const auto& info) { return info.param.name; });

TEST(ConvSum, IsRefusedWithGroups) {
  std::mt19937 random(13);
  Conv2d op = layer({"groups", {6, 6, 16}, {6, 6, 32}, {3, 3, 1, 1, 1, 1, 1, 1}, 2}, random);
  op.sum = random_add(op.out, random);
  EXPECT_THAT([&] { lower(op, tiny(), {}); },
              ::testing::ThrowsMessage<UserError>(::testing::HasSubstr("needs one image and group")));
}

/// A window of 1 to 5 taps over a small image that each window meets.
Shape random_shape(std::mt19937& random) {
  const auto within = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  Shape s{"random", {within(1, 6), within(1, 17), within(1, 9)}, {1, 1, within(1, 9)}, {}};
  SlidingWindow& w = s.window;
  w = {within(1, 2), within(1, 5), within(1, 2), within(1, 4), 1, within(1, 3), 0, within(0, 3)};
  w.pad_left = std::min(w.pad_left, (w.kernel_w - 1) * w.dilation_w);
  w.kernel_h = std::min(w.kernel_h, s.in.h);
  s.out.h = (s.in.h - w.kernel_h) / w.stride_h + 1;
  s.out.w = within(1, (s.in.w - 1 + w.pad_left) / w.stride_w + 1);  // the last ones may reach beyond
  return s;
}

TEST(PixelsOfABatch, AreFoundByWindowsOfAnyShape) {
  std::mt19937 random(20);
  int bundled = 0, shared = 0;
  for (int i = 0; i < 60; ++i) {
    const Shape shape = random_shape(random);
    SCOPED_TRACE(::testing::Message()
                 << i << ": width " << shape.in.w << " to " << shape.out.w << ", taps "
                 << shape.window.kernel_w << ", stride " << shape.window.stride_w << ", dilation "
                 << shape.window.dilation_w << ", pad " << shape.window.pad_left);
    for (const isa::Geometry& g : {pairs(), quads()}) {
      const Grouping by = grouping_of(shape.window, shape.in.w, shape.out.w, g.batch);
      bundled += by.bundle > 1;
      shared += by.beyond > 0;
      expect_exact(layer(shape, random), g, random);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(bundled, 10);
  EXPECT_GT(shared, 10);
}

/// Bytes and runs that are loaded from the window of the input, all of it for one tile.
std::pair<std::size_t, std::uint64_t> loaded_input(const Conv2d& op, const isa::Geometry& g) {
  ConvKnobs whole;
  whole.tile_h = op.out.h;
  whole.tile_w = (op.out.w + g.batch - 1) / g.batch;
  whole.tile_kh = op.window.kernel_h;
  const isa::Program program = program_of(op, lower(op, g, {}, whole), g);
  std::size_t bytes = 0;
  std::uint64_t runs = 0;
  for (const isa::Insn& insn : program.insns) {
    const auto* memory = std::get_if<isa::MemoryInsn>(&insn);
    if (!memory || memory->opcode != isa::Opcode::Load || memory->window != isa::Window::Input) continue;
    bytes += isa::piece_bytes_of(*memory, g) * std::size_t{memory->run} * memory->x_count * memory->y_count *
             memory->z_count;
    isa::for_each_stretch(*memory, isa::stretches_of(*memory, g),
                          [&](std::uint64_t, std::uint64_t) { ++runs; });
  }
  return {bytes, runs};
}

/// Three taps at two alignments: each row is loaded twice, not three times; with a stride of 2 it is loaded
/// as a whole, and not pixel by pixel.
TEST(PixelsOfABatch, AreLoadedOnceForEachAlignment) {
  std::mt19937 random(21);
  isa::Geometry g = pairs();
  g.inp_depth = 1024;
  const Conv2d same = layer({"same", {8, 8, 4}, {8, 8, 4}, {3, 3, 1, 1, 1, 1, 1, 1}}, random);
  EXPECT_EQ(loaded_input(same, g).first, 2u * 8 * 8 * 4);
  const Conv2d half = layer({"half", {8, 8, 4}, {4, 4, 4}, {3, 3, 2, 2, 1, 1, 0, 0}}, random);
  EXPECT_LE(loaded_input(half, g).second, 2u * 8) << "a run for each row and alignment";
  Conv2d odd = half;
  odd.in.w = 9;
  EXPECT_GT(loaded_input(odd, g).second, 8u * 4) << "its last step is half within the image";
}

TEST(ConvKnobs, EveryLoopOrderAndChunkingGivesTheSame) {
  const Shape shape{"knobs", {8, 8, 16}, {8, 8, 16}, {3, 3, 1, 1, 1, 1, 1, 1}};
  std::mt19937 random(3);
  for (Reuse reuse : {Reuse::Stream, Reuse::KeepInput, Reuse::KeepWeights}) {
    for (std::int64_t chunk : {1, 2, 4}) {
      for (std::int64_t rows : {1, 3}) {
        for (std::int64_t n : {1, 2, 4}) {
          ConvKnobs k;
          k.tile_h = 2;
          k.tile_w = 4;
          k.tile_n = n;
          k.tile_c = chunk;
          k.tile_kh = rows;
          k.load_n = reuse == Reuse::KeepWeights ? n : 1;
          k.store_n = n == 4 ? 2 : 1;
          k.reuse = reuse;
          isa::Geometry g = tiny();
          g.wgt_depth = 256;
          expect_exact(layer(shape, random), g, random, k);
        }
      }
    }
  }
}

TEST(ConvKnobs, EveryStoreOfASumHasItsPartOfTheOtherImage) {
  const Shape shape{"knobs", {8, 8, 16}, {8, 8, 16}, {3, 3, 1, 1, 1, 1, 1, 1}};
  std::mt19937 random(12);
  for (Reuse reuse : {Reuse::Stream, Reuse::KeepInput, Reuse::KeepWeights}) {
    for (std::int64_t store : {1, 2}) {
      ConvKnobs k;
      k.tile_h = 3;
      k.tile_w = 4;
      k.tile_n = 2;
      k.tile_c = 2;
      k.tile_kh = 3;
      k.load_n = reuse == Reuse::KeepWeights ? 2 : 1;
      k.store_n = store;
      k.reuse = reuse;
      isa::Geometry g = tiny();
      g.wgt_depth = 256;
      Conv2d op = layer(shape, random);
      op.sum = random_add(op.out, random);
      expect_exact(op, g, random, k);
    }
  }
}

TEST(ConvKnobs, TilesNeedNotDivideTheLayer) {
  std::mt19937 random(1);
  isa::Geometry g = tiny();
  g.inp_depth = 1024;
  g.wgt_depth = 256;
  for (Reuse reuse : {Reuse::Stream, Reuse::KeepInput, Reuse::KeepWeights}) {
    for (std::int64_t blocks : {1, 2, 3}) {
      for (std::int64_t kernel : {1, 3}) {
        const std::int64_t stride = blocks == 2 ? 2 : 1, pad = kernel / 2;
        const Image out{(9 + 2 * pad - kernel) / stride + 1, (11 + 2 * pad - kernel) / stride + 1, 18};
        const Shape shape{"uneven", {9, 11, 18}, out, {kernel, kernel, stride, stride, 1, 1, pad, pad}};
        ConvKnobs k;
        k.tile_h = 4;
        k.tile_w = 3;
        k.tile_n = k.load_n = blocks;
        k.store_n = 1;
        k.tile_c = 2;
        k.tile_kh = kernel == 3 ? 2 : 1;
        k.reuse = reuse;
        expect_exact(layer(shape, random), g, random, k);
      }
    }
  }
}

// Each entry of 16 bytes was counted as a request of its own: weights seemed so dear that default tiles kept
// one block's and left no room for the next one's. The digits took 17,052 cycles in the place of 15,874.
TEST(ConvKnobs, WeightsOfSmallArraysAreRequestedTogether) {
  std::mt19937 random(3);
  const isa::Geometry g = tiny();
  Conv2d op = layer({"digits", {8, 8, 16}, {8, 8, 16}, {3, 3, 1, 1, 1, 1, 1, 1}}, random);
  op.sum = random_add(op.out, random);
  const Space space = space_of(op, g);
  const ConvKnobs k = choose(op.name, space, g, {}, 1);
  EXPECT_EQ(k.reuse, Reuse::Stream);
  EXPECT_LE(2 * footprint(space, k).wgt, g.wgt_depth);
}

TEST(ConvKnobs, LoadsAndStoresNeedNotDivideTheTile) {
  std::mt19937 random(14);
  isa::Geometry g = tiny();
  g.wgt_depth = 256;
  for (Reuse reuse : {Reuse::Stream, Reuse::KeepInput, Reuse::KeepWeights}) {
    for (const bool sum : {false, true}) {
      Conv2d op = layer({"uneven", {6, 6, 12}, {6, 6, 20}, {3, 3, 1, 1, 1, 1, 1, 1}}, random);
      if (sum) op.sum = random_add(op.out, random);
      ConvKnobs k;
      k.tile_h = k.tile_w = 2;
      k.tile_n = 5;
      k.load_n = k.store_n = 2;
      k.tile_c = 2;
      k.tile_kh = 3;
      k.reuse = reuse;
      expect_exact(op, g, random, k);
    }
  }
}

/// Small tiles of `blocks` blocks with their correction.
ConvKnobs with_correction(std::int64_t blocks, Reuse reuse) {
  ConvKnobs k;
  k.tile_h = 2;
  k.tile_w = 3;
  k.tile_n = blocks;
  k.reuse = reuse;
  k.corrected = true;
  if (reuse == Reuse::KeepWeights) k.load_n = k.gemm_blocks();
  return k;
}

// Weights with a zero point in two parts take gemm twice the steps and memory twice the bytes.
TEST(ConvCorrections, GiveWhatSeveralPartsGive) {
  std::mt19937 random(16);
  for (isa::Geometry g : {tiny(), paper(), oblong(), broad(), pairs(), quads()}) {
    g.wgt_depth = g.inp_depth = 1024;
    for (const Shape& shape : kShapes) {
      SCOPED_TRACE(shape.name);
      Conv2d op = layer(shape, random);
      op.weight_zero = 1 + static_cast<std::int32_t>(random() % 127);
      if (random() % 2) op.weight_zero = -op.weight_zero;
      const Reuse reuses[] = {Reuse::Stream, Reuse::KeepInput, Reuse::KeepWeights};
      ConvKnobs k = with_correction(1, reuses[random() % 3]);
      if (k.reuse != Reuse::Stream) k.tile_kh = op.window.kernel_h;
      if (!can_correct(op)) continue;
      expect_exact(op, g, random, k);
    }
  }
}

TEST(ConvCorrections, StandBehindTheBlocksOfEachTile) {
  std::mt19937 random(17);
  isa::Geometry g = tiny();
  g.wgt_depth = g.inp_depth = 1024;
  g.par_depth = g.out_depth = 256;
  for (const Reuse reuse : {Reuse::Stream, Reuse::KeepInput, Reuse::KeepWeights}) {
    for (const std::int64_t blocks : {1, 2, 3, 6}) {
      for (const bool sum : {false, true}) {
        // The lanes behind the last channel hold what is no channel: they must not enter a correction.
        Conv2d op = layer({"tiles", {5, 7, 6}, {5, 7, 22}, {3, 3, 1, 1, 1, 1, 1, 1}}, random);
        op.weight_zero = -17;
        if (sum) op.sum = random_add(op.out, random);
        ConvKnobs k = with_correction(blocks, reuse);
        k.store_n = blocks == 6 ? 3 : 1;
        if (reuse != Reuse::KeepWeights) k.load_n = blocks == 3 ? 4 : 1;
        k.tile_c = 2;
        k.tile_kh = 3;
        expect_exact(op, g, random, k);
        k.vthreads = 2;
        if (thread_axis(space_of(op, g), k)) expect_exact(op, g, random, k);
      }
    }
  }
}

std::uint64_t gemm_steps(const Conv2d& op, const ConvKnobs& k, const isa::Geometry& g) {
  std::uint64_t steps = 0;
  for (const isa::Insn& insn : program_of(op, lower(op, g, {}, k), g).insns)
    if (isa::macs_of(insn, g) > 0) steps += isa::steps_of(insn);
  return steps;
}

TEST(ConvCorrections, AreTheDefaultWhereTheyTakeLessTime) {
  std::mt19937 random(18);
  Conv2d op = layer({"wide", {14, 14, 64}, {14, 14, 384}, {}}, random);
  op.weight_zero = 9;
  const isa::Geometry g = paper();
  const ConvKnobs k = choose(op.name, space_of(op, g), g, {}, 1);
  EXPECT_TRUE(k.corrected);
  const std::uint64_t once = 14 * 14 * 24 * 4;
  EXPECT_EQ(gemm_steps(op, k, g), once + once / static_cast<std::uint64_t>(k.tile_n));
  // The correction of a single block is as large as a second part, and the vector unit adds it besides.
  Conv2d narrow = layer({"narrow", {14, 14, 64}, {14, 14, 16}, {}}, random);
  narrow.weight_zero = 9;
  EXPECT_FALSE(choose(narrow.name, space_of(narrow, g), g, {}, 1).corrected);
}

TEST(ConvCorrections, NeedAZeroPointAndEvenTiles) {
  std::mt19937 random(19);
  Conv2d op = layer({"conv1", {4, 4, 8}, {4, 4, 20}, {}}, random);
  const auto refused = [&](const ConvKnobs& k, const char* words) {
    EXPECT_THAT([&] { lower(op, tiny(), {}, k); },
                ::testing::ThrowsMessage<UserError>(::testing::HasSubstr(words)));
  };
  for (const std::int32_t zero : {0, -128}) {
    op.weight_zero = zero;
    refused(with_correction(1, Reuse::Stream), "needs weights with a zero point other than 0 and -128");
  }
  op.weight_zero = 5;
  refused(with_correction(2, Reuse::Stream), "needs blocks of a tile that divide all blocks");
}

class ConvThreads : public ::testing::TestWithParam<std::tuple<Reuse, std::int64_t>> {};

// Over rows, columns and blocks of channels, which the threads need not divide.
TEST_P(ConvThreads, GiveTheSame) {
  const auto [reuse, threads] = GetParam();
  std::mt19937 random(15);
  isa::Geometry g = tiny();
  g.inp_depth = 2048;
  g.wgt_depth = g.out_depth = 1024;
  g.acc_depth = 512;
  g.par_depth = 128;
  struct Tiles {
    ThreadAxis axis;
    std::int64_t h, w, n;
  };
  for (const Tiles& tiles :
       {Tiles{ThreadAxis::Rows, 2, 9, 2}, {ThreadAxis::Columns, 9, 2, 2}, {ThreadAxis::Blocks, 9, 9, 1}}) {
    for (const bool sum : {false, true}) {
      Conv2d op = layer({"threads", {9, 9, 12}, {9, 9, 20}, {3, 3, 1, 1, 1, 1, 1, 1}}, random);
      if (sum) op.sum = random_add(op.out, random);
      ConvKnobs k;
      k.tile_h = tiles.h;
      k.tile_w = tiles.w;
      k.tile_n = k.load_n = tiles.n;
      k.tile_c = 2;
      k.tile_kh = 3;
      k.reuse = reuse;
      k.vthreads = threads;
      EXPECT_EQ(thread_axis(space_of(op, g), k), tiles.axis);
      expect_exact(op, g, random, k);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ConvThreads,
                         ::testing::Combine(::testing::Values(Reuse::Stream, Reuse::KeepInput,
                                                              Reuse::KeepWeights),
                                            ::testing::Values(2, 3, 4)),
                         [](const auto& info) {
                           return test_name(to_string(std::get<0>(info.param))) + "_" +
                                  std::to_string(std::get<1>(info.param));
                         });

TEST(ConvKnobs, TilesOfAllVirtualThreadsMustFit) {
  std::mt19937 random(3);
  const Conv2d op = layer({"conv1", {16, 16, 16}, {16, 16, 16}, {3, 3, 1, 1, 1, 1, 1, 1}}, random);
  ConvKnobs k;
  k.tile_h = 4;
  k.tile_w = 16;
  lower(op, tiny(), {}, k);
  k.vthreads = 2;
  EXPECT_THAT([&] { lower(op, tiny(), {}, k); }, ::testing::ThrowsMessage<UserError>(::testing::AllOf(
                                                     ::testing::HasSubstr("conv1: tile 4x16x1"),
                                                     ::testing::HasSubstr(", 2 virtual threads needs "
                                                                          "128 entries of out"),
                                                     ::testing::HasSubstr("which has 64; fits: tile"))));
}

TEST(ConvKnobs, VirtualThreadsWithoutTilesAreRefusedWithAChoiceThatHasThem) {
  std::mt19937 random(3);
  const Conv2d op = layer({"conv1", {16, 16, 16}, {16, 16, 8}, {1, 1, 1, 1, 1, 1, 0, 0}}, random);
  ConvKnobs k;
  k.tile_h = 8;
  k.tile_w = 8;
  k.tile_n = 2;
  k.vthreads = 4;
  EXPECT_THAT(
      [&] { lower(op, tiny(), {}, k); },
      ::testing::ThrowsMessage<UserError>(::testing::AllOf(
          ::testing::HasSubstr("conv1: tile 8x8x2"),
          ::testing::HasSubstr("needs 4 tiles along rows, columns or blocks of channels, has 2, 2 and 1; "
                               "fits: tile"),
          ::testing::EndsWith(", 4 virtual threads"))));
}

TEST(ConvKnobs, ATileThatDoesNotFitIsRefusedWithOneThatDoes) {
  const Shape shape{"conv1", {16, 16, 16}, {16, 16, 16}, {3, 3, 1, 1, 1, 1, 1, 1}};
  std::mt19937 random(3);
  ConvKnobs k;
  k.tile_h = k.tile_w = 16;
  try {
    lower(layer(shape, random), tiny(), {}, k);
    FAIL() << "was lowered";
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("conv1: tile 16x16x1"));
    EXPECT_THAT(e.what(), ::testing::HasSubstr("needs 288 entries of inp, which has 256; fits: tile"));
  }
}

}  // namespace
}  // namespace vdla::pipeline::device
