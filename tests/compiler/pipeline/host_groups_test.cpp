// SPDX-License-Identifier: Apache-2.0
// What compile() makes of float networks on the CPU: fused, blocked, vectorised and parallel functions
// compute what the plain nodes do, for machines with other vectors, with fusion and without.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <set>

#include "compiler/expr/dsl.h"
#include "compiler/graph/block_layouts.h"
#include "compiler/graph/fuse.h"
#include "compiler/pipeline/compile.h"
#include "compiler/pipeline/reference.h"
#include "compiler/targets/cpu/code/code.h"
#include "isa/variants/variants.h"
#include "support/error.h"
#include "tests/compiler/pipeline/float_net.h"
#include "tests/compiler/pipeline/host_functions.h"

namespace vdla::pipeline {
namespace {

using graph::DataType;
using graph::Graph;
using graph::TensorId;

std::vector<cpu::CpuProfile> all_profiles() {
  std::vector<cpu::CpuProfile> result(3);
  result[1].vector_bytes = 32;
  result[2].vector_bytes = 64;
  result[2].vector_registers = 32;
  return result;
}

/// The host steps as machine code, over memory of their own; the bytes of the outputs.
std::vector<graph::Bytes> run_bytes(const CompiledModel& model, const std::vector<graph::Bytes>& inputs) {
  host::Jit jit;
  std::map<std::string, codegen::HostFunction> functions;
  for (const loop::Func& func : host_functions(model)) functions[func.name] = jit.add(func);
  std::vector<graph::Bytes> memory;
  for (const graph::Tensor& t : model.graph.tensors)
    memory.push_back(t.constant() ? *t.data : graph::Bytes(t.bytes(), std::byte{0x7f}));
  for (std::size_t i = 0; i < inputs.size(); ++i)
    memory[static_cast<std::size_t>(model.graph.inputs[i].tensor)] = inputs[i];
  for (const Step& step : model.steps) {
    const HostKernel& kernel = std::get<HostStep>(step).kernel;
    std::vector<void*> pointers;
    for (const KernelArgument& a : kernel.arguments)
      pointers.push_back(a.tensor == graph::kNone ? const_cast<std::byte*>(a.data->data())
                                                  : memory[static_cast<std::size_t>(a.tensor)].data());
    functions.at(kernel.func.name)(pointers.data());
  }
  std::vector<graph::Bytes> outputs;
  for (const graph::Port& port : model.graph.outputs)
    outputs.push_back(memory[static_cast<std::size_t>(port.tensor)]);
  return outputs;
}

std::vector<float> floats(const std::vector<graph::Bytes>& all) {
  std::vector<float> result;
  for (const graph::Bytes& bytes : all) {
    result.resize(result.size() + bytes.size() / 4);
    std::memcpy(result.data() + result.size() - bytes.size() / 4, bytes.data(), bytes.size());
  }
  return result;
}

CompileOptions options(const cpu::CpuProfile& profile, bool fuse) {
  CompileOptions o;
  o.variant = isa::load_variant("paper");
  o.use_device = false;
  o.machine_code = false;
  o.cpu = profile;
  o.fuse = fuse;
  return o;
}

/// The number of steps with fusion on the last machine.
std::size_t expect_as_plain(const Graph& g) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> value(-1.0f, 1.0f);
  std::vector<graph::Bytes> inputs;
  for (const graph::Port& port : g.inputs) {
    std::vector<float> values(static_cast<std::size_t>(graph::element_count(g.tensor(port.tensor).shape)));
    for (float& v : values) v = value(random);
    inputs.push_back(*graph::to_bytes(values));
  }
  const std::vector<float> want = floats(Reference(g).run(inputs));
  std::size_t steps = 0;
  for (const cpu::CpuProfile& profile : all_profiles()) {
    for (const bool fuse : {false, true}) {
      const CompiledModel model = compile(g, options(profile, fuse));
      const std::vector<float> have = floats(run_bytes(model, inputs));
      EXPECT_EQ(have.size(), want.size());
      for (std::size_t i = 0; i < want.size() && i < have.size(); ++i) {
        EXPECT_NEAR(have[i], want[i], 1e-4 * std::max(1.0f, std::fabs(want[i])))
            << "element " << i << ", vectors of " << profile.vector_bytes << (fuse ? ", fused" : "");
        if (::testing::Test::HasFailure()) return 0;
      }
      steps = model.steps.size();
    }
  }
  return steps;
}

TEST(HostGroups, ConvolutionsOfManyShapes) {
  const struct {
    std::int64_t in, out, size, kernel, stride, groups, batch;
  } cases[] = {{3, 16, 9, 3, 2, 1, 1},   {16, 24, 7, 3, 1, 1, 1},  {24, 40, 6, 1, 1, 1, 2},
               {32, 32, 8, 3, 1, 32, 1}, {20, 20, 5, 3, 2, 20, 2}, {32, 32, 6, 3, 1, 2, 1},
               {17, 33, 5, 5, 1, 1, 1},  {8, 2, 6, 3, 1, 1, 1},    {16, 74, 5, 1, 1, 1, 1}};
  for (const auto& c : cases) {
    SCOPED_TRACE(::testing::Message() << c.in << " -> " << c.out << ", groups " << c.groups);
    Net net(1);
    TensorId x = net.channel_map(
        net.conv(net.input({c.batch, c.in, c.size, c.size}), c.out, c.kernel, c.stride, c.groups));
    net.graph.add_output(x);
    expect_as_plain(net.graph);
  }
}

TEST(HostGroups, DepthwiseLayersAfterOddNumbersOfBlocks) {
  for (const std::int64_t channels : {18, 26, 72}) {
    SCOPED_TRACE(channels);
    Net net(1);
    const TensorId x = net.channel_map(net.conv(net.input({1, 3, 5, 5}), channels, 1, 1));
    const TensorId y = net.channel_map(net.conv(x, channels, 3, 2, channels));
    net.graph.add_output(net.conv(y, 7, 1, 1));
    net.graph.add_output(net.sum(net.conv(x, channels, 3, 1, channels), x));
    expect_as_plain(net.graph);
  }
}

TEST(HostGroups, AResidualNetworkStaysInBlocks) {
  Net net(2);
  const TensorId x = net.channel_map(net.conv(net.input({1, 3, 12, 12}), 32, 3, 1));
  const TensorId y = net.channel_map(net.conv(x, 32, 3, 1));
  const TensorId z = net.sum(net.channel_map(net.conv(y, 32, 3, 1, 32)), x);
  const TensorId pooled =
      net.add(graph::ReduceWindow{expr::Reducer::Max, {2, 2}, {2, 2}, {1, 1}, {0, 0}, {0, 0}}, {z});
  const TensorId joined = net.add(graph::Concat{1}, {pooled, net.channel_map(net.conv(pooled, 48, 1, 1))});
  const TensorId mean = net.add(graph::Fold{expr::Reducer::Sum, {2, 3}, true}, {joined});
  const TensorId flat = net.add(graph::Reshape{{1, 80}}, {mean});
  const TensorId scores = net.add(graph::MatMul{false, true}, {flat, net.constant({10, 80})});
  net.graph.add_output(
      net.map("bias", {scores, net.constant({10})}, [](const auto& v) { return v[0] + v[1]; }));
  // Blocks of the image, four convolutions (the third with the sum), pooling, joining (a copy: others read
  // the pooled image), mean, reshape, product.
  EXPECT_EQ(expect_as_plain(net.graph), 10u);
}

/// Inputs of a concatenation that nothing else reads are stored where it wants them: it is no step then.
TEST(HostGroups, ConcatenationsOfResultsAreNoCopies) {
  const auto gains = [](const auto& build) {
    Net net(5);
    const TensorId x = net.channel_map(net.conv(net.input({2, 16, 7, 6}), 32, 3, 1));
    build(net, x, [&](std::int64_t channels) { return net.channel_map(net.conv(x, channels, 1, 1)); });
    expect_as_plain(net.graph);
    const CompiledModel model = compile(net.graph, options(all_profiles().back(), true));
    const auto stored = std::ranges::count_if(model.nodes, [](const NodeReport& node) {
      return node.reason.ends_with("; its inputs are stored in their places");
    });
    return static_cast<std::size_t>(stored);
  };
  for (const int axis : {1, -3, 2, 3, 0}) {
    SCOPED_TRACE(axis);
    EXPECT_EQ(gains([axis](Net& net, TensorId, const auto& conv) {
                const TensorId a = conv(32), b = conv(32), c = conv(axis == 1 || axis == -3 ? 16 : 32);
                net.graph.add_output(net.add(graph::Concat{axis}, {a, b, c}));
              }),
              1u);
  }
  EXPECT_EQ(gains([](Net& net, TensorId, const auto& conv) {  // the second one copies the first
              const TensorId first = net.add(graph::Concat{1}, {conv(32), conv(16)});
              net.graph.add_output(net.add(graph::Concat{1}, {first, conv(32)}));
            }),
            1u);
  EXPECT_EQ(gains([](Net& net, TensorId, const auto& conv) {  // each input would need a function of its own
              std::vector<TensorId> many;
              for (int i = 0; i < 9; ++i) many.push_back(conv(32));
              net.graph.add_output(net.add(graph::Concat{1}, many));
            }),
            0u);
  EXPECT_EQ(gains([](Net& net, TensorId x, const auto& conv) {  // an input is read by others
              net.graph.add_output(net.add(graph::Concat{1}, {x, conv(32)}));
            }),
            0u);
  EXPECT_EQ(gains([](Net& net, TensorId, const auto& conv) {  // leaves the network
              const TensorId a = conv(32);
              net.graph.add_output(a);
              net.graph.add_output(net.add(graph::Concat{1}, {a, conv(32)}));
            }),
            0u);
  EXPECT_EQ(gains([](Net& net, TensorId, const auto& conv) {  // twice the same
              const TensorId a = conv(32);
              net.graph.add_output(net.add(graph::Concat{1}, {a, a}));
            }),
            0u);
}

TEST(HostGroups, ATensorThatIsReadPlainAndBlocked) {
  Net net(3);
  const TensorId x = net.channel_map(net.conv(net.input({1, 16, 6, 6}), 24, 3, 1));
  net.graph.add_output(x);
  net.graph.add_output(net.channel_map(net.conv(x, 16, 1, 1)));
  net.graph.add_output(net.add(graph::Fold{expr::Reducer::Max, {1}, false}, {x}));
  expect_as_plain(net.graph);
}

TEST(HostGroups, MapsThatBroadcastOverBlocks) {
  Net net(4);
  const TensorId x = net.conv(net.input({1, 16, 4, 6}), 24, 3, 1);
  const TensorId gate = net.map("sigmoid", {net.add(graph::Fold{expr::Reducer::Sum, {2, 3}, true}, {x})},
                                [](const auto& v) { return expr::sigmoid(v[0]); });
  TensorId y = net.map("gate", {x, gate}, [](const auto& v) { return v[0] * v[1]; });
  y = net.map("place", {y, net.constant({1, 1, 4, 6})}, [](const auto& v) { return v[0] * v[1]; });
  y = net.map("scalar", {y, net.constant({1})}, [](const auto& v) { return v[0] + v[1]; });
  net.graph.add_output(y);
  expect_as_plain(net.graph);
}

TEST(HostGroups, ProductsSoftmaxAndChains) {
  Net net(5);
  const TensorId a = net.input({6, 32}), b = net.input({32, 48});
  const TensorId product = net.add(graph::MatMul{}, {a, b});
  const TensorId h = net.map("tanh", {product, net.add(graph::MatMul{}, {a, net.constant({32, 48})})},
                             [](const auto& v) { return expr::apply(expr::Function::Tanh, {v[0] + v[1]}); });
  const TensorId largest = net.add(graph::Fold{expr::Reducer::Max, {1}, true}, {h});
  const TensorId power = net.map(
      "exp", {h, largest}, [](const auto& v) { return expr::apply(expr::Function::Exp, {v[0] - v[1]}); });
  const TensorId total = net.add(graph::Fold{expr::Reducer::Sum, {1}, true}, {power});
  net.graph.add_output(net.map("quotient", {power, total}, [](const auto& v) { return v[0] / v[1]; }));
  const TensorId turned =
      net.add(graph::Transpose{{1, 0}}, {net.map("twice", {h}, [](const auto& v) { return v[0] + v[0]; })});
  net.graph.add_output(net.add(graph::Reshape{{8, 36}}, {turned}));
  expect_as_plain(net.graph);
}

TEST(HostGroups, ANodeThatReadsATensorTwice) {
  Net net(9);
  const TensorId x = net.input({4, 5});
  net.graph.add_output(net.sum(x, x));
  net.graph.add_output(net.add(graph::MatMul{false, true}, {x, x}));
  EXPECT_EQ(expect_as_plain(net.graph), 2u);
}

/// int8 layers of `channels` outputs, by lanes where they fill vectors; with `weight_zero_point` the
/// convolution is no dot products.
Graph quantized_layers(std::int64_t channels, std::int32_t weight_zero_point = 0) {
  std::mt19937 random(12);
  const auto bytes = [&](std::int64_t count) {
    std::vector<std::int8_t> values(static_cast<std::size_t>(count));
    for (std::int8_t& v : values) v = static_cast<std::int8_t>(random());
    return graph::to_bytes(values);
  };
  const auto stage = [&](std::int64_t count) {
    graph::OutputStage out;
    out.multiplier.clear();
    for (std::int64_t i = 0; i < count; ++i)
      out.multiplier.push_back(
          {static_cast<std::int32_t>(1 << 30) + static_cast<std::int32_t>(random() % (1 << 20)),
           -6 - static_cast<std::int32_t>(i % 2)});
    out.zero_point = -3;
    return out;
  };
  Graph g;
  g.name = "int8";
  const TensorId x = g.add_tensor({"x", DataType::Int8, {1, 7, 6, 5}, {}, nullptr});
  g.add_input(x);
  graph::Conv2d conv{{1, 1}, {1, 1}, {1, 1, 1, 1}, 1, 4, weight_zero_point, stage(channels)};
  std::vector<std::int32_t> biases(static_cast<std::size_t>(channels), 1000);
  const TensorId bias = g.add_constant("b", DataType::Int32, {channels}, graph::to_bytes(biases));
  const TensorId y =
      g.add_node("conv", conv,
                 {x, g.add_constant("w", DataType::Int8, {channels, 3, 3, 5}, bytes(channels * 45)), bias});
  graph::DepthwiseConv2d depthwise{{2, 2}, {1, 1}, {1, 1, 1, 1}, -3, 0, stage(channels)};
  const TensorId z =
      g.add_node("depthwise", depthwise,
                 {y, g.add_constant("d", DataType::Int8, {1, 3, 3, channels}, bytes(channels * 9)), bias});
  graph::Requantize relu{-3, {}};
  relu.out.zero_point = -20;
  relu.out.min = -20;
  const TensorId r = g.add_node("relu", relu, {z});
  const TensorId flat = g.add_node("flat", graph::Reshape{{2, 6 * channels}}, {r});
  graph::FullyConnected dense{-20, 0, stage(1)};
  g.add_output(g.add_node(
      "dense", dense,
      {flat, g.add_constant("f", DataType::Int8, {32, 6 * channels}, bytes(192 * channels)), graph::kNone}));
  g.add_output(r);
  return g;
}

TEST(HostGroups, QuantizedLayersAreExact) {
  for (const std::int64_t channels : {48, 20, 6}) {
    const Graph g = quantized_layers(channels);
    graph::Bytes input(g.tensor(g.inputs[0].tensor).bytes());
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<std::byte>(i * 37);
    const std::vector<graph::Bytes> want = Reference(g).run({input});
    for (const cpu::CpuProfile& profile : all_profiles())
      for (const bool fuse : {false, true})
        EXPECT_EQ(run_bytes(compile(g, options(profile, fuse)), {input}), want)
            << channels << " channels, vectors of " << profile.vector_bytes << (fuse ? ", fused" : "");
  }
}

/// The view of packed weights, whose rows fill vectors, was scheduled as a tensor that is made.
TEST(HostGroups, IntegerLayersWithoutDotProductsMayHaveWeightsThatFillVectors) {
  Graph g;
  const auto input = [&](const graph::Shape& shape) {
    const TensorId id =
        g.add_tensor({"x" + std::to_string(g.inputs.size()), DataType::Int8, shape, {}, nullptr});
    g.add_input(id);
    return id;
  };
  const auto weights = [&](const graph::Shape& shape) {
    std::vector<std::int8_t> values(static_cast<std::size_t>(graph::element_count(shape)));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int8_t>(i * 73);
    return g.add_constant("w" + std::to_string(g.inputs.size()), DataType::Int8, shape,
                          graph::to_bytes(values));
  };
  graph::OutputStage stage;
  stage.multiplier = {{1 << 30, -6}};
  const TensorId row = input({1, 16});
  g.add_output(
      g.add_node("dense", graph::FullyConnected{0, 3, stage}, {row, weights({16, 16}), graph::kNone}));
  const TensorId image = input({1, 4, 4, 16});
  const graph::Conv2d conv{{1, 1}, {1, 1}, {1, 1, 1, 1}, 1, 4, 3, stage};
  g.add_output(g.add_node("conv", conv, {image, weights({16, 3, 3, 16}), graph::kNone}));
  std::vector<graph::Bytes> inputs = {graph::Bytes(16), graph::Bytes(256)};
  for (graph::Bytes& bytes : inputs)
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37);
  const std::vector<graph::Bytes> want = Reference(g).run(inputs);
  for (const cpu::CpuProfile& profile : all_profiles())
    EXPECT_EQ(run_bytes(compile(g, options(profile, true)), inputs), want) << profile.vector_bytes;
}

