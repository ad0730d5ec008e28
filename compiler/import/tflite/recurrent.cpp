// SPDX-License-Identifier: Apache-2.0
// Recurrent layers of floats, whose weights may be integers with scales ("dynamic range"), a step at a time.
#include "compiler/import/tflite/recurrent.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/import/tflite/integers.h"
#include "compiler/import/tflite/integers16.h"

namespace vdla::import::tflite {

using expr::BinaryOp;

Value steps_first(const Operation& c, int i, bool time_major) {
  const Value x = c.in(i);
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

Value products_of(const Operation& c, const Value& x, const WeightFactors& weights, bool asymmetric) {
  const Factors f = factors_of(c, x, weights, {1}, steps_of(asymmetric));
  return real_sums(c, f, c.matmul(f.x, f.w, false, true), 1);
}

BothWays data_of_both(const Operation& c, int more, int weights, bool time_major) {
  BothWays data;
  data.x = data.backward = steps_first(c, 0, time_major);
  if (!c.has(more)) return data;
  const Value beside = steps_first(c, more, time_major);
  c.require(
      beside.type == data.x.type && beside.shape[0] == data.x.shape[0] && beside.shape[1] == data.x.shape[1],
      fmt::format("has data (input {}) of {} beside {}, needs as many steps and sequences", more,
                  graph::to_string(beside.shape), graph::to_string(data.x.shape)));
  if (c.has(weights))
    data.more = beside;
  else
    data.backward = beside;
  return data;
}

void set_both(const Operation& c, const Value& forward, const Value& backward, bool time_major, bool merged) {
  const auto set = [&](int i, const Value& y) { c.set(i, time_major ? y : c.transpose(y, {1, 0, 2})); };
  if (merged) return set(0, c.concat({forward, backward}, 2));
  set(0, forward);
  set(1, backward);
}

namespace {

/// Places of the inputs of RNN, and its options.
struct Rnn {
  Activation activation;
  bool asymmetric;
  int weights = 1, state_weights = 2, bias = 3, state = 4, more_weights = -1;
};

/// Outputs of all steps of x, steps first. `more` as in BothWays.
Value rnn_steps(const Operation& c, const Rnn& rnn, const Value& x, const std::optional<Value>& more = {},
                bool backwards = false) {
  const std::int64_t steps = x.shape[0], batch = x.shape[1];
  const std::int64_t units = require_matrix(c, rnn.weights, c.in(rnn.weights), -1, x.shape[2]).shape[0];
  require_matrix(c, rnn.state_weights, c.in(rnn.state_weights), units, units);
  Value h = state_of(c, rnn.state, x.type, batch, units);
  const auto products_with = [&](const Value& data, int i) {
    const std::int64_t width = data.shape[2];
    require_matrix(c, i, c.in(i), units, width);
    return products_of(c, c.reshape(data, {steps * batch, width}), weight_factors(c, data, 2, width, {i}),
                       rnn.asymmetric);
  };
  Value all = c.binary(BinaryOp::Add, products_with(x, rnn.weights),
                       require_vector(c, rnn.bias, c.like(x, rnn.bias), units));
  if (more) all = c.binary(BinaryOp::Add, all, products_with(*more, rnn.more_weights));
  const WeightFactors weights = weight_factors(c, x, 2, units, {rnn.state_weights});
  std::vector<Value> rows;
  for (std::int64_t i = 0; i < steps; ++i) {
    const std::int64_t t = backwards ? steps - 1 - i : i;
    const Value now = c.part(all, 0, t * batch, (t + 1) * batch);
    h = c.activated(c.binary(BinaryOp::Add, now, products_of(c, h, weights, rnn.asymmetric)), rnn.activation);
    rows.push_back(c.reshape(h, {1, batch, units}));
  }
  c.set_state(rnn.state, h);
  if (backwards) std::ranges::reverse(rows);
  return c.concat(rows, 0);
}

void sequence_rnn(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_SequenceRnnOptions);
  const Value y =
      rnn_steps(c, {o.activation(), o.asymmetric_quantize_inputs()}, steps_first(c, 0, o.time_major()));
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

void bidirectional_rnn(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_BidirectionalRnnOptions);
  constexpr int kMore = 9;
  Rnn forward{o.activation(), o.asymmetric_quantize_inputs()};
  forward.more_weights = 10;
  const Rnn backward{o.activation(), o.asymmetric_quantize_inputs(), 5, 6, 7, 8, 11};
  const BothWays data = data_of_both(c, kMore, forward.more_weights, o.time_major());
  set_both(c, rnn_steps(c, forward, data.x, data.more),
           rnn_steps(c, backward, data.backward, data.more, true), o.time_major(), o.merge_outputs());
}

constexpr Row kRecurrentRows[] = {
    {"BIDIRECTIONAL_SEQUENCE_LSTM", bidirectional_lstm, Takes::Layers},
    {"BIDIRECTIONAL_SEQUENCE_RNN", bidirectional_rnn, Takes::Layers},
    {"LSTM", lstm_step, Takes::Layers},
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
