// SPDX-License-Identifier: Apache-2.0
// Operators on the interpreter against a few lines of scalar code each, on random shapes: what no published
// vector covers.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "compiler/graph/requant.h"
#include "compiler/pipeline/reference.h"
#include "compiler/pipeline/rewrite/fold_constants.h"
#include "compiler/pipeline/rewrite/fold_tables.h"
#include "compiler/pipeline/rewrite/graph_passes.h"
#include "support/fixed_point.h"

namespace vdla::pipeline {
namespace {

using graph::element_count;
using graph::Shape;
using graph::TensorId;

/// A graph of one operator with random int8 inputs.
struct Case {
  graph::Graph g;
  std::vector<std::vector<std::int8_t>> x;
  std::mt19937 random{11};

  TensorId input(const Shape& shape) {
    const TensorId id =
        g.add_tensor({"x" + std::to_string(x.size()), graph::DataType::Int8, shape, {}, nullptr});
    g.add_input(id);
    x.emplace_back(static_cast<std::size_t>(element_count(shape)));
    for (std::int8_t& v : x.back()) v = static_cast<std::int8_t>(random());
    return id;
  }
  template <class T = std::int8_t>
  std::vector<T> run(graph::Op op, const std::vector<TensorId>& inputs) {
    g.add_output(g.add_node("op", std::move(op), inputs));
    std::vector<graph::Bytes> bytes;
    for (const auto& v : x) bytes.push_back(*graph::to_bytes(v));
    const graph::Bytes out = Reference(g).run(bytes).at(0);
    std::vector<T> result(out.size() / sizeof(T));
    std::memcpy(result.data(), out.data(), out.size());
    return result;
  }
};

std::int8_t finish(const graph::OutputStage& s, std::int32_t acc, std::size_t channel = 0) {
  const graph::Multiplier& m = s.multiplier[s.multiplier.size() == 1 ? 0 : channel];
  const std::int32_t left = wrap_shift_left(acc, static_cast<unsigned>(m.left()));
  const std::int32_t scaled = round_shift_right(srdh_mul(left, m.value), static_cast<unsigned>(m.right()));
  return static_cast<std::int8_t>(std::clamp(scaled + s.zero_point, s.min, s.max));
}

TEST(Operators, RequantizePerChannelWithGuardBits) {
  Case c;
  graph::Requantize op{-5, {{{1400000000, -2, 9}, {1200000000, 1, 0}, {2000000000, 0, 3}}, 4, -100, 90}};
  const auto y = c.run(op, {c.input({7, 3})});
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], finish(op.out, c.x[0][i] + 5, i % 3));
}

TEST(Operators, MulBroadcasts) {
  Case c;
  graph::Mul op{3, -4, {{{1300000000, -6}}, 1, -128, 127}};
  const auto y = c.run(op, {c.input({2, 3, 4}), c.input({3, 1})});
  for (std::size_t i = 0; i < y.size(); ++i)
    EXPECT_EQ(y[i], finish(op.out, (c.x[0][i] - 3) * (c.x[1][i / 4 % 3] + 4)));
}

TEST(Operators, MeanOverAnyAxes) {
  Case c;
  graph::Mean op{{1, -1}, false, 7, {{graph::mean_multiplier(0.5, 0.25, 15)}, -3, -128, 127}};
  const auto y = c.run(op, {c.input({2, 3, 4, 5})});
  ASSERT_EQ(y.size(), 8u);
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t k = 0; k < 4; ++k) {
      std::int32_t sum = 0;
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 5; ++b) sum += c.x[0][((n * 3 + a) * 4 + k) * 5 + b] - 7;
      EXPECT_EQ(y[n * 4 + k], finish(op.out, sum));
    }
}

TEST(Operators, SumPoolCountsPaddingAsNothing) {
  Case c;
  graph::SumPool2d op{{3, 3}, {2, 2}, {1, 1, 1, 1}, 9, {{{1900000000, -4}}, 0, -128, 127}};
  const auto y = c.run(op, {c.input({1, 5, 5, 2})});
  for (int oy = 0; oy < 3; ++oy)
    for (int ox = 0; ox < 3; ++ox)
      for (int ch = 0; ch < 2; ++ch) {
        std::int32_t sum = 0;
        for (int ky = 0; ky < 3; ++ky)
          for (int kx = 0; kx < 3; ++kx) {
            const int iy = oy * 2 + ky - 1, ix = ox * 2 + kx - 1;
            if (iy >= 0 && iy < 5 && ix >= 0 && ix < 5)
              sum += c.x[0][static_cast<std::size_t>((iy * 5 + ix) * 2 + ch)] - 9;
          }
        EXPECT_EQ(y[static_cast<std::size_t>((oy * 3 + ox) * 2 + ch)], finish(op.out, sum));
      }
}

