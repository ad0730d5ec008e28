// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN, a step at a time: the products with the inputs of all steps are one matrix product, what
// depends on the step before follows for each step.
#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/import/tensor/node.h"
#include "compiler/import/tensor/scalar.h"

namespace vdla::import::tensor {
namespace {

using expr::BinaryOp;
using expr::Function;

struct Activation {
  std::string name;
  double alpha = 0, beta = 0;
};

/// Activations that have parameters, and their defaults. Those with an alpha (a beta) take one each from the
/// node's list, in order; the others take none.
struct Parameters {
  std::string_view name;
  double alpha;
  std::optional<double> beta = {};
};
constexpr Parameters kParameters[] = {
    {"Affine", 1, 0},    {"Elu", 1},           {"HardSigmoid", 0.2, 0.5},
    {"LeakyRelu", 0.01}, {"ScaledTanh", 1, 1}, {"ThresholdedRelu", 1},
};

Scalar activate(const Node& c, const Activation& a, const Scalar& x) {
  if (a.name == "Sigmoid") return real(1, x) / (real(1, x) + call(Function::Exp, real(0, x) - x));
  if (a.name == "Tanh") return call(Function::Tanh, x);
  if (a.name == "Relu") return maximum(x, real(0, x));
  if (a.name == "Affine") return x * real(a.alpha, x) + real(a.beta, x);
  if (a.name == "LeakyRelu") return select(x < 0, x * real(a.alpha, x), x);
  if (a.name == "HardSigmoid") return clamp(x * real(a.alpha, x) + real(a.beta, x), real(0, x), real(1, x));
  if (a.name == "Softsign") return x / (real(1, x) + call(Function::Abs, x));
  if (a.name == "Elu") return select(x < 0, real(a.alpha, x) * (call(Function::Exp, x) - real(1, x)), x);
  if (a.name == "ScaledTanh") return real(a.alpha, x) * call(Function::Tanh, x * real(a.beta, x));
  if (a.name == "ThresholdedRelu") return select(x >= real(a.alpha, x), x, real(0, x));
  c.require(false, "has activation '" + a.name +
                       "', needs Sigmoid, Tanh, Relu, Affine, Elu, HardSigmoid, LeakyRelu, ScaledTanh, "
                       "Softsign or ThresholdedRelu");
  return x;
}

/// Parts that the three share: shapes, one direction's slice of each weight.
class Recurrence {
 public:
  Recurrence(const Node& c, std::int64_t gates, std::vector<std::string> defaults)
      : c_(c), gates_(gates), batch_first_(c.integer("layout", 0) != 0) {
    x_ = c.in(0);
    c.require(x_.rank() == 3, "needs data of three dimensions, has " + graph::to_string(x_.shape));
    if (batch_first_) x_ = c.transpose(x_, {1, 0, 2});
    constexpr std::int64_t kMostSteps = 1 << 14;  // each becomes nodes
    c.require(steps() <= kMostSteps,
              "has " + std::to_string(steps()) + " steps, needs at most " + std::to_string(kMostSteps));
    hidden_ = c.ranked(2, 3).shape[2];
    c.require(c.integer("hidden_size", hidden_) == hidden_,
              "has hidden_size " + std::to_string(c.integer("hidden_size", hidden_)) +
                  " and weights for one of " + std::to_string(hidden_));
    const std::string direction = c.word("direction", {"forward", "reverse", "bidirectional"});
    directions_ = direction == "bidirectional" ? 2 : 1;
    backwards_first_ = direction == "reverse";
    activations(std::move(defaults));
    clip_ = c.real("clip", 0);
  }

  std::int64_t steps() const { return x_.shape[0]; }
  std::int64_t batch() const { return x_.shape[1]; }
  std::int64_t hidden() const { return hidden_; }
  std::int64_t directions() const { return directions_; }
  bool backwards(std::int64_t d) const { return directions_ == 2 ? d == 1 : backwards_first_; }

  /// Direction d of an input [directions, ...], without that dimension.
  Value of_direction(int i, std::int64_t d) const {
    const Value one = c_.part(c_.in(i), 0, d, d + 1);
    return c_.reshape(one, Shape(one.shape.begin() + 1, one.shape.end()));
  }
  /// Initial state [batch, hidden]; zeros where the node has none.
  Value initial(int i, std::int64_t d) const {
    if (!c_.has(i)) return c_.broadcast(c_.scalar(x_.type, 0), {batch(), hidden_});
    const Value all = batch_first_ ? c_.transpose(c_.in(i), {1, 0, 2}) : c_.in(i);
    return c_.reshape(c_.part(all, 0, d, d + 1), {batch(), hidden_});
  }
  /// Products of all steps with the input weights of direction d: [steps, batch, gates * hidden].
  Value inputs(std::int64_t d) const {
    const Value flat = c_.reshape(x_, {steps() * batch(), x_.shape[2]});
    const Value y = c_.matmul(flat, of_direction(1, d), false, true);
    return c_.reshape(y, {steps(), batch(), gates_ * hidden_});
  }
  Value at_step(const Value& all, std::int64_t t) const {
    return c_.reshape(c_.part(all, 0, t, t + 1), Shape(all.shape.begin() + 1, all.shape.end()));
  }
  /// Bias of direction d: half 0 belongs to the inputs, half 1 to the state; nothing where there is none.
  std::optional<Value> bias(std::int64_t d, int half) const {
    if (!c_.has(3)) return std::nullopt;
    const std::int64_t width = gates_ * hidden_;
    return c_.part(of_direction(3, d), 0, half * width, (half + 1) * width);
  }
  /// Columns of gate g of [batch, gates * hidden] or of a vector.
  Value gate(const Value& all, std::int64_t g) const {
    return c_.part(all, all.rank() - 1, g * hidden_, (g + 1) * hidden_);
  }
  const Activation& activation(std::int64_t d, std::size_t which) const {
    return activations_.at(static_cast<std::size_t>(d) * per_direction_ + which);
  }
  Scalar activated(std::int64_t d, std::size_t which, Scalar x) const {
    if (clip_ != 0) x = clamp(x, real(-clip_, x), real(clip_, x));
    return activate(c_, activation(d, which), x);
  }

