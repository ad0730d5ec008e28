// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/networks.h"

#include <fmt/format.h>

#include <array>
#include <functional>

#include "compiler/expr/dsl.h"
#include "support/error.h"

namespace vdla::bench::gpu {
namespace {

using graph::DataType;
using graph::Shape;
using graph::TensorId;
using Kind = ChainLayer::Kind;
using Act = ChainLayer::Act;

/// A. Howard and others, "MobileNets", Table 1, width 1.
Chain mobilenet() {
  Chain chain{"mobilenet", "MobileNet, 224x224x3, 1000 classes", {1, 3, 224, 224}, {}};
  chain.layers.push_back({Kind::Conv, 32, 3, 2, 1, Act::Relu});
  constexpr std::array<std::pair<std::int64_t, std::int64_t>, 13> kBlocks = {{// channels, stride
                                                                              {64, 1},
                                                                              {128, 2},
                                                                              {128, 1},
                                                                              {256, 2},
                                                                              {256, 1},
                                                                              {512, 2},
                                                                              {512, 1},
                                                                              {512, 1},
                                                                              {512, 1},
                                                                              {512, 1},
                                                                              {512, 1},
                                                                              {1024, 2},
                                                                              {1024, 1}}};
  for (const auto& [channels, stride] : kBlocks) {
    chain.layers.push_back({Kind::Depthwise, chain.layers.back().outputs, 3, stride, 1, Act::Relu});
    chain.layers.push_back({Kind::Conv, channels, 1, 1, 0, Act::Relu});
  }
  chain.layers.push_back({Kind::Mean});
  chain.layers.push_back({Kind::Dense, 1000});
  return chain;
}

/// W. Zaremba and others, "Recurrent neural network regularization", the medium network.
Chain lstm() {
  return {"lstm",
          "one step of a language model of two LSTM cells of 650, 10000 words",
          {1, 650},
          {{Kind::Lstm, 650}, {Kind::Lstm, 650}, {Kind::Dense, 10000}}};
}

/// V. Mnih and others, "Human-level control through deep reinforcement learning", of 18 actions.
Chain dqn() {
  return {"dqn",
          "deep Q network, 84x84x4, 18 actions",
          {1, 4, 84, 84},
          {{Kind::Conv, 32, 8, 4, 0, Act::Relu},
           {Kind::Conv, 64, 4, 2, 0, Act::Relu},
           {Kind::Conv, 64, 3, 1, 0, Act::Relu},
           {Kind::Dense, 512, 1, 1, 0, Act::Relu},
           {Kind::Dense, 18}}};
}

/// A. Radford and others, "Unsupervised representation learning with DCGAN", the generator, batch norms
/// folded.
Chain dcgan() {
  return {"dcgan",
          "generator of DCGAN, 100 numbers to 64x64x3",
          {1, 100},
          {{Kind::Dense, std::int64_t{1024} * 16, 1, 1, 0, Act::Relu},
           {Kind::Image, 1024, 4},
           {Kind::Transposed, 512, 4, 2, 1, Act::Relu},
           {Kind::Transposed, 256, 4, 2, 1, Act::Relu},
           {Kind::Transposed, 128, 4, 2, 1, Act::Relu},
           {Kind::Transposed, 3, 4, 2, 1, Act::Tanh}}};
}

/// Shape that comes out of a layer that reads `x`.
Shape shape_of(const ChainLayer& layer, const Shape& x) {
  const auto image = [&](auto size) { return Shape{1, layer.outputs, size(x.at(2)), size(x.at(3))}; };
  switch (layer.kind) {
    case Kind::Conv:
    case Kind::Depthwise:
      return image([&](std::int64_t n) { return (n + 2 * layer.padding - layer.kernel) / layer.stride + 1; });
    case Kind::Transposed:
      return image([&](std::int64_t n) { return (n - 1) * layer.stride - 2 * layer.padding + layer.kernel; });
    case Kind::Dense:
    case Kind::Lstm:
      return {1, layer.outputs};
    case Kind::Mean:
      return {1, x.at(1)};
    case Kind::Image:
      return {1, layer.outputs, layer.kernel, layer.kernel};
  }
  return {};
}

/// Layers of a chain as nodes.
class Builder {
 public:
  explicit Builder(const Chain& chain) {
    g_.name = chain.id;
    x_ = input("x", chain.input);
  }

