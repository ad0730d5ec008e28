// SPDX-License-Identifier: Apache-2.0
// TFLite operators of 8-bit integers with scales that no operator of the graph is: functions of one value are
// tables, others expressions, bit for bit as TFLite's reference kernels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

#include "compiler/graph/requant.h"
#include "compiler/import/lut.h"
#include "compiler/import/tensor/integers16.h"
#include "compiler/import/tflite/integer_maps.h"
#include "compiler/import/tflite/integers.h"
#include "support/fixed_point.h"

namespace vdla::import::tflite {

using expr::DType;
using tensor::multiplied;
using tensor::Scalar;

Scalar less(const Scalar& x, std::int32_t zero_point) { return cast(DType::I32, x) - zero_point; }

Scalar finished(const graph::OutputStage& out, const Scalar& x) {
  const auto number = [](std::int32_t v) { return Scalar(expr::number(v, DType::I32)); };
  return cast(DType::I8, clamp(x + out.zero_point, number(out.min), number(out.max)));
}

void map(const Context& c, const std::vector<unsigned>& inputs, const tensor::Body& body) {
  std::vector<Value> values;
  values.reserve(inputs.size());
  for (unsigned i : inputs) values.push_back(c.builder.network().value_of(c.input(i)));
  const tensor::Composer composer(c.builder.network(), c.op.node, c.builder.where(c.op));
  const bool scaled = c.builder.is_quantised(c.builder.output_index(c.op));
  c.builder.bind(c.op, composer.map(c.op.op_name, values, body, scaled ? c.output() : graph::Quantization{}));
}

namespace {

float scale_of(const graph::Quantization& q) { return static_cast<float>(q.scale[0]); }

/// Multipliers of a difference, divided in float32 where those of a sum are divided in double.
graph::AddMultipliers difference_multipliers(float a, float b, float out, int left_shift) {
  const float twice_max = 2 * std::max(a, b);
  return {graph::multiplier_of(a / twice_max), graph::multiplier_of(b / twice_max),
          graph::multiplier_of(twice_max / std::ldexp(out, left_shift))};
}

/// Elements less their zero point.
auto steps_from(std::int32_t zero_point) { return std::views::iota(-128 - zero_point, 128 - zero_point); }

/// A multiplier of a sum's second operand that gives the difference of each pair of elements, or nothing. It
/// rounds ties to the other side, which shows in few results, and next to ties it rounds as it should.
std::optional<graph::Multiplier> subtracting(const graph::Add& op, const graph::Multiplier& by) {
  const auto multiplied_by = [](const graph::Multiplier& m, std::int32_t x) {
    return multiply_by_quantized_multiplier(x, m.value, m.shift);
  };
  const auto shifted = [&](std::int32_t x) {
    return wrap_shift_left(x, static_cast<unsigned>(op.left_shift));
  };
  const auto result = [&](std::int32_t sum) {
    return std::clamp(wrap_add(multiplied_by(op.out.multiplier[0], sum), op.out.zero_point), op.out.min,
                      op.out.max);
  };
  for (const std::int32_t more : {0, 1, -1}) {
    if (by.value == INT32_MAX && more > 0) continue;
    const graph::Multiplier negative{-(by.value + more), by.shift};
    const auto is_difference = [&](std::int32_t b) {
      const std::int32_t wanted = -multiplied_by(by, shifted(b)), has = multiplied_by(negative, shifted(b));
      return has == wanted || std::ranges::all_of(steps_from(op.a_zero_point), [&](std::int32_t a) {
               const std::int32_t first = multiplied_by(op.a, shifted(a));
               return result(first + has) == result(first + wanted);
             });
    };
    if (std::ranges::all_of(steps_from(op.b_zero_point), is_difference)) return negative;
  }
  return std::nullopt;
}

/// Scaled as a sum is, with the second one subtracted after its multiplier: a sum, where a negative
/// multiplier gives the same results.
void sub(const Context& c) {
  c.inputs(2);
  const graph::Quantization a = c.quantization(0), b = c.quantization(1);
  graph::Add op;
  const auto m = difference_multipliers(scale_of(a), scale_of(b), scale_of(c.output()), op.left_shift);
  op.a_zero_point = a.zero_point[0];
  op.b_zero_point = b.zero_point[0];
  op.a = m.a;
  op.out = stage(c, {m.out}, c.options(&Operator::builtin_options_as_SubOptions).activation());
  if (const auto negative = subtracting(op, m.b)) {
    op.b = *negative;
    c.add(std::move(op), {c.input(0), c.input(1)});
    return;
  }
  map(c, {0, 1}, [&](const auto& v) {
    const Scalar left = multiplied(m.a, less(v[0], op.a_zero_point) << op.left_shift);
    const Scalar right = multiplied(m.b, less(v[1], op.b_zero_point) << op.left_shift);
    return finished(op.out, multiplied(m.out, left - right));
  });
}

/// Differences of elements in 2^-7 of twice the larger scale, squared.
void squared_difference(const Context& c) {
  c.inputs(2);
  constexpr int kLeftShift = 7;
  const graph::Quantization a = c.quantization(0), b = c.quantization(1);
  const auto m = graph::add_multipliers(a.scale[0], b.scale[0], c.output().scale[0], kLeftShift);
  const double twice_max = 2 * std::max(a.scale[0], b.scale[0]);
  const double factor = twice_max * twice_max / ((1 << 2 * kLeftShift) * c.output().scale[0]);
  const graph::Multiplier whole = graph::multiplier_of(factor);
  c.require(
      whole.left() == 0,
      fmt::format("multiplies squares by {} of its scales, needs less than 1: an output scale that is larger",
                  factor));
  const auto out = stage(c, {whole}, Activation::NONE);
  map(c, {0, 1}, [&](const auto& v) {
    const Scalar left = multiplied(m.a, less(v[0], a.zero_point[0]) << kLeftShift);
    const Scalar difference = left - multiplied(m.b, less(v[1], b.zero_point[0]) << kLeftShift);
    return finished(out, multiplied(whole, difference * difference));
  });
}

/// One side of a PRELU: its result, of products less zero points.
struct Side {
  graph::Multiplier multiplier;
  const graph::OutputStage& out;

