// SPDX-License-Identifier: Apache-2.0
// int8 layers on the CPU by dot products of four, of channels or of the taps of depthwise ones: bytes as the
// plain operators have them, for machines with and without the instruction, layers of many shapes, and with
// what is fused behind them.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstring>
#include <random>

#include "compiler/loop/interpret.h"
#include "compiler/loop/print.h"
#include "compiler/pipeline/reference.h"
#include "compiler/targets/cpu/code/code.h"
#include "compiler/targets/cpu/kernels/host_kernel.h"
#include "compiler/targets/cpu/templates/dot.h"
#include "tests/compiler/pipeline/random_conv.h"

namespace vdla::pipeline {
namespace {

using graph::Graph;

std::vector<cpu::CpuProfile> profiles() {
  std::vector<cpu::CpuProfile> result(4);
  result[1].vector_bytes = 32;
  result[2].vector_bytes = result[3].vector_bytes = 64;
  result[2].vector_registers = result[3].vector_registers = 32;
  result[1].dot_product = result[3].dot_product = true;
  // All channels for a row before the next row, and the other way round.
  result[0].l2_bytes = result[3].l2_bytes = 64;
  return result;
}

std::string describe(const cpu::CpuProfile& m) {
  return std::to_string(m.vector_bytes) + " bytes" + (m.dot_product ? ", with the instruction" : "");
}

/// The whole graph as one function; `uses_dots`: the function has the intrinsic.
graph::Bytes run(const Graph& g, const graph::Bytes& input, const cpu::CpuProfile& profile, bool interpret,
                 bool& uses_dots) {
  std::vector<graph::NodeId> nodes;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) nodes.push_back(static_cast<graph::NodeId>(i));
  const HostKernel kernel = host_kernel(g, nodes, profile);
  uses_dots = loop::to_string(kernel.func).find("tensorize dot4") != std::string::npos;
  graph::Bytes output(g.tensor(g.outputs[0].tensor).bytes(), std::byte{0x55});
  std::vector<graph::Bytes> memory;
  std::size_t result = 0;
  for (const KernelArgument& a : kernel.arguments) {
    if (a.tensor == g.outputs[0].tensor) result = memory.size();
    memory.push_back(a.tensor == graph::kNone          ? *a.data
                     : a.tensor == g.outputs[0].tensor ? output
                     : a.tensor == g.inputs[0].tensor  ? input
                                                       : *g.tensor(a.tensor).data);
  }
  if (interpret) {
    std::vector<std::span<std::byte>> arguments(memory.begin(), memory.end());
    loop::Interpreter(kernel.func).run(arguments);
  } else {
    std::vector<void*> arguments;
    for (graph::Bytes& bytes : memory) arguments.push_back(bytes.data());
    host::Jit jit;
    jit.add(kernel.func)(arguments.data());
  }
  return memory[result];
}

void expect_exact(const Graph& g, const std::vector<graph::Bytes>& input, bool dots) {
  const graph::Bytes want = Reference(g).run(input).at(0);
  for (const cpu::CpuProfile& profile : profiles()) {
    for (const bool interpret : {false, true}) {
      bool used = false;
      EXPECT_TRUE(run(g, input[0], profile, interpret, used) == want)
          << describe(profile) << (interpret ? ", interpreted" : "");
      EXPECT_EQ(used, dots) << describe(profile);
    }
  }
}

TEST(Dots, ConvolutionsOfManyShapes) {
  std::mt19937 random(21);
  for (unsigned seed = 0; seed < 24; ++seed) {
    testing::ConvShape s = testing::random_conv(random, 12);
    s.weights[0] = 4 * (1 + static_cast<std::int64_t>(random() % 12));
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + testing::to_string(s));
    const Graph g = testing::conv_graph(s, seed);
    // Rows of taps lie beside each other only where the kernel's columns do.
    expect_exact(g, testing::conv_input(g, seed), s.weights[3] % 4 == 0 || s.op.dilation.w == 1);
  }
}

