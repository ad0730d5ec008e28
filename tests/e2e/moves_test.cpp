// SPDX-License-Identifier: Apache-2.0
// Operators that only move bytes, between layers of the device: they stay there and cut no step.
#include <algorithm>
#include <numeric>

#include "compiler/expr/expr.h"
#include "isa/variants/variants.h"
#include "tests/e2e/joined_network.h"
#include "tests/e2e/random_layers.h"

namespace vdla::e2e {
namespace {

using graph::TensorId;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Numbers = std::vector<std::int64_t>;

std::size_t device_steps(const runtime::Module& module) {
  return static_cast<std::size_t>(std::ranges::count_if(module.steps, [](const runtime::Step& step) {
    return std::holds_alternative<runtime::DeviceStep>(step);
  }));
}

/// Adds operators that move.
class Mover {
 public:
  explicit Mover(JoinedNetwork& network) : graph_(network.graph) {}

  TensorId gather(TensorId x, const Numbers& places, int axis) {
    const auto indices =
        graph_.add_constant(name("indices"), graph::DataType::Int64,
                            {static_cast<std::int64_t>(places.size())}, graph::to_bytes(places));
    return graph_.add_node(name("gather"), graph::Gather{axis}, {x, indices});
  }
  /// Each pixel as many times as `factor` along both axes.
  TensorId resized(TensorId x, std::int64_t factor) {
    for (const int axis : {1, 2}) {
      Numbers places;
      for (std::int64_t i = 0; i < factor * shape(x)[static_cast<std::size_t>(axis)]; ++i)
        places.push_back(i / factor);
      x = gather(x, places, axis);
    }
    return x;
  }
  /// Takes `count` elements along each axis, from `first` on and `step` apart.
  TensorId slice(TensorId x, const Numbers& first, const Numbers& step, const Numbers& count,
                 graph::Outside outside = graph::Outside::Never, const Numbers& spread = {1, 1, 1, 1}) {
    graph::View view{count, {}, outside, {}};
    if (outside == graph::Outside::Fill) view.fill = expr::number(-5, expr::DType::I8);
    for (std::size_t d = 0; d < 4; ++d) {
      graph::Source s{first[d], graph::Extents(4), spread[d]};
      s.step[d] = step[d];
      view.source.push_back(std::move(s));
    }
    return graph_.add_node(name("slice"), std::move(view), {x});
  }
  TensorId channels(TensorId x, std::int64_t first, std::int64_t count) {
    const graph::Shape s = shape(x);
    return slice(x, {0, 0, 0, first}, {1, 1, 1, 1}, {s[0], s[1], s[2], count});
  }
  TensorId mirrored(TensorId x, std::int64_t border) {
    graph::Shape s = shape(x);
    s[1] += 2 * border;
    s[2] += 2 * border;
    return slice(x, {0, -border, -border, 0}, {1, 1, 1, 1}, s, graph::Outside::Reflect);
  }
  /// Borders around images and channels, other pixels between neighbours.
  TensorId spread(TensorId x, const Numbers& border, std::int64_t distance) {
    const Numbers apart{1, distance, distance, 1};
    graph::Shape s = shape(x);
    Numbers first = border;
    for (std::size_t d = 0; d < 4; ++d) {
      first[d] = -border[d];
      s[d] = 2 * border[d] + (s[d] - 1) * apart[d] + 1;
    }
    return slice(x, first, {1, 1, 1, 1}, s, graph::Outside::Fill, apart);
  }
  graph::Shape shape(TensorId x) const { return graph_.tensor(x).shape; }

 private:
  std::string name(const std::string& kind) { return kind + std::to_string(number_++); }