  std::int32_t operator()(std::int32_t x) const {
    const std::int32_t scaled = multiply_by_quantized_multiplier(x, multiplier.value, multiplier.shift);
    return std::clamp(wrap_add(scaled, out.zero_point), out.min, out.max);
  }
};

/// The larger of two sides where each slope is below 1, or the smaller where none is, if that gives every
/// value of x its own side.
std::optional<graph::Op> chosen(const Side& above, const Side& below, const std::set<std::int32_t>& slopes,
                                std::int32_t zero_point) {
  const auto is = [&](const auto& choice) {
    return std::ranges::all_of(slopes, [&](std::int32_t slope) {
      return std::ranges::all_of(steps_from(zero_point), [&](std::int32_t x) {
        const std::int32_t a = above(x), b = below(x * slope);
        return choice(a, b) == (x >= 0 ? a : b);
      });
    });
  };
  if (is([](std::int32_t a, std::int32_t b) { return std::max(a, b); })) return graph::Maximum{};
  if (is([](std::int32_t a, std::int32_t b) { return std::min(a, b); })) return graph::Minimum{};
  return std::nullopt;
}

/// The sum of both sides, each of which is the zero point for elements of the other side; slopes below zero
/// need elements that are limited before.
graph::Op sum_of_sides(const Context& c, graph::OutputStage& above, graph::OutputStage& below,
                       bool has_negative, std::int32_t x_zero, graph::TensorId& x) {
  const graph::Quantization out = c.output();
  const std::int32_t zero = out.zero_point[0];
  above.min = std::max(above.min, zero);
  if (has_negative)
    x = c.builder.graph().add_node(c.op.node + "/negative",
                                   graph::Requantize{x_zero, {{graph::Multiplier{}}, x_zero, -128, x_zero}},
                                   {x}, c.quantization(0));
  else
    below.max = std::min(below.max, zero);
  graph::Add sum;
  const auto m = graph::add_multipliers(1, 1, 1, sum.left_shift);
  sum.a_zero_point = sum.b_zero_point = zero;
  sum.a = m.a;
  sum.b = m.b;
  sum.out = {{m.out}, zero};
  return sum;
}

/// Constant slopes: layers that the device has.
void prelu(const Context& c) {
  c.inputs(2);
  const graph::Quantization x = c.quantization(0), slope = c.quantization(1);
  const std::int32_t x_zero = x.zero_point[0], slope_zero = slope.zero_point[0];
  const double out_scale = c.output().scale[0];
  const graph::Multiplier same = graph::multiplier_of(x.scale[0] / out_scale);
  const graph::Multiplier sloped = graph::multiplier_of(x.scale[0] * slope.scale[0] / out_scale);
  auto out = stage(c, {same}, Activation::NONE), out_below = stage(c, {sloped}, Activation::NONE);
  graph::Graph& g = c.builder.graph();
  if (const graph::Tensor& slopes = g.tensor(c.input(1)); slopes.constant()) {
    std::set<std::int32_t> each;
    for (const std::int8_t s : slopes.values<std::int8_t>()) each.insert(s - slope_zero);
    auto joined = chosen({same, out}, {sloped, out}, each, x_zero);
    graph::TensorId factor = c.input(0);
    if (!joined) joined = sum_of_sides(c, out, out_below, *each.begin() < 0, x_zero, factor);
    const graph::TensorId above =
        g.add_node(c.op.node + "/above", graph::Requantize{x_zero, out}, {c.input(0)}, c.output());
    const graph::TensorId below = g.add_node(c.op.node + "/below", graph::Mul{x_zero, slope_zero, out_below},
                                             {factor, c.input(1)}, c.output());
    c.add(std::move(*joined), {above, below});
    return;
  }
  map(c, {0, 1}, [&](const auto& v) {
    const Scalar steps = less(v[0], x_zero);
    const Scalar below = multiplied(sloped, steps * less(v[1], slope_zero));
    return finished(out, select(steps >= 0, multiplied(same, steps), below));
  });
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
    return wrap_add(out.zero_point[0], multiply_by_quantized_multiplier(steps, by, m.shift));
  });
}

