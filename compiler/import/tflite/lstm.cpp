// SPDX-License-Identifier: Apache-2.0
// LSTM of floats, whose weights may be integers with scales ("dynamic range"): a step, or all steps of a
// sequence in one direction or in both.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/import/tensor/functions.h"
#include "compiler/import/tflite/hybrid.h"
#include "compiler/import/tflite/recurrent.h"

namespace vdla::import::tflite {
namespace {

using expr::BinaryOp;
using expr::Function;
using expr::Reducer;
using tensor::real;

/// Places of the inputs of one direction, whose defaults are the constants of recurrent.h; below zero: none.
struct LstmPlaces {
  int input_weights = kInputWeights, state_weights = kStateWeights, peepholes = kPeepholes, biases = kBiases,
      projection = kProjection, projection_bias = kProjectionBias, output_state = kOutputState,
      cell_state = kCellState, norms = kNorms, more_weights = -1;
};
constexpr LstmPlaces kForward = {.output_state = 35, .cell_state = 36, .norms = -1, .more_weights = 40};
constexpr LstmPlaces kBackward = {.input_weights = 18,
                                  .state_weights = 22,
                                  .peepholes = 26,
                                  .biases = 29,
                                  .projection = 33,
                                  .projection_bias = 34,
                                  .output_state = 37,
                                  .cell_state = 38,
                                  .norms = -1,
                                  .more_weights = 44};

struct LstmSettings {
  Activation activation;
  float cell_clip, proj_clip;
  bool asymmetric;
};
template <class From>
LstmSettings settings_of(const From& o) {
  return {o.activation(), o.cell_clip(), o.proj_clip(), o.asymmetric_quantize_inputs()};
}

/// Layer of one direction.
class Lstm {
 public:
  /// `x`: the data, steps first. `more`: data beside them, which have weights of their own.
  Lstm(const Operation& c, const LstmPlaces& places, const LstmSettings& settings, Value x,
       std::optional<Value> more = {})
      : c_(c), p_(places), o_(settings), x_(std::move(x)), more_(std::move(more)) {
    for (const float clip : {o_.cell_clip, o_.proj_clip})
      c.require(clip >= 0 && std::isfinite(clip), fmt::format("has a clip of {}, needs 0 or more", clip));
    coupled_ = !c.has(p_.input_weights);
    c.require(coupled_ != c.has(p_.state_weights),
              "has weights of the input gate for its input or its state "
              "alone, needs both or none");
    const int of_input = p_.input_weights + Output, of_state = p_.state_weights + Output;
    cells_ = require_matrix(c, of_input, c.in(of_input), -1, x_.shape[2]).shape[0];
    outputs_ = require_matrix(c, of_state, c.in(of_state), cells_, -1).shape[1];
    c.require(
        c.has(p_.projection) || outputs_ == cells_,
        fmt::format("has {} outputs of {} cells and no projection, needs equal numbers", outputs_, cells_));
    if (!c.has(p_.projection)) return;
    require_matrix(c, p_.projection, c.in(p_.projection), outputs_, cells_);
    projection_ = weight_factors(c, x_, 2, cells_, {p_.projection});
  }

  /// The outputs of all steps, steps first.
  Value run(bool backwards = false) const {
    const std::int64_t steps = x_.shape[0], batch = x_.shape[1];
    Value h = state_of(c_, p_.output_state, x_.type, batch, outputs_);
    Value cell = state_of(c_, p_.cell_state, x_.type, batch, cells_);
    const Value all = products();
    const WeightFactors weights = weights_from(p_.state_weights, outputs_);
    std::vector<Value> rows;
    for (std::int64_t i = 0; i < steps; ++i) {
      const std::int64_t t = backwards ? steps - 1 - i : i;
      const Value x = c_.reshape(c_.part(all, 0, t, t + 1), {batch, all.shape[2]});
      h = step(c_.binary(BinaryOp::Add, x, products_of(c_, h, weights, o_.asymmetric)), cell);
      rows.push_back(c_.reshape(h, {1, batch, outputs_}));
    }
    c_.set_state(p_.output_state, h);
    c_.set_state(p_.cell_state, cell);
    if (backwards) std::ranges::reverse(rows);
    return c_.concat(rows, 0);
  }

 private:
  Value vector(int i, std::int64_t count) const { return require_vector(c_, i, c_.like(x_, i), count); }

  /// Gates that have weights, in order: a coupled input gate is what the forget gate leaves.
  std::vector<Gate> gates() const {
    return coupled_ ? std::vector<Gate>{Forget, Cell, Output}
                    : std::vector<Gate>{Input, Forget, Cell, Output};
  }
  template <class Take>
  Value of_gates(const Take& take) const {
    std::vector<Value> parts;
    for (const Gate g : gates()) parts.push_back(take(g));
    return c_.concat(parts, 0);
  }
  /// Weights of all gates, of which the input gate's would be input `first`.
  WeightFactors weights_from(int first, std::int64_t columns) const {
    std::vector<int> inputs;
    for (const Gate g : gates()) {
      inputs.push_back(first + g);
      require_matrix(c_, first + g, c_.in(first + g), cells_, columns);
    }
    return weight_factors(c_, x_, 2, columns, inputs);
  }
  Value bias(Gate g) const { return vector(p_.biases + g, cells_); }
  bool normalises() const { return p_.norms >= 0 && c_.has(p_.norms + Forget); }