TEST(Operators, AveragePoolOfUint8RoundsHalfUp) {
  Case c;
  const auto y = c.run(graph::AvgPool2d{{1, 2}, {1, 2}, {}, 128}, {c.input({1, 1, 8, 3})});
  for (std::size_t i = 0; i < y.size(); ++i) {
    const int a = c.x[0][i / 3 * 6 + i % 3] + 128, b = c.x[0][i / 3 * 6 + 3 + i % 3] + 128;
    EXPECT_EQ(y[i], (a + b + 1) / 2 - 128);
  }
}

TEST(Operators, ArgMaxTakesTheFirst) {
  Case c;
  const TensorId id = c.input({2, 5, 3});
  for (std::int8_t& v : c.x[0]) v = static_cast<std::int8_t>(v % 3);  // many ties
  const auto y = c.run<std::int32_t>(graph::ArgMax{1}, {id});
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t k = 0; k < 3; ++k) {
      std::int32_t best = 0;
      for (std::int32_t a = 1; a < 5; ++a)
        if (c.x[0][(n * 5 + static_cast<std::size_t>(a)) * 3 + k] >
            c.x[0][(n * 5 + static_cast<std::size_t>(best)) * 3 + k])
          best = a;
      EXPECT_EQ(y[n * 3 + k], best);
    }
}

TEST(Operators, TransposePadConcatAndTableMoveElements) {
  Case t;
  const auto moved = t.run(graph::Transpose{{2, 0, 1}}, {t.input({2, 3, 4})});
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(moved[i], t.x[0][i / 3 % 2 * 12 + i % 3 * 4 + i / 6]);

  Case p;
  const auto padded = p.run(graph::Pad{{1, 0}, {0, 2}, -7}, {p.input({2, 3})});
  for (std::size_t y = 0; y < 3; ++y)
    for (std::size_t x = 0; x < 5; ++x)
      EXPECT_EQ(padded[y * 5 + x], y >= 1 && x < 3 ? p.x[0][(y - 1) * 3 + x] : -7);

  Case j;
  const auto joined = j.run(graph::Concat{1}, {j.input({2, 3}), j.input({2, 1}), j.input({2, 2})});
  for (std::size_t y = 0; y < 2; ++y)
    for (std::size_t x = 0; x < 6; ++x)
      EXPECT_EQ(joined[y * 6 + x], x < 3 ? j.x[0][y * 3 + x] : x < 4 ? j.x[1][y] : j.x[2][y * 2 + x - 4]);

  Case l;
  graph::Lut table{"square", {}};
  for (int q = -128; q < 128; ++q)
    table.table[static_cast<std::size_t>(q + 128)] = static_cast<std::int8_t>(q * q / 256);
  const auto looked = l.run(table, {l.input({40})});
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(looked[i], l.x[0][i] * l.x[0][i] / 256);
}

TEST(Operators, SoftmaxIsWithinOneStepOfTheRealOne) {
  Case c;
  const double scale = 0.08;
  const auto y = c.run(graph::softmax_parameters(1, scale), {c.input({6, 10})});
  for (std::size_t r = 0; r < 6; ++r) {
    double total = 0;
    for (std::size_t k = 0; k < 10; ++k) total += std::exp(scale * c.x[0][r * 10 + k]);
    for (std::size_t k = 0; k < 10; ++k) {
      const double expected = std::min(127.0, 256 * std::exp(scale * c.x[0][r * 10 + k]) / total - 128);
      EXPECT_NEAR(y[r * 10 + k], expected, 1);
    }
  }
}