  /// `next` where the sequence still goes on at step t, else `otherwise`.
  Value while_running(std::int64_t t, const Value& next, const Value& otherwise) const {
    if (!c_.has(4)) return next;
    const Value lengths = c_.reshape(c_.in(4), {batch(), 1});
    return c_.map("Running", {lengths, next, otherwise},
                  [&](const auto& v) { return select(v[0] > t, v[1], v[2]); });
  }
  Value zeros() const { return c_.broadcast(c_.scalar(x_.type, 0), {batch(), hidden_}); }

  /// `all`: hidden states by direction and step, `last`: final states by direction.
  void set(const std::vector<std::vector<Value>>& all, const std::vector<Value>& last) const {
    if (c_.wants(0)) {
      std::vector<Value> rows;
      for (std::int64_t t = 0; t < steps(); ++t)
        for (std::int64_t d = 0; d < directions_; ++d)
          rows.push_back(c_.reshape(all[static_cast<std::size_t>(d)][static_cast<std::size_t>(t)],
                                    {1, batch(), hidden_}));
      const Value y = c_.reshape(c_.concat(rows, 0), {steps(), directions_, batch(), hidden_});
      c_.set(0, batch_first_ ? c_.transpose(y, {2, 0, 1, 3}) : y);
    }
    set_state(1, last);
  }
  void set_state(int output, const std::vector<Value>& last) const {
    if (!c_.wants(output)) return;
    std::vector<Value> rows;
    for (const Value& v : last) rows.push_back(c_.reshape(v, {1, batch(), hidden_}));
    const Value y = c_.concat(rows, 0);
    c_.set(output, batch_first_ ? c_.transpose(y, {1, 0, 2}) : y);
  }

 private:
  void activations(std::vector<std::string> defaults) {
    per_direction_ = defaults.size();
    std::vector<std::string> names;
    if (const auto* a = c_.find("activations")) names.assign(a->strings().begin(), a->strings().end());
    for (std::int64_t d = 0; names.empty() && d < directions_; ++d)
      for (const std::string& name : defaults) activations_.push_back({name});
    const auto* alphas = c_.find("activation_alpha");
    const auto* betas = c_.find("activation_beta");
    int alpha = 0, beta = 0;
    const auto next = [](const onnx::AttributeProto* list, int& i, double otherwise) {
      return list && i < list->floats_size() ? list->floats(i++) : otherwise;
    };
    for (std::string& name : names) {
      const auto* p = std::ranges::find(kParameters, name, &Parameters::name);
      Activation a{std::move(name)};
      if (p != std::end(kParameters)) a.alpha = next(alphas, alpha, p->alpha);
      if (p != std::end(kParameters) && p->beta) a.beta = next(betas, beta, *p->beta);
      activations_.push_back(std::move(a));
    }
    c_.require(activations_.size() == per_direction_ * static_cast<std::size_t>(directions_),
               "has " + std::to_string(activations_.size()) + " activations, needs " +
                   std::to_string(per_direction_ * static_cast<std::size_t>(directions_)));
  }