  graph::Graph& graph_;
  int number_ = 0;
};

void expect_on_device(const runtime::Module& module) {
  for (const auto& node : module.nodes)
    EXPECT_THAT(node.place, ::testing::AnyOf("vdla", "folded")) << node.name << ": " << node.reason;
  EXPECT_EQ(device_steps(module), 1u);
}

TEST(Moves, AnImageOfTwiceTheSizeIsOneLayer) {
  JoinedNetwork b(1);
  Mover move(b);
  const TensorId small = b.conv("small", b.input({1, 4, 5, 8}), 12);
  const TensorId large = b.conv("large", b.input({1, 8, 10, 8}), 12);
  b.graph.add_output(b.conv("next", b.add("sum", move.resized(small, 2), large), 8, 3));
  const runtime::Module module = compile(b.graph, "tiny");
  expect_on_device(module);
  EXPECT_EQ(report_of(module, "gather1").place, "folded") << "rows and columns are moved together";
  EXPECT_THAT(report_of(module, "gather3").reason, StartsWith("moved by DMA, by rows and columns"));
  b.expect_same();
  b.expect_same("paper");
}

TEST(Moves, PartsOfChannelsAreReadWhereTheyLie) {
  JoinedNetwork b(2);
  Mover move(b);
  const TensorId x = b.conv("front", b.input({1, 5, 6, 8}), 24);
  const TensorId left = move.channels(x, 0, 8), right = move.channels(x, 6, 10);
  b.graph.add_output(
      b.conv("joined", b.concat("join", {b.conv("a", left, 8), b.conv("b", right, 8, 3), right}), 8));
  const runtime::Module module = compile(b.graph, "tiny");
  expect_on_device(module);
  for (const char* slice : {"slice0", "slice1"}) EXPECT_EQ(instructions_of(module, slice), 0u) << slice;
  b.expect_same();
  b.expect_same("paper");
}

TEST(Moves, RowsAreReadWhereTheyLieAndColumnsAreCopied) {
  JoinedNetwork b(4);
  Mover move(b);
  const TensorId x = b.conv("front", b.input({1, 7, 6, 8}), 12), y = b.conv("other", x, 6);
  const TensorId joined = b.concat("join", {y, x});  // x is a slice itself
  const TensorId rows = move.slice(x, {0, 2, 0, 3}, {1, 1, 1, 1}, {1, 4, 6, 5});
  const TensorId columns = move.slice(joined, {0, 0, 1, 0}, {1, 1, 1, 1}, {1, 4, 5, 18});
  b.graph.add_output(b.conv("next", rows, 8, 3));
  b.graph.add_output(b.conv("last", columns, 8, 3));
  const runtime::Module module = compile(b.graph, "tiny");
  expect_on_device(module);
  EXPECT_EQ(instructions_of(module, "slice0"), 0u);
  EXPECT_GT(instructions_of(module, "slice1"), 0u);
  b.expect_same();
  b.expect_same("paper");
}

TEST(Moves, ThatEndAStepGoToTheCpuWhereThatCostsLess) {
  JoinedNetwork b(3);
  Mover move(b);
  const TensorId x = b.conv("front", b.input({1, 16, 16, 16}), 16, 3);
  b.graph.add_output(move.resized(x, 4));
  pipeline::CompileOptions options;
  options.variant = isa::load_variant("paper");
  options.partition = pipeline::Partition::Cost;
  options.host = {2e9, 4e9, 10e-6};
  const runtime::Module module = compile_with(b.graph, options);
  EXPECT_EQ(report_of(module, "front").place, "vdla");
  EXPECT_EQ(report_of(module, "gather3").place, "cpu");
  EXPECT_THAT(report_of(module, "gather3").reason, HasSubstr("costs less on the CPU: 1 node together"));
  b.expect_same(module);

  JoinedNetwork less(3);
  Mover part(less);
  const TensorId y = less.conv("front", less.input({1, 16, 16, 16}), 64, 3);
  less.graph.add_output(part.channels(y, 16, 16));
  options.host = {};
  const runtime::Module small = compile_with(less.graph, options);
  EXPECT_EQ(report_of(small, "slice0").place, "vdla") << "a quarter of the bytes leaves";
  less.expect_same(small);
}

/// Draws what moves between two layers: every engine gives the interpreter's bytes.
class DrawnMoves {
 public:
  DrawnMoves(JoinedNetwork& network, unsigned seed) : move_(network), network_(network), random_(seed) {}

  TensorId one(TensorId x) {
    const graph::Shape s = move_.shape(x);
    switch (uniform(random_, 0, 9)) {
      case 0:
        return s[1] * s[2] > 60 ? x : move_.resized(x, uniform(random_, 2, 3));
      case 1: {
        const int first = uniform(random_, 0, static_cast<int>(s[3]) - 1);
        return move_.channels(x, first, uniform(random_, 1, static_cast<int>(s[3]) - first));
      }
      case 2: {
        Numbers from{0, 0, 0, 0}, step{1, 1, 1, 1}, count = s;
        for (const std::size_t d : {1, 2}) {
          from[d] = uniform(random_, 0, static_cast<int>(s[d]) - 1);
          step[d] = uniform(random_, 1, 3);
          count[d] = (s[d] - from[d] + step[d] - 1) / step[d];
        }
        return move_.slice(x, from, step, count);
      }
      case 3:
        return s[1] < 3 || s[2] < 3 ? x : move_.mirrored(x, uniform(random_, 1, 2));
      case 4:
        return network_.graph.add_node(name("pad"),
                                       graph::Pad{{0, uniform(random_, 0, 2), uniform(random_, 0, 2), 0},
                                                  {0, 1, 0, 0},
                                                  uniform(random_, -128, 127)},
                                       {x});
      case 5:
        return network_.graph.add_node(name("channels"),
                                       graph::Pad{{0, 0, 0, uniform(random_, 0, 9)},
                                                  {0, 0, 0, uniform(random_, 0, 9)},
                                                  uniform(random_, -128, 127)},
                                       {x});
      case 6:
        return move_.spread(x, {0, uniform(random_, 0, 1), uniform(random_, 0, 2), 0},
                            uniform(random_, 1, 2));
      case 7:
        return move_.spread(x, {0, 0, 0, uniform(random_, 1, 9)}, 1);
      case 8: {
        if (s[3] > 40) return x;
        std::vector<TensorId> parts{x, network_.conv(name("side"), x, uniform(random_, 1, 20)), x};
        std::shuffle(parts.begin(), parts.end(), random_);
        return network_.concat(name("join"), parts);
      }
      default:
        return network_.concat(name("rows"), {x, x}, 1);
    }
  }

 private:
  std::string name(const std::string& kind) const {
    return kind + std::to_string(network_.graph.nodes.size());
  }

  Mover move_;
  JoinedNetwork& network_;
  std::mt19937 random_;
};

TEST(Moves, DrawnOnesAreExactOnAllEngines) {
  int moved = 0, cut = 0;
  for (unsigned seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    JoinedNetwork b(seed);
    DrawnMoves moves(b, seed);
    std::mt19937 random(seed);
    TensorId x = b.conv("front", b.input({1, uniform(random, 1, 7), uniform(random, 1, 7), 8}),
                        uniform(random, 1, 40));
    for (int i = 0; i < 2; ++i) x = moves.one(x);
    b.graph.add_output(b.conv("next", x, 9, 3));
    const std::string variant = seed % 2 == 0 ? "tiny" : "paper";
    const runtime::Module module = compile(b.graph, variant);
    b.expect_same(module);
    for (const auto& node : module.nodes) moved += node.reason.starts_with("moved by DMA");
    cut += device_steps(module) > 1;
    if (HasFailure()) return;
  }
  EXPECT_GE(moved, 40);
  EXPECT_LE(cut, 2);
}

}  // namespace
}  // namespace vdla::e2e