  void add(const ChainLayer& layer) {
    name_ = fmt::format("layer{}", number_++);
    switch (layer.kind) {
      case Kind::Conv:
        return convolution(layer, 1);
      case Kind::Depthwise:
        return convolution(layer, layer.outputs);
      case Kind::Transposed:
        return transposed(layer);
      case Kind::Dense:
        return dense(layer);
      case Kind::Lstm:
        return cell(layer);
      case Kind::Mean:
        return mean(layer);
      case Kind::Image:
        x_ = g_.add_node(name_, graph::Reshape{shape_of(layer, shape())}, {x_});
        return;
    }
  }

  graph::Graph take() {
    g_.add_output(x_);
    for (const TensorId state : states_) g_.add_output(state);
    return std::move(g_);
  }

 private:
  using Values = std::vector<expr::Value>;

  const Shape& shape() const { return g_.tensor(x_).shape; }

  TensorId input(const std::string& name, Shape shape) {
    const TensorId id = g_.add_tensor({name, DataType::Float32, std::move(shape), {}, {}});
    g_.add_input(id);
    return id;
  }

  /// Its values are set when the package is made.
  TensorId weights(const char* what, Shape shape) {
    const auto count = static_cast<std::size_t>(graph::element_count(shape));
    return g_.add_constant(name_ + "/" + what, DataType::Float32, std::move(shape),
                           graph::to_bytes(std::vector<float>(count)));
  }

  TensorId map(const std::string& name, const std::vector<TensorId>& inputs,
               const std::function<expr::Value(const Values&)>& body) {
    graph::Map op{name, {}, nullptr};
    Values values;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      op.arguments.push_back(expr::make_var(fmt::format("v{}", i), expr::DType::F32));
      values.emplace_back(op.arguments.back());
    }
    op.body = body(values).expr();
    return g_.add_node(name_ + "/" + name, op, inputs);
  }

  /// The bias and what follows it.
  void finish(const ChainLayer& layer, Shape of_bias) {
    x_ = map("act", {x_, weights("bias", std::move(of_bias))}, [&](const Values& v) {
      const expr::Value sum = v[0] + v[1];
      if (layer.act == Act::Relu) return expr::maximum(sum, 0.0);
      return layer.act == Act::Tanh ? expr::apply(expr::Function::Tanh, {sum}) : sum;
    });
  }

  void convolution(const ChainLayer& layer, std::int64_t groups) {
    const auto [k, s, p] = std::array{layer.kernel, layer.stride, layer.padding};
    const TensorId w = weights("weights", {layer.outputs, shape()[1] / groups, k, k});
    x_ = g_.add_node(name_, graph::Convolve{{s, s}, {1, 1}, {p, p}, {p, p}, groups}, {x_, w});
    finish(layer, {1, layer.outputs, 1, 1});
  }

  /// Zeros between and around the pixels, then a convolution; its weights are those of a transposed one
  /// turned around, which drawn ones need not be.
  void transposed(const ChainLayer& layer) {
    const std::int64_t k = layer.kernel, front = k - 1 - layer.padding;
    const Shape out = shape_of(layer, shape());
    graph::View spread{{1, shape()[1], out[2] + k - 1, out[3] + k - 1}, {}, graph::Outside::Fill, {}};
    for (std::size_t d = 0; d < 4; ++d) {
      graph::Source source{d < 2 ? 0 : -front, graph::Extents(4), d < 2 ? 1 : layer.stride};
      source.step[d] = 1;
      spread.source.push_back(std::move(source));
    }
    spread.fill = expr::float_imm(0, expr::DType::F32);
    x_ = g_.add_node(name_ + "/spread", std::move(spread), {x_});
    const TensorId w = weights("weights", {layer.outputs, shape()[1], k, k});
    x_ = g_.add_node(name_, graph::Convolve{{1, 1}, {1, 1}, {0, 0}, {0, 0}, 1}, {x_, w});
    finish(layer, {1, layer.outputs, 1, 1});
  }

  TensorId product(const char* what, TensorId x, std::int64_t outputs) {
    const TensorId w = weights(what, {outputs, g_.tensor(x).shape[1]});
    return g_.add_node(name_ + "/" + what + "/product", graph::MatMul{false, true}, {x, w});
  }

  void dense(const ChainLayer& layer) {
    if (shape().size() > 2)
      x_ = g_.add_node(name_ + "/flat", graph::Reshape{{1, graph::element_count(shape())}}, {x_});
    x_ = product("weights", x_, layer.outputs);
    finish(layer, {layer.outputs});
  }

