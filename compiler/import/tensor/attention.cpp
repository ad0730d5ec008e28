// SPDX-License-Identifier: Apache-2.0
// Attention and RotaryEmbedding.
#include <cmath>
#include <limits>

#include "compiler/import/tensor/heads.h"
#include "compiler/import/tensor/node.h"
#include "compiler/import/tensor/scalar.h"

namespace vdla::import::tensor {
namespace {

using expr::Function;

constexpr double kMasked = std::numeric_limits<double>::infinity();

class Attention {
 public:
  explicit Attention(const Node& c) : c_(c), flat_(c.float_in(0).rank() == 3) {
    q_ = heads(0, "query", "q_num_heads");
    k_ = heads(1, "key", "kv_num_heads");
    v_ = heads(2, "value", "kv_num_heads");
    c.require(c.has(4) == c.has(5), "has one of past_key and past_value, needs both or none");
    c.require(!c.has(4) || !c.has(6), "has past_key and nonpad_kv_seqlen, needs one of them");
    if (c.has(4)) {
      past_ = c.ranked(4, 4).shape[2];
      k_ = after_past(c, "key", c.in(4), k_);
      v_ = after_past(c, "value", c.in(5), v_);
    }
    require_heads(c, q_, k_, v_);
    c.require(q_.type == k_.type, "has a query of " + std::string(name_of(q_.type)) + " and a key of " +
                                      std::string(name_of(k_.type)) + ", needs one type");
  }

  void run() const {
    const std::int64_t shown = c_.integer("qk_matmul_output_mode");
    c_.require(shown >= 0 && shown <= 3,
               "has qk_matmul_output_mode " + std::to_string(shown) + ", needs 0 to 3");
    const double size = static_cast<double>(q_.shape[3]);
    const Value product = scores(c_, q_, k_, c_.real("scale", 1 / std::sqrt(size)));
    const Value capped = softcapped(product), hidden = masked(capped);
    const Value share = c_.cast(softmax(hidden), q_.type);
    const Value y = weighted(c_, c_.cast(share, v_.type), v_);
    c_.set(0, c_.cast(flat_ ? heads_together(c_, y) : y, q_.type));
    c_.set(1, k_);
    c_.set(2, v_);
    const Value* stages[] = {&product, &capped, &hidden, &share};
    c_.set(3, *stages[shown]);
  }

 private:
  Value heads(int i, const char* what, const char* attribute) const {
    const Value& x = c_.float_in(i);
    c_.require(x.rank() == (flat_ ? 3U : 4U),
               std::string("has a ") + what + " of " + graph::to_string(x.shape) +
                   (flat_ ? ", needs 3 dimensions, as the query has"
                          : ", needs 4 dimensions (or 3 each of query, key and value)"));
    if (!flat_) {
      const std::int64_t stated = c_.integer(attribute, x.shape[1]);
      c_.require(stated == x.shape[1], std::string("has ") + attribute + " " + std::to_string(stated) +
                                           " for a " + what + " of " + graph::to_string(x.shape) +
                                           ", needs none, or its second extent");
      return x;
    }
    c_.require(c_.find(attribute) != nullptr,
               std::string("has a ") + what + " of 3 dimensions and lacks " + attribute + ", needs it");
    return heads_apart(c_, what, x, c_.positive(attribute));
  }

  Value softcapped(const Value& x) const {
    const double cap = c_.real("softcap");
    if (!(cap > 0)) return x;
    return c_.map("SoftCap", {x}, [&](const auto& v) {
      return call(Function::Tanh, v[0] / real(cap, v[0])) * real(cap, v[0]);
    });
  }

  /// Input 3 with all keys. Operator set 24 lets it end before, and hides what follows.
  Value mask() const {
    const std::int64_t total = k_.shape[2];
    Value m = c_.in(3);
    const bool number = m.type != DataType::Bool;
    c_.require(m.rank() >= 1, "has a mask of no dimension, needs 1 to 4");
    if (number) m = c_.cast(m, q_.type);
    if (c_.opset() >= 24 && m.shape.back() < total) {
      Integers after(m.rank(), 0);
      after.back() = total - m.shape.back();
      m = c_.pad(m, Integers(m.rank(), 0), after, number ? -kMasked : 0);
    } else {
      c_.require_broadcasts(3, {q_.shape[0], q_.shape[1], q_.shape[2], total});
    }
    return m;
  }

