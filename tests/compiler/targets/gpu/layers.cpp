// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/targets/gpu/layers.h"

#include <random>

#include "compiler/expr/dsl.h"

namespace vdla::pipeline::gpu {
namespace {

using graph::DataType;
using graph::Shape;
using graph::TensorId;

class Net {
 public:
  explicit Net(unsigned seed) : random_(seed) { graph_.name = "layers"; }

  TensorId input(const char* name, DataType type, Shape shape) {
    const TensorId id = graph_.add_tensor({name, type, std::move(shape), {}, {}});
    graph_.add_input(id);
    return id;
  }
  template <class T>
  TensorId constant(DataType type, const Shape& shape, int most) {
    std::vector<T> values(static_cast<std::size_t>(graph::element_count(shape)));
    for (T& v : values)
      v = static_cast<T>(static_cast<int>(random_() % (2u * static_cast<unsigned>(most) + 1)) - most);
    return graph_.add_constant("c" + std::to_string(serial_++), type, shape, graph::to_bytes(values));
  }
  TensorId bytes(const Shape& shape) { return constant<std::int8_t>(DataType::Int8, shape, 127); }
  TensorId bias(std::int64_t channels) { return constant<std::int32_t>(DataType::Int32, {channels}, 1000); }
  TensorId floats(const Shape& shape) { return constant<float>(DataType::Float32, shape, 4); }

  graph::OutputStage stage(std::int64_t channels, std::int32_t shift) {
    graph::OutputStage out;
    out.multiplier.clear();
    for (std::int64_t i = 0; i < channels; ++i)
      out.multiplier.push_back({(1 << 30) + static_cast<std::int32_t>(random_() % (1u << 30)), shift});
    out.zero_point = static_cast<std::int32_t>(random_() % 21) - 10;
    return out;
  }
  TensorId add(const char* name, graph::Op op, std::vector<TensorId> inputs) {
    return graph_.add_node(name, std::move(op), std::move(inputs));
  }
  template <class F>
  TensorId map(const char* name, std::vector<TensorId> inputs, const F& body) {
    graph::Map op{name, {}, nullptr};
    std::vector<expr::Value> values;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      op.arguments.push_back(expr::make_var("v" + std::to_string(i), expr::DType::F32));
      values.emplace_back(op.arguments.back());
    }
    op.body = expr::Value(body(values)).expr();
    return add(name, op, std::move(inputs));
  }
  void output(TensorId id) { graph_.add_output(id); }
  graph::Graph take() { return std::move(graph_); }

