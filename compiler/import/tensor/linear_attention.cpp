// SPDX-License-Identifier: Apache-2.0
// LinearAttention and CausalConvWithState: layers over a sequence that give the state behind it.
#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/import/tensor/functions.h"
#include "compiler/import/tensor/heads.h"
#include "compiler/import/tensor/node.h"
#include "compiler/import/tensor/normalization.h"
#include "compiler/import/tensor/scalar.h"
#include "compiler/import/tensor/window.h"

namespace vdla::import::tensor {
namespace {

using expr::BinaryOp;
using expr::Function;

constexpr std::int64_t kMostPlaces = 1024;  ///< each becomes nodes

/// A state S [batch, heads, keys, values] that each place of the sequence changes by its key and value. All
/// is computed in float32.
class LinearAttention {
 public:
  explicit LinearAttention(const Node& c)
      : c_(c), rule_(c.word("update_rule", {"linear", "gated", "delta", "gated_delta"})) {
    const std::int64_t q_heads = c.positive("q_num_heads"), heads = c.positive("kv_num_heads");
    for (const int i : {0, 1, 2})
      c.require(c.float_in(i).rank() == 3, "has input " + std::to_string(i) + " of " +
                                               graph::to_string(c.in(i).shape) +
                                               ", needs batch, length, heads times size");
    q_ = wide(heads_apart(c, "query", c.in(0), q_heads));
    k_ = wide(heads_apart(c, "key", c.in(1), heads));
    v_ = wide(heads_apart(c, "value", c.in(2), heads));
    require_heads(c, q_, k_, v_);
    c.require(q_.shape[2] == k_.shape[2] && k_.shape[2] <= kMostPlaces,
              "has " + std::to_string(q_.shape[2]) + " queries and " + std::to_string(k_.shape[2]) +
                  " keys, needs as many of both, at most " + std::to_string(kMostPlaces));
    const bool gated = rule_.starts_with("gated"), corrected = rule_.ends_with("delta");
    c.require(
        c.has(4) == gated && c.has(5) == corrected,
        "has update_rule " + rule_ + ", needs input decay where it is gated, and beta where it is delta");
    if (gated) decay_ = c.unary(Function::Exp, rates(4, "decay", {heads, heads * k_.shape[3]}));
    if (corrected) beta_ = rates(5, "beta", {heads, 1});
  }

  void run() const {
    const std::int64_t batch = k_.shape[0], heads = k_.shape[1], length = k_.shape[2];
    const Shape of_state = {batch, heads, k_.shape[3], v_.shape[3]};
    DataType type = c_.in(0).type;
    Value state = c_.broadcast(c_.scalar(DataType::Float32, 0), of_state);
    if (c_.has(3)) {
      c_.require(c_.float_in(3).shape == of_state, "has a past_state of " + graph::to_string(c_.in(3).shape) +
                                                       ", needs " + graph::to_string(of_state));
      type = c_.in(3).type;
      state = wide(c_.in(3));
    }
    const double size = static_cast<double>(k_.shape[3]), stated = c_.real("scale");
    const double scale = stated == 0 ? 1 / std::sqrt(size) : stated;
    std::vector<Value> results;
    for (std::int64_t t = 0; t < length; ++t) {
      state = after(state, t);
      results.push_back(weighted(c_, at(q_, t), state));
    }
    const Value y =
        c_.map("Scale", {c_.concat(results, 2)}, [&](const auto& v) { return v[0] * real(scale, v[0]); });
    c_.set(0, c_.cast(heads_together(c_, y), c_.in(0).type));
    c_.set(1, c_.cast(state, type));
  }

 private:
  Value wide(const Value& x) const { return c_.cast(x, DataType::Float32); }
  Value at(const Value& x, std::int64_t t) const { return c_.part(x, 2, t, t + 1); }

