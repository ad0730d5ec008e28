// SPDX-License-Identifier: Apache-2.0
// Recurrent layers of floats, whose weights may be integers with scales ("dynamic range"), a step at a time.
#include "compiler/import/tflite/recurrent.h"

#include <fmt/format.h>

#include <cmath>

#include "compiler/import/tensor/functions.h"
#include "compiler/import/tflite/hybrid.h"
#include "compiler/import/tflite/integers.h"
#include "compiler/import/tflite/integers16.h"

namespace vdla::import::tflite {

using expr::BinaryOp;
using expr::Function;
using expr::Reducer;
using tensor::real;

Value steps_first(const Operation& c, bool time_major) {
  const Value x = c.in(0);
  c.require(x.rank() == 3, fmt::format("has data of {}, needs 3 dimensions", graph::to_string(x.shape)));
  const Value y = time_major ? x : c.transpose(x, {1, 0, 2});
  constexpr std::int64_t kMostSteps = 1 << 14;  // each becomes nodes
  c.require(y.shape[0] <= kMostSteps, fmt::format("has {} steps, needs at most {}", y.shape[0], kMostSteps));
  return y;
}

Value require_matrix(const Operation& c, int i, Value w, std::int64_t rows, std::int64_t columns) {
  const bool fits =
      w.rank() == 2 && (rows < 0 || w.shape[0] == rows) && (columns < 0 || w.shape[1] == columns);
  const auto wanted = [](std::int64_t extent) { return extent < 0 ? "any" : std::to_string(extent); };
  c.require(fits, fmt::format("has weights (input {}) of {}, needs {} x {}", i, graph::to_string(w.shape),
                              wanted(rows), wanted(columns)));
  return w;
}

Value require_vector(const Operation& c, int i, Value v, std::int64_t count) {
  c.require(v.shape == Shape{count},
            fmt::format("has input {} of {}, needs {} elements", i, graph::to_string(v.shape), count));
  return v;
}

Value state_of(const Operation& c, int i, DataType type, std::int64_t rows, std::int64_t columns) {
  c.require(c.has(i) && c.is_variable(i),
            fmt::format("has a state (input {}) that is no variable, needs one that the network keeps", i));
  Value v = c.state(i);
  c.require(v.type == type && v.shape == Shape{rows, columns},
            fmt::format("has a state (input {}) of {} {}, needs {} {} x {}", i, graph::name_of(v.type),
                        graph::to_string(v.shape), graph::name_of(type), rows, columns));
  return v;
}

namespace {

/// Products of rows of x with weights, in reals.
Value products_of(const Operation& c, const Value& x, const WeightFactors& weights, bool asymmetric) {
  const Factors f = factors_of(c, x, weights, {1}, steps_of(asymmetric));
  return real_sums(c, f, c.matmul(f.x, f.w, false, true), 1);
}

class Lstm {
 public:
  explicit Lstm(const Operation& c)
      : c_(c), o_(c.options(&Operator::builtin_options_as_SequenceLstmOptions)) {
    x_ = steps_first(c, o_.time_major());
    c.require(!o_.diagonal_recurrent_tensors(), "has diagonal weights of its state, needs whole matrices");
    for (const float clip : {o_.cell_clip(), o_.proj_clip()})
      c.require(clip >= 0 && std::isfinite(clip), fmt::format("has a clip of {}, needs 0 or more", clip));
    coupled_ = !c.has(kInputWeights);
    c.require(coupled_ != c.has(kStateWeights),
              "has weights of the input gate for its input or its state "
              "alone, needs both or none");
    cells_ =
        require_matrix(c, kInputWeights + Output, c.in(kInputWeights + Output), -1, x_.shape[2]).shape[0];
    outputs_ = require_matrix(c, kStateWeights + Output, c.in(kStateWeights + Output), cells_, -1).shape[1];
    c.require(
        c.has(kProjection) || outputs_ == cells_,
        fmt::format("has {} outputs of {} cells and no projection, needs equal numbers", outputs_, cells_));
    if (!c.has(kProjection)) return;
    require_matrix(c, kProjection, c.in(kProjection), outputs_, cells_);
    projection_ = weight_factors(c, x_, 2, cells_, {kProjection});
  }

