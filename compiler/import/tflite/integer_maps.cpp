// SPDX-License-Identifier: Apache-2.0
// TFLite operators of 8-bit integers with scales that no operator of the graph is: functions of one value are
// tables, others expressions, bit for bit as TFLite's reference kernels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/graph/requant.h"
#include "compiler/import/tensor/integers16.h"
#include "compiler/import/tflite/integers.h"
#include "support/fixed_point.h"

namespace vdla::import::tflite {
namespace {

using expr::DType;
using tensor::multiplied;
using tensor::Scalar;

Scalar less(const Scalar& x, std::int32_t zero_point) { return cast(DType::I32, x) - zero_point; }

/// int8 of the result before its zero point.
Scalar finished(const graph::OutputStage& out, const Scalar& x) {
  const auto number = [](std::int32_t v) { return Scalar(expr::number(v, DType::I32)); };
  return cast(DType::I8, clamp(x + out.zero_point, number(out.min), number(out.max)));
}

/// Gives the output what `body` makes of each element of the inputs.
void map(const Context& c, const std::vector<unsigned>& inputs, const tensor::Body& body) {
  std::vector<Value> values;
  values.reserve(inputs.size());
  for (unsigned i : inputs) values.push_back(c.builder.network().value_of(c.input(i)));
  const tensor::Composer composer(c.builder.network(), c.op.node, c.builder.where(c.op));
  c.builder.bind(c.op, composer.map(c.op.op_name, values, body, c.output()));
}

float scale_of(const graph::Quantization& q) { return static_cast<float>(q.scale[0]); }

/// Multipliers of a difference, divided in float32 where those of a sum are divided in double.
graph::AddMultipliers difference_multipliers(float a, float b, float out, int left_shift) {
  const float twice_max = 2 * std::max(a, b);
  return {graph::multiplier_of(a / twice_max), graph::multiplier_of(b / twice_max),
          graph::multiplier_of(twice_max / std::ldexp(out, left_shift))};
}

/// Scaled as a sum is, with the second one subtracted after its multiplier.
void sub(const Context& c) {
  c.inputs(2);
  const graph::Quantization a = c.quantization(0), b = c.quantization(1);
  constexpr int kLeftShift = 20;
  const auto m = difference_multipliers(scale_of(a), scale_of(b), scale_of(c.output()), kLeftShift);
  const auto out = stage(c, {m.out}, c.options(&Operator::builtin_options_as_SubOptions).activation());
  map(c, {0, 1}, [&](const auto& v) {
    const Scalar left = multiplied(m.a, less(v[0], a.zero_point[0]) << kLeftShift);
    const Scalar right = multiplied(m.b, less(v[1], b.zero_point[0]) << kLeftShift);
    return finished(out, multiplied(m.out, left - right));
  });
}

void prelu(const Context& c) {
  c.inputs(2);
  const graph::Quantization x = c.quantization(0), slope = c.quantization(1);
  const double out_scale = c.output().scale[0];
  const graph::Multiplier same = graph::multiplier_of(x.scale[0] / out_scale);
  const graph::Multiplier sloped = graph::multiplier_of(x.scale[0] * slope.scale[0] / out_scale);
  const auto out = stage(c, {same}, Activation::NONE);
  map(c, {0, 1}, [&](const auto& v) {
    const Scalar steps = less(v[0], x.zero_point[0]);
    const Scalar below = multiplied(sloped, steps * less(v[1], slope.zero_point[0]));
    return finished(out, select(steps >= 0, multiplied(same, steps), below));
  });
}

template <class F>
void table(const Context& c, const F& step_of) {
  c.inputs(1);
  graph::Lut lut{c.op.node.substr(0, c.op.node.rfind('_')), {}};
  for (int q = -128; q < 128; ++q)
    lut.table[static_cast<std::size_t>(q) + 128] =
        static_cast<std::int8_t>(std::clamp<std::int32_t>(step_of(q), -128, 127));
  c.add(std::move(lut), {c.input(0)});
}

/// Two multipliers, one for each side of zero, computed in float32.
void leaky_relu(const Context& c) {
  const graph::Quantization in = c.quantization(0), out = c.output();
  const float alpha = c.options(&Operator::builtin_options_as_LeakyReluOptions).alpha();
  const auto multiplier = [](float factor) { return quantize_multiplier(factor); };
  const QuantizedMultiplier same = multiplier(scale_of(in) / scale_of(out));
  // A slope below zero has a negative multiplier.
  const QuantizedMultiplier sloped = multiplier(scale_of(in) * std::abs(alpha) / scale_of(out));
  const std::int32_t sign = alpha < 0 ? -1 : 1;
  table(c, [&](int q) {
    const std::int32_t steps = q - in.zero_point[0];
    const QuantizedMultiplier& m = steps >= 0 ? same : sloped;
    const std::int32_t by = steps >= 0 ? m.multiplier : sign * m.multiplier;
    return out.zero_point[0] + multiply_by_quantized_multiplier(steps, by, m.shift);
  });
}

/// A function in float32, as the reference kernels fill their tables.
template <class F>
void function(const Context& c, const F& f) {
  const graph::Quantization in = c.quantization(0), out = c.output();
  const auto scale = static_cast<float>(in.scale[0]), inverse = 1.0F / static_cast<float>(out.scale[0]);
  table(c, [&](int q) {
    const float real = f(scale * static_cast<float>(q - in.zero_point[0]));
    const float step = std::round(real * inverse) + static_cast<float>(out.zero_point[0]);
    return static_cast<std::int32_t>(std::clamp(step, -128.0F, 127.0F));
  });
}
void elu(const Context& c) {
  function(c, [](float x) { return x < 0 ? std::exp(x) - 1 : x; });
}
void gelu(const Context& c) {
  const bool approximate = c.options(&Operator::builtin_options_as_GeluOptions).approximate();
  function(c, [&](float x) {
    const float inner = approximate
                            ? std::tanh(std::sqrt(static_cast<float>(2 / M_PI)) * (x + 0.044715F * x * x * x))
                            : std::erf(x * static_cast<float>(M_SQRT1_2));
    return 0.5F * x * (1 + inner);
  });
}

/// Powers of the distances to the largest element from a table, their sum and its logarithm in float32.
void log_softmax(const Context& c) {
  c.inputs(1);
  const graph::Quantization in = c.quantization(0), out = c.output();
  c.require(out.scale[0] == 1.0 / 16 && out.zero_point[0] == 127,
            fmt::format("has an output of scale {} and zero point {} (as int8), needs 1/16 and 127",
                        out.scale[0], out.zero_point[0]));
  const auto scale = static_cast<float>(in.scale[0]);
  const tensor::Composer composer(c.builder.network(), c.op.node, c.builder.where(c.op));
  const Value x = c.builder.network().value_of(c.input(0));
  c.require(x.rank() > 0, "has no dimension to normalise along");
  constexpr int kFarthest = 255;  // distance of two elements
  std::vector<double> powers;
  for (int place = 0; place <= kFarthest; ++place)
    powers.push_back(std::exp(-scale * static_cast<float>(kFarthest - place)));
  const Value table = tensor::make_constant(graph::DataType::Float32, {kFarthest + 1}, powers);
  const int moved = c.uint8() ? 128 : 0;  // uint8 in the file's numbers, for an equal rounding
  const Value number =
      composer.map("Number", {x}, [&](const auto& v) { return cast(DType::I32, v[0]) + moved; });
  const std::vector<std::int64_t> last = {static_cast<std::int64_t>(x.rank()) - 1};
  const Value largest = composer.fold(expr::Reducer::Max, number, last, true);
  const Value places =
      composer.map("Place", {number, largest}, [&](const auto& v) { return v[0] - v[1] + kFarthest; });
  const Value total = composer.fold(expr::Reducer::Sum, composer.gather(table, places, 0), last, true);
  const auto step = static_cast<float>(out.scale[0]);
  c.builder.bind(c.op, composer.map(
                           "LogSoftmax", {number, largest, total},
                           [&](const auto& v) {
                             const auto real = [](float r) { return Scalar(expr::float_imm(r, DType::F32)); };
                             const auto wide = [](const Scalar& n) { return cast(DType::F32, n); };
                             const Scalar logarithm = tensor::call(expr::Function::Log, v[2]);
                             const Scalar above = (real(scale) * wide(v[1]) + logarithm) / real(step);
                             const Scalar result = tensor::call(expr::Function::RoundEven,
                                                                real(scale / step) * wide(v[0]) - above);
                             const Scalar limited = clamp(result + real(127), real(-128), real(127));
                             return cast(DType::I8, limited);
                           },
                           out));
}

constexpr IntegerRow kIntegerMaps[] = {
    {"ELU", elu},     {"GELU", gelu}, {"LEAKY_RELU", leaky_relu}, {"LOG_SOFTMAX", log_softmax},
    {"PRELU", prelu}, {"SUB", sub},
};

}  // namespace

std::span<const IntegerRow> integer_maps() { return kIntegerMaps; }

}  // namespace vdla::import::tflite