/// A function in float32, as the reference kernels fill their tables.
template <class F>
void function(const Context& c, const F& f) {
  const graph::Quantization in = c.quantization(0), out = c.output();
  const auto scale = static_cast<float>(in.scale[0]), inverse = 1.0F / static_cast<float>(out.scale[0]);
  table(c, [&](int q) {
    const float real = f(scale * static_cast<float>(q - in.zero_point[0]));
    return table_entry(std::round(real * inverse), out.zero_point[0]);
  });
}
void elu(const Context& c) {
  function(c, [](float x) { return x < 0 ? std::exp(x) - 1 : x; });
}
void exponential(const Context& c) {
  function(c, [](float x) { return std::exp(x); });
}
/// A logarithm of zero or less is the smallest result.
void logarithm(const Context& c) {
  const float least =
      static_cast<float>(-128 - c.output().zero_point[0]) * static_cast<float>(c.output().scale[0]);
  function(c, [&](float x) { return x <= 0 ? least : std::log(x); });
}
/// Truncated. The reference ends the run at a negative number, the root of zero is here.
void square_root(const Context& c) {
  const graph::Quantization in = c.quantization(0), out = c.output();
  table(c, [&](int q) {
    const float real = scale_of(in) * static_cast<float>(std::max(q - in.zero_point[0], 0));
    const float steps = std::sqrt(real) / scale_of(out);
    return static_cast<std::int32_t>(std::min(steps, 255.0F)) + out.zero_point[0];
  });
}

/// The reference scales where the scales differ; a multiplier of 1 changes nothing.
void absolute(const Context& c) {
  const graph::Quantization in = c.quantization(0), out = c.output();
  const QuantizedMultiplier m = quantize_multiplier(scale_of(in) / scale_of(out));
  table(c, [&](int q) {
    const std::int32_t magnitude = std::abs(q - in.zero_point[0]);
    return wrap_add(out.zero_point[0], multiply_by_quantized_multiplier(magnitude, m.multiplier, m.shift));
  });
}