/// Largest distance, over the largest value.
double apart(const std::vector<graph::Bytes>& a, const std::vector<graph::Bytes>& b) {
  const std::vector<float> x = floats(a), y = floats(b);
  double distance = 0, largest = 1e-30;
  for (std::size_t i = 0; i < x.size(); ++i) {
    distance = std::max<double>(distance, std::abs(x[i] - y[i]));
    largest = std::max<double>(largest, std::abs(y[i]));
  }
  return distance / largest;
}

/// With `points` drawn points for each of the network's tasks, all tasks at once: integers are the same,
/// floats within a bound. The names of the tasks' layers.
std::vector<std::string> expect_knobs_change_nothing(const Graph& g, const std::vector<graph::Bytes>& inputs,
                                                     int points, bool integers) {
  std::vector<std::string> tuned;
  for (const cpu::CpuProfile& profile : all_profiles()) {
    CompileOptions o = options(profile, true);
    const std::vector<graph::Bytes> want = run_bytes(compile(g, o), inputs);
    o.book = KnobBook{target_of(o), {}, {}};
    const CompiledModel by_default = compile(g, o);
    EXPECT_EQ(run_bytes(by_default, inputs), want);
    std::vector<KnobTask> tasks = knob_tasks(by_default);
    std::erase_if(tasks, [](const KnobTask& task) { return task.plan; });
    tuned.clear();
    for (const KnobTask& task : tasks) tuned.push_back(task.task.substr(0, task.task.find(' ', 6)));
    Random random(17);
    for (int i = 0; i < points; ++i) {
      std::string knobs;
      for (const KnobTask& task : tasks) {
        const Point point = task.space.sample(random).value();
        EXPECT_EQ(task.space.normal(point), point);
        o.book->put({task.task, task.context, task.space.text(point), i + 1});
        knobs += task.task + ": " + task.space.text(point) + "\n";
      }
      const std::vector<graph::Bytes> got = run_bytes(compile(g, o), inputs);
      if (integers)
        EXPECT_EQ(got, want) << profile.vector_bytes << " bytes; " << knobs;
      else
        EXPECT_LT(apart(got, want), 1e-5) << profile.vector_bytes << " bytes; " << knobs;
    }
  }
  return tuned;
}