TEST(Dots, PixelsThatNoWindowReadsAreNotCopied) {
  for (const graph::Hw stride : {graph::Hw{2, 2}, {3, 1}, {1, 2}}) {
    for (const std::int64_t pad : {0, 1}) {
      for (const std::int64_t depth : {8, 3}) {
        testing::ConvShape s{{2, 7, 10, depth}, {16, 1, 1, depth}, {}};
        s.op.stride = stride;
        s.op.dilation = {1, 1};
        s.op.pads = {pad, 0, pad, pad};
        s.op.input_zero_point = -7;
        SCOPED_TRACE(testing::to_string(s));
        const Graph g = testing::conv_graph(s, 9);
        expect_exact(g, testing::conv_input(g, 9), true);
      }
    }
  }
}

TEST(Dots, WhatHasNoDotProducts) {
  testing::ConvShape s{{1, 5, 6, 8}, {8, 3, 3, 8}, {}};
  s.op.stride = s.op.dilation = {1, 1};
  for (const bool zero_point : {false, true}) {
    testing::ConvShape own = s;
    if (zero_point)
      own.op.weight_zero_point = 3;
    else
      own.weights[0] = 6;  // fills no vector
    const Graph g = testing::conv_graph(own, 4);
    expect_exact(g, testing::conv_input(g, 4), false);
  }
}

/// Extremes of all operands: sums that leave 16 bits by far, and a bias that makes them wrap.
TEST(Dots, SumsAreExactAtTheEndsOfTheRange) {
  for (const int data : {-128, 127}) {
    for (const int weight : {-128, 127}) {
      testing::ConvShape s{{1, 4, 4, 64}, {16, 3, 3, 64}, {}};
      s.op.stride = s.op.dilation = {1, 1};
      s.op.input_zero_point = -data - (data < 0 ? 1 : 0);
      Graph g = testing::conv_graph(s, 5);
      g.tensor(g.nodes[0].inputs[1]).data =
          graph::to_bytes(std::vector<std::int8_t>(16 * 9 * 64, static_cast<std::int8_t>(weight)));
      g.tensor(g.nodes[0].inputs[2]).data =
          graph::to_bytes(std::vector<std::int32_t>(16, data < 0 ? INT32_MIN : INT32_MAX));
      const std::vector<std::int8_t> values(1024, static_cast<std::int8_t>(data));
      expect_exact(g, {*graph::to_bytes(values)}, true);
    }
  }
}

/// Kernels of up to four rows, and of more; strides, dilations, borders, zero points and what fills no
/// vector.
TEST(PackedTaps, DepthwiseConvolutionsOfManyShapes) {
  std::mt19937 random(31);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  for (unsigned seed = 0; seed < 30; ++seed) {
    const std::int64_t channels = seed % 7 == 6 ? 6 : 4 * draw(1, 12);
    const graph::Shape kernel{1, draw(1, 6), draw(1, 4), channels};
    graph::DepthwiseConv2d op;
    op.stride = {draw(1, 2), draw(1, 3)};
    op.dilation = {draw(1, 2), draw(1, 2)};
    op.pads = {draw(0, 3), draw(0, 2), draw(0, 3), draw(0, 2)};
    op.input_zero_point = static_cast<std::int32_t>(draw(-128, 127));
    if (seed % 10 == 9) op.weight_zero_point = 5;
    op.out = {{}, static_cast<std::int32_t>(draw(-128, 127)), -128, 127};
    for (std::int64_t c = 0; c < channels; ++c)
      op.out.multiplier.push_back(
          {static_cast<std::int32_t>(draw(1 << 30, INT32_MAX)), -static_cast<int>(draw(3, 9))});
    const graph::Shape in{draw(1, 2), draw(13, 15), draw(10, 12), channels};
    const auto bytes = [&](const graph::Shape& shape) {
      std::vector<std::int8_t> values(static_cast<std::size_t>(graph::element_count(shape)));
      for (std::int8_t& v : values) v = static_cast<std::int8_t>(draw(-128, 127));
      return values;
    };
    Graph g;
    g.name = "depthwise";
    const auto x = g.add_tensor({"x", graph::DataType::Int8, in, {}, nullptr});
    g.add_input(x);
    std::vector<std::int32_t> bias(static_cast<std::size_t>(channels));
    for (std::int32_t& b : bias) b = static_cast<std::int32_t>(draw(-9999, 9999));
    std::vector<graph::TensorId> inputs{
        x, g.add_constant("w", graph::DataType::Int8, kernel, graph::to_bytes(bytes(kernel)))};
    if (seed % 5 != 4)
      inputs.push_back(g.add_constant("b", graph::DataType::Int32, {channels}, graph::to_bytes(bias)));
    g.add_output(g.add_node("layer", op, inputs));
    SCOPED_TRACE(fmt::format("seed {}: {} by {}", seed, graph::to_string(in), graph::to_string(kernel)));
    const std::vector<graph::Bytes> input{*graph::to_bytes(bytes(in))};
    const graph::Bytes want = Reference(g).run(input).at(0);
    const bool packs = channels % 4 == 0 && op.weight_zero_point == 0;
    for (const cpu::CpuProfile& profile : profiles()) {
      const std::string text = loop::to_string(host_kernel(g, std::vector<graph::NodeId>{0}, profile).func);
      EXPECT_EQ(text.find("bytes_dot") != std::string::npos, packs && profile.dot_product);
      for (const bool interpret : {false, true}) {
        bool dots = false;
        EXPECT_TRUE(run(g, input[0], profile, interpret, dots) == want)
            << describe(profile) << (interpret ? ", interpreted" : "");
      }
    }
  }
}

