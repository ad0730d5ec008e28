// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tensor/integer_recurrent.h"

namespace vdla::import::tensor {

using expr::DType;
using graph::Multiplier;

namespace {

Scalar whole(std::int64_t v) { return {expr::number(v, DType::I32)}; }
Scalar in_32_bits(const Scalar& x) { return cast(DType::I32, x); }
/// Limits an int32 element to the ends of `type`.
Scalar within(DType type, const Scalar& x) {
  return clamp(x, whole(expr::min_value(type)), whole(expr::max_value(type)));
}

Value less_zero_point(const Composer& c, const Value& x, std::int32_t zero_point, DataType type) {
  const Value wide = c.cast(x, type);
  return zero_point == 0 ? wide : c.map("Centre", {wide}, [&](const auto& v) {
    return v[0] - Scalar(expr::number(zero_point, graph::dtype_of(type)));
  });
}

/// Sums of rows of x in int16, rows x (gates * cells).
Value gate_sums(const Composer& c, const GateSums& g, const Value& x) {
  const Value& weights = g.layer.weights;
  const Value sums = c.matmul(less_zero_point(c, x, g.zero_point, weights.type), weights, false, true);
  std::vector<Multiplier> each;
  for (const Multiplier& m : g.multipliers)
    each.insert(each.end(), static_cast<std::size_t>(weights.shape[0] / kGates), m);
  return steps16(c, g.layer, sums, 1, each, {"GateSums", kEnds16, {}});
}

/// `product` of two int16 elements in the steps of a state.
Scalar product_in(DType type, const Multiplier& m, std::int32_t zero, const Scalar& a, const Scalar& b) {
  return within(type, multiplied(m, in_32_bits(a) * in_32_bits(b)) + zero);
}

/// The hidden state after a step; `cell` becomes the next one.
Value lstm_step(const Composer& c, const IntegerLstm& l, const Value& x, const LstmStates& before,
                Value& cell) {
  const Value sums = c.map("Gates", {x, gate_sums(c, l.of_state, before.hidden)}, [](const auto& v) {
    return limited(in_32_bits(v[0]) + in_32_bits(v[1]), kEnds16);
  });
  constexpr TableScale kSteps{3, 0};  // 1 / 4096
  const std::int64_t cells = before.cell.shape[1];
  const Value open = sigmoid16(c, c.part(sums, 1, 0, 3 * cells), kSteps, {"Sigmoid", kEnds16, {}});
  const auto gate = [&](std::int64_t i) { return c.part(open, 1, i * cells, (i + 1) * cells); };
  const Value fresh = tanh16(c, c.part(sums, 1, 3 * cells, 4 * cells), kSteps, {"Tanh", kEnds16, {}});
  cell = c.map(
      "Cell", {gate(1), before.cell, gate(0), fresh},
      [&](const auto& v) {
        const Scalar kept = product_in(DType::I16, l.kept, 0, v[0], v[1]);
        const Scalar taken = product_in(DType::I16, l.taken, 0, v[2], v[3]);
        return limited(within(DType::I16, kept + taken), l.cell_ends);
      },
      l.cell);
  const DType type = graph::dtype_of(before.hidden.type);
  return c.map(
      "Hidden", {tanh16(c, cell, l.cell_scale, {"Tanh", kEnds16, {}}), gate(2)},
      [&](const auto& v) { return cast(type, product_in(type, l.shown, l.of_state.zero_point, v[0], v[1])); },
      l.hidden);
}

}  // namespace

TableScale tanh_scale(int power) {
  constexpr int kStep = -12;  // the tables' argument is in steps of 2^-12 / 3
  return power < kStep ? TableScale{3, kStep - power} : TableScale{3 << (power - kStep), 0};
}

/// The products of the inputs of all steps are one product of matrices.
Value integer_lstm(const Composer& c, const IntegerLstm& l, const Value& x, LstmStates& states) {
  const std::int64_t steps = x.shape[0], batch = x.shape[1];
  const Value all = gate_sums(c, l.of_input, c.reshape(x, {steps * batch, x.shape[2]}));
  const Composer moves(c.network(), c.name(), c.where(), l.hidden);
  std::vector<Value> rows;
  for (std::int64_t t = 0; t < steps; ++t) {
    Value cell;
    states.hidden = lstm_step(c, l, c.part(all, 0, t * batch, (t + 1) * batch), states, cell);
    states.cell = cell;
    rows.push_back(moves.reshape(states.hidden, {1, batch, states.hidden.shape[1]}));
  }
  return moves.concat(rows, 0);
}

Value integer_svdf(const Composer& c, const IntegerSvdf& s, const Value& x, Value& state) {
  const Value &features = s.features.weights, &time = s.time.weights;
  const std::int64_t batch = x.shape[0], filters = features.shape[0], steps = state.shape[1] / filters;
  const std::int32_t state_zero = s.state.empty() ? 0 : s.state.zero_point[0];
  const DType type = graph::dtype_of(state.type);
  const Composer moves(c.network(), c.name(), c.where(), s.state);
  const Value sums = c.matmul(less_zero_point(c, x, s.x_zero, features.type), features, false, true);
  const Value now = c.map(
      "Feature", {c.reshape(sums, {batch, filters, 1})},
      [&](const auto& v) { return cast(type, within(type, multiplied(s.in, v[0])) + state_zero); }, s.state);
  const Value past = moves.part(moves.reshape(state, {batch, filters, steps}), 2, 1, steps);
  const Value all = moves.concat({past, now}, 2);
  state = moves.reshape(all, {batch, filters * steps});
  const Value products = c.map("Time", {moves.reshape(all, {batch, time.shape[0], time.shape[1]}), time},
                               [&](const auto& v) { return (in_32_bits(v[0]) - state_zero) * v[1]; });
  const Value total = c.fold(expr::Reducer::Sum, products, {2}, false);
  return c.map(
      "Unit", {total, s.time.bias ? *s.time.bias : c.scalar(DataType::Int32, 0)},
      [&](const auto& v) {
        const Scalar result = multiplied(s.out.multiplier[0], v[0] + v[1]) + s.out.zero_point;
        return cast(DType::I8, clamp(result, whole(s.out.min), whole(s.out.max)));
      },
      s.output);
}

}  // namespace vdla::import::tensor