TEST(CpuKnobs, RandomPointsOfIntegerLayersGiveTheSameBytes) {
  for (const std::int64_t channels : {48, 20}) {
    const Graph g = quantized_layers(channels);
    graph::Bytes input(g.tensor(g.inputs[0].tensor).bytes());
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<std::byte>(i * 37);
    const auto tuned = expect_knobs_change_nothing(g, {input}, 3, true);
    EXPECT_EQ(tuned, (std::vector<std::string>{"conv2d", "depthwise_conv2d", "fully_connected"}));
  }
}

TEST(CpuKnobs, RandomPointsOfFloatLayersGiveTheSameValues) {
  Net net(31);
  TensorId x = net.channel_map(net.conv(net.input({2, 3, 13, 11}), 40, 3, 2));
  x = net.channel_map(net.conv(x, 40, 3, 1, 40));
  x = net.sum(net.channel_map(net.conv(x, 33, 3, 1)), net.conv(x, 33, 1, 1));
  x = net.add(graph::Reshape{{14, 33 * 6}}, {x});
  net.graph.add_output(net.add(graph::MatMul{}, {x, net.constant({33 * 6, 50})}));
  std::vector<float> values(2 * 3 * 13 * 11);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 23) / 11 - 1;
  const auto tuned = expect_knobs_change_nothing(net.graph, {*graph::to_bytes(values)}, 3, false);
  EXPECT_EQ(tuned, (std::vector<std::string>{"float conv2d", "float depthwise_conv2d", "float conv2d",
                                             "float conv2d", "float matmul"}));
}

