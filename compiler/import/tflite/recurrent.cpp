// SPDX-License-Identifier: Apache-2.0
// UNIDIRECTIONAL_SEQUENCE_LSTM of floats, a step at a time: the products with the inputs of all steps are one
// matrix product.
#include <fmt/format.h>

#include <cmath>

#include "compiler/import/tensor/functions.h"
#include "compiler/import/tflite/operation.h"

namespace vdla::import::tflite {
namespace {

using expr::BinaryOp;
using expr::Function;
using expr::Reducer;
using tensor::real;

// Places of inputs; the first of each run of gates belongs to the input gate. Peepholes have none of the
// cell.
constexpr int kInputWeights = 1, kStateWeights = 5, kPeepholes = 9, kBiases = 12, kProjection = 16,
              kProjectionBias = 17, kOutputState = 18, kCellState = 19, kNorms = 20;

enum Gate : std::uint8_t { Input, Forget, Cell, Output };

class Lstm {
 public:
  explicit Lstm(const Operation& c)
      : c_(c), o_(c.options(&Operator::builtin_options_as_SequenceLstmOptions)) {
    x_ = c.in(0);
    c.require(x_.rank() == 3, fmt::format("has data of {}, needs 3 dimensions", graph::to_string(x_.shape)));
    c.require(!o_.diagonal_recurrent_tensors(), "has diagonal weights of its state, needs whole matrices");
    for (const float clip : {o_.cell_clip(), o_.proj_clip()})
      c.require(clip >= 0 && std::isfinite(clip), fmt::format("has a clip of {}, needs 0 or more", clip));
    if (!o_.time_major()) x_ = c.transpose(x_, {1, 0, 2});
    constexpr std::int64_t kMostSteps = 1 << 14;  // each becomes nodes
    c.require(x_.shape[0] <= kMostSteps,
              fmt::format("has {} steps, needs at most {}", x_.shape[0], kMostSteps));
    coupled_ = !c.has(kInputWeights);
    c.require(coupled_ != c.has(kStateWeights),
              "has weights of the input gate for its input or its state "
              "alone, needs both or none");
    cells_ = matrix(kInputWeights + Output, -1, x_.shape[2]).shape[0];
    outputs_ = matrix(kStateWeights + Output, cells_, -1).shape[1];
    c.require(
        c.has(kProjection) || outputs_ == cells_,
        fmt::format("has {} outputs of {} cells and no projection, needs equal numbers", outputs_, cells_));
    for (const int state : {kOutputState, kCellState})
      c.require(
          c.has(state) && c.is_variable(state),
          fmt::format("has a state (input {}) that is no variable, needs one that the network keeps", state));
  }

  void run() const {
    const std::int64_t steps = x_.shape[0], batch = x_.shape[1];
    const Value all = products();
    const Value weights = of_gates([&](Gate g) { return matrix(kStateWeights + g, cells_, outputs_); });
    Value h = state(kOutputState, outputs_), cell = state(kCellState, cells_);
    std::vector<Value> rows;
    for (std::int64_t t = 0; t < steps; ++t) {
      const Value x = c_.reshape(c_.part(all, 0, t, t + 1), {batch, all.shape[2]});
      h = step(c_.binary(BinaryOp::Add, x, c_.matmul(h, weights, false, true)), cell);
      rows.push_back(c_.reshape(h, {1, batch, outputs_}));
    }
    c_.set_state(kOutputState, h);
    c_.set_state(kCellState, cell);
    const Value y = c_.concat(rows, 0);
    c_.set(o_.time_major() ? y : c_.transpose(y, {1, 0, 2}));
  }

 private:
  /// Input i, a matrix of these extents; -1: of any.
  Value matrix(int i, std::int64_t rows, std::int64_t columns) const {
    Value w = c_.like(x_, i);
    const bool fits =
        w.rank() == 2 && (rows < 0 || w.shape[0] == rows) && (columns < 0 || w.shape[1] == columns);
    const auto wanted = [](std::int64_t extent) { return extent < 0 ? "any" : std::to_string(extent); };
    c_.require(fits, fmt::format("has weights (input {}) of {}, needs {} x {}", i, graph::to_string(w.shape),
                                 wanted(rows), wanted(columns)));
    return w;
  }
  Value vector(int i, std::int64_t count) const {
    Value v = c_.like(x_, i);
    c_.require(v.shape == Shape{count},
               fmt::format("has input {} of {}, needs {} elements", i, graph::to_string(v.shape), count));
    return v;
  }
  Value state(int i, std::int64_t count) const {
    Value v = c_.state(i);
    c_.require(v.type == x_.type && v.shape == Shape{x_.shape[1], count},
               fmt::format("has a state (input {}) of {} {}, needs {} {} x {}", i, graph::name_of(v.type),
                           graph::to_string(v.shape), graph::name_of(x_.type), x_.shape[1], count));
    return v;
  }

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
  Value bias(Gate g) const { return vector(kBiases + g, cells_); }
  bool normalises() const { return c_.has(kNorms + Forget); }

  /// Products of all steps with the weights of the inputs, [steps, batch, gates * cells], with the biases
  /// where nothing is normalised before them.
  Value products() const {
    const std::int64_t steps = x_.shape[0], batch = x_.shape[1];
    const Value weights = of_gates([&](Gate g) { return matrix(kInputWeights + g, cells_, x_.shape[2]); });
    Value y = c_.matmul(c_.reshape(x_, {steps * batch, x_.shape[2]}), weights, false, true);
    const Value biases = of_gates([&](Gate g) { return bias(g); });
    if (!normalises()) y = c_.binary(BinaryOp::Add, y, biases);
    return c_.reshape(y, {steps, batch, weights.shape[0]});
  }

  /// Sums of gate g of [batch, gates * cells] with its peephole to `cell`, normalised where the layer does
  /// so.
  Value sums(const Value& all, Gate g, const Value& cell) const {
    const std::int64_t place = g - (coupled_ ? 1 : 0);
    Value v = c_.part(all, 1, place * cells_, (place + 1) * cells_);
    const int peephole = kPeepholes + (g == Output ? 2 : g);
    if (g != Cell && c_.has(peephole))
      v = c_.map("Peephole", {v, vector(peephole, cells_), cell},
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
    Value projected = c_.matmul(y, matrix(kProjection, outputs_, cells_), false, true);
    if (c_.has(kProjectionBias))
      projected = c_.binary(BinaryOp::Add, projected, vector(kProjectionBias, outputs_));
    return clipped(projected, o_.proj_clip());
  }

  const Operation& c_;
  const SequenceLstmOptions& o_;
  Value x_;  ///< steps first
  bool coupled_ = false;
  std::int64_t cells_ = 0, outputs_ = 0;
};

void lstm(const Operation& c) { Lstm(c).run(); }

constexpr Row kRecurrentRows[] = {{"UNIDIRECTIONAL_SEQUENCE_LSTM", lstm, Takes::Floats}};

}  // namespace

std::span<const Row> recurrent_rows() { return kRecurrentRows; }

}  // namespace vdla::import::tflite
