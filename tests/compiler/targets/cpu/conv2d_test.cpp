// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/cpu/templates/conv2d.h"

#include "compiler/loop/print.h"
#include "compiler/targets/cpu/templates/spaces.h"
#include "tests/compiler/targets/cpu/single_layers.h"
#include "tests/compiler/targets/cpu/values.h"

namespace vdla::pipeline::cpu {
namespace {

struct Case {
  Conv2d conv;
  std::vector<float> image, weights, bias;
  std::vector<double> want;
};

Case make_case(const Conv2d& c, unsigned seed) {
  Case result{c,
              random_floats(c.in_channels * c.in_height * c.in_width, seed),
              random_floats(c.out_channels * c.in_channels * c.kernel_height * c.kernel_width, seed + 1),
              random_floats(c.out_channels, seed + 2),
              {}};
  for (std::int64_t k = 0; k < c.out_channels; ++k) {
    for (std::int64_t p = 0; p < c.out_height(); ++p) {
      for (std::int64_t q = 0; q < c.out_width(); ++q) {
        double sum = c.bias ? result.bias[static_cast<std::size_t>(k)] : 0;
        for (std::int64_t i = 0; i < c.in_channels; ++i) {
          for (std::int64_t r = 0; r < c.kernel_height; ++r) {
            for (std::int64_t s = 0; s < c.kernel_width; ++s) {
              const std::int64_t y = p * c.stride_height + r - c.pad_top,
                                 x = q * c.stride_width + s - c.pad_left;
              if (y < 0 || y >= c.in_height || x < 0 || x >= c.in_width) continue;
              sum += static_cast<double>(
                         result.image[static_cast<std::size_t>((i * c.in_height + y) * c.in_width + x)]) *
                     result.weights[static_cast<std::size_t>(
                         ((k * c.in_channels + i) * c.kernel_height + r) * c.kernel_width + s)];
            }
          }
        }
        result.want.push_back(c.relu ? std::max(sum, 0.0) : sum);
      }
    }
  }
  return result;
}

void expect_right(const Case& t, const Conv2dKnobs& k, host::Jit& jit, const std::string& name) {
  const Conv2d& c = t.conv;
  auto x = pack_image(c.in_channels, k.in_block, t.image), w = pack_weights(c, k, t.weights),
       b = pack_channels(c.out_channels, k.out_block, t.bias);
  const std::int64_t channels = (c.out_channels + k.out_block - 1) / k.out_block * k.out_block;
  std::vector<float> y(static_cast<std::size_t>(channels * c.out_height() * c.out_width()), NAN);
  std::vector<void*> pointers{x.data(), w.data()};
  if (c.bias) pointers.push_back(b.data());
  pointers.push_back(y.data());
  jit.add(conv2d(c, k, name))(pointers.data());
  expect_close(unpack_image(c.out_channels, k.out_block, y), t.want);
}

/// in, height, width, out, kernel (height, width), stride, pad (top, left, bottom, right), bias, relu
const Conv2d kConvolutions[] = {
    {16, 6, 6, 16, 3, 3, 1, 1, 1, 1, 1, 1, true, true},  {3, 11, 13, 20, 7, 7, 2, 2, 3, 3, 2, 2, true, false},
    {64, 4, 4, 32, 1, 1, 2, 2, 0, 0, 0, 0, false, true}, {24, 5, 7, 33, 3, 1, 1, 2, 0, 1, 2, 0, false, false},
    {16, 7, 7, 64, 3, 3, 1, 1, 1, 1, 1, 1, true, true},
};

TEST(Conv2d, DefaultKnobsOnEveryMachine) {
  host::Jit jit;
  int serial = 0;
  for (const Conv2d& c : kConvolutions) {
    const Case t = make_case(c, 5);
    for (const CpuProfile& m : profiles())
      expect_right(t, conv2d_default(c, m), jit, "c" + std::to_string(serial++));
  }
}

TEST(Conv2d, RandomKnobsOfTheSpace) {
  host::Jit jit;
  std::mt19937 random(3);
  int serial = 0;
  for (const Conv2d& c : kConvolutions) {
    const Case t = make_case(c, 9);
    const auto space = conv2d_space(c, profiles()[1]);
    for (int i = 0; i < 4; ++i) {
      const Conv2dKnobs& k = space[random() % space.size()];
      SCOPED_TRACE(testing::Message()
                   << k.out_tile << " " << k.row_tile << " " << k.col_tile << " " << k.band);
      expect_right(t, k, jit, "r" + std::to_string(serial++));
    }
  }
}

/// Legal points of all combinations, by their share of drawn ones.
double points_about(const KnobSpace& space) {
  constexpr int kDraws = 100000;
  Random random(11);
  int legal = 0;
  for (int i = 0; i < kDraws; ++i) {
    Point point;
    for (const Knob& knob : space.knobs()) point.push_back(drawn(random, knob));
    legal += space.legal(point) ? 1 : 0;
  }
  return space.points() * legal / kDraws;
}

TEST(Spaces, AreWide) {
  for (const CpuProfile& m : profiles()) {
    EXPECT_GT(points_about(conv2d_knobs({64, 56, 56, 64, 3, 3, 1, 1, 1, 1, 1, 1}, 16, m)), 1e5);
    EXPECT_GT(points_about(dot_knobs({64, 56, 36864, 56, 1, 16, 1 << 20}, m)), 1e4);
  }
}

TEST(Spaces, HaveTheDefaultsAsPoints) {
  for (const CpuProfile& m : profiles()) {
    for (const Conv2d& c : kConvolutions) {
      const Conv2dKnobs k = conv2d_default(c, m);
      EXPECT_TRUE(conv2d_knobs(c, k.in_block, m).legal(point_of(k)));
      EXPECT_EQ(conv2d_at(point_of(k), k), k);
      const DepthwiseKnobs d = depthwise_default(c, m);
      EXPECT_TRUE(depthwise_knobs(c, m).legal(point_of(d)));
      EXPECT_EQ(depthwise_at(point_of(d)), d);
    }
    const Panels product{21, 96, 5, 2 * m.lanes(4)};
    const PanelKnobs p = panels_default(product, m);
    EXPECT_TRUE(panel_knobs(product, m).legal(point_of(p)));
    EXPECT_EQ(panels_at(point_of(p)), p);
    const Dots layer{48, 12, 5000, 9, 1, 4, 1 << 16};
    const DotKnobs dots = dot_default(layer, m).value();
    EXPECT_TRUE(dot_knobs(layer, m).legal(point_of(dots, layer)));
    EXPECT_EQ(dots_at(point_of(dots, layer), layer), dots);
    const QuantizedKnobs q = quantized_default(48, 12, m).value();
    EXPECT_TRUE(quantized_knobs({48, 12, 4800, 9, 3}, m).legal(point_of(q)));
    EXPECT_EQ(quantized_at(point_of(q)), q);
  }
}

TEST(Conv2d, InnermostLoopsHaveNoGuards) {
  const Conv2d c{64, 28, 28, 64, 3, 3, 1, 1, 1, 1, 1, 1, true, true};
  const std::string text = loop::to_string(conv2d(c, conv2d_default(c, profiles()[2]), "f"));
  EXPECT_EQ(text.find("if "), std::string::npos) << text;
}

}  // namespace
}  // namespace vdla::pipeline::cpu