std::vector<KnobTask> layers_of(const Graph& g, const CompileOptions& o) {
  std::vector<KnobTask> tasks = knob_tasks(compile(g, o));
  std::erase_if(tasks, [](const KnobTask& task) { return task.plan; });
  return tasks;
}

/// What a book is asked for, by the names of the layers.
std::vector<std::string> task_texts(const Graph& g, const CompileOptions& o) {
  std::vector<std::string> texts;
  for (const KnobTask& task : layers_of(g, o)) texts.push_back(task.task);
  return texts;
}

/// With each choice of the plan otherwise, and with drawn knobs of the layers that the network then has:
/// integers are the same, floats within a bound. The kinds of choices.
std::set<std::string> expect_plans_change_nothing(const Graph& g, const std::vector<graph::Bytes>& inputs,
                                                  bool integers) {
  std::set<std::string> kinds;
  Random random(23);
  for (const cpu::CpuProfile& profile : all_profiles()) {
    CompileOptions o = options(profile, true);
    const std::vector<graph::Bytes> want = run_bytes(compile(g, o), inputs);
    const KnobBook empty{target_of(o), {}, {}};
    o.book = empty;
    for (const KnobTask& choice : knob_tasks(compile(g, o))) {
      if (!choice.plan) continue;
      kinds.insert(choice.space.knobs()[0].name);
      for (Point p{1}; p[0] <= choice.space.knobs()[0].values; ++p[0]) {
        if (!choice.space.legal(p)) continue;
        const std::string what = choice.task + ": " + choice.space.text(p);
        o.book = empty;
        o.book->put({choice.task, choice.context, choice.space.text(p), 1});
        for (const KnobTask& layer : layers_of(g, o))
          o.book->put({layer.task, layer.context, layer.space.text(layer.space.sample(random).value()), 2});
        const std::vector<graph::Bytes> got = run_bytes(compile(g, o), inputs);
        if (integers)
          EXPECT_EQ(got, want) << profile.vector_bytes << " bytes; " << what;
        else
          EXPECT_LT(apart(got, want), 1e-5) << profile.vector_bytes << " bytes; " << what;
      }
    }
  }
  return kinds;
}

