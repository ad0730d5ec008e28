// SPDX-License-Identifier: Apache-2.0
#include "compiler/zoo/onnx_tokens.h"

#include <cmath>

#include "support/error.h"

namespace vdla::zoo {
namespace {

using onnx::TensorProto;
using Names = std::vector<std::string>;

const std::vector<std::int64_t> kHeadsFirst = {0, 2, 1, 3};

/// [row][column] -> [column][row]
template <class T>
std::vector<T> turned(const std::vector<T>& values, std::int64_t columns) {
  const auto width = static_cast<std::size_t>(columns), height = values.size() / width;
  std::vector<T> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result[i % width * height + i / width] = values[i];
  return result;
}

void transpose(OnnxModel& m, const std::string& name, const std::string& x, const std::string& output,
               const std::vector<std::int64_t>& perm) {
  attribute(m.node("Transpose", name, {x}, output), "perm", perm);
}

std::string reshape(OnnxModel& m, const std::string& name, const std::string& x, const std::string& output,
                    const OnnxModel::Shape& shape) {
  m.node("Reshape", name, {x, m.integers(name + "_shape", {static_cast<std::int64_t>(shape.size())}, shape)},
         output);
  return output;
}

void linear(OnnxModel& m, const Layer& l, const Parameters& p, const std::string& x,
            const std::string& output) {
  const std::string weights = l.name + "_weights", bias = l.name + "_bias";
  const OnnxModel::Shape shape{l.in.c, l.out.c};
  if (m.quantized()) {
    m.dequantized(weights, TensorProto::INT8, shape, turned(p.int_weights, l.in.c), p.weight_scales, 1);
    m.dequantized(bias, TensorProto::INT32, {l.out.c}, p.int_bias, p.bias_scales, 0);
  } else {
    m.reals(weights, shape, turned(p.weights, l.in.c));
    m.reals(bias, {l.out.c}, p.bias);
  }
  m.node("Add", l.name, {m.made("MatMul", {x, weights}, l.name + "_product"), bias}, output);
}

void heads(OnnxModel& m, const Layer& l, const std::string& x, const std::string& output) {
  const OnnxModel::Shape shape{1, l.in.w, l.out.h, l.out.c};
  transpose(m, l.name, reshape(m, l.name + "_split", x, l.name + "_by_token", shape), output, kHeadsFirst);
}

void merge(OnnxModel& m, const Layer& l, const std::string& x, const std::string& output) {
  const std::string by_token = l.name + "_by_token";
  transpose(m, l.name + "_tokens", x, by_token, kHeadsFirst);
  reshape(m, l.name, by_token, output, {1, l.out.w, l.out.c});
}

void scores(OnnxModel& m, const Layer& l, const Names& inputs, const std::string& output) {
  const std::string keys = l.name + "_keys";
  transpose(m, keys, inputs[1], keys, {0, 1, 3, 2});
  const std::string product = m.made("MatMul", {inputs[0], keys}, l.name + "_product");
  const auto factor = static_cast<float>(1 / std::sqrt(static_cast<double>(l.in.c)));
  m.node("Mul", l.name, {product, m.reals(l.name + "_factor", {}, {factor})}, output);
}

void gelu(OnnxModel& m, const Layer& l, const std::string& x, const std::string& output) {
  const auto number = [&](const std::string& word, double value) {
    return m.reals(l.name + word, {}, {static_cast<float>(value)});
  };
  const std::string scaled = m.made("Div", {x, number("_root", std::sqrt(2.0))}, l.name + "_scaled");
  const std::string erf = m.made("Erf", {scaled}, l.name + "_erf");
  const std::string share = m.made("Add", {erf, number("_one", 1)}, l.name + "_share");
  m.node("Mul", l.name, {m.made("Mul", {x, share}, l.name + "_twice"), number("_half", 0.5)}, output);
}

void tokens(OnnxModel& m, const Layer& l, const Parameters& p, const std::string& x,
            const std::string& output) {
  const std::string rows = reshape(m, l.name + "_rows", x, l.name + "_rows", {1, l.in.c, l.in.h * l.in.w});
  const std::string pixels = l.name + "_pixels";
  transpose(m, pixels, rows, pixels, {0, 2, 1});
  const std::string first = m.reals(l.name + "_class", {1, 1, l.out.c}, p.constants.rows);
  const std::string all = l.name + "_all";
  attribute(m.node("Concat", all, {first, pixels}, all), "axis", std::int64_t{1});
  m.node("Add", l.name, {all, m.reals(l.name + "_positions", {1, l.out.w, l.out.c}, p.constants.positions)},
         output);
}

void embedding(OnnxModel& m, const Layer& l, const Parameters& p, const std::string& x,
               const std::string& output) {
  const auto words = static_cast<std::int64_t>(p.constants.rows.size()) / l.out.c;
  const Names inputs{m.reals(l.name + "_table", {words, l.out.c}, p.constants.rows), x};
  if (!l.positions) {
    m.node("Gather", l.name, inputs, output);
    return;
  }
  const std::string positions = m.reals(l.name + "_positions", {1, l.out.w, l.out.c}, p.constants.positions);
  m.node("Add", l.name, {m.made("Gather", inputs, l.name + "_words"), positions}, output);
}

void layer_norm(OnnxModel& m, const Layer& l, const Parameters& p, const std::string& x,
                const std::string& output) {
  const Names inputs{x, m.reals(l.name + "_factors", {l.out.c}, p.constants.rows),
                     m.reals(l.name + "_summands", {l.out.c}, p.constants.positions)};
  onnx::NodeProto& n = m.node("LayerNormalization", l.name, inputs, output);
  attribute(n, "axis", std::int64_t{-1});
  attribute(n, "epsilon", kLayerNormEpsilon);
}

}  // namespace

void write_tokens(OnnxModel& m, const Layer& l, const Parameters& p, const Names& inputs,
                  const std::string& output) {
  switch (l.kind) {
    case Kind::Embedding:
      return embedding(m, l, p, inputs[0], output);
    case Kind::Tokens:
      return tokens(m, l, p, inputs[0], output);
    case Kind::Linear:
      return linear(m, l, p, inputs[0], output);
    case Kind::LayerNorm:
      return layer_norm(m, l, p, inputs[0], output);
    case Kind::Heads:
      return heads(m, l, inputs[0], output);
    case Kind::Append:
      return attribute(m.node("Concat", l.name, inputs, output), "axis", std::int64_t{2});
    case Kind::Scores:
      return scores(m, l, inputs, output);
    case Kind::Softmax:
      return attribute(m.node("Softmax", l.name, inputs, output), "axis", std::int64_t{-1});
    case Kind::WeightedSum:
      m.node("MatMul", l.name, inputs, output);
      return;
    case Kind::Merge:
      return merge(m, l, inputs[0], output);
    case Kind::Gelu:
      return gelu(m, l, inputs[0], output);
    case Kind::Tanh:
      m.node("Tanh", l.name, inputs, output);
      return;
    case Kind::FirstToken: {
      const Names read{inputs[0], m.integers(l.name + "_index", {}, {0})};
      return attribute(m.node("Gather", l.name, read, output), "axis", std::int64_t{1});
    }
    case Kind::Conv:
    case Kind::Depthwise:
    case Kind::Dense:
    case Kind::Add:
    case Kind::MaxPool:
    case Kind::GlobalAveragePool:
      break;
  }
  VDLA_CHECK(false) << l.name << " is no layer of tokens";
}

void write_without_oldest(OnnxModel& m, const Layer& l, const std::string& value, const std::string& output) {
  const Names inputs{value, m.integers(output + "_begin", {1}, {l.in.w}),
                     m.integers(output + "_end", {1}, {l.out.w}), m.integers(output + "_axis", {1}, {2})};
  m.node("Slice", output, inputs, output);
}

}  // namespace vdla::zoo
