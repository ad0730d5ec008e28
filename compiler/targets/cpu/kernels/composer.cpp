// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/cpu/kernels/composer.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "compiler/expr/dsl.h"
#include "compiler/expr/visit.h"
#include "compiler/observe/lower_watched.h"

namespace vdla::pipeline {
namespace {

using expr::Tensor;

/// A name that loop IR takes.
std::string function_name(const std::string& node) {
  std::string result = "k_";
  for (char c : node) result += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return result;
}

}  // namespace

Tensor Composer::add(const graph::Node& node, bool channels_last) {
  std::vector<Tensor> given;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const graph::TensorId id = node.inputs[i];
    if (channels_last && i == 1) {
      given.push_back(add_packed(graph_.tensor(id)));
      continue;
    }
    if (id != graph::kNone && !made_.contains(id)) add_input(id);
    given.push_back(id == graph::kNone ? Tensor() : made_.at(id));
  }
  const graph::NodeExpr expression = express(graph_, node, given);
  for (const graph::Parameter& p : expression.parameters) take(p.tensor, {graph::kNone, p.data});
  return made_[node.output] = expression.output;
}

Tensor Composer::add_dots(const graph::Node& node, const graph::DotLayout& layout) {
  const graph::TensorId id = node.inputs[0];
  Tensor input = expr::placeholder("rows", graph::dot_input_shape(graph_, node), expr::DType::I8);
  if (input.shape() != graph_.tensor(id).shape) {
    take(input, {id, nullptr});
  } else {
    if (!made_.contains(id)) add_input(id);
    input = made_.at(id);
  }
  const graph::NodeExpr expression = express_dots(graph_, node, layout, input);
  for (const graph::Parameter& p : expression.parameters) take(p.tensor, {graph::kNone, p.data});
  return made_[node.output] = expression.output;
}

Tensor Composer::add_sums_of_bytes(const graph::Node& node) {
  const graph::NodeExpr expression = express_sums_of_bytes(graph_, node, input(node, 0));
  for (const graph::Parameter& p : expression.parameters) take(p.tensor, {graph::kNone, p.data});
  return made_[node.output] = expression.output;
}

Tensor Composer::add_product(const graph::Node& node, bool rounds) {
  auto op = std::get<graph::MatMul>(node.op);
  const graph::Tensor& right = graph_.tensor(node.inputs[1]);
  const Tensor a = input(node, 0);
  const bool turns = right.constant() && !op.transpose_b;
  const Tensor b = turns ? take_transposed(right) : input(node, 1);
  op.transpose_b |= turns;
  return made_[node.output] = express_product(graph_, node, op, a, b, rounds).output;
}

Tensor Composer::add_packed_taps(const graph::Node& node) {
  const graph::NodeExpr expression = express_packed_taps(graph_, node, input(node, 0));
  for (const graph::Parameter& p : expression.parameters) take(p.tensor, {graph::kNone, p.data});
  return made_[node.output] = expression.output;
}

HostKernel Composer::lower(const schedule::Schedule& schedule, const graph::Node& last, const Watch& watch) {
  take(made_.at(last.output), {last.output, nullptr});
  const std::string name = function_name(last.name);
  return {last.name, lower_watched(schedule, parameters_, name, watch), std::move(arguments_)};
}

/// Once, however many nodes read it.
void Composer::add_input(graph::TensorId id) {
  const graph::Tensor& t = graph_.tensor(id);
  made_[id] = expr::placeholder("in" + std::to_string(parameters_.size()), t.shape, dtype_of(t.type));
  take(made_[id], {id, nullptr});
}

Tensor Composer::take_packed(const graph::Tensor& weights) {
  const graph::Shape& shape = weights.shape;
  graph::Shape last(shape.begin() + 1, shape.end());
  last.push_back(shape[0]);
  const auto channels = static_cast<std::size_t>(shape[0]), width = graph::bytes_of(weights.type),
             inner = weights.bytes() / width / channels;
  graph::Bytes packed(weights.bytes());
  for (std::size_t o = 0; o < channels; ++o)
    for (std::size_t i = 0; i < inner; ++i)
      std::copy_n(weights.data->data() + (o * inner + i) * width, width,
                  packed.data() + (i * channels + o) * width);
  return constant("weights", last, weights.type, std::make_shared<const graph::Bytes>(std::move(packed)));
}

Tensor Composer::take_transposed(const graph::Tensor& matrices) {
  graph::Shape shape = matrices.shape;
  const std::size_t rank = shape.size(), width = graph::bytes_of(matrices.type);
  const auto rows = static_cast<std::size_t>(shape[rank - 2]),
             columns = static_cast<std::size_t>(shape[rank - 1]);
  std::swap(shape[rank - 2], shape[rank - 1]);
  graph::Bytes turned(matrices.bytes());
  for (std::size_t i = 0; i < turned.size() / width; ++i) {
    const std::size_t matrix = i / (rows * columns), row = i / columns % rows, column = i % columns;
    std::copy_n(matrices.data->data() + i * width, width,
                turned.data() + (matrix * rows * columns + column * rows + row) * width);
  }
  return constant("weights", shape, matrices.type, std::make_shared<const graph::Bytes>(std::move(turned)));
}

const Tensor& Composer::input(const graph::Node& node, std::size_t number) {
  const graph::TensorId id = node.inputs.at(number);
  if (!made_.contains(id)) add_input(id);
  return made_.at(id);
}

Tensor Composer::constant(const std::string& name, const graph::Shape& shape, graph::DataType type,
                          graph::SharedBytes data) {
  const Tensor made = expr::placeholder(name, shape, dtype_of(type));
  take(made, {graph::kNone, std::move(data)});
  return made;
}

/// The weights as they were, over packed ones.
Tensor Composer::add_packed(const graph::Tensor& weights) {
  const Tensor from = take_packed(weights);
  views_.push_back(expr::compute("unpacked", weights.shape, [&](const std::vector<expr::Value>& i) {
    std::vector<expr::Value> source(i.begin() + 1, i.end());
    source.push_back(i[0]);
    return expr::at(from, source);
  }));
  return views_.back();
}

Tensor Composer::add_over_packed(const graph::Node& node) {
  const Tensor data = input(node, 0);
  const graph::Tensor& weights = graph_.tensor(node.inputs[1]);
  const Tensor plain = expr::placeholder("plain", weights.shape, dtype_of(weights.type)),
               packed = take_packed(weights);
  const Tensor sums = express(graph_, node, {data, plain}).output;
  const auto body = expr::rewrite(sums.node()->compute->body, [&](const expr::ExprPtr& e) {
    const auto* read = e->as<expr::Read>();
    if (!read || read->tensor != plain.node()) return e;
    std::vector<expr::ExprPtr> indices(read->indices.begin() + 1, read->indices.end());
    indices.push_back(read->indices[0]);
    return expr::read(packed, indices);
  });
  return made_[node.output] = expr::compute(sums.name(), sums.axes(), body);
}

void Composer::take(const Tensor& parameter, KernelArgument argument) {
  parameters_.push_back(parameter);
  arguments_.push_back(std::move(argument));
}

}  // namespace vdla::pipeline
