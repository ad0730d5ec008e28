// SPDX-License-Identifier: Apache-2.0
// The spaces that a tuner walks against brute force over all values of all knobs: a point is legal where the
// code generator finds room for it and the verifier has no finding. The template's own prediction of room
// takes no part in that: loops are made for buffers that hold anything.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/codegen/vdla/segment.h"
#include "compiler/pipeline/device/candidates.h"
#include "compiler/pipeline/device/templates.h"
#include "compiler/tensorize/table.h"
#include "compiler/tensorize/tensorize.h"
#include "isa/verify/verify.h"
#include "support/error.h"
#include "tests/compiler/pipeline_device/harness.h"

namespace vdla::pipeline::device {
namespace {

isa::Geometry boundless(isa::Geometry g) {
  g.inp_depth = g.wgt_depth = g.acc_depth = g.out_depth = g.par_depth = 65536;
  return g;
}

/// Whether one layer with these knobs is a program of `g` that is proven right.
bool legal(const Op& op, const Knobs& knobs, const isa::Geometry& g) {
  const auto table = tensorize::device_intrinsics(g);
  try {
    const DeviceKernel kernel = lower(op, boundless(g), {}, knobs);
    codegen::SegmentBuilder segment(g);
    const codegen::DramPlace constants = segment.add_constants(kernel.constants);
    for (const DevicePart& part : kernel.parts) {
      std::vector<codegen::Place> places;
      for (const DeviceParam& param : part.params) {
        codegen::DramPlace place{isa::Window::Input, 0};
        if (param.role == Role::SecondInput) place = {isa::Window::Act, 0};
        if (param.role == Role::Constants) place = constants;
        if (param.role == Role::Output) place = {isa::Window::Output, 0};
        place.offset += static_cast<std::uint64_t>(param.offset);
        places.push_back(place);
      }
      segment.add({"layer", "layer", part.schedule}, tensorize::tensorize(part.func, table), places);
    }
    return isa::verify(segment.finish()).clean();
  } catch (const UserError&) {
    return false;
  }
}

struct Counts {
  int tried = 0, legal = 0, held = 0;
};

/// `all` tried, against `space`.
template <class K>
Counts compare(const char* name, const Op& op, const std::vector<K>& all, const std::vector<K>& space,
               const isa::Geometry& g) {
  Counts counts;
  for (const K& k : all) {
    ++counts.tried;
    if (!legal(op, k, g)) continue;
    ++counts.legal;
    counts.held += std::ranges::find(space, k) != space.end();
  }
  fmt::print("{}: {} points by brute force, {} legal; {} in the space, {} of the legal ones ({:.1f} %)\n",
             name, counts.tried, counts.legal, space.size(), counts.held, 100.0 * counts.held / counts.legal);
  EXPECT_GT(counts.legal, 0);
  EXPECT_LT(counts.legal, counts.tried) << "nothing is pruned";
  EXPECT_GE(counts.held * 100, counts.legal * 95);
  // What a tuner tries in vain.
  EXPECT_GE(counts.held * 100, static_cast<int>(space.size()) * 95);
  return counts;
}

std::vector<ConvKnobs> all_conv_knobs(const Space& s) {
  std::vector<ConvKnobs> all;
  for (std::int64_t h = 1; h <= s.out_h; ++h)
    for (std::int64_t w = 1; w <= s.out_w; ++w)
      for (std::int64_t n = 1; n <= s.out_blocks; ++n)
        for (std::int64_t c = 1; c <= s.in_blocks; ++c)
          for (std::int64_t rows = 1; rows <= s.window.kernel_h; ++rows)
            for (std::int64_t store = 1; store <= n; ++store)
              for (Reuse reuse : {Reuse::Stream, Reuse::KeepInput, Reuse::KeepWeights})
                // With the weights kept, load_n means nothing: one value of it.
                for (std::int64_t load = reuse == Reuse::KeepWeights ? n : 1; load <= n; ++load)
                  all.push_back({h, w, n, c, rows, load, store, reuse});
  return all;
}

std::vector<TileKnobs> all_tile_knobs(const Space& s) {
  std::vector<TileKnobs> all;
  for (std::int64_t h = 1; h <= s.out_h; ++h)
    for (std::int64_t w = 1; w <= s.out_w; ++w)
      for (std::int64_t c = 1; c <= s.out_blocks; ++c)
        for (std::int64_t rows = 1; rows <= s.window.kernel_h; ++rows) all.push_back({h, w, c, rows});
  return all;
}

Conv2d conv(const Image& in, const Image& out, const SlidingWindow& window) {
  Conv2d op;
  op.name = "conv";
  op.in = in;
  op.out = out;
  op.window = window;
  op.input_zero = 3;
  std::mt19937 random(1);
  randomise(op, random);
  return op;
}

/// With buffers in which most tiles find no room.
isa::Geometry narrow(isa::Geometry g) {
  g.inp_depth = 32;
  g.wgt_depth = 16;
  g.acc_depth = 32;
  g.out_depth = 16;
  return g;
}

TEST(Candidates, HoldTheLegalPointsOfA3x3Convolution) {
  const isa::Geometry g = narrow(tiny());
  const Conv2d op = conv({4, 4, 8}, {4, 4, 12}, {3, 3, 1, 1, 1, 1, 1, 1});
  const Space s = space_of(op, g);
  compare("conv 3x3, 4x4x8 to 4x4x12", op, all_conv_knobs(s), candidates(s, g), g);
}

TEST(Candidates, HoldTheLegalPointsOfA1x1ConvolutionOfStride2) {
  const isa::Geometry g = narrow(oblong());
  const Conv2d op = conv({7, 7, 24}, {4, 4, 16}, {1, 1, 2, 2, 1, 1, 0, 0});
  const Space s = space_of(op, g);
  compare("conv 1x1 stride 2, 7x7x24 to 4x4x16", op, all_conv_knobs(s), candidates(s, g), g);
}

TEST(Candidates, HoldTheLegalPointsOfADepthwiseConvolution) {
  isa::Geometry g = narrow(tiny());
  g.inp_depth = 64;
  g.par_depth = 32;
  DepthwiseConv2d op;
  op.name = "depthwise";
  op.in = op.out = {9, 8, 12};
  op.window = {3, 3, 1, 1, 1, 1, 1, 1};
  std::mt19937 random(2);
  randomise(op, random);
  const Space s = space_of(op, g);
  compare("depthwise 3x3, 9x8x12", op, all_tile_knobs(s), candidates(s, cost_of(op, g), g), g);
}

}  // namespace
}  // namespace vdla::pipeline::device
