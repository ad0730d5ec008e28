// SPDX-License-Identifier: Apache-2.0
// GroupQueryAttention: attention of decoders over keys and values of earlier runs, which heads of the query
// share.
#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/import/microsoft/operators.h"
#include "compiler/import/tensor/heads.h"
#include "compiler/import/tensor/scalar.h"

namespace vdla::import::microsoft {
namespace {

using expr::Function;
using graph::DataType;
using graph::Shape;
using tensor::Integers;
using tensor::Node;
using tensor::Scalar;
using tensor::Value;

/// Inputs: query, key, value, past key, past value, number of each sequence's last key, length of keys,
/// tables of cosines and sines, positions, bias of scores.
class GroupQueryAttention {
 public:
  explicit GroupQueryAttention(const Node& c)
      : c_(c), total_(c.number(6, "total_sequence_length")), window_(c.integer("local_window_size")) {
    for (const int i : {11, 12, 13})
      c.require(!c.has(i), "has input " + std::to_string(i) +
                               " (head_sink, or scales of quantised keys and values), needs none");
    c.require(c.integer("smooth_softmax") <= 0, "has smooth_softmax, needs 0");
    c.require(c.integer("qk_output") == 0 && !c.wants(3),
              "gives its products of queries and keys (output 3), needs outputs 0 to 2");
    read_heads();
    batch_ = q_.shape[0];
    length_ = q_.shape[2];
    c.require(total_ >= length_, "has total_sequence_length " + std::to_string(total_) + " for " +
                                     std::to_string(length_) + " queries, needs as many at least");
    const Value& ends = c.in(5);
    c.require(ends.count() == batch_, "has seqlens_k of " + graph::to_string(ends.shape) + ", needs " +
                                          std::to_string(batch_) + " numbers");
    ends_ = c.reshape(c.cast(ends, DataType::Int64), {batch_, 1, 1, 1});
    // A prompt begins at place 0, whatever follows the end of its sequence.
    begin_ = length_ == total_ ? c.broadcast(c.scalar(DataType::Int64, 0), {batch_, 1, 1, 1})
                               : c.map("Begin", {ends_}, [&](const auto& v) { return v[0] + 1 - length_; });
  }

  void run() {
    if (c_.integer("do_rotary") != 0) rotate();
    k_ = with_past(3, "key", k_);
    v_ = with_past(4, "value", v_);
    c_.set(1, k_);
    c_.set(2, v_);
    c_.require(q_.shape[1] % k_.shape[1] == 0 && q_.shape[3] == k_.shape[3],
               "has a query of " + graph::to_string(q_.shape) + " and a key of " +
                   graph::to_string(k_.shape) +
                   " (batch, heads, length, size), needs heads that the key's divide, and one size");
    const double stated = c_.real("scale", 0);
    const double scale = stated == 0 ? 1 / std::sqrt(static_cast<double>(q_.shape[3])) : stated;
    const Value share = tensor::softmax_of_masked(c_, seen(tensor::scores(c_, q_, k_, scale)));
    c_.set(0, tensor::heads_together(c_, tensor::weighted(c_, share, v_)));
  }

 private:
  /// Query, key and value, which may lie side by side in input 0.
  void read_heads() {
    const std::int64_t heads = c_.positive("num_heads"), shared = c_.positive("kv_num_heads");
    const Value& x = c_.float_in(0);
    c_.require(x.rank() == 3 && c_.has(1) == c_.has(2),
               "has a query of " + graph::to_string(x.shape) + (c_.has(1) ? " and a key" : "") +
                   ", needs 3 dimensions, and key and value or none of both");
    c_.require(heads <= x.shape[2] && shared <= x.shape[2],
               "has " + std::to_string(heads) + " heads and " + std::to_string(shared) + " of keys in " +
                   std::to_string(x.shape[2]) + " channels, needs no more than those");
    Value q = x, k, v;
    if (c_.has(1)) {
      k = c_.float_in(1);
      v = c_.float_in(2);
      c_.require(k.rank() == 3 && k.shape == v.shape && k.shape[0] == x.shape[0] && k.shape[1] == x.shape[1],
                 "has a query of " + graph::to_string(x.shape) + ", a key of " + graph::to_string(k.shape) +
                     " and a value of " + graph::to_string(v.shape) +
                     ", needs one batch and one length, key and value of one shape");
    } else {
      const std::int64_t parts = heads + 2 * shared, size = x.shape[2] / parts;
      c_.require(x.shape[2] % parts == 0,
                 "has a query of " + graph::to_string(x.shape) + " with " + std::to_string(parts) +
                     " heads of query, key and value, needs a size that they divide");
      q = c_.part(x, 2, 0, heads * size);
      k = c_.part(x, 2, heads * size, (heads + shared) * size);
      v = c_.part(x, 2, (heads + shared) * size, parts * size);
    }
    q_ = tensor::heads_apart(c_, "query", q, heads);
    k_ = tensor::heads_apart(c_, "key", k, shared);
    v_ = tensor::heads_apart(c_, "value", v, shared);
  }