  const Node& c_;
  std::int64_t gates_, hidden_ = 0, directions_ = 1;
  bool batch_first_, backwards_first_ = false;
  double clip_ = 0;
  Value x_;
  std::size_t per_direction_ = 1;
  std::vector<Activation> activations_;
};

/// Calls step(d, t, inputs of the step, state) for each step of each direction and collects what it returns.
template <class Step>
void run(const Recurrence& r, int initial_input, const Step& step) {
  std::vector<std::vector<Value>> all;
  std::vector<Value> last;
  for (std::int64_t d = 0; d < r.directions(); ++d) {
    const Value inputs = r.inputs(d);
    std::vector<Value> states(static_cast<std::size_t>(r.steps()));
    Value h = r.initial(initial_input, d);
    for (std::int64_t i = 0; i < r.steps(); ++i) {
      const std::int64_t t = r.backwards(d) ? r.steps() - 1 - i : i;
      const Value next = step(d, t, r.at_step(inputs, t), h);
      states[static_cast<std::size_t>(t)] = r.while_running(t, next, r.zeros());
      h = r.while_running(t, next, h);
    }
    all.push_back(std::move(states));
    last.push_back(h);
  }
  r.set(all, last);
}

/// The product with the state, both biases added.
Value with_state(const Node& c, const Recurrence& r, std::int64_t d, const Value& inputs, const Value& h) {
  const Value products = c.matmul(h, r.of_direction(2, d), false, true);
  std::vector<Value> parts = {inputs, products};
  for (int half : {0, 1})
    if (const auto b = r.bias(d, half)) parts.push_back(*b);
  return c.map("Gates", parts, [](const auto& v) {
    Scalar total = v[0];
    for (std::size_t i = 1; i < v.size(); ++i) total = total + v[i];
    return total;
  });
}

void rnn(const Node& c) {
  const Recurrence r(c, 1, {"Tanh"});
  run(r, 5, [&](std::int64_t d, std::int64_t, const Value& x, const Value& h) {
    return c.map("Cell", {with_state(c, r, d, x, h)}, [&](const auto& v) { return r.activated(d, 0, v[0]); });
  });
}

/// Gates in the order z (update), r (reset), h.
void gru(const Node& c) {
  const Recurrence r(c, 3, {"Sigmoid", "Tanh"});
  const bool after = c.integer("linear_before_reset", 0) != 0;
  const std::int64_t hidden = r.hidden();
  run(r, 5, [&](std::int64_t d, std::int64_t, const Value& x, const Value& h) {
    const Value weights = r.of_direction(2, d);
    const auto rows = [&](std::int64_t begin, std::int64_t end) {
      return c.part(weights, 0, begin * hidden, end * hidden);
    };
    const auto biases = [&](int half, std::int64_t begin, std::int64_t end) {
      const auto b = r.bias(d, half);
      return b ? c.part(*b, 0, begin * hidden, end * hidden)
               : c.broadcast(c.scalar(x.type, 0), {(end - begin) * hidden});
    };
    const auto columns = [&](const Value& v, std::int64_t begin, std::int64_t end) {
      return c.part(v, v.rank() - 1, begin * hidden, end * hidden);
    };
    const Value gates = c.map(
        "Gates", {columns(x, 0, 2), c.matmul(h, rows(0, 2), false, true), biases(0, 0, 2), biases(1, 0, 2)},
        [&](const auto& v) { return r.activated(d, 0, v[0] + v[1] + v[2] + v[3]); });
    const Value update = columns(gates, 0, 1), reset = columns(gates, 1, 2);
    const Value state = after ? c.matmul(h, rows(2, 3), false, true)
                              : c.matmul(c.binary(BinaryOp::Mul, reset, h), rows(2, 3), false, true);
    return c.map("Cell", {columns(x, 2, 3), biases(0, 2, 3), state, biases(1, 2, 3), reset, update, h},
                 [&](const auto& v) {
                   const Scalar from_state = after ? v[4] * (v[2] + v[3]) : v[2] + v[3];
                   const Scalar candidate = r.activated(d, 1, v[0] + v[1] + from_state);
                   return (real(1, v[5]) - v[5]) * candidate + v[5] * v[6];
                 });
  });
}

/// Gates in the order i, o, f, c.
void lstm(const Node& c) {
  const Recurrence r(c, 4, {"Sigmoid", "Tanh", "Tanh"});
  const bool coupled = c.integer("input_forget") != 0;
  const std::int64_t hidden = r.hidden();
  std::vector<Value> cells;
  for (std::int64_t d = 0; d < r.directions(); ++d) cells.push_back(r.initial(6, d));
  run(r, 5, [&](std::int64_t d, std::int64_t t, const Value& x, const Value& h) {
    Value& cell = cells[static_cast<std::size_t>(d)];
    const Value gates = with_state(c, r, d, x, h);
    const auto peephole = [&](std::int64_t g) {
      return c.has(7) ? c.part(r.of_direction(7, d), 0, g * hidden, (g + 1) * hidden) : c.scalar(x.type, 0);
    };
    const Value next =
        c.map("Cell", {r.gate(gates, 0), r.gate(gates, 2), r.gate(gates, 3), cell, peephole(0), peephole(2)},
              [&](const auto& v) {
                const Scalar in = r.activated(d, 0, v[0] + v[4] * v[3]);
                const Scalar forget = coupled ? real(1, in) - in : r.activated(d, 0, v[1] + v[5] * v[3]);
                return forget * v[3] + in * r.activated(d, 1, v[2]);
              });
    const Value out = c.map("State", {r.gate(gates, 1), next, peephole(1)}, [&](const auto& v) {
      return r.activated(d, 0, v[0] + v[2] * v[1]) * activate(c, r.activation(d, 2), v[1]);
    });
    cell = r.while_running(t, next, cell);
    return out;
  });
  r.set_state(2, cells);
}

constexpr Operator kRecurrentOperators[] = {{"GRU", gru}, {"LSTM", lstm}, {"RNN", rnn}};

}  // namespace

std::span<const Operator> recurrent_operators() { return kRecurrentOperators; }

}  // namespace vdla::import::tensor