/// The reference takes the integers for numbers, whatever their scales; -128 stays, as int8 has no 128.
void negative(const Context& c) {
  const graph::Quantization in = c.quantization(0), out = c.output();
  c.require(
      in.scale == out.scale && in.zero_point[0] == -out.zero_point[0],
      fmt::format("has input and output of scales {} and {}, zero points {} and {}, needs equal scales, "
                  "and zero points of which one is the other's negative",
                  in.scale[0], out.scale[0], in.zero_point[0], out.zero_point[0]));
  table(c, [&](int q) { return q == -128 ? q : -q; });
}

std::int32_t in_16_bits(std::int64_t x) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(x, INT16_MIN, INT16_MAX));
}
/// 2 a b / 2^16 of int16, halves away from zero.
std::int32_t doubled_product(std::int32_t a, std::int32_t b) {
  const std::int32_t product = a * b;
  return in_16_bits((product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15));
}
/// A multiplier of 15 bits.
QuantizedMultiplier short_multiplier(float factor) {
  const QuantizedMultiplier m = quantize_multiplier(factor);
  return {in_16_bits((std::int64_t{m.multiplier} + (1 << 15)) >> 16), m.shift};
}

/// Computes in 16 bits: x in the output's scale times a slope from 0 to 1, which x has in steps of 3 / 2^15.
void hard_swish(const Context& c) {
  const graph::Quantization in = c.quantization(0), out = c.output();
  const float fine = (1.0F / 128) * static_cast<float>(in.scale[0]);
  const QuantizedMultiplier same = short_multiplier(fine / static_cast<float>(out.scale[0]));
  const QuantizedMultiplier slope = short_multiplier(fine / (3.0F / 32768));
  table(c, [&](int q) {
    const std::int32_t x = (q - in.zero_point[0]) * 128;
    std::int32_t part = x;
    if (slope.shift > 0) part = in_16_bits(std::int64_t{part} << (slope.shift - 1));
    part = doubled_product(part, slope.multiplier);
    part = slope.shift > 0 ? in_16_bits(2 * part) : round_shift_right(part, slope.right_shift());
    part = (part + (1 << 15)) >> 1;
    const std::int32_t product = in_16_bits(part * doubled_product(x, same.multiplier) / (1 << 15));
    return wrap_add(round_shift_right(wrap_shift_left(product, same.left_shift()), same.right_shift()),
                    out.zero_point[0]);
  });
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

/// Compared in steps of 1 / 256 of a real.
template <expr::BinaryOp Op>
void compare(const Context& c) {
  c.inputs(2);
  constexpr int kLeftShift = 8;
  const auto steps = [&](unsigned i, const Scalar& x) {
    const graph::Quantization q = c.quantization(i);
    return multiplied(graph::multiplier_of(q.scale[0]), less(x, q.zero_point[0]) << kLeftShift);
  };
  map(c, {0, 1}, [&](const auto& v) { return expr::make_binary(Op, steps(0, v[0]), steps(1, v[1])); });
}

/// Sums of elements of one scale, in steps of 2^-20 of twice that scale. The reference begins each sum with
/// the input's zero point, subtracted once more.
struct Sums {
  static constexpr int kLeftShift = 20;
  std::int32_t zero_point, begin;
  graph::Multiplier in;
  graph::OutputStage out;

  explicit Sums(const Context& c) {
    const graph::Quantization x = c.quantization(0);
    zero_point = x.zero_point[0];
    in = graph::multiplier_of(0.5);
    begin = multiply_by_quantized_multiplier(wrap_shift_left(-zero_point, kLeftShift), in.value, in.shift);
    out = stage(c, {graph::multiplier_of(2 * x.scale[0] / ((1 << kLeftShift) * c.output().scale[0]))},
                Activation::NONE);
  }
  Scalar term(const Scalar& x) const { return multiplied(in, less(x, zero_point) << kLeftShift); }
  Scalar result(const Scalar& sum) const { return finished(out, multiplied(out.multiplier[0], sum + begin)); }
};

void add_n(const Context& c) {
  const unsigned count = c.op.op->inputs()->size();
  c.inputs(std::max(count, 1U));
  std::vector<unsigned> all;
  for (unsigned i = 0; i < count; ++i) {
    all.push_back(i);
    c.require(c.quantization(i) == c.quantization(0),
              fmt::format("has inputs 0 and {} of different scales or zero points, needs equal ones", i));
  }
  const Sums sums(c);
  map(c, all, [&](const auto& v) {
    Scalar sum = sums.term(v[0]);
    for (std::size_t i = 1; i < v.size(); ++i) sum = sum + sums.term(v[i]);
    return sums.result(sum);
  });
}

void cumsum(const Context& c) {
  c.inputs(2);
  const auto& o = c.options(&Operator::builtin_options_as_CumsumOptions);
  const auto axis = c.builder.constant_ints(c.op, 1);
  c.require(axis.size() == 1, "needs one axis");
  const Sums sums(c);
  const tensor::Composer composer(c.builder.network(), c.op.node, c.builder.where(c.op));
  const Value x = c.builder.network().value_of(c.input(0));
  graph::Cumulate op;
  op.axis = static_cast<int>(composer.axis(axis[0], x.rank()));
  op.exclusive = o.exclusive();
  op.reverse = o.reverse();
  const Value terms = composer.map("Term", {x}, [&](const auto& v) { return sums.term(v[0]); });
  c.builder.bind(c.op, composer.map(
                           "Steps", {composer.emit(op, {terms})},
                           [&](const auto& v) { return sums.result(v[0]); }, c.output()));
}

void sum(const Context& c) {
  c.inputs(2);
  const tensor::Composer composer(c.builder.network(), c.op.node, c.builder.where(c.op));
  const Value x = c.builder.network().value_of(c.input(0));
  const graph::Quantization in = c.quantization(0);
  std::set<std::int64_t> axes;
  for (const std::int32_t axis : c.builder.constant_ints(c.op, 1))
    axes.insert(static_cast<std::int64_t>(composer.axis(axis, x.rank())));
  const auto out = stage(c, {graph::multiplier_of(in.scale[0] / c.output().scale[0])}, Activation::NONE);
  const Value terms = composer.map("Term", {x}, [&](const auto& v) { return less(v[0], in.zero_point[0]); });
  const bool keeps = c.options(&Operator::builtin_options_as_ReducerOptions).keep_dims();
  const Value total = composer.fold(expr::Reducer::Sum, terms, {axes.begin(), axes.end()}, keeps);
  c.builder.bind(c.op, composer.map(
                           "Steps", {total},
                           [&](const auto& v) { return finished(out, multiplied(out.multiplier[0], v[0])); },
                           c.output()));
}

constexpr IntegerRow kIntegerMaps[] = {
    {"ABS", absolute},
    {"ADD_N", add_n},
    {"CUMSUM", cumsum},
    {"ELU", elu},
    {"EQUAL", compare<expr::BinaryOp::Eq>},
    {"EXP", exponential},
    {"GELU", gelu},
    {"GREATER", compare<expr::BinaryOp::Gt>},
    {"GREATER_EQUAL", compare<expr::BinaryOp::Ge>},
    {"HARD_SWISH", hard_swish},
    {"LEAKY_RELU", leaky_relu},
    {"LESS", compare<expr::BinaryOp::Lt>},
    {"LESS_EQUAL", compare<expr::BinaryOp::Le>},
    {"LOG", logarithm},
    {"LOG_SOFTMAX", log_softmax},
    {"NEG", negative},
    {"NOT_EQUAL", compare<expr::BinaryOp::Ne>},
    {"PRELU", prelu},
    {"SQRT", square_root},
    {"SQUARED_DIFFERENCE", squared_difference},
    {"SUB", sub},
    {"SUM", sum},
};

}  // namespace

std::span<const IntegerRow> integer_maps() { return kIntegerMaps; }

}  // namespace vdla::import::tflite