  /// Scores with the mask added, and -inf where a query must not see a key.
  Value masked(const Value& x) const {
    const bool causal = c_.integer("is_causal") != 0;
    const std::int64_t left = c_.integer("left_window_size", -1), right = c_.integer("right_window_size", -1);
    c_.require(left >= -1 && right >= -1, "has a window of " + std::to_string(left) + " keys before and " +
                                              std::to_string(right) + " after, needs -1 or more");
    if (!c_.has(3) && !c_.has(6) && !causal && left < 0 && right < 0) return x;
    const TokenPlaces places = places_of(c_, q_.shape[2], k_.shape[2]);
    std::vector<Value> inputs = {x, places.queries, places.keys};
    if (c_.has(3)) inputs.push_back(mask());
    if (c_.has(6)) {
      const Value& lengths = c_.in(6);
      c_.require(lengths.shape == Shape{q_.shape[0]},
                 "has a nonpad_kv_seqlen of " + graph::to_string(lengths.shape) + ", needs " +
                     std::to_string(q_.shape[0]) + " elements, one for each of the batch");
      inputs.push_back(c_.reshape(c_.cast(lengths, DataType::Int64), {q_.shape[0], 1, 1, 1}));
    }
    return c_.map("Mask", inputs, [&](const auto& v) {
      const Scalar nothing = real(-kMasked, v[0]);
      Scalar y = v[0];
      if (c_.has(3)) y = v[3].dtype() == expr::DType::Bool ? select(v[3], y, nothing) : Scalar(y + v[3]);
      const Scalar before =
          c_.has(6) ? Scalar(v.back() - q_.shape[2]) : Scalar(expr::number(past_, expr::DType::I64));
      const Scalar place = v[1] + before;
      if (causal) y = select(v[2] <= place, y, nothing);
      if (left >= 0) y = select(place - v[2] <= left, y, nothing);
      if (right >= 0) y = select(v[2] - place <= right, y, nothing);
      if (c_.has(6)) y = select(v[2] < v.back(), y, nothing);
      return y;
    });
  }

  Value softmax(const Value& x) const {
    const std::int64_t code = c_.integer("softmax_precision", 0);
    const DataType type = code == 0 ? x.type : type_of(static_cast<int>(code), c_.where());
    c_.require(expr::is_float(graph::dtype_of(type)),
               "has a softmax_precision of " + std::string(name_of(type)) + ", needs a float type");
    const Value wide = c_.cast(x, type);
    // A key before the first query is visible to all: only a mask or a limit hides all keys of a query.
    const bool hides = c_.has(3) || c_.has(6) || c_.integer("left_window_size", -1) >= 0 ||
                       c_.integer("right_window_size", -1) >= 0;
    return hides ? softmax_of_masked(c_, wide) : c_.softmax(wide, 3, false);
  }

  const Node& c_;
  bool flat_;  ///< heads lie in the last dimension
  Value q_, k_, v_;
  std::int64_t past_ = 0;
};

void attention(const Node& c) { Attention(c).run(); }

/// Cosines or sines [batch, length, pairs]: as given, or rows of a table by number.
Value angles(const Node& c, int i, const Value& x, std::int64_t pairs) {
  const Value& given = c.float_in(i);
  const std::size_t rank = c.has(3) ? 2 : 3;
  const char* what = i == 1 ? "cos_cache" : "sin_cache";
  c.require(given.rank() == rank && given.shape.back() == pairs,
            std::string("has a ") + what + " of " + graph::to_string(given.shape) + ", needs " +
                std::to_string(rank) + " dimensions " + (c.has(3) ? "with" : "without") +
                " position_ids, the last of " + std::to_string(pairs));
  const Shape positions = {x.shape[0], x.shape[2]};
  if (c.has(3)) {
    c.require(c.in(3).shape == positions, "has position_ids of " + graph::to_string(c.in(3).shape) +
                                              ", needs " + graph::to_string(positions));
    return c.gather(given, c.in(3), 0);
  }
  c.require(given.shape[0] == positions[0] && given.shape[1] == positions[1],
            std::string("has a ") + what + " of " + graph::to_string(given.shape) + ", needs " +
                graph::to_string(Shape{positions[0], positions[1], pairs}));
  return given;
}

void rotary_embedding(const Node& c) {
  const Value& given = c.float_in(0);
  c.require(given.rank() == 3 || given.rank() == 4,
            "has data of " + graph::to_string(given.shape) + ", needs 3 or 4 dimensions");
  const bool flat = given.rank() == 3;
  c.require(!flat || c.find("num_heads") != nullptr,
            "has data of 3 dimensions and lacks num_heads, needs it");
  const Value x = flat ? heads_apart(c, "data", given, c.positive("num_heads")) : given;
  const std::int64_t stated = c.integer("rotary_embedding_dim"), size = stated == 0 ? x.shape[3] : stated;
  c.require(size > 0 && size % 2 == 0 && size <= x.shape[3],
            "rotates " + std::to_string(size) + " elements of heads of " + std::to_string(x.shape[3]) +
                ", needs an even number of them");
  const Value y =
      rotated(c, x, angles(c, 1, x, size / 2), angles(c, 2, x, size / 2), c.integer("interleaved") != 0);
  c.set(flat ? heads_together(c, y) : y);
}

constexpr Operator kAttentionOperators[] = {
    {"Attention", attention},
    {"RotaryEmbedding", rotary_embedding},
};

}  // namespace

std::span<const Operator> attention_operators() { return kAttentionOperators; }

}  // namespace vdla::import::tensor
