// SPDX-License-Identifier: Apache-2.0
// Random additions and requantisations through the device's instructions, against an independent reference.
#include "tests/e2e/kit.h"
#include "tests/e2e/random_layers.h"
#include "tests/e2e/tflite_reference.h"

namespace vdla::e2e {
namespace {

class Arithmetic : public ::testing::TestWithParam<std::string> {
 protected:
  /// A spread of values with both ends of the range.
  Bytes random_bytes(std::size_t count) {
    Bytes bytes(count);
    for (std::byte& b : bytes) b = static_cast<std::byte>(uniform(random_, -128, 127));
    for (std::byte end : {std::byte{0x80}, std::byte{0x7f}})
      bytes[static_cast<std::size_t>(uniform(random_, 0, static_cast<int>(count) - 1))] = end;
    return bytes;
  }
  /// Everything on the functional engine; the engines with time get a part.
  int share(int all) const { return GetParam() == "functional" ? all : all / 20; }

  std::mt19937 random_{2024};
};

std::int64_t value(const Bytes& bytes, std::size_t i) { return static_cast<std::int8_t>(bytes[i]); }

std::int64_t expected_sum(const graph::Add& op, std::int64_t a, std::int64_t b) {
  const std::int64_t unit = std::int64_t{1} << 20;
  const std::int64_t sum = tflite::multiply((a - op.a_zero_point) * unit, op.a.value, op.a.shift) +
                           tflite::multiply((b - op.b_zero_point) * unit, op.b.value, op.b.shift);
  const graph::Multiplier& m = op.out.multiplier[0];
  return tflite::requantise(sum, m.value, m.shift, op.out.zero_point, op.out.min, op.out.max);
}

TEST_P(Arithmetic, AThousandRandomAddsAreExact) {
  VDLA_NEED_ENGINE(GetParam());
  constexpr int kPerGraph = 50;
  constexpr std::size_t kElements = 4 * 11;
  for (int first = 0; first < share(1000); first += kPerGraph) {
    graph::Graph g;
    std::vector<graph::Add> ops;
    std::vector<Bytes> inputs;
    for (int i = 0; i < kPerGraph; ++i) {
      std::vector<graph::TensorId> operands;
      for (const char* name : {"a", "b"}) {
        operands.push_back(
            g.add_tensor({name + std::to_string(i), graph::DataType::Int8, {1, 2, 2, 11}, {}, nullptr}));
        g.add_input(operands.back());
        inputs.push_back(random_bytes(kElements));
      }
      ops.push_back(random_add(random_));
      g.add_output(g.add_node("add" + std::to_string(i), ops.back(), operands));
    }
    const runtime::Module module = compile(g, "tiny");
    for (std::size_t i = 0; i < ops.size(); ++i)
      ASSERT_EQ(module.nodes[i].place, ops[i].out.min < ops[i].out.max ? "vdla" : "cpu");
    const auto outputs = EngineSession(module, GetParam()).run(inputs);
    for (std::size_t i = 0; i < ops.size(); ++i)
      for (std::size_t e = 0; e < kElements; ++e) {
        const std::int64_t a = value(inputs[2 * i], e), b = value(inputs[2 * i + 1], e);
        ASSERT_EQ(value(outputs[i], e), expected_sum(ops[i], a, b))
            << "add " << first + static_cast<int>(i) << ": " << a << " + " << b;
      }
  }
}

/// A 1x1 convolution of one input channel: each output channel requantises bias + w * x with its own
/// multiplier and shift.
struct Requantisations {
  graph::Conv2d op;
  std::vector<std::int8_t> weights;
  std::vector<std::int32_t> bias;
};

Requantisations random_requantisations(int channels, std::mt19937& random) {
  Requantisations r;
  r.op.out.zero_point = uniform(random, -128, 127);
  if (uniform(random, 0, 2) == 0) {
    r.op.out.min = uniform(random, -128, 0);
    r.op.out.max = uniform(random, 0, 127);
  }
  r.op.out.multiplier.clear();
  for (int c = 0; c < channels; ++c) {
    const int shift = uniform(random, -24, 4);
    const int left = std::max(shift, 0);
    r.op.out.multiplier.push_back({uniform(random, 1 << 30, INT32_MAX), shift});
    // Most accumulators should land inside of int8; none may leave int32 when shifted left.
    const int bits = std::min(30 - left, uniform(random, 4, 9) - std::min(shift, 0));
    const int limit = (1 << bits) - 128 * 128;
    r.weights.push_back(static_cast<std::int8_t>(uniform(random, -128, 127)));
    r.bias.push_back(limit > 0 ? uniform(random, -limit, limit) : 0);
  }
  return r;
}

TEST_P(Arithmetic, AThousandRandomRequantisationsAreExact) {
  VDLA_NEED_ENGINE(GetParam());
  constexpr int kChannels = 50;
  constexpr std::size_t kPixels = 16;
  int inside = 0, all = 0;
  for (int first = 0; first < share(1000); first += kChannels) {
    const Requantisations r = random_requantisations(kChannels, random_);
    graph::Graph g;
    const auto x = g.add_tensor({"x", graph::DataType::Int8, {1, 4, 4, 1}, {}, nullptr});
    g.add_input(x);
    const auto w =
        g.add_constant("w", graph::DataType::Int8, {kChannels, 1, 1, 1}, graph::to_bytes(r.weights));
    const auto b = g.add_constant("b", graph::DataType::Int32, {kChannels}, graph::to_bytes(r.bias));
    g.add_output(g.add_node("requantise", r.op, {x, w, b}));
    const runtime::Module module = compile(g, "tiny");
    ASSERT_EQ(module.nodes.at(0).place, "vdla") << module.nodes.at(0).reason;
    const Bytes input = random_bytes(kPixels);
    const Bytes output = EngineSession(module, GetParam()).run({input}).at(0);
    for (std::size_t p = 0; p < kPixels; ++p)
      for (std::size_t c = 0; c < kChannels; ++c) {
        const std::int64_t accumulator = r.bias[c] + std::int64_t{r.weights[c]} * value(input, p);
        const auto& out = r.op.out;
        const std::int64_t expected = tflite::requantise(
            accumulator, out.multiplier[c].value, out.multiplier[c].shift, out.zero_point, out.min, out.max);
        ASSERT_EQ(value(output, p * kChannels + c), expected)
            << "accumulator " << accumulator << ", multiplier " << out.multiplier[c].value << ", shift "
            << out.multiplier[c].shift << ", zero point " << out.zero_point;
        inside += expected > out.min && expected < out.max;
        ++all;
      }
  }
  EXPECT_GT(inside, all / 4) << "most results are clamped, so they prove little";
}

INSTANTIATE_TEST_SUITE_P(On, Arithmetic, ::testing::ValuesIn(engines()), case_name);

}  // namespace
}  // namespace vdla::e2e
