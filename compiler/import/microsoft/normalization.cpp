// SPDX-License-Identifier: Apache-2.0
// Normalisations of sums, of embeddings, and by the root of the mean square.
#include "compiler/import/tensor/normalization.h"

#include "compiler/import/microsoft/operators.h"

namespace vdla::import::microsoft {
namespace {

using expr::BinaryOp;
using expr::Reducer;
using graph::DataType;
using tensor::Integers;
using tensor::Node;
using tensor::Value;

/// Input i, which must have one element for each of the last dimension of x.
const Value& along_last(const Node& c, int i, const char* what, const Value& x) {
  const Value& v = c.float_in(i);
  c.require(v.shape == graph::Shape{x.shape.back()} && v.type == x.type,
            std::string("has a ") + what + " (input " + std::to_string(i) + ") of " +
                std::string(name_of(v.type)) + " " + graph::to_string(v.shape) + ", needs " +
                std::string(name_of(x.type)) + " " + std::to_string(x.shape.back()));
  return v;
}

/// y, normalised along the last dimension, times gamma, plus beta; mean and the inverse of the deviation are
/// outputs 1 and 2 of the node if it wants them.
Value layer_normalised(const Node& c, const Value& x, int gamma, int beta, bool has_statistics) {
  const Value wide = c.cast(x, tensor::wide_type(x.type));
  const auto widened = [&](int i, const char* what) { return c.cast(along_last(c, i, what, x), wide.type); };
  const Value scale = widened(gamma, "gamma");
  const Value bias = c.has(beta) ? widened(beta, "beta") : Value{};
  const auto [mean, variance] = tensor::moments(c, wide, {static_cast<std::int64_t>(x.rank()) - 1});
  const double epsilon = c.real("epsilon");
  if (has_statistics && c.wants(1)) c.set(1, c.cast(mean, DataType::Float32));
  if (has_statistics && c.wants(2))
    c.set(2, c.cast(tensor::inverse_deviation(c, variance, epsilon), DataType::Float32));
  return c.cast(
      tensor::normalised(c, c.op(), wide, mean, variance, &scale, c.has(beta) ? &bias : nullptr, epsilon),
      x.type);
}

/// Input 0 plus input 1 plus the bias, if the node has it. Input 1 may be without the batch, or with a batch
/// of 1.
Value skipped(const Node& c, int bias) {
  const Value &x = c.float_in(0), &skip = c.float_in(1);
  c.require(x.rank() == 2 || x.rank() == 3,
            "has data of " + graph::to_string(x.shape) + ", needs 2 or 3 dimensions");
  c.require_broadcasts(1, x.shape);
  c.require(skip.type == x.type, "has inputs of " + std::string(name_of(x.type)) + " and " +
                                     std::string(name_of(skip.type)) + ", needs one type");
  const Value sum = c.binary(BinaryOp::Add, x, skip);
  return c.has(bias) ? c.binary(BinaryOp::Add, sum, along_last(c, bias, "bias", x)) : sum;
}

void skip_layer_normalization(const Node& c) {
  const Value sum = skipped(c, 4);
  c.set(0, layer_normalised(c, sum, 2, 3, true));
  c.set(3, sum);
}

/// x / root of the mean square, times the scale; output 1 is the inverse of the root.
void divide_by_root(const Node& c, const Value& x, const Value& scale, const Integers& axes, int inverse) {
  const Value wide = c.cast(x, tensor::wide_type(x.type));
  const double epsilon = c.real("epsilon");
  const Value square = tensor::mean_square(c, wide, axes);
  const Value y = tensor::divided_by_root(c, wide, square, epsilon);
  c.set(0, c.cast(c.binary(BinaryOp::Mul, y, c.cast(scale, wide.type)), scale.type));
  if (c.wants(inverse))
    c.set(inverse, c.cast(tensor::inverse_deviation(c, square, epsilon), DataType::Float32));
}

void skip_simplified_layer_normalization(const Node& c) {
  const Value sum = skipped(c, 3);
  c.require(!c.wants(1), "gives its mean (output 1), which this operator does not have");
  divide_by_root(c, sum, along_last(c, 2, "gamma", sum), {static_cast<std::int64_t>(sum.rank()) - 1}, 2);
  c.set(3, sum);
}

void simplified_layer_normalization(const Node& c) {
  c.require(c.integer("stash_type") == 1, "has a stash_type other than 1 (float)");
  const Value& x = c.float_in(0);
  c.float_in(1);
  c.require_broadcasts(1, x.shape);
  divide_by_root(c, x, c.in(1), tensor::axes_from(c.axis(c.integer("axis"), x.rank()), x.rank()), 1);
}

/// Rows of table i by number, [batch, length, hidden].
Value embedded(const Node& c, int i, const char* what, const Value& numbers) {
  const Value& table = c.float_in(i);
  c.require(table.rank() == 2, std::string("has a ") + what + " embedding of " +
                                   graph::to_string(table.shape) + ", needs 2 dimensions");
  return c.gather(table, numbers, 0);
}

/// Normalised sums of the embeddings of words, positions and segments. Output 1 counts the ones of the mask
/// of each of the batch, or is zero.
void embed_layer_normalization(const Node& c) {
  const Value& words = c.in(0);
  c.require(words.rank() == 2, "has words of " + graph::to_string(words.shape) + ", needs batch and length");
  const std::int64_t batch = words.shape[0], length = words.shape[1];
  Value positions = c.iota(DataType::Int64, 2, 1, length);
  if (c.has(8)) {
    c.require_broadcasts(8, words.shape);
    positions = c.in(8);
  }
  Value sum = c.binary(BinaryOp::Add, embedded(c, 2, "word", words), embedded(c, 3, "position", positions));
  c.require(c.has(1) == c.has(4), "has one of segment_ids and segment_embedding, needs both or none");
  if (c.has(1)) {
    c.require(c.in(1).shape == words.shape, "has segments of " + graph::to_string(c.in(1).shape) +
                                                ", needs " + graph::to_string(words.shape));
    sum = c.binary(BinaryOp::Add, sum, embedded(c, 4, "segment", c.in(1)));
  }
  c.set(0, layer_normalised(c, sum, 5, 6, false));
  c.set(2, sum);
  if (!c.wants(1)) return;
  if (!c.has(7)) return c.set(1, c.broadcast(c.scalar(DataType::Int32, 0), {batch}));
  c.require(c.in(7).shape == words.shape,
            "has a mask of " + graph::to_string(c.in(7).shape) + ", needs " + graph::to_string(words.shape));
  const Value ones =
      c.map("IsOne", {c.in(7)}, [](const auto& v) { return expr::cast(expr::DType::I32, v[0] == 1); });
  c.set(1, c.fold(Reducer::Sum, ones, {1}, false));
}

constexpr tensor::Operator kNormalizationOperators[] = {
    {"EmbedLayerNormalization", embed_layer_normalization},
    {"SkipLayerNormalization", skip_layer_normalization},
    {"SkipSimplifiedLayerNormalization", skip_simplified_layer_normalization},
};

constexpr tensor::Operator kRuntimeOperators[] = {
    {"SimplifiedLayerNormalization", simplified_layer_normalization},
};

}  // namespace

std::span<const tensor::Operator> normalization_operators() { return kNormalizationOperators; }
std::span<const tensor::Operator> runtime_operators() { return kRuntimeOperators; }

}  // namespace vdla::import::microsoft