TEST(CpuPlans, ChoicesOfAnIntegerNetworkGiveTheSameBytes) {
  const Graph g = quantized_layers(48);
  graph::Bytes input(g.tensor(g.inputs[0].tensor).bytes());
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<std::byte>(i * 37);
  EXPECT_EQ(expect_plans_change_nothing(g, {input}, true), std::set<std::string>{"fused"});
}

TEST(CpuPlans, ChoicesOfAFloatNetworkGiveTheSameValues) {
  Net net(32);
  const TensorId x = net.channel_map(net.conv(net.input({1, 3, 9, 7}), 24, 3, 1));
  const TensorId y = net.sum(net.channel_map(net.conv(x, 24, 3, 1, 24)), x);
  const TensorId pooled =
      net.add(graph::ReduceWindow{expr::Reducer::Max, {2, 2}, {2, 2}, {1, 1}, {0, 0}, {0, 0}}, {y});
  const TensorId joined = net.add(graph::Concat{1}, {net.conv(pooled, 32, 1, 1), net.conv(pooled, 20, 1, 1)});
  const TensorId flat = net.add(graph::Reshape{{4, 13 * 12}}, {joined});
  net.graph.add_output(net.add(graph::MatMul{}, {flat, net.constant({13 * 12, 20})}));
  std::vector<float> values(3 * 9 * 7);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 23) / 11 - 1;
  EXPECT_EQ(expect_plans_change_nothing(net.graph, {*graph::to_bytes(values)}, false),
            (std::set<std::string>{"block", "fused"}));
}