 private:
  graph::Graph graph_;
  std::mt19937 random_;
  int serial_ = 0;
};

void add_integers(Net& net) {
  const TensorId x = net.input("x", DataType::Int8, {2, 9, 7, 6});
  const TensorId conv =
      net.add("conv", graph::Conv2d{{2, 1}, {1, 1}, {1, 2, 1, 0}, 1, -3, 0, net.stage(10, -8)},
              {x, net.bytes({10, 3, 3, 6}), net.bias(10)});
  const TensorId groups = net.add("groups", graph::Conv2d{{1, 1}, {1, 1}, {}, 2, 5, 1, net.stage(10, -6)},
                                  {conv, net.bytes({10, 2, 1, 5})});
  const TensorId taps =
      net.add("taps", graph::DepthwiseConv2d{{1, 1}, {1, 1}, {1, 1, 1, 1}, 2, 0, net.stage(10, -7)},
              {conv, net.bytes({1, 3, 3, 10}), net.bias(10)});
  graph::Add both;
  both.out = net.stage(1, -18);
  const TensorId sum = net.add("sum", both, {taps, conv});
  const TensorId pool = net.add("pool", graph::AvgPool2d{{2, 3}, {1, 2}, {1, 0, 1, 0}}, {sum});
  const TensorId turned = net.add("turned", graph::Transpose{{0, 3, 1, 2}}, {pool});
  const TensorId rows = net.add("rows", graph::Reshape{{2, graph::element_count({10, 5, 3})}}, {turned});
  const TensorId dense = net.add("dense", graph::FullyConnected{3, 0, net.stage(13, -9)},
                                 {rows, net.bytes({13, 150}), net.bias(13)});
  const TensorId softmax = net.add("softmax", graph::Softmax{{1518500250, 22}, -124}, {dense});
  net.output(net.add("best", graph::ArgMax{}, {softmax}));
  net.output(groups);
}

void add_floats(Net& net) {
  const TensorId y = net.input("y", DataType::Float32, {1, 5, 11, 6});
  const TensorId conv = net.add("float_conv", graph::Convolve{{1, 2}, {1, 1}, {1, 1}, {1, 0}, 1},
                                {y, net.floats({9, 5, 3, 2})});
  const TensorId bias = net.floats({9, 1, 1});
  const TensorId relu =
      net.map("relu", {conv, bias}, [](const auto& v) { return expr::maximum(v[0] + v[1], 0.0); });
  const TensorId grouped = net.add("float_taps", graph::Convolve{{1, 1}, {1, 1}, {1, 1}, {1, 1}, 9},
                                   {relu, net.floats({9, 1, 3, 3})});
  graph::ReduceWindow most;
  most.kernel = {2, 2};
  most.stride = {2, 1};
  most.dilation = {1, 1};
  most.before = {0, 1};
  most.after = {1, 0};
  const TensorId pool = net.add("float_pool", most, {grouped});
  const TensorId product = net.add("product", graph::MatMul{false, true}, {pool, relu});
  const TensorId power = net.map("power", {product}, [](const auto& v) { return v[0] * 0.001; });
  net.output(net.add("probabilities", graph::SoftmaxFloat{}, {power}));
  net.output(net.add("mean", graph::Fold{expr::Reducer::Sum, {2, 3}, true}, {product}));
}

/// Sizes that tiles, vectors and parts of terms divide.
void add_even_layers(Net& net) {
  const TensorId a = net.input("a", DataType::Float32, {32, 64});
  net.output(net.add("even_product", graph::MatMul{false, false}, {a, net.floats({64, 48})}));
  const TensorId z = net.input("z", DataType::Float32, {1, 16, 14, 14});
  const TensorId conv = net.add("even_conv", graph::Convolve{{1, 1}, {1, 1}, {1, 1}, {1, 1}, 1},
                                {z, net.floats({24, 16, 3, 3})});
  net.output(net.map("even_relu", {conv}, [](const auto& v) { return expr::maximum(v[0], 0.0); }));
}

void add_odd_convolutions(Net& net) {
  const TensorId x = net.input("x", DataType::Float32, {2, 17, 7, 8});
  const TensorId conv = net.add("odd_conv", graph::Convolve{{1, 1}, {1, 1}, {0, 1}, {2, 3}, 1},
                                {x, net.floats({19, 17, 3, 3})});
  const TensorId bias = net.floats({19, 1, 1});
  const TensorId relu =
      net.map("odd_relu", {conv, bias}, [](const auto& v) { return expr::maximum(v[0] + v[1], 0.0); });
  net.output(net.add("again", graph::Convolve{{1, 1}, {1, 1}, {0, 0}, {0, 0}, 1},
                     {relu, net.floats({16, 19, 3, 3})}));
  net.output(net.add("strided", graph::Convolve{{2, 1}, {1, 1}, {1, 1}, {1, 1}, 1},
                     {relu, net.floats({16, 19, 3, 3})}));
}

void add_products(Net& net) {
  const TensorId a = net.input("a", DataType::Float16, {32, 96}),
                 b = net.input("b", DataType::Float16, {32, 96});
  net.output(net.add("halves", graph::MatMul{false, true}, {a, b}));
  const TensorId c = net.input("c", DataType::Float16, {24, 80});
  net.output(net.add("uneven", graph::MatMul{false, true}, {c, net.input("d", DataType::Float16, {20, 80})}));
  const TensorId x = net.input("e", DataType::Int8, {2, 32, 96}),
                 y = net.input("f", DataType::Int8, {2, 32, 96});
  net.output(net.add("sums", graph::MatMul{false, true}, {x, y}));
  graph::BatchMatMul scaled;
  scaled.transpose_b = true;
  scaled.out = net.stage(1, -9);
  net.output(net.add("scaled", scaled, {x, y}));
  scaled.a_zero_point = 3;
  net.output(net.add("from_zero", scaled, {x, y}));
  const TensorId rows = net.input("g", DataType::Int8, {16, 160});
  net.output(net.add("layer", graph::FullyConnected{0, 0, net.stage(32, -9)},
                     {rows, net.bytes({32, 160}), net.bias(32)}));
  const TensorId h = net.input("h", DataType::Float32, {2, 32, 72});
  const TensorId thirds = net.map("thirds", {h}, [](const auto& v) { return v[0] / 3.0; });
  net.output(thirds);
  net.output(
      net.add("floats", graph::MatMul{false, true}, {thirds, net.input("i", DataType::Float32, {48, 72})}));
  net.output(net.add("weighted", graph::MatMul{false, false}, {thirds, net.floats({2, 72, 16})}));
}

/// A network whose channels are words, but for its input's, which are filled up; and products of bytes.
void add_words(Net& net) {
  const TensorId x = net.input("x", DataType::Int8, {2, 11, 9, 3});
  const TensorId first =
      net.add("first", graph::Conv2d{{2, 2}, {1, 1}, {1, 0, 1, 1}, 1, -7, 0, net.stage(16, -7)},
              {x, net.bytes({16, 3, 3, 3}), net.bias(16)});
  const TensorId border =
      net.add("border", graph::Conv2d{{1, 1}, {1, 2}, {1, 2, 1, 2}, 1, 5, 0, net.stage(20, -9)},
              {first, net.bytes({20, 3, 3, 16}), net.bias(20)});
  const TensorId skips = net.add("skips", graph::Conv2d{{2, 1}, {1, 1}, {}, 1, -128, 0, net.stage(32, -9)},
                                 {border, net.bytes({32, 1, 1, 20})});
  net.output(net.add("several", graph::Conv2d{{1, 1}, {1, 1}, {}, 1, 4, 3, net.stage(8, -9)},
                     {border, net.bytes({8, 2, 2, 20}), net.bias(8)}));
  const TensorId pool = net.add("pool", graph::AvgPool2d{{3, 4}, {3, 4}, {}}, {skips});
  const TensorId rows = net.add("rows", graph::Reshape{{2, 32}}, {pool});
  const TensorId dense = net.add("dense", graph::FullyConnected{3, 0, net.stage(13, -9)},
                                 {rows, net.bytes({13, 32}), net.bias(13)});
  net.output(dense);
  const TensorId odd = net.input("odd", DataType::Int8, {2, 50});
  net.output(net.add("odd_dense", graph::FullyConnected{-20, 0, net.stage(13, -9)},
                     {odd, net.bytes({13, 50}), net.bias(13)}));
  const TensorId many = net.input("many", DataType::Int8, {12, 40});
  net.output(net.add("rows_dense", graph::FullyConnected{11, 0, net.stage(24, -9)},
                     {many, net.bytes({24, 40}), net.bias(24)}));
  net.output(
      net.add("uneven_sums", graph::MatMul{false, true}, {many, net.input("c", DataType::Int8, {20, 40})}));
}

}  // namespace

graph::Graph words(unsigned seed) {
  Net net(seed);
  add_words(net);
  return net.take();
}

graph::Graph products(unsigned seed) {
  Net net(seed);
  add_products(net);
  return net.take();
}

graph::Graph even_layers(unsigned seed) {
  Net net(seed);
  add_even_layers(net);
  return net.take();
}

graph::Graph odd_convolutions(unsigned seed) {
  Net net(seed);
  add_odd_convolutions(net);
  return net.take();
}

graph::Graph layers(unsigned seed) {
  Net net(seed);
  add_integers(net);
  add_floats(net);
  return net.take();
}

}  // namespace vdla::pipeline::gpu