  void rotate() {
    for (const int i : {7, 8})
      c_.require(c_.has(i) && c_.float_in(i).rank() == 2 && c_.in(i).shape == c_.in(7).shape &&
                     2 * c_.in(i).shape[1] <= q_.shape[3],
                 "has do_rotary, needs tables of cosines and sines (inputs 7 and 8), rows of at most " +
                     std::to_string(q_.shape[3] / 2) + " elements");
    const Shape all = {batch_, length_};
    Value places = c_.binary(expr::BinaryOp::Add, c_.reshape(begin_, {batch_, 1}),
                             c_.iota(DataType::Int64, 2, 1, length_));
    if (c_.has(9)) {
      c_.require(c_.in(9).shape == all, "has position_ids of " + graph::to_string(c_.in(9).shape) +
                                            ", needs " + graph::to_string(all));
      places = c_.in(9);
    }
    const Value cosines = c_.gather(c_.in(7), places, 0), sines = c_.gather(c_.in(8), places, 0);
    const bool interleaved = c_.integer("rotary_interleaved") != 0;
    q_ = tensor::rotated(c_, q_, cosines, sines, interleaved);
    k_ = tensor::rotated(c_, k_, cosines, sines, interleaved);
  }

  /// Keys or values of earlier runs with the present ones at their places, zeros behind both:
  /// [batch, heads, length of all, size].
  Value with_past(int i, const char* what, const Value& present) const {
    Shape shape = present.shape;
    shape[2] = total_;
    if (!c_.has(i) || c_.in(i).count() == 0) {
      c_.require(length_ == total_, "has no past " + std::string(what) + " and " + std::to_string(length_) +
                                        " queries for " + std::to_string(total_) +
                                        " keys, needs as many, or a past");
      return present;
    }
    const Value& past = c_.ranked(i, 4);
    Shape wanted = present.shape;
    wanted[2] = past.shape[2];
    c_.require(past.shape == wanted && past.type == present.type,
               "has a past " + std::string(what) + " of " + graph::to_string(past.shape) +
                   ", needs the type and shape of " + graph::to_string(present.shape) +
                   " but for the length");
    shape[2] = std::max(total_, past.shape[2]);
    const Value wide = c_.pad(past, Integers(4, 0), {0, 0, shape[2] - past.shape[2], 0}, 0);
    const Value buffer =
        c_.map("Past", {wide, c_.iota(DataType::Int64, 4, 2, shape[2]), begin_},
               [](const auto& v) { return select(v[1] < v[2], v[0], tensor::real(0, v[0])); });
    return tensor::with_update(c_, buffer, present, begin_, 2, false);
  }

  /// Scores with the bias, -inf where a key follows the query, or lies before its window.
  Value seen(const Value& scores) const {
    const auto [queries, keys] = tensor::places_of(c_, length_, k_.shape[2]);
    const double cap = c_.real("softcap");
    std::vector<Value> inputs = {scores, queries, keys, begin_};
    if (c_.has(10)) {
      Shape wanted = scores.shape;
      wanted[3] = total_;
      c_.require(c_.in(10).type == scores.type, "has an attention_bias of another type than the query");
      c_.require_broadcasts(10, wanted);
      inputs.push_back(
          c_.pad(c_.broadcast(c_.in(10), wanted), Integers(4, 0), {0, 0, 0, scores.shape[3] - total_}, 0));
    }
    return c_.map("Mask", inputs, [&](const auto& v) {
      Scalar y = v[0];
      if (cap > 0) y = tensor::call(Function::Tanh, y / tensor::real(cap, y)) * tensor::real(cap, y);
      if (c_.has(10)) y = y + v[4];
      const Scalar nothing = tensor::real(-std::numeric_limits<double>::infinity(), y);
      const Scalar place = v[1] + v[3];
      y = select(v[2] <= place, y, nothing);
      return window_ > 0 ? Scalar(select(v[2] > place - window_, y, nothing)) : y;
    });
  }

  const Node& c_;
  std::int64_t total_, window_, batch_ = 1, length_ = 1;
  Value q_, k_, v_;
  Value ends_, begin_;  ///< number of the last key, and of the first query, of each sequence
};

void group_query_attention(const Node& c) { GroupQueryAttention(c).run(); }

constexpr tensor::Operator kGroupQueryOperators[] = {
    {"GroupQueryAttention", group_query_attention},
};

}  // namespace

std::span<const tensor::Operator> group_query_operators() { return kGroupQueryOperators; }

}  // namespace vdla::import::microsoft