TEST(CpuKnobs, ARecordOfALayerOfDotProductsIsNotTakenForTheSameLayerWithoutThem) {
  CompileOptions o = options(all_profiles()[1], true);
  o.book = KnobBook{target_of(o), {}, {}};
  const std::vector<KnobTask> dots = layers_of(quantized_layers(48), o);
  const std::vector<std::string> others = task_texts(quantized_layers(48, 3), o);
  ASSERT_EQ(dots.size(), 3u);
  ASSERT_EQ(others.size(), 3u);
  EXPECT_EQ(others[0], dots[0].task + ", without dot products");
  EXPECT_EQ(others[1], dots[1].task) << "depthwise layers have one template";
  EXPECT_EQ(others[2], dots[2].task);
  Random random(5);
  o.book->put({dots[0].task, dots[0].context, dots[0].space.text(dots[0].space.sample(random).value()), 1});
  EXPECT_NO_THROW(compile(quantized_layers(48, 3), o));
  // A record from before, when both had one name, is refused where it is no point of the layer's template.
  o.book->put({others[0], dots[0].context, o.book->records[0].knobs, 2});
  try {
    compile(quantized_layers(48, 3), o);
    FAIL() << "knobs of another template";
  } catch (const UserError& e) {
    EXPECT_NE(std::string(e.what()).find("record 2 of the knob book"), std::string::npos) << e.what();
  }
}

