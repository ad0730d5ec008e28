// SPDX-License-Identifier: Apache-2.0
// SVDF: filters over the inputs (features) and over the last values of each filter (time), which are its
// state; `rank` filters add up to a unit.
#include <fmt/format.h>

#include "compiler/graph/requant.h"
#include "compiler/import/tensor/integer_recurrent.h"
#include "compiler/import/tflite/hybrid.h"
#include "compiler/import/tflite/integers16.h"
#include "compiler/import/tflite/recurrent.h"

namespace vdla::import::tflite {
namespace {

constexpr int kData = 0, kFeatures = 1, kTime = 2, kBias = 3, kState = 4;

struct Extents {
  std::int64_t batch, inputs, filters, steps, units;
};
Extents extents_of(const Operation& c) {
  const int rank = c.options(&Operator::builtin_options_as_SvdfOptions).rank();
  const Value x = c.in(kData);
  c.require(x.rank() == 2, fmt::format("has data of {}, needs 2 dimensions", graph::to_string(x.shape)));
  Extents e{x.shape[0], x.shape[1], 0, 0, 0};
  e.filters = require_matrix(c, kFeatures, c.in(kFeatures), -1, e.inputs).shape[0];
  e.steps = require_matrix(c, kTime, c.in(kTime), e.filters, -1).shape[1];
  c.require(rank > 0 && e.filters % rank == 0 && e.steps > 0,
            fmt::format("has {} filters of rank {} over {} steps, needs a multiple of the rank, and steps",
                        e.filters, rank, e.steps));
  e.units = e.filters / rank;
  return e;
}

/// Weights of zero point 0, as int32.
Value steps_of_weights(const Operation& c, int i) {
  const Value w = c.in(i);
  const bool wide = i == kTime && c.wide_input(i);
  c.require((w.type == DataType::Int8 || wide) && c.quantised_input(i) && !c.uint8_input(i) && w.constant(),
            fmt::format("has weights (input {}) of {}, needs constants of {} with a scale", i,
                        graph::name_of(w.type), i == kTime ? "int8 or int16" : "int8"));
  const graph::Quantization q = c.quantization(i);
  c.require(!q.per_channel() && q.zero_point[0] == 0,
            fmt::format("has weights (input {}) of {} scales and zero point {}, needs one scale and 0", i,
                        q.scale.size(), q.zero_point[0]));
  return tensor::make_constant(DataType::Int32, w.shape, tensor::integers_of(w));
}

/// Quotients are made in float32, as the reference makes them.
graph::Multiplier multiplier_of_floats(const graph::Quantization& a, const graph::Quantization& b,
                                       const graph::Quantization& out) {
  const auto scale = [](const graph::Quantization& q) { return static_cast<float>(q.scale[0]); };
  return graph::multiplier_of(double{scale(a) * scale(b) / scale(out)});
}

std::optional<Value> bias_of_units(const Operation& c, std::int64_t units) {
  if (!c.has(kBias)) return std::nullopt;
  const Value bias = require_vector(c, kBias, c.in(kBias), units);
  c.require(bias.type == DataType::Int32 && bias.constant(),
            fmt::format("has a bias of {}, needs constants of int32", graph::name_of(bias.type)));
  return bias;
}

}  // namespace

/// Features may be integers with scales, where data are floats; weights of time are then, too.
void svdf(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_SvdfOptions);
  const Extents e = extents_of(c);
  const Value x = c.in(kData);
  const Factors f = factors_of(c, x, weight_factors(c, x, 2, e.inputs, {kFeatures}), {1},
                               steps_of(o.asymmetric_quantize_inputs()));
  const Value time = c.quantised_input(kTime) ? c.reals(kTime) : c.like(x, kTime);
  const Value state = state_of(c, kState, x.type, e.batch, e.filters * e.steps);
  const Value now = real_sums(c, f, c.matmul(f.x, f.w, false, true), 1);
  const Value past = c.part(c.reshape(state, {e.batch, e.filters, e.steps}), 2, 1, e.steps);
  const Value all = c.concat({past, c.reshape(now, {e.batch, e.filters, 1})}, 2);
  c.set_state(kState, c.reshape(all, state.shape));
  const Value products =
      c.reshape(c.binary(expr::BinaryOp::Mul, all, time), {e.batch, e.units, e.filters / e.units * e.steps});
  Value y = c.fold(expr::Reducer::Sum, products, {2}, false);
  if (c.has(kBias)) y = c.binary(expr::BinaryOp::Add, y, require_vector(c, kBias, c.like(x, kBias), e.units));
  c.set(c.activated(y, o.activation()));
}

void integer_svdf(const Operation& c) {
  const Extents e = extents_of(c);
  const Value x = c.in(kData);
  c.require(x.type == DataType::Int8 && c.quantised_input(kData) && !c.uint8_input(kData) &&
                c.quantised_output(0) && !c.wide_output(0),
            fmt::format("has data of {}, needs int8 with a scale, and an output of int8 with a scale",
                        c.uint8_input(kData) ? "uint8" : graph::name_of(x.type)));
  tensor::IntegerSvdf s;
  const DataType kept = c.in(kTime).type;
  Value state = state_of(c, kState, kept, e.batch, e.filters * e.steps);
  s.state = c.quantization(kState);
  s.output = c.output_quantization(0);
  s.x_zero = c.quantization(kData).zero_point[0];
  s.features = tensor::layer16(c, steps_of_weights(c, kFeatures), 0, std::nullopt, true, x.type, s.x_zero);
  const Value time = c.reshape(steps_of_weights(c, kTime), {e.units, e.filters / e.units * e.steps});
  s.time = tensor::layer16(c, time, 0, bias_of_units(c, e.units), true, kept, s.state.zero_point[0]);
  s.in = multiplier_of_floats(c.quantization(kData), c.quantization(kFeatures), s.state);
  s.out.multiplier = {multiplier_of_floats(s.state, c.quantization(kTime), s.output)};
  s.out.zero_point = s.output.zero_point[0];
  for (const tensor::Layer16* layer : {&s.features, &s.time}) require_sums(c, *layer);
  require_multipliers(c, s.features, {s.in});
  require_multipliers(c, s.time, s.out.multiplier);
  const tensor::Composer steps(c.network(), c.name(), c.where());
  const Value y = tensor::integer_svdf(steps, s, x, state);
  c.set_state(kState, state);
  c.set(y);
}

}  // namespace vdla::import::tflite
