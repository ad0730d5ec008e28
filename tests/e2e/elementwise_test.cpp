// SPDX-License-Identifier: Apache-2.0
// Layers that compute element by element between convolutions, on every engine against the interpreter.
#include <algorithm>
#include <cmath>
#include <random>

#include "compiler/pipeline/reference.h"
#include "tests/e2e/kit.h"
#include "tests/e2e/random_layers.h"

namespace vdla::e2e {
namespace {

using graph::DataType;
using graph::Shape;
using graph::TensorId;

class Elementwise : public ::testing::TestWithParam<std::string> {
 protected:
  TensorId input(const Shape& shape) {
    const TensorId id =
        graph_.add_tensor({"x" + std::to_string(graph_.inputs.size()), DataType::Int8, shape, {}, nullptr});
    graph_.add_input(id);
    return id;
  }
  TensorId constant(const std::string& name, const Shape& shape) {
    graph::Bytes values(static_cast<std::size_t>(graph::element_count(shape)));
    for (std::byte& b : values) b = any();
    return graph_.add_constant(name, DataType::Int8, shape,
                               std::make_shared<graph::Bytes>(std::move(values)));
  }
  TensorId conv(const std::string& name, TensorId x, std::int64_t channels, std::int64_t kernel = 1) {
    return add_convolution(graph_, name, x, channels, kernel, random_);
  }
  TensorId mul(const std::string& name, TensorId a, TensorId b) {
    graph::Mul op{zero(), zero(), {}};
    op.out.multiplier = {multiplier_of(uniform(random_, 0.002, 0.03))};
    op.out.zero_point = zero();
    return graph_.add_node(name, op, {a, b});
  }
  TensorId pixel(const std::string& name, TensorId image) {
    const graph::Shape shape = graph_.tensor(image).shape;
    graph::Mean op{{1, 2}, true, zero(), {}};
    op.out.multiplier = {multiplier_of(2.0 / static_cast<double>(shape[1] * shape[2]))};
    return graph_.add_node(name, op, {image});
  }
  /// A sum or a difference.
  TensorId sum(const std::string& name, TensorId a, TensorId b) {
    graph::Add op = random_add(random_);
    op.out.min = -128;
    if (uniform(random_, 0, 1) == 0) op.b.value = -op.b.value;
    return graph_.add_node(name, op, {a, b});
  }
  graph::Lut leaky() {
    graph::Lut lut{"leaky_relu", {}};
    const double above = uniform(random_, 0.2, 3.), below = above * uniform(random_, -0.5, 0.9);
    const std::int32_t out = zero();
    for (int i = -128; i < 128; ++i)
      lut.table.at(static_cast<std::size_t>(i + 128)) = static_cast<std::int8_t>(
          std::clamp<long>(std::lround(i < 0 ? below * i : above * i) + out, -128, 127));
    return lut;
  }
  std::int32_t zero() { return uniform(random_, -128, 127); }
  std::byte any() { return static_cast<std::byte>(random_()); }

  /// All on the device but views of operands; on every engine the interpreter's bytes.
  void expect_same() {
    verify(graph_);
    const runtime::Module module = compile(graph_, GetParam());
    for (const runtime::NodeInfo& node : module.nodes)
      if (node.op != "view" && node.op != "im2col")
        EXPECT_NE(node.place, "cpu") << node.name << ": " << node.reason;
    std::vector<Bytes> x;
    for (const graph::Port& port : graph_.inputs) {
      x.emplace_back(graph_.tensor(port.tensor).bytes());
      for (std::byte& b : x.back()) b = any();
    }
    const std::vector<Bytes> expected = pipeline::Reference(graph_).run(x);
    for (const std::string& engine : present_engines())
      EXPECT_EQ(EngineSession(module, engine).run(x), expected) << engine;
  }

