// SPDX-License-Identifier: Apache-2.0
// Layers of two operands, or of a table, on the vector unit against the kernel contract.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "compiler/targets/vdla/templates/from_graph.h"
#include "support/fixed_point.h"
#include "tests/compiler/targets/vdla/harness.h"

namespace vdla::pipeline::device {
namespace {

using graph::DataType;
using graph::TensorId;

std::int32_t any_int8(std::mt19937& random) { return static_cast<std::int32_t>(random() % 256) - 128; }

TensorId add_input(graph::Graph& g, const std::string& name, const graph::Shape& shape) {
  const TensorId id = g.add_tensor({name, DataType::Int8, shape, {}, nullptr});
  g.add_input(id);
  return id;
}

enum class Factors : std::uint8_t { Constant, Channels, Image };

Mul random_mul(const Image& image, Factors factors, std::mt19937& random) {
  Mul op;
  op.name = "mul";
  op.image = image;
  op.a_zero = random() % 4 == 0 ? 0 : any_int8(random);
  op.b_zero = random() % 3 == 0 ? 0 : any_int8(random);
  op.by_channel = factors == Factors::Channels;
  if (factors == Factors::Constant) op.factors = random_int8(static_cast<std::size_t>(image.c), random);
  op.stage.zero_point = any_int8(random);
  randomise(op.stage, 1, 1.0 / 128, random);
  return op;
}

TEST(Mul, EqualsTheKernelContract) {
  std::mt19937 random(7);
  for (const isa::Geometry& g : {tiny(), oblong(), paper(), pairs(), quads()}) {
    for (int i = 0; i < 24; ++i) {
      const Image image{1 + int(random() % 9), 1 + int(random() % 9), 1 + int(random() % 40)};
      const auto factors = static_cast<Factors>(i % 3);
      if (factors == Factors::Image && g.batch > 1) continue;
      expect_exact(random_mul(image, factors, random), g, random);
    }
  }
}

// One product of each pair; multipliers of products are below 1 and, where the result's scale is small,
// above.
TEST(Mul, IsExactForEachPairOfValues) {
  Int8s a, b;
  for (int i = 0; i < 256 * 256; ++i) {
    a.push_back(static_cast<std::int8_t>(i % 256 - 128));
    b.push_back(static_cast<std::int8_t>(i / 256 - 128));
  }
  std::mt19937 random(8);
  for (const double gain : {1.0 / 400, 1.0 / 100, 0.3, 3.0}) {
    Mul op = random_mul({64, 64, 16}, Factors::Image, random);
    randomise(op.stage, 1, gain, random);
    const isa::Program program = program_of(op, lower(op, paper(), {}), paper());
    EXPECT_EQ(run_functional(op, program, {a, b}), reference(op, {a, b})) << gain;
  }
}

// Expressions lose a factor of 1 and a sum with 0, and the operations of the machine must still be found.
TEST(Mul, TakesZeroPointsThatAreOneOrAtTheEnds) {
  std::mt19937 random(9);
  for (const std::int32_t a_zero : {-128, -1, 0, 1, 127})
    for (const std::int32_t b_zero : {-128, -1, 0, 1, 127})
      for (const auto factors : {Factors::Constant, Factors::Channels, Factors::Image}) {
        Mul op = random_mul({3, 2, 9}, factors, random);
        op.a_zero = a_zero;
        op.b_zero = b_zero;
        expect_exact(op, paper(), random);
      }
}

TEST(Mul, OfImagesNeedsAnEntryForEachPixel) {
  std::mt19937 random(9);
  EXPECT_EQ(unsupported(random_mul({4, 4, 4}, Factors::Image, random), pairs()),
            "it multiplies two images, the 2 pixels of an entry have one factor");
  EXPECT_EQ(unsupported(random_mul({4, 4, 4}, Factors::Channels, random), pairs()), std::nullopt);
}

/// The layer of a product of tensors of these shapes; a constant one where `constant` says so.
LayerOrNot mul_of(const graph::Shape& a, const graph::Shape& b, const graph::Shape& out,
                  std::array<bool, 2> constant) {
  graph::Graph g;
  std::vector<TensorId> inputs;
  for (const graph::Shape& shape : {a, b}) {
    const std::string name(1, static_cast<char>('a' + inputs.size()));
    if (constant.at(inputs.size())) {
      const auto count = static_cast<std::size_t>(graph::element_count(shape));
      inputs.push_back(g.add_constant(name, DataType::Int8, shape, std::make_shared<graph::Bytes>(count)));
    } else {
      inputs.push_back(add_input(g, name, shape));
    }
  }
  const TensorId result = g.add_node("mul", graph::Mul{1, 2, {}}, inputs);
  g.add_output(result);
  EXPECT_EQ(g.tensor(result).shape, out);
  return layer_of(g, g.nodes[0], paper());
}

TEST(Mul, TakesTheFactorOfEitherSide) {
  const graph::Shape image{1, 4, 5, 6}, channels{1, 1, 1, 6};
  const auto mul = [](const LayerOrNot& layer) { return std::get<Mul>(std::get<Layer>(layer).op); };
  const LayerOrNot right = mul_of(image, {6}, image, {false, true});
  EXPECT_EQ(mul(right).factors.size(), 6);
  EXPECT_EQ(mul(right).b_zero, 2);
  EXPECT_EQ(std::get<Layer>(right).inputs, std::vector<TensorId>{0});
  const LayerOrNot left = mul_of(channels, image, image, {true, false});
  EXPECT_EQ(mul(left).factors.size(), 6);
  EXPECT_EQ(mul(left).b_zero, 1);
  EXPECT_EQ(std::get<Layer>(left).inputs, std::vector<TensorId>{1});
  const LayerOrNot computed = mul_of(channels, image, image, {false, false});
  EXPECT_TRUE(mul(computed).by_channel);
  EXPECT_EQ(std::get<Layer>(computed).inputs, (std::vector<TensorId>{1, 0}));
  const LayerOrNot pixels = mul_of(channels, channels, channels, {true, false});
  EXPECT_EQ(std::get<Layer>(pixels).inputs, std::vector<TensorId>{1});
  EXPECT_FALSE(mul(mul_of(image, image, image, {false, false})).by_channel);
  EXPECT_EQ(std::get<WhyNot>(mul_of(image, {1, 4, 5, 1}, image, {false, false})).reason,
            "its inputs have different shapes (broadcast), the device takes equal ones");
}

TEST(Add, OfOnePixelEqualsTheKernelContract) {
  std::mt19937 random(10);
  for (const isa::Geometry& g : {tiny(), oblong(), paper()}) {
    for (int i = 0; i < 10; ++i) {
      Add op = random_add({1 + int(random() % 9), 1 + int(random() % 9), 1 + int(random() % 40)}, random);
      op.by_channel = true;
      expect_exact(op, g, random);
    }
  }
  Add op = random_add({4, 4, 4}, random);
  op.by_channel = true;
  EXPECT_EQ(unsupported(op, pairs()), "its second image is one pixel, entries have 2");
}

TEST(Slopes, EqualTheKernelContract) {
  std::mt19937 random(12);
  for (const isa::Geometry& g : {tiny(), oblong(), paper(), pairs(), quads()}) {
    for (int i = 0; i < 12; ++i) {
      Slopes op;
      op.name = "slopes";
      op.image = {1 + int(random() % 9), 1 + int(random() % 9), 1 + int(random() % 40)};
      op.input_zero = any_int8(random);
      for (Multiplier& m : op.slopes) {
        m = {static_cast<std::int32_t>(random()), int(random() % 12) - 10, 0};
        if (random() % 2 == 0) m.guard = 16;
      }
      op.smaller = i % 2 == 1;
      op.zero_point = any_int8(random);
      if (i % 3 == 0) op.min = -77;
      expect_exact(op, g, random);
    }
  }
}

using Values = std::array<std::int8_t, 256>;

/// A table of one int8 on a tensor with this zero point.
LayerOrNot table_of(const Values& values, std::int32_t zero) {
  graph::Graph g;
  const TensorId x = g.add_tensor({"x", DataType::Int8, {1, 16, 16, 1}, {{0.5}, {zero}}, nullptr});
  g.add_input(x);
  g.add_output(g.add_node("table", graph::Lut{"f", values}, {x}));
  return layer_of(g, g.nodes[0], paper());
}

template <class F>
Values values_of(const F& f) {
  Values values{};
  for (int x = -128; x < 128; ++x)
    values.at(static_cast<std::size_t>(x + 128)) =
        static_cast<std::int8_t>(std::clamp<double>(f(x), -128, 127));
  return values;
}

/// The layer gives all values of the table.
void expect_table(const LayerOrNot& layer, const Values& values) {
  ASSERT_TRUE(std::holds_alternative<Layer>(layer)) << std::get<WhyNot>(layer).reason;
  Int8s all;
  for (int x = -128; x < 128; ++x) all.push_back(static_cast<std::int8_t>(x));
  const Op& op = std::get<Layer>(layer).op;
  const isa::Program program = program_of(op, lower(op, paper(), {}), paper());
  EXPECT_EQ(run_functional(op, program, {all}), Int8s(values.begin(), values.end()));
}

// Leaky relus as TFLite's kernel rounds, of slopes from 0 to beyond 1.
TEST(Slopes, AreFoundInTablesOfIntegers) {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> spread(-3, 3), slope(0, 1.5);
  for (int i = 0; i < 200; ++i) {
    const double scale = std::exp2(spread(random));
    const QuantizedMultiplier above = quantize_multiplier(scale),
                              below = quantize_multiplier(scale * slope(random));
    const std::int32_t zero = any_int8(random), out = any_int8(random);
    const Values values = values_of([&](int x) {
      const QuantizedMultiplier& m = x >= zero ? above : below;
      return out + multiply_by_quantized_multiplier(x - zero, m.multiplier, m.shift);
    });
    SCOPED_TRACE(i);
    if (std::ranges::min(values) < std::ranges::max(values)) expect_table(table_of(values, zero), values);
  }
}

TEST(Slopes, AreFoundInTablesOfReals) {
  std::mt19937 random(14);
  std::uniform_real_distribution<double> spread(-3, 2);
  for (int i = 0; i < 50; ++i) {
    const double scale = std::exp2(spread(random));
    const std::int32_t zero = any_int8(random), out = any_int8(random);
    const auto rounded = [&](const auto& f) {
      return values_of([&](int x) { return std::round(f(scale * (x - zero))) + out; });
    };
    SCOPED_TRACE(i);
    const Values line = rounded([](double x) { return x; });
    expect_table(table_of(line, zero), line);
    for (const Values& values :
         {rounded([](double x) { return -x; }), rounded([](double x) { return std::abs(x); }),
          rounded([](double x) { return -std::abs(x) / 3; })})
      if (std::ranges::min(values) < std::ranges::max(values)) expect_table(table_of(values, zero), values);
  }
}

TEST(Slopes, AreNoCurve) {
  const Values sigmoid = values_of([](int x) { return std::round(255 / (1 + std::exp(-0.05 * x))) - 128; });
  EXPECT_EQ(std::get<WhyNot>(table_of(sigmoid, 0)).reason,
            "the device has no tables, and the function is no line with a bend at its zero point");
  EXPECT_EQ(std::get<WhyNot>(table_of(values_of([](int) { return 7; }), 0)).reason,
            "its clamp to 7..7 makes it a constant");
}

/// Window and images of a mean over `axes`.
LayerOrNot mean_of(const graph::Shape& shape, const std::vector<int>& axes, bool keep_dims = false) {
  graph::Graph g;
  const TensorId x = add_input(g, "x", shape);
  g.add_output(g.add_node("mean", graph::Mean{axes, keep_dims, 0, {}}, {x}));
  return layer_of(g, g.nodes[0], paper());
}

TEST(Mean, IsAWindowOfTheDimensionsThatItGoesOver) {
  struct Case {
    graph::Shape shape;
    std::vector<int> axes;
    std::int64_t images;
    Image in, out;
  };
  for (const Case& c :
       {Case{{2, 5, 6, 7}, {1, 2}, 2, {5, 6, 7}, {1, 1, 7}}, Case{{2, 5, 6, 7}, {1}, 2, {5, 6, 7}, {1, 6, 7}},
        Case{{2, 5, 6, 7}, {-2}, 1, {10, 6, 7}, {10, 1, 7}}, Case{{1, 50, 7}, {1}, 1, {50, 1, 7}, {1, 1, 7}},
        Case{{3, 4, 5, 6, 7}, {1, 2}, 3, {20, 6, 7}, {1, 6, 7}},
        Case{{9, 7}, {0}, 1, {9, 1, 7}, {1, 1, 7}}}) {
    const LayerOrNot layer = mean_of(c.shape, c.axes);
    ASSERT_TRUE(std::holds_alternative<Layer>(layer)) << std::get<WhyNot>(layer).reason;
    const auto& op = std::get<SumPool2d>(std::get<Layer>(layer).op);
    EXPECT_EQ(op.images, c.images);
    EXPECT_EQ(op.in, c.in);
    EXPECT_EQ(op.out, c.out);
    EXPECT_EQ(op.window.kernel_h * op.out.h, c.in.h);
    EXPECT_EQ(op.window.kernel_w * op.out.w, c.in.w);
  }
  const auto reason = [](const LayerOrNot& layer) { return std::get<WhyNot>(layer).reason; };
  EXPECT_EQ(reason(mean_of({2, 5, 6, 7}, {1, 3})), "its mean is over dimensions that are no neighbours");
  EXPECT_EQ(reason(mean_of({2, 5, 6, 7}, {0, 2})), "its mean is over dimensions that are no neighbours");
  EXPECT_EQ(reason(mean_of({2, 5, 6, 7}, {3})),
            "its mean is over channels, and pixels become channels of its result");
  EXPECT_EQ(
      reason(mean_of({1, 50, 60, 70}, {1, 2, 3})),
      "its mean is over 210000 elements with their channels, as many weights, the device takes 65536 at "
      "most");
}

TEST(Mean, OfChannelsIsAConvolutionWithWeightsOfOne) {
  struct Case {
    std::vector<int> axes;
    std::int64_t images;
    Image in, out;
  };
  for (const Case& c : {Case{{3}, 1, {60, 1, 7}, {60, 1, 1}}, Case{{1, 2, 3}, 2, {5, 6, 7}, {1, 1, 1}},
                        Case{{2, 3}, 10, {6, 1, 7}, {1, 1, 1}}}) {
    const LayerOrNot layer = mean_of({2, 5, 6, 7}, c.axes, true);
    ASSERT_TRUE(std::holds_alternative<Layer>(layer)) << std::get<WhyNot>(layer).reason;
    const auto& op = std::get<Conv2d>(std::get<Layer>(layer).op);
    EXPECT_EQ(op.images, c.images);
    EXPECT_EQ(op.in, c.in);
    EXPECT_EQ(op.out, c.out);
    EXPECT_EQ(op.window.kernel_h, c.in.h == 60 ? 1 : c.in.h);
    EXPECT_TRUE(std::ranges::all_of(op.weights, [](std::int8_t weight) { return weight == 1; }));
  }
}

}  // namespace
}  // namespace vdla::pipeline::device