  void run() const {
    const std::int64_t steps = x_.shape[0], batch = x_.shape[1];
    Value h = state_of(c_, kOutputState, x_.type, batch, outputs_);
    Value cell = state_of(c_, kCellState, x_.type, batch, cells_);
    const Value all = products();
    const WeightFactors weights = weights_from(kStateWeights, outputs_);
    std::vector<Value> rows;
    for (std::int64_t t = 0; t < steps; ++t) {
      const Value x = c_.reshape(c_.part(all, 0, t, t + 1), {batch, all.shape[2]});
      h = step(c_.binary(BinaryOp::Add, x, products_of(c_, h, weights, o_.asymmetric_quantize_inputs())),
               cell);
      rows.push_back(c_.reshape(h, {1, batch, outputs_}));
    }
    c_.set_state(kOutputState, h);
    c_.set_state(kCellState, cell);
    const Value y = c_.concat(rows, 0);
    c_.set(o_.time_major() ? y : c_.transpose(y, {1, 0, 2}));
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
  Value bias(Gate g) const { return vector(kBiases + g, cells_); }
  bool normalises() const { return c_.has(kNorms + Forget); }

  /// Products of all steps with the weights of the inputs, [steps, batch, gates * cells], with the biases
  /// where nothing is normalised before them.
  Value products() const {
    const std::int64_t steps = x_.shape[0], batch = x_.shape[1];
    Value y = products_of(c_, c_.reshape(x_, {steps * batch, x_.shape[2]}),
                          weights_from(kInputWeights, x_.shape[2]), o_.asymmetric_quantize_inputs());
    const Value biases = of_gates([&](Gate g) { return bias(g); });
    if (!normalises()) y = c_.binary(BinaryOp::Add, y, biases);
    return c_.reshape(y, {steps, batch, y.shape[1]});
  }

  /// Sums of gate g of [batch, gates * cells] with its peephole to `cell`, normalised where the layer does
  /// so.
  Value sums(const Value& all, Gate g, const Value& cell) const {
    const std::int64_t place = g - (coupled_ ? 1 : 0);
    Value v = c_.part(all, 1, place * cells_, (place + 1) * cells_);
    const int peephole = kPeepholes + (g == Output ? 2 : g);
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
    return c_.map("Normalised", {centred, variance, vector(kNorms + g, cells_), bias(g)}, [](const auto& p) {
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
    const Value fresh = c_.activated(sums(all, Cell, cell), o_.activation());
    cell =
        c_.map("Cell", {forget, cell, input, fresh}, [](const auto& p) { return p[0] * p[1] + p[2] * p[3]; });
    cell = clipped(cell, o_.cell_clip());
    const Value y = c_.binary(BinaryOp::Mul, open(all, Output, cell), c_.activated(cell, o_.activation()));
    if (!c_.has(kProjection)) return y;
    Value projected = products_of(c_, y, projection_, o_.asymmetric_quantize_inputs());
    if (c_.has(kProjectionBias))
      projected = c_.binary(BinaryOp::Add, projected, vector(kProjectionBias, outputs_));
    return clipped(projected, o_.proj_clip());
  }

  const Operation& c_;
  const SequenceLstmOptions& o_;
  Value x_;  ///< steps first
  WeightFactors projection_;
  bool coupled_ = false;
  std::int64_t cells_ = 0, outputs_ = 0;
};

void lstm(const Operation& c) { Lstm(c).run(); }

/// Places of inputs of RNN: data, weights of the data and of the state, biases, state.
struct Rnn {
  static constexpr int kWeights = 1, kRecurrent = 2, kBias = 3, kState = 4;
  Activation activation;
  bool asymmetric;
};

/// Outputs of all steps of x, steps first.
Value rnn_steps(const Operation& c, const Rnn& rnn, const Value& x) {
  const std::int64_t steps = x.shape[0], batch = x.shape[1], width = x.shape[2];
  const std::int64_t units = require_matrix(c, Rnn::kWeights, c.in(Rnn::kWeights), -1, width).shape[0];
  require_matrix(c, Rnn::kRecurrent, c.in(Rnn::kRecurrent), units, units);
  Value h = state_of(c, Rnn::kState, x.type, batch, units);
  const Value products = products_of(c, c.reshape(x, {steps * batch, width}),
                                     weight_factors(c, x, 2, width, {Rnn::kWeights}), rnn.asymmetric);
  const Value all =
      c.binary(BinaryOp::Add, products, require_vector(c, Rnn::kBias, c.like(x, Rnn::kBias), units));
  const WeightFactors weights = weight_factors(c, x, 2, units, {Rnn::kRecurrent});
  std::vector<Value> rows;
  for (std::int64_t t = 0; t < steps; ++t) {
    const Value now = c.part(all, 0, t * batch, (t + 1) * batch);
    h = c.activated(c.binary(BinaryOp::Add, now, products_of(c, h, weights, rnn.asymmetric)), rnn.activation);
    rows.push_back(c.reshape(h, {1, batch, units}));
  }
  c.set_state(Rnn::kState, h);
  return c.concat(rows, 0);
}

void sequence_rnn(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_SequenceRnnOptions);
  const Value y =
      rnn_steps(c, {o.activation(), o.asymmetric_quantize_inputs()}, steps_first(c, o.time_major()));
  c.set(o.time_major() ? y : c.transpose(y, {1, 0, 2}));
}

void rnn(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_RnnOptions);
  const Value x = c.in(0);
  c.require(x.rank() == 2, fmt::format("has data of {}, needs 2 dimensions", graph::to_string(x.shape)));
  const Value y = rnn_steps(c, {o.activation(), o.asymmetric_quantize_inputs()},
                            c.reshape(x, {1, x.shape[0], x.shape[1]}));
  c.set(c.reshape(y, {y.shape[1], y.shape[2]}));
}

constexpr Row kRecurrentRows[] = {
    {"RNN", rnn, Takes::Layers},
    {"SVDF", svdf, Takes::Layers},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", lstm, Takes::Layers},
    {"UNIDIRECTIONAL_SEQUENCE_RNN", sequence_rnn, Takes::Layers},
};

template <void (*Import)(const Operation&)>
void in_bytes(const Context& c) {
  Import(Operation(c.builder, c.op, {}));
}

constexpr IntegerRow kIntegerRecurrent[] = {
    {"SVDF", in_bytes<integer_svdf>},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", in_bytes<integer_lstm>},
};

constexpr Row16 kRecurrent16[] = {{"UNIDIRECTIONAL_SEQUENCE_LSTM", integer_lstm}};

}  // namespace

std::span<const Row> recurrent_rows() { return kRecurrentRows; }

std::span<const IntegerRow> integer_recurrent() { return kIntegerRecurrent; }

std::span<const Row16> recurrent16() { return kRecurrent16; }

}  // namespace vdla::import::tflite