TEST(Dots, DenseLayersOfManyShapes) {
  for (const graph::Shape& in : {graph::Shape{1, 64}, {5, 30}, {6, 7}, {2, 3, 16}}) {
    for (const std::int64_t channels : {4, 24, 48, 1000}) {
      SCOPED_TRACE(graph::to_string(in) + " -> " + std::to_string(channels));
      Graph g;
      const auto x = g.add_tensor({"x", graph::DataType::Int8, in, {}, nullptr});
      g.add_input(x);
      const std::int64_t depth = in.back();
      const auto w = g.add_constant("w", graph::DataType::Int8, {channels, depth},
                                    graph::to_bytes(testing::random_values<std::int8_t>(
                                        static_cast<std::size_t>(channels * depth), 3, -128, 127)));
      graph::FullyConnected dense{17, 0, {}};
      dense.out.multiplier = {{1 << 30, -6}};
      g.add_output(g.add_node("dense", dense, {x, w, graph::kNone}));
      expect_exact(g, testing::conv_input(g, 8), true);
    }
  }
}

TEST(Dots, ASumIsFusedBehindTheLayer) {
  testing::ConvShape s{{1, 6, 6, 16}, {16, 3, 3, 16}, {}};
  s.op.stride = s.op.dilation = {1, 1};
  s.op.pads = {1, 1, 1, 1};
  Graph g = testing::conv_graph(s, 6);
  const graph::TensorId y = g.outputs[0].tensor;
  g.outputs.clear();
  graph::Add add{20, 3, -5, {1 << 30, 0}, {1 << 30, 0}, {}};
  add.out.multiplier = {{1 << 30, -18}};
  g.add_output(g.add_node("add", add, {y, g.inputs[0].tensor}));
  expect_exact(g, testing::conv_input(g, 6), true);
}

TEST(DotKnobs, SumsFillTheRegisters) {
  for (const cpu::CpuProfile& m : profiles()) {
    for (const std::int64_t columns : {1, 7, 14, 56, 112}) {
      const auto knobs = cpu::dot_default({64, columns, 36864}, m);
      ASSERT_TRUE(knobs);
      EXPECT_EQ(columns % knobs->columns, 0);
      EXPECT_EQ(64 % (knobs->lanes * knobs->vectors), 0);
      const std::int64_t sums = knobs->columns * knobs->vectors;
      EXPECT_LE(sums + knobs->vectors, m.vector_registers);
      // The instruction's latency is hidden where there are columns enough.
      EXPECT_GE(sums, columns == 1 || !m.dot_product ? 1 : m.fma_latency * m.fma_per_cycle - 1)
          << describe(m) << columns;
    }
  }
  EXPECT_FALSE(cpu::dot_default({6, 8, 100}, profiles()[2]));
}

}  // namespace
}  // namespace vdla::pipeline
