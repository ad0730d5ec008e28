// SPDX-License-Identifier: Apache-2.0
// Functions of elements that are 16-bit integers with scales.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "compiler/graph/requant.h"
#include "compiler/import/tflite/integer_maps.h"
#include "compiler/import/tflite/integers16.h"

namespace vdla::import::tflite {
namespace {

using expr::DType;
using expr::Function;
using graph::Multiplier;
using tensor::Ends;
using tensor::kEnds16;
using tensor::kReach16;
using tensor::limited;
using tensor::multiplied;
using tensor::Scalar;

Scalar int32(std::int64_t v) { return {expr::number(v, DType::I32)}; }
Scalar widened(const Scalar& x) { return cast(DType::I32, x); }
float in_scale(const Operation& c, int i) { return static_cast<float>(c.quantization(i).scale[0]); }
float out_scale(const Operation& c) { return static_cast<float>(c.output_quantization(0).scale[0]); }

/// Gives the output what `body` makes of each element of the inputs.
void elements16(const Operation& c, const std::vector<Value>& inputs, const tensor::Body& body) {
  c.set(c.map(c.op(), inputs, body, c.output_quantization(0)));
}

Multiplier below_one(const Operation& c, double factor) {
  const Multiplier m = graph::multiplier_of(factor);
  c.require(m.left() == 0,
            fmt::format("multiplies by {} of its scales, needs less than 1: an output scale that is larger",
                        factor));
  return m;
}

/// ADD computes its multipliers in double, SUB in float32.
template <class Real>
void sum_of_two(const Operation& c, Activation activation, bool subtracts) {
  const Real a = in_scale(c, 0), b = in_scale(c, 1), out = out_scale(c), twice_max = 2 * std::max(a, b);
  const tensor::SumMultipliers m{below_one(c, a / twice_max), below_one(c, b / twice_max),
                                 below_one(c, twice_max / (Real{1 << 15} * out))};
  elements16(c, {wide(c, 0), wide(c, 1)}, tensor::sum_of_two16(m, subtracts, result16(c, activation).ends));
}
void add16(const Operation& c) {
  sum_of_two<double>(c, c.options(&Operator::builtin_options_as_AddOptions).activation(), false);
}
void sub16(const Operation& c) {
  sum_of_two<float>(c, c.options(&Operator::builtin_options_as_SubOptions).activation(), true);
}

void mul16(const Operation& c) {
  const double factor = double{in_scale(c, 0)} * double{in_scale(c, 1)} / double{out_scale(c)};
  const Activation activation = c.options(&Operator::builtin_options_as_MulOptions).activation();
  elements16(
      c, {wide(c, 0), wide(c, 1)},
      tensor::product_of_two16(multiplier16(c, factor, kReach16 * kReach16), result16(c, activation).ends));
}

/// Differences of elements in twice the larger scale, squared.
void squared_difference16(const Operation& c) {
  const double a = in_scale(c, 0), b = in_scale(c, 1), twice_max = 2 * std::max(a, b);
  const Multiplier of_a = below_one(c, a / twice_max), of_b = below_one(c, b / twice_max);
  const Multiplier whole = multiplier16(c, twice_max * twice_max / out_scale(c), kReach16 * kReach16);
  elements16(c, {wide(c, 0), wide(c, 1)}, [&](const auto& v) {
    const Scalar difference = multiplied(of_a, widened(v[0])) - multiplied(of_b, widened(v[1]));
    return limited(multiplied(whole, difference * difference), kEnds16);
  });
}

template <expr::BinaryOp Op>
void extreme16(const Operation& c) {
  for (const int i : {0, 1}) require_same_scale16(c, i);
  elements16(c, {wide(c, 0), wide(c, 1)},
             [](const auto& v) { return Scalar(expr::make_binary(Op, v[0], v[1])); });
}

void abs16(const Operation& c) {
  const Multiplier m = multiplier16(c, in_scale(c, 0) / out_scale(c), kReach16);
  const bool rescales = in_scale(c, 0) != out_scale(c);
  elements16(c, {wide(c, 0)}, [&](const auto& v) {
    const Scalar magnitude = tensor::call(Function::Abs, widened(v[0]));
    return limited(rescales ? multiplied(m, magnitude) : magnitude, kEnds16);
  });
}

/// A number that has no root gives the largest result; the reference ends the run there.
void rsqrt16(const Operation& c) {
  const QuantizedMultiplier m = rsqrt_multiplier(c.quantization(0), c.output_quantization(0));
  const Multiplier by{m.multiplier, m.shift - kRsqrtFraction};
  require_room(c, by, std::int64_t{1} << kRsqrtFraction);
  constexpr int kMostRight = 31;
  elements16(c, {wide(c, 0)}, [&](const auto& v) {
    const Scalar x = widened(v[0]);
    const Scalar steps = by.right() > kMostRight ? int32(0) : multiplied(by, rsqrt_steps(x));
    return limited(select(x > 0, steps, int32(INT16_MAX)), kEnds16);
  });
}

void exponential16(const Operation& c) {
  c.set(tensor::function16(
      c, wide(c, 0), in_scale(c, 0), out_scale(c), [](float x) { return std::exp(x); }, result16(c)));
}
/// A logarithm of zero or less is the smallest result.
void logarithm16(const Operation& c) {
  const float out = out_scale(c), least = float{INT16_MIN} * out;
  const auto f = [&](float x) { return x <= 0 ? least : std::log(x); };
  c.set(tensor::function16(c, wide(c, 0), in_scale(c, 0), out, f, result16(c)));
}
/// Truncated. The reference ends the run at a negative number, the root of zero is here.
void square_root16(const Operation& c) {
  const float in = in_scale(c, 0), out = out_scale(c);
  elements16(c, {wide(c, 0)}, [&](const auto& v) {
    const auto real = [](float r) { return Scalar(expr::float_imm(r, DType::F32)); };
    const Scalar x = real(in) * cast(DType::F32, maximum(widened(v[0]), int32(0)));
    const Scalar steps = tensor::call(Function::Sqrt, x) / real(out);
    return cast(DType::I16, minimum(steps, real(INT16_MAX)));
  });
}

void relu16(const Operation& c) {
  const Multiplier m = multiplier16(c, in_scale(c, 0) / out_scale(c), kReach16);
  const Ends ends = result16(c, Activation::RELU).ends;
  elements16(c, {wide(c, 0)}, [&](const auto& v) { return limited(multiplied(m, widened(v[0])), ends); });
}
void relu6_16(const Operation& c) {
  require_same_scale16(c, 0);
  const Ends ends = result16(c, Activation::RELU6).ends;
  elements16(c, {wide(c, 0)}, [&](const auto& v) { return limited(widened(v[0]), ends); });
}

/// Two multipliers, one for each side of zero; a slope below zero has a positive one, too.
void leaky_relu16(const Operation& c) {
  const float alpha = c.options(&Operator::builtin_options_as_LeakyReluOptions).alpha();
  const Multiplier same = multiplier16(c, in_scale(c, 0) / out_scale(c), kReach16);
  const Multiplier sloped = multiplier16(c, std::abs(in_scale(c, 0) * alpha / out_scale(c)), kReach16);
  elements16(c, {wide(c, 0)}, [&](const auto& v) {
    const Scalar x = widened(v[0]), below = multiplied(sloped, x);
    return limited(select(x >= 0, multiplied(same, x), alpha < 0 ? int32(0) - below : below), kEnds16);
  });
}

/// Slopes are 8-bit integers with a scale.
void prelu16(const Operation& c) {
  const Value slope = c.in(1);
  c.require(c.quantised_input(1) && slope.type == DataType::Int8,
            fmt::format("has slopes of {}, needs int8 with a scale", graph::name_of(slope.type)));
  const graph::Quantization q = c.quantization(1);
  const double in = in_scale(c, 0), out = out_scale(c);
  const Multiplier same = multiplier16(c, in / out, kReach16);
  const Multiplier sloped = multiplier16(c, in * q.scale[0] / out, kReach16 * 256);
  elements16(c, {wide(c, 0), slope}, [&](const auto& v) {
    const Scalar x = widened(v[0]);
    const Scalar below = multiplied(sloped, x * (widened(v[1]) - q.zero_point[0]));
    return limited(select(x >= 0, multiplied(same, x), below), kEnds16);
  });
}

using Table16 = Value (*)(const tensor::Composer&, const Value&, const tensor::TableScale&,
                          const tensor::Result16&);

/// A function of a table in steps of 1 / (3 * 4096). Scales of 2^-12 and up to `most_steps` times twice that
/// are multiplied by 3 and not rounded.
void of_table(const Operation& c, Table16 function, int most_steps) {
  const auto is_power = [](float scale, int& power) {
    const float log2 = std::log(scale) * (1.0F / std::numbers::ln2_v<float>);
    power = static_cast<int>(std::round(log2));
    return std::abs(log2 - std::round(log2)) < 1e-3F;
  };
  constexpr int kOutputBits = 15, kPlainBits = 12;
  const Value x = wide(c, 0);
  const float scale = in_scale(c, 0);
  int power = 0;
  c.require(is_power(out_scale(c), power) && power == -kOutputBits,
            fmt::format("has an output of scale {}, needs 1/32768", out_scale(c)));
  tensor::TableScale s{0, 0};
  if (is_power(scale, power) && power >= -kPlainBits && power + kPlainBits <= most_steps) {
    s.multiplier = 3 << (power + kPlainBits);
  } else {
    double multiplier = double{scale} * 4096 * 3;
    c.require(multiplier <= INT16_MAX,
              fmt::format("has an input of scale {}, needs {} at most", scale, INT16_MAX / (4096.0 * 3)));
    for (; multiplier <= INT16_MAX / 2.0 && s.shift <= 30; multiplier *= 2) ++s.shift;
    s.multiplier = static_cast<std::int32_t>(multiplier);
  }
  const std::vector<Value> first = c.all_first({x});
  c.set(first.empty() ? function(c, x, s, result16(c))
                      : c.channels_last(function(c, first[0], s, result16(c))));
}
void logistic16(const Operation& c) { of_table(c, tensor::sigmoid16, 0); }
void tanh_16(const Operation& c) { of_table(c, tensor::tanh16, 1); }

float beta_of(const Operation& c) {
  const float beta = c.options(&Operator::builtin_options_as_SoftmaxOptions).beta();
  c.require(beta > 0, fmt::format("has beta {}, needs a positive one", beta));
  return beta;
}

/// Steps of 1/65536 from the smallest one on.
void softmax_of_int8(const Operation& c) {
  const Value x = c.in(0);
  const graph::Quantization out = c.output_quantization(0);
  c.require(x.rank() > 0, "has no dimension to normalise along");
  c.require(!c.uint8_input(0), "makes INT16 of UINT8, needs INT8");
  c.require(std::abs(out_scale(c) - 0x1p-16F) <= 0.001F * 0x1p-16F && out.zero_point[0] == INT16_MIN,
            fmt::format("has an output of scale {} and zero point {}, needs 1/65536 and -32768", out.scale[0],
                        out.zero_point[0]));
  c.require(x.shape.back() <= tensor::kMostPowers,
            fmt::format("sums {} elements, needs {} at most", x.shape.back(), tensor::kMostPowers));
  const graph::Softmax parameters = graph::softmax_parameters(beta_of(c), c.quantization(0).scale[0]);
  c.set(tensor::softmax16_of_int8(c, x, parameters, {c.op(), kEnds16, out}));
}

void softmax_16(const Operation& c) {
  if (c.quantised_input(0) && c.in(0).type == DataType::Int8) return softmax_of_int8(c);
  constexpr double kSteps = 10.0 / 65535.0;  // steps of the table of exp
  constexpr std::int64_t kFarthest = 65535;  // distance of two elements
  const Value x = wide(c, 0);
  c.require(x.rank() > 0, "has no dimension to normalise along");
  const float out = out_scale(c);
  c.require(std::abs(out - 1.0F / 32768) <= 0.001F / 32768,
            fmt::format("has an output of scale {}, needs 1/32768", out));
  c.require(x.shape.back() <= tensor::kMostTerms16,
            fmt::format("sums {} elements, needs {} at most", x.shape.back(), tensor::kMostTerms16));
  const std::int32_t zero = c.quantization(0).zero_point[0],
                     zero_out = c.output_quantization(0).zero_point[0];
  c.require(zero == 0 && zero_out == 0, fmt::format("has zero points {} and {}, needs 0", zero, zero_out));
  const double factor = double{in_scale(c, 0)} * double{beta_of(c)} / kSteps;
  c.set(tensor::softmax16(c, x, multiplier16(c, factor, kFarthest), result16(c)));
}

/// Integers in another scale, and reals.
void quantize16(const Operation& c) {
  const Value x = c.in(0);
  const graph::Quantization out = c.output_quantization(0);
  if (x.type == DataType::Float32)
    return elements16(c, {x}, [&](const auto& v) {
      const auto real = [](float r) { return Scalar(expr::float_imm(r, DType::F32)); };
      const Scalar steps = tensor::call(Function::Round, v[0] / real(out_scale(c)));
      const auto zero = static_cast<float>(out.zero_point[0]);
      return cast(DType::I16, clamp(steps + real(zero), real(INT16_MIN), real(INT16_MAX)));
    });
  const auto has_steps = [](DataType t) {
    return t == DataType::Int8 || t == DataType::Int16 || t == DataType::Int32;
  };
  const DataType to = c.stated_type(0);
  c.require(
      has_steps(x.type) && c.scaled_input(0) && has_steps(to),
      fmt::format("makes {} with a scale of {}{}, needs float32, or int8, int16 or int32 with a scale",
                  graph::name_of(to), graph::name_of(x.type), c.scaled_input(0) ? " with a scale" : ""));
  const graph::Quantization in = c.quantization(0);
  const DType from = graph::dtype_of(x.type), type = graph::dtype_of(to);
  const std::int64_t reach =
      expr::max_value(from) - std::min(in.zero_point[0], 0) + (from == DType::I32 ? 0 : 1);
  const Multiplier m = multiplier16(c, in.scale[0] / out.scale[0], reach);
  elements16(c, {x}, [&](const auto& v) {
    const Scalar steps = multiplied(m, widened(v[0]) - in.zero_point[0]) + out.zero_point[0];
    return cast(type, clamp(steps, int32(expr::min_value(type)), int32(expr::max_value(type))));
  });
}

void dequantize16(const Operation& c) { c.set(c.cast(c.reals(0), c.stated_type(0))); }

constexpr Row16 kMaps16[] = {
    {"ABS", abs16},
    {"ADD", add16},
    {"DEQUANTIZE", dequantize16, true},
    {"EXP", exponential16},
    {"LEAKY_RELU", leaky_relu16},
    {"LOG", logarithm16},
    {"LOGISTIC", logistic16},
    {"MAXIMUM", extreme16<expr::BinaryOp::Max>},
    {"MINIMUM", extreme16<expr::BinaryOp::Min>},
    {"MUL", mul16},
    {"PRELU", prelu16},
    {"QUANTIZE", quantize16, true},
    {"RELU", relu16},
    {"RELU6", relu6_16},
    {"RSQRT", rsqrt16},
    {"SOFTMAX", softmax_16, true},
    {"SQRT", square_root16},
    {"SQUARED_DIFFERENCE", squared_difference16},
    {"SUB", sub16},
    {"TANH", tanh_16},
};

}  // namespace

std::span<const Row16> maps16() { return kMaps16; }

}  // namespace vdla::import::tflite