  /// Input i [batch, length, one number for each head, or each of its elements, or for all] with heads apart.
  Value rates(int i, const char* what, const Integers& widths) const {
    const Value& x = c_.float_in(i);
    const bool fits = x.rank() == 3 && x.shape[0] == k_.shape[0] && x.shape[1] == k_.shape[2] &&
                      std::ranges::find(widths, x.shape[2]) != widths.end();
    c_.require(fits, std::string("has a ") + what + " of " + graph::to_string(x.shape) +
                         ", needs batch, length and " + std::to_string(widths[0]) + " or " +
                         std::to_string(widths[1]));
    return wide(heads_apart(c_, what, x, x.shape[2] == 1 ? 1 : k_.shape[1]));
  }

  /// The state behind place t: the decayed one and the key times the value, or what the value lacks from what
  /// the state has for the key.
  Value after(const Value& before, std::int64_t t) const {
    const Shape& s = k_.shape;
    const auto down = [&](const Value& x) { return c_.reshape(x, {x.shape[0], x.shape[1], x.shape[3], 1}); };
    const Value state = decay_ ? c_.binary(BinaryOp::Mul, before, down(at(*decay_, t))) : before;
    const Value key = at(k_, t);
    Value value = at(v_, t);
    if (beta_) {
      const Value known = c_.matmul(key, state);
      value =
          c_.map("Delta", {value, known, at(*beta_, t)}, [](const auto& v) { return v[2] * (v[0] - v[1]); });
    }
    return c_.map("State", {state, c_.reshape(key, {s[0], s[1], s[3], 1}), value},
                  [](const auto& v) { return v[0] + v[1] * v[2]; });
  }

  const Node& c_;
  std::string rule_;
  Value q_, k_, v_;
  std::optional<Value> decay_, beta_;
};

void linear_attention(const Node& c) { LinearAttention(c).run(); }

/// Each channel of x [batch, channels, length] is convolved with a kernel of its own, over the state and x.
void causal_convolution(const Node& c) {
  const Value &x = c.float_in(0), &w = c.float_in(1);
  const std::int64_t channels = x.rank() == 3 ? x.shape[1] : 0;
  c.require(x.rank() == 3 && w.rank() == 3 && w.shape[0] == channels && w.shape[1] == 1 && w.shape[2] > 0,
            "has data of " + graph::to_string(x.shape) + " and weights of " + graph::to_string(w.shape) +
                ", needs batch, channels, length and channels, 1, taps");
  const std::int64_t past = w.shape[2] - 1, length = x.shape[2];
  Value line = x;
  if (c.has(3)) {
    c.require(c.in(3).shape == Shape{x.shape[0], channels, past} && c.in(3).type == x.type,
              "has a past_state of " + graph::to_string(c.in(3).shape) + ", needs " +
                  graph::to_string(Shape{x.shape[0], channels, past}) + " of the type of the data");
    line = c.concat({c.in(3), x}, 2);
  } else if (past > 0) {
    line = c.pad(x, {0, 0, past}, {0, 0, 0}, 0);
  }
  const DataType type = wide_type(x.type);
  Value y =
      convolve(c, c.cast(line, type), c.cast(w, type), {{w.shape[2]}, {1}, {1}, {0}, {0}, {}}, channels);
  if (c.has(2)) {
    c.require(c.in(2).shape == Shape{channels}, "has a bias of " + graph::to_string(c.in(2).shape) +
                                                    ", needs " + std::to_string(channels) + " elements");
    y = c.binary(BinaryOp::Add, y, c.reshape(c.cast(c.float_in(2), type), {channels, 1}));
  }
  if (c.word("activation", {"none", "silu", "swish"}) != "none")
    y = c.map("Swish", {y}, [](const auto& v) { return swish(v[0], 1); });
  c.set(0, c.cast(y, x.type));
  c.set(1, c.part(line, 2, length, length + past));
}

constexpr Operator kLinearAttentionOperators[] = {
    {"CausalConvWithState", causal_convolution},
    {"LinearAttention", linear_attention},
};

}  // namespace

std::span<const Operator> linear_attention_operators() { return kLinearAttentionOperators; }

}  // namespace vdla::import::tensor