  /// Products of all steps with the weights of the inputs, [steps, batch, gates * cells], with the biases
  /// where nothing is normalised before them.
  Value products() const {
    Value y = products_with(x_, p_.input_weights);
    if (more_) y = c_.binary(BinaryOp::Add, y, products_with(*more_, p_.more_weights));
    const Value biases = of_gates([&](Gate g) { return bias(g); });
    if (!normalises()) y = c_.binary(BinaryOp::Add, y, biases);
    return c_.reshape(y, {x_.shape[0], x_.shape[1], y.shape[1]});
  }
  Value products_with(const Value& x, int first) const {
    return products_of(c_, c_.reshape(x, {x.shape[0] * x.shape[1], x.shape[2]}),
                       weights_from(first, x.shape[2]), o_.asymmetric);
  }

  /// Sums of gate g of [batch, gates * cells] with its peephole to `cell`, normalised where the layer does
  /// so.
  Value sums(const Value& all, Gate g, const Value& cell) const {
    const std::int64_t place = g - (coupled_ ? 1 : 0);
    Value v = c_.part(all, 1, place * cells_, (place + 1) * cells_);
    const int peephole = p_.peepholes + (g == Output ? 2 : g);
    if (g != Cell && c_.has(peephole))
      v = c_.map("Peephole", {v, require_vector(c_, peephole, c_.reals(peephole), cells_), cell},
                 [](const auto& p) { return p[0] + p[1] * p[2]; });
    if (!normalises()) return v;
    const auto mean = [&](const Value& x) {
      return c_.map("Mean", {c_.fold(Reducer::Sum, x, {1}, true)},
                    [&](const auto& p) { return p[0] / real(static_cast<double>(cells_), p[0]); });
    };
    const Value centred = c_.binary(BinaryOp::Sub, v, mean(v));
    const Value variance = mean(c_.binary(BinaryOp::Mul, centred, centred));
    return c_.map("Normalised", {centred, variance, vector(p_.norms + g, cells_), bias(g)},
                  [](const auto& p) {
                    return p[0] / tensor::call(Function::Sqrt, p[1] + real(1e-8, p[1])) * p[2] + p[3];
                  });
  }
  Value open(const Value& all, Gate g, const Value& cell) const {
    return c_.map("Sigmoid", {sums(all, g, cell)}, [](const auto& p) { return tensor::sigmoid(p[0]); });
  }
  Value clipped(const Value& v, float clip) const {
    if (clip == 0) return v;
    return c_.map("Clip", {v},
                  [&](const auto& p) { return clamp(p[0], real(-clip, p[0]), real(clip, p[0])); });
  }

  /// The output of a step; `cell` becomes its state.
  Value step(const Value& all, Value& cell) const {
    const Value forget = open(all, Forget, cell);
    const Value input = coupled_
                            ? c_.map("Coupled", {forget}, [](const auto& p) { return real(1, p[0]) - p[0]; })
                            : open(all, Input, cell);
    const Value fresh = c_.activated(sums(all, Cell, cell), o_.activation);
    cell =
        c_.map("Cell", {forget, cell, input, fresh}, [](const auto& p) { return p[0] * p[1] + p[2] * p[3]; });
    cell = clipped(cell, o_.cell_clip);
    Value y = c_.binary(BinaryOp::Mul, open(all, Output, cell), c_.activated(cell, o_.activation));
    if (!c_.has(p_.projection)) return y;
    Value projected = products_of(c_, y, projection_, o_.asymmetric);
    if (c_.has(p_.projection_bias))
      projected = c_.binary(BinaryOp::Add, projected, vector(p_.projection_bias, outputs_));
    return clipped(projected, o_.proj_clip);
  }

  const Operation& c_;
  const LstmPlaces p_;
  const LstmSettings o_;
  const Value x_;
  const std::optional<Value> more_;
  WeightFactors projection_;
  bool coupled_ = false;
  std::int64_t cells_ = 0, outputs_ = 0;
};

}  // namespace

void lstm(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_SequenceLstmOptions);
  c.require(!o.diagonal_recurrent_tensors(), "has diagonal weights of its state, needs whole matrices");
  const Value y = Lstm(c, {}, settings_of(o), steps_first(c, 0, o.time_major())).run();
  c.set(o.time_major() ? y : c.transpose(y, {1, 0, 2}));
}

void lstm_step(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_LstmOptions);
  c.require(o.kernel_type() == LstmKernel::FULL,
            "has one matrix of weights for all gates (kernel BASIC), needs the kernel FULL: convert the "
            "network with "
            "a newer TensorFlow");
  const Value x = c.in(0);
  c.require(x.rank() == 2, fmt::format("has data of {}, needs 2 dimensions", graph::to_string(x.shape)));
  const Value y = Lstm(c, {}, settings_of(o), c.reshape(x, {1, x.shape[0], x.shape[1]})).run();
  c.set(c.reshape(y, {y.shape[1], y.shape[2]}));
}

void bidirectional_lstm(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_BidirectionalLstmOptions);
  constexpr int kMore = 39;
  const BothWays data = data_of_both(c, kMore, kForward.more_weights + Output, o.time_major());
  set_both(c, Lstm(c, kForward, settings_of(o), data.x, data.more).run(),
           Lstm(c, kBackward, settings_of(o), data.backward, data.more).run(true), o.time_major(),
           o.merge_outputs());
}

}  // namespace vdla::import::tflite