  graph::Graph graph_;
  std::mt19937 random_{11};
};

TEST_P(Elementwise, ProductsScaleChannelsByWhatTheNetworkComputes) {
  const TensorId x = conv("first", input({1, 7, 6, 12}), 12, 3);
  const TensorId factors = conv("excite", pixel("squeeze", x), 12);
  graph_.add_output(conv("last", mul("scaled", x, factors), 8));
  expect_same();
}

TEST_P(Elementwise, ProductsTakeConstantsAndImages) {
  const TensorId x = conv("first", input({1, 5, 9, 20}), 20);
  const TensorId slopes = mul("by_channel", constant("c", {1, 1, 20}), x);
  const TensorId one = mul("by_number", slopes, constant("n", {}));
  graph_.add_output(mul("by_image", one, x));
  graph_.add_output(mul("square", x, x));
  graph_.add_output(mul("by_constants", x, constant("image", {1, 5, 9, 20})));
  expect_same();
}

TEST_P(Elementwise, SumsAddToChannelsWhatTheNetworkComputes) {
  const TensorId x = conv("first", input({1, 7, 6, 12}), 12, 3);
  const TensorId shifts = conv("excite", pixel("squeeze", x), 12);
  const TensorId right = graph_.add_node("right", random_add(random_), {x, shifts});
  const TensorId left = graph_.add_node("left", random_add(random_), {shifts, right});
  graph_.add_output(conv("last", left, 8));
  expect_same();
}

TEST_P(Elementwise, DifferencesAreSumsWithANegativeMultiplier) {
  const auto difference = [&](const std::string& name, TensorId a, TensorId b) {
    graph::Add op = random_add(random_);
    op.b.value = -op.b.value;
    return graph_.add_node(name, op, {a, b});
  };
  const TensorId x = input({1, 7, 6, 12}), y = input({1, 7, 6, 12});
  const TensorId alone = difference("alone", x, y);
  graph_.add_output(difference("joined", conv("first", alone, 12, 3), alone));
  graph_.add_output(difference("pixel", alone, input({1, 1, 1, 12})));
  expect_same();
}

TEST_P(Elementwise, TablesWithABendAreLayers) {
  const TensorId x = conv("first", input({1, 7, 6, 12}), 12, 3);
  const TensorId bent = graph_.add_node("bent", leaky(), {x});
  graph_.add_output(conv("last", bent, 8));
  graph_.add_output(bent);
  expect_same();
}

TEST_P(Elementwise, MeansGoOverAnyDimensions) {
  const TensorId x = input({2, 7, 6, 12}), steps = input({1, 33, 10});
  const auto mean = [&](const std::string& name, TensorId from, const std::vector<int>& axes,
                        bool keep_dims = false) {
    graph::Mean op{axes, keep_dims, zero(), {}};
    op.out.multiplier = {multiplier_of(0.2)};
    graph_.add_output(graph_.add_node(name, op, {from}));
  };
  mean("rows", x, {1});
  mean("columns", x, {2});
  mean("images", x, {0});
  mean("images_and_rows", x, {0, 1});
  mean("pixels", x, {1, 2});
  mean("steps", steps, {-2});
  mean("channels", x, {3}, true);
  mean("all", x, {1, 2, 3}, true);
  mean("columns_and_channels", x, {2, 3}, true);
  mean("all_steps", steps, {1, 2});
  expect_same();
}

TEST_P(Elementwise, ImagesAreResizedByWeightsOfTheirNeighbours) {
  const TensorId x = conv("first", input({2, 7, 6, 12}), 12, 3);
  const auto resize = [&](const std::string& name, TensorId image, std::int64_t factor) {
    const Shape shape = graph_.tensor(image).shape;
    const auto places = [&](std::int64_t extent) {
      std::vector<std::int32_t> all;
      for (std::int64_t i = 0; i < extent * factor; ++i) {
        const std::int64_t at = std::max<std::int64_t>((2 * i + 1) * 32 / factor - 32, 0);
        all.push_back(static_cast<std::int32_t>(at / 64));
        all.push_back(static_cast<std::int32_t>(std::min(at / 64 + 1, extent - 1)));
        all.push_back(static_cast<std::int32_t>(at % 64));
      }
      return graph_.add_constant(name + std::to_string(extent), DataType::Int32, {extent * factor, 3},
                                 graph::to_bytes(all));
    };
    return graph_.add_node(name, graph::Bilinear{64, zero()}, {image, places(shape[1]), places(shape[2])});
  };
  const TensorId twice = resize("twice", x, 2);
  graph_.add_output(conv("last", twice, 8, 3));
  graph_.add_output(resize("four", twice, 4));
  expect_same();
}

TEST_P(Elementwise, DrawnChainsGiveTheSameBytes) {
  constexpr int kChains = 20, kLayers = 7;
  for (int chain = 0; chain < kChains; ++chain) {
    SCOPED_TRACE(chain);
    graph_ = {};
    const std::int64_t c = uniform(random_, 1, 40);
    const Shape shape{1, uniform(random_, 1, 12), uniform(random_, 1, 12), c};
    const Shape sizes[] = {shape, {c}, {1, 1, 1, c}, {1}};
    std::vector<TensorId> images{input(shape), input(shape)};
    for (int layer = 0; layer < kLayers; ++layer) {
      const std::string name = "layer" + std::to_string(layer);
      const auto image = [&] {
        return images.at(static_cast<std::size_t>(uniform(random_, 0, static_cast<int>(images.size()) - 1)));
      };
      const TensorId x = image();
      const TensorId y = uniform(random_, 0, 1) == 0 ? image() : pixel(name + "/pixel", x);
      const TensorId a = uniform(random_, 0, 1) == 0 ? x : y, b = a == x ? y : x;
      switch (uniform(random_, 0, 3)) {
        case 0:
          images.push_back(mul(name, a, b));
          break;
        case 1:
          images.push_back(mul(name, x, constant(name + "/c", sizes[uniform(random_, 0, 3)])));
          break;
        case 2:
          images.push_back(sum(name, a, b));
          break;
        default:
          images.push_back(graph_.add_node(name, leaky(), {x}));
          break;
      }
    }
    for (const TensorId made : images)
      if (made != images[0] && made != images[1]) graph_.add_output(made);
    expect_same();
  }
}

INSTANTIATE_TEST_SUITE_P(On, Elementwise, ::testing::Values("tiny", "paper"), case_name);

}  // namespace
}  // namespace vdla::e2e