TEST(CpuKnobs, LayersThatDifferInTheirDilationAreDifferentTasks) {
  CompileOptions o = options(all_profiles()[1], true);
  o.book = KnobBook{target_of(o), {}, {}};
  for (const std::int64_t groups : {1, 32}) {
    const auto layer = [&](std::int64_t kernel, std::int64_t dilation) {
      Net net(4);
      net.graph.add_output(net.conv(net.input({1, 32, 9, 9}), 32, kernel, 1, groups, dilation));
      return task_texts(net.graph, o);
    };
    const std::vector<std::string> wide = layer(3, 1), dilated = layer(2, 2);
    ASSERT_EQ(wide.size(), 1u);
    ASSERT_EQ(dilated.size(), 1u);
    EXPECT_EQ(dilated[0], wide[0] + " dilation 2x2") << "both read windows of 3x3";
  }
}

TEST(Fuse, AProducerOfTwoGroupsIsStored) {
  Net net(6);
  const TensorId x = net.channel_map(net.input({1, 4, 3, 3}));
  const auto half = [](const auto& v) { return v[0] * 0.5; };
  net.graph.add_output(net.map("a", {x}, half));
  net.graph.add_output(net.map("b", {x}, half));
  EXPECT_EQ(graph::fuse(net.graph, std::vector<bool>(3, true)), (std::vector<graph::NodeId>{0, 1, 2}));
}

TEST(Fuse, OneConvolutionInAGroup) {
  Net net(7);
  const TensorId x = net.input({1, 4, 3, 3});
  net.graph.add_output(net.sum(net.conv(x, 4, 3, 1), net.conv(x, 4, 3, 1)));
  EXPECT_EQ(graph::fuse(net.graph, {true, true, true}), (std::vector<graph::NodeId>{0, 2, 2}));
  EXPECT_EQ(graph::fuse(net.graph, {true, true, false}), (std::vector<graph::NodeId>{0, 1, 2}));
}

TEST(Fuse, WhatFollowsAConvolutionIsNotForWhatStandsBehindIt) {
  Net net(10);
  const TensorId x = net.channel_map(net.conv(net.input({1, 4, 3, 3}), 4, 3, 1));
  net.graph.add_output(net.add(graph::Fold{expr::Reducer::Sum, {2, 3}, true}, {x}));
  EXPECT_EQ(graph::fuse(net.graph, {true, true, true}), (std::vector<graph::NodeId>{1, 1, 2}));
  Net moved(10);
  const TensorId y = moved.channel_map(moved.conv(moved.input({1, 4, 3, 3}), 4, 3, 1));
  moved.graph.add_output(moved.add(graph::Reshape{{4, 9}}, {y}));
  EXPECT_EQ(graph::fuse(moved.graph, {true, true, true}), (std::vector<graph::NodeId>{1, 1, 2}));
}

TEST(Fuse, UsesThatMultiplyEndAGroup) {
  Net net(8);
  TensorId x = net.input({64});
  for (int i = 0; i < 20; ++i) x = net.map("square", {x}, [](const auto& v) { return v[0] * v[0]; });
  net.graph.add_output(x);
  const std::vector<graph::NodeId> roots = graph::fuse(net.graph, std::vector<bool>(20, true));
  EXPECT_EQ(roots[19], 19);
  EXPECT_EQ(roots[16], 19);
  EXPECT_EQ(roots[15], 15);
}

}  // namespace
}  // namespace vdla::pipeline
