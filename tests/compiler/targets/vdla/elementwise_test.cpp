// SPDX-License-Identifier: Apache-2.0
// Layers of two operands, or of a table, on the vector unit against the kernel contract.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/targets/vdla/templates/from_graph.h"
#include "tests/compiler/targets/vdla/harness.h"

namespace vdla::pipeline::device {
namespace {

using graph::DataType;
using graph::Shape;
using graph::TensorId;

std::int32_t any_int8(std::mt19937& random) { return static_cast<std::int32_t>(random() % 256) - 128; }

TensorId add_input(graph::Graph& g, const std::string& name, const Shape& shape) {
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

TEST(Mul, OfImagesNeedsAnEntryForEachPixel) {
  std::mt19937 random(9);
  EXPECT_EQ(unsupported(random_mul({4, 4, 4}, Factors::Image, random), pairs()),
            "it multiplies two images, the 2 pixels of an entry have one factor");
  EXPECT_EQ(unsupported(random_mul({4, 4, 4}, Factors::Channels, random), pairs()), std::nullopt);
}

/// The layer of a product of tensors of these shapes; a constant one where `constant` says so.
LayerOrNot mul_of(const Shape& a, const Shape& b, const Shape& out, std::array<bool, 2> constant) {
  graph::Graph g;
  std::vector<TensorId> inputs;
  for (const Shape& shape : {a, b}) {
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
  const Shape image{1, 4, 5, 6}, channels{1, 1, 1, 6};
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

}  // namespace
}  // namespace vdla::pipeline::device