/// The sum of the exponentials of as many equal elements passes Q12.19, in the first case nearly. The many
/// small exponentials are rounded to its steps one by one, hence the tolerance.
TEST(Operators, SoftmaxOfManyEqualElementsDoesNotWrap) {
  for (const std::int64_t elements : {4'000, 5'000, 70'000}) {
    graph::Graph g;
    const TensorId x = g.add_tensor({"x", graph::DataType::Int8, {2, elements}, {}, nullptr});
    g.add_input(x);
    g.add_output(g.add_node("softmax", graph::softmax_parameters(1, 0.1), {x}));
    std::vector<std::int8_t> values(static_cast<std::size_t>(2 * elements), 7);
    values[0] = 127;  // stands out by e^12: 256 * e^12 / (e^12 + 5000)
    const auto out = Reference(g).run({*graph::to_bytes(values)});
    const auto at = [&](std::int64_t i) {
      return static_cast<std::int8_t>(out[0][static_cast<std::size_t>(i)]);
    };
    const double peak = std::exp(12.0);
    EXPECT_NEAR(at(0), std::min(127.0, 256 * peak / (peak + static_cast<double>(elements)) - 128), 5)
        << elements;
    EXPECT_EQ(at(1), -128) << elements;
    EXPECT_EQ(at(elements), -128) << elements;
  }
}

TEST(Operators, QuantizeRoundsHalvesAwayFromZeroAsTfliteDoesAndSaturates) {
  graph::Graph g;
  const TensorId x = g.add_tensor({"x", graph::DataType::Float32, {6}, {}, nullptr});
  g.add_input(x);
  const TensorId q = g.add_node("q", graph::Quantize{0.5f, 10}, {x});
  g.add_output(q);
  g.add_output(g.add_node("dq", graph::Dequantize{0.5f, 10}, {q}));
  const std::vector<float> values = {0.25f, 0.75f, -0.25f, 1000.f, -1000.f, 3.1f};
  const auto out = Reference(g).run({*graph::to_bytes(values)});
  std::vector<std::int8_t> steps(6);
  std::vector<float> reals(6);
  std::memcpy(steps.data(), out[0].data(), 6);
  std::memcpy(reals.data(), out[1].data(), 24);
  EXPECT_THAT(steps, ::testing::ElementsAre(11, 12, 9, 127, -128, 16));
  EXPECT_THAT(reals, ::testing::ElementsAre(0.5f, 1, -0.5f, 58.5f, -69, 3));
}

TEST(FoldConstants, ComputesWhatIsKnown) {
  graph::Graph g;
  const TensorId x = g.add_tensor({"x", graph::DataType::Int8, {4}, {}, nullptr});
  g.add_input(x);
  const TensorId k = g.add_constant("k", graph::DataType::Int8, {2, 2},
                                    graph::to_bytes(std::vector<std::int8_t>{1, 2, 3, 4}));
  const TensorId t = g.add_node("turned", graph::Transpose{{1, 0}}, {k});
  const TensorId f = g.add_node("flat", graph::Reshape{{4}}, {t});
  g.add_output(g.add_node("max", graph::Maximum{}, {x, f}));
  const graph::Graph folded = fold_constants(g);
  ASSERT_EQ(folded.nodes.size(), 1u);
  EXPECT_THAT(folded.tensor(folded.nodes[0].inputs[1]).values<std::int8_t>(),
              ::testing::ElementsAre(1, 3, 2, 4));
}

/// Functions of one tensor of every int8, drawn: each node reads one or two of the values before it.
graph::Graph drawn_functions(unsigned seed, bool keeps_middle) {
  std::mt19937 random(seed);
  graph::Graph g;
  std::vector<TensorId> values{g.add_tensor({"x", graph::DataType::Int8, {256}, {}, nullptr})};
  g.add_input(values[0]);
  const TensorId one = g.add_constant("one", graph::DataType::Int8, {1},
                                      graph::to_bytes(std::vector{static_cast<std::int8_t>(random())}));
  const auto zero = [&] { return static_cast<std::int32_t>(random() % 40) - 20; };
  for (int i = 0; i < 8; ++i) {
    const TensorId a = values[values.size() - 1 - random() % std::min<std::size_t>(2, values.size())];
    const TensorId b = random() % 4 == 0 ? one : values[random() % values.size()];
    const std::string name = "n" + std::to_string(i);
    const graph::OutputStage out{{{1200000000, -7}}, zero(), -128, 127};
    switch (random() % 5) {
      case 0: {
        graph::Lut table{"drawn", {}};
        for (std::int8_t& entry : table.table) entry = static_cast<std::int8_t>(random());
        values.push_back(g.add_node(name, table, {a}));
        break;
      }
      case 1:
        values.push_back(g.add_node(name, graph::Mul{zero(), zero(), out}, {a, b}));
        break;
      case 2:
        values.push_back(g.add_node(name, graph::Maximum{}, {a, b}));
        break;
      case 3: {
        const TensorId real = g.add_node(name + "_real", graph::Dequantize{0.5f, zero()}, {a});
        values.push_back(g.add_node(name, graph::Quantize{0.25f, zero()}, {real}));
        break;
      }
      default:
        values.push_back(
            g.add_node(name, graph::Requantize{zero(), {{{1500000000, 1}}, zero(), -100, 90}}, {a}));
    }
  }
  if (keeps_middle) g.add_output(values[4]);
  g.add_output(values.back());
  return g;
}

TEST(FoldTables, GiveWhatTheirNodesGive) {
  std::vector<std::int8_t> x;
  for (int value = -128; value < 128; ++value) x.push_back(static_cast<std::int8_t>(value));
  std::size_t nodes = 0, left = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    const graph::Graph g = drawn_functions(seed, seed % 3 == 0);
    const graph::Graph folded = fold_tables(g);
    graph::verify(folded);
    EXPECT_EQ(Reference(folded).run({*graph::to_bytes(x)}), Reference(g).run({*graph::to_bytes(x)})) << seed;
    nodes += g.nodes.size();
    left += folded.nodes.size();
  }
  EXPECT_LT(2 * left, nodes);
}