  /// Gates in the order i, f, g, o, as PyTorch has them.
  void cell(const ChainLayer& layer) {
    const std::int64_t n = layer.outputs;
    const TensorId hidden = input(name_ + "/hidden", {1, n}), memory = input(name_ + "/memory", {1, n});
    const TensorId gates =
        map("gates",
            {product("weights", x_, 4 * n), product("recurrent", hidden, 4 * n), weights("bias", {4 * n})},
            [](const Values& v) { return v[0] + v[1] + v[2]; });
    std::vector<TensorId> inputs;
    for (std::int64_t gate = 0; gate < 4; ++gate)
      inputs.push_back(g_.add_node(
          fmt::format("{}/gate{}", name_, gate),
          graph::View{{1, n}, {{0, {1, 0}, 1}, {gate * n, {0, 1}, 1}}, graph::Outside::Never, {}}, {gates}));
    inputs.push_back(memory);
    const auto tanh = [](const expr::Value& v) { return expr::apply(expr::Function::Tanh, {v}); };
    const TensorId next = map("memory_out", {inputs[0], inputs[1], inputs[2], memory}, [&](const Values& v) {
      return expr::sigmoid(v[1]) * v[3] + expr::sigmoid(v[0]) * tanh(v[2]);
    });
    x_ = map("hidden_out", {inputs[3], next},
             [&](const Values& v) { return expr::sigmoid(v[0]) * tanh(v[1]); });
    states_.insert(states_.end(), {x_, next});
  }

  void mean(const ChainLayer& layer) {
    const auto pixels = static_cast<double>(shape()[2] * shape()[3]);
    const Shape out = shape_of(layer, shape());
    x_ = g_.add_node(name_ + "/sum", graph::Fold{expr::Reducer::Sum, {2, 3}, false}, {x_});
    x_ = map("mean", {x_}, [&](const Values& v) { return v[0] * (1 / pixels); });
    VDLA_CHECK(shape() == out) << "a mean of shape " << graph::to_string(shape());
  }

  graph::Graph g_;
  TensorId x_ = graph::kNone;
  std::vector<TensorId> states_;
  std::string name_;
  int number_ = 0;
};

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::Conv:
      return "conv";
    case Kind::Depthwise:
      return "depthwise";
    case Kind::Transposed:
      return "transposed";
    case Kind::Dense:
      return "dense";
    case Kind::Lstm:
      return "lstm";
    case Kind::Mean:
      return "mean";
    case Kind::Image:
      return "image";
  }
  return "";
}

const char* name_of(Act act) { return act == Act::Relu ? "relu" : act == Act::Tanh ? "tanh" : "none"; }

/// Products of a layer.
std::int64_t macs_of(const ChainLayer& layer, const Shape& x) {
  const std::int64_t taps = layer.kernel * layer.kernel, in = graph::element_count(x);
  switch (layer.kind) {
    case Kind::Conv:
      return graph::element_count(shape_of(layer, x)) * x[1] * taps;
    case Kind::Depthwise:
      return graph::element_count(shape_of(layer, x)) * taps;
    case Kind::Transposed:
      return in * layer.outputs * taps;
    case Kind::Dense:
      return in * layer.outputs;
    case Kind::Lstm:
      return 4 * layer.outputs * (in + layer.outputs);
    case Kind::Mean:
    case Kind::Image:
      return 0;
  }
  return 0;
}

}  // namespace

std::vector<Chain> chains() { return {mobilenet(), lstm(), dqn(), dcgan()}; }

graph::Graph graph_of(const Chain& chain) {
  Builder builder(chain);
  for (const ChainLayer& layer : chain.layers) builder.add(layer);
  return builder.take();
}

double flops_of(const Chain& chain) {
  std::int64_t macs = 0;
  Shape x = chain.input;
  for (const ChainLayer& layer : chain.layers) {
    macs += macs_of(layer, x);
    x = shape_of(layer, x);
  }
  return 2 * static_cast<double>(macs);
}

Json to_json(const Chain& chain) {
  Json layers = Json::array();
  for (const ChainLayer& l : chain.layers)
    layers.push_back({{"kind", name_of(l.kind)},
                      {"outputs", l.outputs},
                      {"kernel", l.kernel},
                      {"stride", l.stride},
                      {"padding", l.padding},
                      {"act", name_of(l.act)}});
  return {{"input", chain.input}, {"layers", layers}};
}

}  // namespace vdla::bench::gpu
