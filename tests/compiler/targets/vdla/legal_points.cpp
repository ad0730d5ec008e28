// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/targets/vdla/legal_points.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "compiler/codegen/vdla/segment.h"
#include "compiler/intrinsics/table.h"
#include "compiler/targets/vdla/table.h"
#include "compiler/targets/vdla/templates/spaces.h"
#include "compiler/targets/vdla/templates/templates.h"
#include "isa/variants/variants.h"
#include "isa/verify/verify.h"
#include "support/error.h"
#include "tests/compiler/targets/vdla/harness.h"

namespace vdla::pipeline::device {
namespace {

isa::Geometry boundless(isa::Geometry g) {
  g.inp_depth = g.wgt_depth = g.acc_depth = g.out_depth = g.par_depth = 65536;
  return g;
}

}  // namespace

bool legal(const Op& op, const Knobs& knobs, const isa::Geometry& g) {
  const auto table = target::device_table(intrinsics::device_intrinsics(g));
  try {
    const DeviceKernel kernel = lower(op, boundless(g), {}, knobs);
    codegen::SegmentBuilder segment(g);
    const codegen::DramPlace constants = segment.add_constants(kernel.constants);
    const DeviceFunction& function = kernel.function.value();
    std::vector<codegen::Location> places;
    for (const DeviceParam& param : function.params) {
      codegen::DramPlace place{isa::Window::Input, 0};
      if (param.role == Role::SecondInput) place = {isa::Window::Act, 0};
      if (param.role == Role::Constants) place = constants;
      if (param.role == Role::Output) place = {isa::Window::Output, 0};
      place.offset += static_cast<std::uint64_t>(param.offset);
      places.push_back(place);
    }
    segment.add({"layer", "layer", function.schedule}, passes::lower(table, function.func), places);
    return isa::verify(segment.finish()).clean();
  } catch (const UserError&) {
    return false;
  }
}

namespace {

/// Of channels that leave lanes empty, and of a height and width that few tiles divide.
std::vector<Op> ragged_layers(const isa::Geometry& g) {
  const std::int64_t lanes = channel_block(g);
  std::mt19937 random(1);
  Conv2d window;
  window.name = "3x3";
  window.in = window.out = {14, 13, 5 * lanes - 1};
  window.out.c = 7 * lanes - 1;
  window.window = {3, 3, 1, 1, 1, 1, 1, 1};
  Conv2d strided;
  strided.name = "1x1 stride 2, sum";
  strided.in = {17, 15, 6 * lanes};
  strided.out = {9, 8, 11 * lanes};
  strided.window = {1, 1, 2, 2, 1, 1, 0, 0};
  DepthwiseConv2d depthwise;
  depthwise.name = "depthwise 3x3";
  depthwise.in = depthwise.out = {19, 13, 9 * lanes};
  depthwise.window = {3, 3, 1, 1, 1, 1, 1, 1};
  randomise(window, random);
  randomise(strided, random);
  randomise(depthwise, random);
  strided.sum.emplace();
  strided.sum->name = "sum";
  strided.sum->image = strided.out;
  strided.sum->a = strided.sum->b = {1 << 30, 0};
  strided.sum->stage = depthwise.stage;
  strided.sum->stage.multiplier = {{1 << 30, -8}};
  return {window, strided, depthwise};
}

/// A value from 1 to `values`, small ones as often as large ones.
std::int64_t drawn(std::mt19937_64& random, std::int64_t values) {
  const double most = std::log2(static_cast<double>(values) + 1);
  const double power = std::uniform_real_distribution<>(0, most)(random);
  return std::min(values, static_cast<std::int64_t>(std::exp2(power)));
}

}  // namespace

void compare_drawn(const std::string& variant, int points, std::uint64_t seed) {
  const isa::Geometry g = isa::load_variant(variant).geometry;
  Random random(seed);
  for (const Op& op : ragged_layers(g)) {
    const auto layer = layer_space(op, g, {}, {}, g.inp_depth);
    ASSERT_TRUE(layer);
    const KnobSpace& space = layer->space;
    int refused = 0, programs = 0, held = 0;
    for (int i = 0; i < points; ++i) {
      const auto point = space.sample(random);
      ASSERT_TRUE(point);
      if (legal(op, layer->knobs(*point), g)) continue;
      if (++refused <= 3) ADD_FAILURE() << name_of(op) << ": no program for " << space.text(*point);
    }
    for (int i = 0; i < points; ++i) {
      Point point;
      for (const Knob& knob : space.knobs()) point.push_back(drawn(random, knob.values));
      point = space.normal(point);
      if (!legal(op, layer->knobs(point), g)) continue;
      ++programs;
      held += space.legal(point);
    }
    fmt::print("{}, {}: {} of {} points of the space are no programs; it holds {} of {} programs drawn\n",
               variant, name_of(op), refused, points, held, programs);
    EXPECT_EQ(refused, 0);
    EXPECT_GT(programs, 0);
    EXPECT_GE(held * 100, programs * 95);
  }
}

}  // namespace vdla::pipeline::device