/// A random chain of operators that the passes look for, ending in a dense layer.
graph::Graph random_graph(unsigned seed) {
  std::mt19937 random(seed);
  graph::Graph g;
  g.name = "random";
  TensorId x = g.add_tensor({"x", graph::DataType::Int8, {1, 4, 6, 3}, {}, nullptr});
  g.add_input(x);
  const auto weights = [&](Shape shape) {
    std::vector<std::int8_t> v(static_cast<std::size_t>(element_count(shape)));
    for (auto& w : v) w = static_cast<std::int8_t>(random());
    return g.add_constant("w", graph::DataType::Int8, std::move(shape), graph::to_bytes(v));
  };
  for (int i = 0; i < 6; ++i) {
    const std::string name = "n" + std::to_string(i);
    const Shape shape = g.tensor(x).shape;
    const auto zero = static_cast<std::int32_t>(random() % 20) - 10;
    graph::Conv2d conv;
    conv.input_zero_point = zero;
    conv.out.multiplier = {{1500000000, -8}};
    switch (random() % 6) {
      case 0:
        x = g.add_node(name, graph::Pad{{0, 1, 0, 0}, {0, 0, 1, 0}, random() % 2 ? zero : 5}, {x});
        x = g.add_node(name + "c", conv, {x, weights({3, 2, 2, shape[3]})});
        break;
      case 1:
        x = g.add_node(name, conv, {x, weights({4, 1, 1, shape[3]})});
        x = g.add_node(name + "r", graph::Requantize{zero, {{graph::Multiplier{}}, zero, zero, 90}}, {x});
        break;
      case 2:
        x = g.add_node(name, graph::Reshape{{element_count(shape)}}, {x});
        x = g.add_node(name + "b", graph::Reshape{shape}, {x});
        break;
      case 3:
        x = g.add_node(name, graph::Transpose{{0, 2, 1, 3}}, {x});
        break;
      case 4:
        x = g.add_node(name, graph::MaxPool2d{{1, 1}, {1, 1}, {}, -50, 100}, {x});
        break;
      default:
        x = g.add_node(name, graph::Maximum{},
                       {x, g.add_node(name + "k", graph::Reshape{{1}}, {weights({1, 1})})});
        break;
    }
  }
  if (random() % 2) x = g.add_node("nchw", graph::Transpose{{0, 3, 1, 2}}, {x});
  const std::int64_t count = element_count(g.tensor(x).shape);
  x = g.add_node("flat", graph::Reshape{{1, count}}, {x});
  g.add_output(g.add_node("dense", graph::FullyConnected{0, 0, {{{1500000000, -9}}, 0, -128, 127}},
                          {x, weights({5, count})}));
  return g;
}

TEST(Passes, KeepTheMeaningOfRandomGraphs) {
  std::size_t removed = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const graph::Graph g = random_graph(seed);
    const graph::Graph after = run_passes(g);
    removed += g.nodes.size() - std::min(after.nodes.size(), g.nodes.size());
    std::mt19937 random(seed);
    graph::Bytes x(g.tensor(g.inputs[0].tensor).bytes());
    for (std::byte& b : x) b = static_cast<std::byte>(random());
    EXPECT_EQ(Reference(after).run({x}), Reference(g).run({x})) << "seed " << seed;
  }
  EXPECT_GT(removed, 100u) << "the passes found nothing to do";
}

}  // namespace
}  // namespace vdla::pipeline
