// SPDX-License-Identifier: Apache-2.0
// Attention with its projection, and attention over projected queries, keys and values.
#include <cmath>
#include <limits>
#include <optional>

#include "compiler/import/microsoft/operators.h"
#include "compiler/import/tensor/heads.h"
#include "compiler/import/tensor/scalar.h"

namespace vdla::import::microsoft {
namespace {

using expr::BinaryOp;
using graph::DataType;
using graph::Shape;
using tensor::Integers;
using tensor::Node;
using tensor::Scalar;
using tensor::Value;

/// Query, key and value, [batch, heads, length, size].
struct Projected {
  Value q, k, v;
};

/// Parts of x [.., sum of the sizes] along its last dimension.
Projected parted(const Node& c, const Value& x, std::int64_t q, std::int64_t k, std::int64_t v) {
  const std::size_t last = x.rank() - 1;
  return {c.part(x, last, 0, q), c.part(x, last, q, q + k), c.part(x, last, q + k, q + k + v)};
}

/// Numbers of the inputs of one of the operators that hide keys or move scores.
struct MaskInputs {
  int mask, bias;
};

/// Mask [batch, 1, 1 or length, total]: true where a key is seen. One of 1 dimension has the ends of the
/// sequences, or the ends and then the starts.
Value seen(const Node& c, const Value& mask, const Projected& p, const Value& keys) {
  const std::int64_t batch = p.q.shape[0], length = p.q.shape[2], total = p.k.shape[2];
  const auto one_for_each = [&](std::int64_t begin) {
    return c.reshape(c.cast(c.part(mask, 0, begin, begin + batch), DataType::Int64), {batch, 1, 1, 1});
  };
  if (mask.shape == Shape{batch})
    return c.map("Seen", {keys, one_for_each(0)}, [](const auto& v) { return v[0] < v[1]; });
  if (mask.shape == Shape{2 * batch})
    return c.map("Seen", {keys, one_for_each(0), one_for_each(batch)},
                 [](const auto& v) { return v[0] < v[1] && v[0] >= v[2]; });
  const bool rows = mask.shape == Shape{batch, length, total};
  c.require(rows || mask.shape == Shape{batch, total},
            "has a mask of " + graph::to_string(mask.shape) + ", needs " +
                graph::to_string(Shape{batch, total}) + ", " + graph::to_string(Shape{batch, length, total}) +
                ", or " + std::to_string(batch) + " or " + std::to_string(2 * batch) + " numbers");
  return c.map("Seen", {c.reshape(mask, {batch, 1, rows ? length : 1, total})},
               [](const auto& v) { return v[0] > 0; });
}

/// Attention over heads; output 0 is [batch, length, heads * size]. A hidden key has the attribute
/// mask_filter_value added to its score, one after a query of a unidirectional model has no weight.
Value attended(const Node& c, const Projected& p, const MaskInputs& of, std::int64_t past) {
  tensor::require_heads(c, p.q, p.k, p.v);
  const double size = static_cast<double>(p.q.shape[3]);
  double scale = c.real("scale", 0);
  if (scale == 0) scale = 1 / std::sqrt(size);
  Value score = tensor::scores(c, p.q, p.k, scale);
  const bool causal = c.integer("unidirectional") != 0;
  const auto [queries, keys] = tensor::places_of(c, p.q.shape[2], p.k.shape[2]);
  if (c.has(of.bias)) {
    c.require(c.in(of.bias).type == score.type, "has an attention_bias of " +
                                                    std::string(name_of(c.in(of.bias).type)) + ", needs " +
                                                    std::string(name_of(score.type)));
    c.require_broadcasts(of.bias, score.shape);
  }
  std::vector<Value> inputs = {score, queries, keys};
  if (c.has(of.mask)) inputs.push_back(seen(c, c.in(of.mask), p, keys));
  if (c.has(of.bias)) inputs.push_back(c.in(of.bias));
  const double filter = c.real("mask_filter_value");
  if (inputs.size() > 3 || causal)
    score = c.map("Mask", inputs, [&](const auto& v) {
      Scalar y = v[0];
      if (c.has(of.mask)) y = y + select(v[3], tensor::real(0, y), tensor::real(filter, y));
      if (c.has(of.bias)) y = y + v.back();
      const Scalar nothing = tensor::real(-std::numeric_limits<double>::infinity(), y);
      return causal ? select(v[2] <= v[1] + past, y, nothing) : y;
    });
  return tensor::heads_together(c, tensor::weighted(c, c.softmax(score, 3, false), p.v));
}

/// Past keys [0] and values [1] before those of p, and output 1 both as they are then.
std::int64_t with_past(const Node& c, int i, Projected& p) {
  std::int64_t past = 0;
  if (c.has(i)) {
    const Value& x = c.in(i);
    c.require(x.rank() == 5 && x.shape[0] == 2, "has a past of " + graph::to_string(x.shape) +
                                                    ", needs 2 (key and value) and 4 dimensions more");
    const Shape one(x.shape.begin() + 1, x.shape.end());
    past = x.shape[3];
    p.k = tensor::after_past(c, "key", c.reshape(c.part(x, 0, 0, 1), one), p.k);
    p.v = tensor::after_past(c, "value", c.reshape(c.part(x, 0, 1, 2), one), p.v);
  }
  if (c.wants(1)) {
    Shape one = p.k.shape;
    one.insert(one.begin(), 1);
    c.require(p.k.shape == p.v.shape, "gives keys and values as one output, needs them of one size");
    c.set(1, c.concat({c.reshape(p.k, one), c.reshape(p.v, one)}, 0));
  }
  return past;
}

/// Inputs: data, weights of query, key and value side by side, their bias, mask, past, attention_bias.
void attention(const Node& c) {
  c.require(c.integer("do_rotary") == 0,
            "has do_rotary " + std::to_string(c.integer("do_rotary")) + ", needs 0");
  c.require(c.integer("past_present_share_buffer") == 0 && !c.has(6),
            "shares a buffer of past and present, needs past_present_share_buffer = 0");
  const Value &x = c.float_in(0), &w = c.float_in(1);
  c.require(x.rank() == 3 && w.rank() == 2 && w.shape[0] == x.shape[2],
            "has data of " + graph::to_string(x.shape) + " and weights of " + graph::to_string(w.shape) +
                ", needs batch, length and size of data, as many rows of weights as that size");
  const std::int64_t columns = w.shape[1], heads = c.positive("num_heads");
  Integers sizes = c.integers("qkv_hidden_sizes", Integers{});
  if (sizes.empty()) {
    c.require(columns % 3 == 0, "has weights of " + std::to_string(columns) +
                                    " columns, needs three equal parts, or qkv_hidden_sizes");
    sizes = Integers(3, columns / 3);
  }
  sizes = c.positive("qkv_hidden_sizes", sizes, 3);
  c.require(sizes[0] == sizes[1] && sizes[0] <= columns && sizes[2] <= columns &&
                sizes[0] + sizes[1] + sizes[2] == columns,
            "has qkv_hidden_sizes " + graph::to_string(sizes) + " for weights of " + std::to_string(columns) +
                " columns, needs sizes that add up to them, the first two alike");
  Value y = c.matmul(x, w);
  if (c.has(2)) {
    c.require(c.in(2).shape == Shape{columns}, "has a bias of " + graph::to_string(c.in(2).shape) +
                                                   ", needs " + std::to_string(columns) + " elements");
    y = c.binary(BinaryOp::Add, y, c.float_in(2));
  }
  Projected p = parted(c, y, sizes[0], sizes[1], sizes[2]);
  p = {tensor::heads_apart(c, "query", p.q, heads), tensor::heads_apart(c, "key", p.k, heads),
       tensor::heads_apart(c, "value", p.v, heads)};
  const std::int64_t past = with_past(c, 4, p);
  c.set(0, attended(c, p, {3, 5}, past));
}

/// Query, key and value of MultiHeadAttention, with their bias: three inputs [batch, length, heads * size],
/// or keys and values with heads apart already.
Projected multi_head_inputs(const Node& c, std::int64_t heads) {
  const Value& q = c.float_in(0);
  c.require(q.rank() == 3 && c.has(1) && c.has(2),
            "has a query of " + graph::to_string(q.shape) +
                (c.has(1) && c.has(2) ? "" : " and lacks key or value") +
                ", needs query, key and value apart, the query of 3 dimensions");
  const Value &k = c.float_in(1), &v = c.float_in(2);
  const bool apart = k.rank() == 4;
  c.require(k.rank() == v.rank() && (k.rank() == 3 || apart),
            "has a key of " + graph::to_string(k.shape) + " and a value of " + graph::to_string(v.shape) +
                ", needs 3 or 4 dimensions each");
  std::optional<Projected> bias;
  if (c.has(3)) {
    const std::int64_t size = q.shape[2], of_value = apart ? v.shape[1] * v.shape[3] : v.shape[2];
    c.require(c.in(3).shape == Shape{2 * size + of_value},
              "has a bias of " + graph::to_string(c.in(3).shape) + ", needs " +
                  std::to_string(2 * size + of_value) + " elements");
    bias = parted(c, c.float_in(3), size, size, of_value);
  }
  const auto biased = [&](const Value& x, const Value* b) { return b ? c.binary(BinaryOp::Add, x, *b) : x; };
  Projected p;
  p.q = tensor::heads_apart(c, "query", biased(q, bias ? &bias->q : nullptr), heads);
  p.k = apart ? k : tensor::heads_apart(c, "key", biased(k, bias ? &bias->k : nullptr), heads);
  p.v = apart ? v : tensor::heads_apart(c, "value", biased(v, bias ? &bias->v : nullptr), heads);
  return p;
}

/// Inputs: query, key, value, bias, key_padding_mask, attention_bias, past_key, past_value.
void multi_head_attention(const Node& c) {
  for (const int i : {8, 9})
    c.require(!c.has(i), "has input " + std::to_string(i) + ", of decoding with shared buffers, needs none");
  c.require(!c.wants(3), "gives its products of queries and keys (output 3), needs outputs 0 to 2");
  Projected p = multi_head_inputs(c, c.positive("num_heads"));
  c.require(c.has(6) == c.has(7), "has one of past_key and past_value, needs both or none");
  // Order between queries and keys is defined where they are of one sequence alone.
  c.require(c.integer("unidirectional") == 0 || p.q.shape[2] == p.k.shape[2],
            "is unidirectional over " + std::to_string(p.q.shape[2]) + " queries and " +
                std::to_string(p.k.shape[2]) + " keys, needs as many keys as queries");
  std::int64_t past = 0;
  if (c.has(6)) {
    past = c.ranked(6, 4).shape[2];
    p.k = tensor::after_past(c, "key", c.in(6), p.k);
    p.v = tensor::after_past(c, "value", c.in(7), p.v);
  }
  c.set(1, p.k);
  c.set(2, p.v);
  c.set(0, attended(c, p, {4, 5}, past));
}

/// Input 1 has the position of each element of [batch, length], or that of the first element of all.
Value positions(const Node& c, const Value& x) {
  const Value& given = c.in(1);
  const Shape all = {x.shape[0], x.shape[2]};
  if (given.shape == all) return given;
  c.require(given.count() == 1 && given.rank() <= 1, "has position_ids of " + graph::to_string(given.shape) +
                                                         ", needs " + graph::to_string(all) +
                                                         ", or one number");
  return c.binary(BinaryOp::Add, c.reshape(c.cast(given, DataType::Int64), {}),
                  c.iota(DataType::Int64, 2, 1, all[1]));
}

/// Inputs: data, positions, tables of cosines and sines. Without a number of heads the size of a head is that
/// of the tables, twice.
void rotary_embedding(const Node& c) {
  c.require(c.integer("is_packed_batching") == 0,
            "has is_packed_batching " + std::to_string(c.integer("is_packed_batching")) + ", needs 0");
  c.require(c.real("scale") == 1, "has a scale of " + std::to_string(c.real("scale")) + ", needs 1");
  const Value &given = c.float_in(0), &cosines = c.float_in(2), &sines = c.float_in(3);
  c.require(given.rank() == 3 || given.rank() == 4,
            "has data of " + graph::to_string(given.shape) + ", needs 3 or 4 dimensions");
  c.require(cosines.rank() == 2 && cosines.shape == sines.shape && cosines.shape[1] > 0,
            "has tables of " + graph::to_string(cosines.shape) + " and " + graph::to_string(sines.shape) +
                ", needs two of positions and pairs");
  const std::int64_t pairs = cosines.shape[1], stated = c.integer("rotary_embedding_dim");
  c.require(stated == 0 || stated == 2 * pairs, "has rotary_embedding_dim " + std::to_string(stated) +
                                                    " and tables of " + std::to_string(pairs) +
                                                    " pairs, needs twice as many elements as pairs");
  std::int64_t heads = c.integer("num_heads");
  c.require(stated == 0 || heads > 0, "has rotary_embedding_dim and lacks num_heads, needs both");
  const bool flat = given.rank() == 3;
  if (heads == 0) heads = flat ? given.shape[2] / (2 * pairs) : given.shape[1];
  const Value x = flat ? tensor::heads_apart(c, "data", given, heads) : given;
  c.require(x.shape[1] == heads && x.shape[3] >= 2 * pairs,
            "has " + std::to_string(x.shape[1]) + " heads of " + std::to_string(x.shape[3]) +
                " elements, needs " + std::to_string(heads) + " of at least " + std::to_string(2 * pairs));
  const Value at = positions(c, x);
  const Value y =
      tensor::rotated(c, x, c.gather(cosines, at, 0), c.gather(sines, at, 0), c.integer("interleaved") != 0);
  c.set(flat ? tensor::heads_together(c, y) : y);
}

constexpr tensor::Operator kAttentionOperators[] = {
    {"Attention", attention},
    {"MultiHeadAttention", multi_head_attention},
    {"RotaryEmbedding", rotary_embedding},
};

}  // namespace

std::span<const tensor::Operator> attention_operators() { return kAttentionOperators; }

}  // namespace vdla::import::microsoft
