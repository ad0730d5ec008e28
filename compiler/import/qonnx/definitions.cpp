// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/qonnx/definitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "compiler/import/integer/context.h"
#include "compiler/import/onnx_body.h"

namespace vdla::import::qonnx {
namespace {

using tensor::Integers;
using tensor::Node;
using tensor::Shape;
using tensor::Value;

bool is_constant(const Value& v) {
  return v.constant() ||
         (v.pending != nullptr && std::holds_alternative<tensor::QuantizedConstant>(v.pending->form));
}

/// Integers that a number of bits can hold.
struct Range {
  double low = 0, high = 0;
};

Range range_of(std::int64_t bits, bool is_signed, bool narrow) {
  const double half = std::ldexp(1.0, static_cast<int>(bits) - 1);
  if (is_signed) return {narrow ? 1 - half : -half, half - 1};
  return {0, 2 * half - (narrow ? 2 : 1)};
}

/// Scale and zero point of a node, constants.
struct Steps {
  std::vector<double> scale, zero;  ///< as many of both: one, or one for each index of `axis`
  Shape shape;                      ///< extents in which they broadcast over the input
  int axis = -1;                    ///< -1: one for all
};

/// Elements of input i, which are broadcast over input 0 along one dimension at most; `what` says what they
/// are.
std::vector<double> steps_along(const Node& c, int i, const char* what, Steps& steps) {
  const Shape& x = c.as_it_is(0).shape;
  const Value& value = c.constant(i, what);
  const std::vector<double> elements = tensor::reals_of(value);
  c.require(std::ranges::all_of(elements, [](double v) { return std::isfinite(v); }),
            fmt::format("has a {} that is not finite", what));
  if (elements.size() == 1) return elements;
  Shape shape = value.shape;
  while (shape.size() < x.size()) shape.insert(shape.begin(), 1);
  int axis = -1;
  bool fits = shape.size() == x.size() && !elements.empty();
  for (std::size_t d = 0; fits && d < x.size(); ++d) {
    if (shape[d] == 1) continue;
    fits = axis < 0 && shape[d] == x[d];
    axis = static_cast<int>(d);
  }
  c.require(fits && (steps.axis < 0 || steps.axis == axis),
            fmt::format("has a {} of {} for a value of {}, needs one element, or one for each index of one "
                        "dimension, the same one for scale and zero point",
                        what, graph::to_string(value.shape), graph::to_string(x)));
  steps.axis = axis;
  steps.shape = shape;
  return elements;
}

Steps steps_of(const Node& c, int scale, int zero) {
  Steps steps;
  steps.scale = steps_along(c, scale, "scale", steps);
  c.require(std::ranges::all_of(steps.scale, [](double s) { return s > 0; }),
            "has a scale that is not positive");
  steps.zero = zero < 0 ? std::vector<double>{0} : steps_along(c, zero, "zero point", steps);
  const std::size_t count = std::max(steps.scale.size(), steps.zero.size());
  for (auto* values : {&steps.scale, &steps.zero})
    if (values->size() == 1) values->resize(count, values->front());
  return steps;
}

std::int64_t bits_of(const Node& c, int i, const char* what) {
  const double bits = c.real_number(i, what);
  c.require(bits >= 1 && bits <= 32 && bits == std::floor(bits),
            fmt::format("has {} {}, needs a whole number from 1 to 32", what, bits));
  return static_cast<std::int64_t>(bits);
}

/// A mode of rounding, as table "Rounding modes" of IntQuant has it.
struct Rounding {
  std::string_view mode, op;
  float moved;        ///< added to the magnitude before
  bool of_magnitude;  ///< whether `op` takes the magnitude, and the sign stays
};
constexpr Rounding kRoundings[] = {{"ROUND", "Round", 0, false},      {"CEIL", "Ceil", 0, false},
                                   {"FLOOR", "Floor", 0, false},      {"UP", "Ceil", 0, true},
                                   {"DOWN", "Floor", 0, true},        {"HALF_UP", "Floor", 0.5F, true},
                                   {"HALF_DOWN", "Ceil", -0.5F, true}};

const Rounding& rounding_of(const Node& c, const char* otherwise) {
  std::string mode = c.text("rounding_mode", otherwise);
  std::ranges::transform(mode, mode.begin(), [](unsigned char l) { return std::toupper(l); });
  if (mode == "HALF_EVEN") mode = "ROUND";
  const auto* row = std::ranges::find(kRoundings, mode, &Rounding::mode);
  c.require(row != std::end(kRoundings),
            "has rounding_mode '" + mode + "', needs ROUND, CEIL, FLOOR, UP, DOWN, HALF_UP or HALF_DOWN");
  return *row;
}

std::string rounded(Body& body, const std::string& x, const Rounding& by) {
  const std::string op(by.op);
  if (!by.of_magnitude) return body.add(op, {x});
  std::string magnitude = body.add("Abs", {x});
  if (by.moved != 0) magnitude = body.add("Add", {magnitude, body.number(by.moved)});
  return body.add("Mul", {body.add("Sign", {x}), body.add(op, {magnitude})});
}

float rounded(float x, const Rounding& by) {
  const float v = by.of_magnitude ? std::abs(x) + by.moved : x;
  const float whole = by.op == "Round" ? std::nearbyint(v) : by.op == "Ceil" ? std::ceil(v) : std::floor(v);
  return by.of_magnitude ? (x == 0 ? 0 : std::copysign(1.0F, x)) * whole : whole;
}

/// Integers that a node's output stands for, as a type of 8 bits holds them.
struct EightBits {
  bool is_signed = true;
  bool fit = false;
};

EightBits eight_bits(const Range& range, const Steps& steps) {
  EightBits form{range.low < 0 || std::ranges::any_of(steps.zero, [](double z) { return z < 0; })};
  const Range type = form.is_signed ? Range{-128, 127} : Range{0, 255};
  const auto inside = [&](double v) { return v == std::floor(v) && v >= type.low && v <= type.high; };
  form.fit = inside(range.low) && inside(range.high) && std::ranges::all_of(steps.zero, inside);
  return form;
}

/// Real values on the grid of `steps` as an int8 or uint8 tensor, and back: nothing changes but that layers
/// around see integers.
std::string on_grid(Body& body, const std::string& reals, const Steps& steps, bool is_signed) {
  const std::string scale = body.number(steps.scale[0]);
  const std::string zero = body.bytes({steps.zero[0]}, is_signed, {});
  const std::string integers = body.add("QuantizeLinear", {reals, scale, zero});
  return body.add("DequantizeLinear", {integers, scale, zero});
}

/// Input 0, a constant, as integers of 8 bits that `to_integer` makes of an element and the index of its
/// scale, with their scales and zero points.
template <class ToInteger>
onnx::FunctionProto of_constant(const Node& c, const Steps& steps, bool is_signed,
                                const ToInteger& to_integer) {
  const Value& x = c.in(0);
  std::vector<double> values = tensor::reals_of(x);
  const graph::Quantization q{steps.scale, {}, steps.axis};
  const auto fits = [&](double v) { return is_signed ? v >= -128 && v <= 127 : v >= 0 && v <= 255; };
  c.require(std::ranges::all_of(steps.zero, fits), "has a zero point beyond 8 bits");
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = to_integer(static_cast<float>(values[i]), integer::scale_index(q, x.shape, i));
    c.require(!std::isnan(values[i]), fmt::format("quantises element {}, which is not a number", i));
    c.require(fits(values[i]), fmt::format("quantises element {} to {}, beyond 8 bits", i, values[i]));
  }
  Body body(c);
  const bool vector = steps.axis >= 0;
  const auto count = static_cast<std::int64_t>(steps.scale.size());
  return body.made(body.add(
      "DequantizeLinear",
      {body.bytes(values, is_signed, x.shape), body.numbers(steps.scale, vector ? Shape{count} : Shape{}),
       body.bytes(steps.zero, is_signed, vector ? Shape{count} : Shape{})},
      {attribute("axis", std::max(steps.axis, 0))}));
}

/// 1 where the value is not negative, else -1: NaN is -1.
std::string sign_of(Body& body, const std::string& x) {
  return body.add("Where",
                  {body.add("GreaterOrEqual", {x, body.number(0)}), body.number(1), body.number(-1)});
}

/// Steps of 1 and -1.
onnx::FunctionProto bipolar(const Node& c, const Steps& steps) {
  if (is_constant(c.as_it_is(0)))
    return of_constant(c, steps, true, [&](float x, std::size_t k) {
      return x / static_cast<float>(steps.scale[k]) + static_cast<float>(steps.zero[k]) >= 0 ? 1.0 : -1.0;
    });
  Body body(c);
  const std::string scale = body.numbers(steps.scale, steps.shape);
  const std::string zero = body.numbers(steps.zero, steps.shape);
  const std::string moved = body.add("Add", {body.add("Div", {Body::input(0), scale}), zero});
  const std::string reals = body.add("Mul", {body.add("Sub", {sign_of(body, moved), zero}), scale});
  return body.made(steps.axis < 0 ? on_grid(body, reals, steps, true) : reals);
}

onnx::FunctionProto bipolar_quant(const Node& c) { return bipolar(c, steps_of(c, 1, -1)); }

onnx::FunctionProto int_quant(const Node& c) {
  const Steps steps = steps_of(c, 1, 2);
  const std::int64_t bits = bits_of(c, 3, "bit width");
  const bool is_signed = c.integer("signed", 1) != 0;
  if (bits == 1 && is_signed) return bipolar(c, steps);
  const Range range = range_of(bits, is_signed, c.integer("narrow", 0) != 0);
  const Rounding& rounding = rounding_of(c, "ROUND");
  const EightBits form = eight_bits(range, steps);
  if (form.fit && is_constant(c.as_it_is(0)))
    return of_constant(c, steps, form.is_signed, [&](float x, std::size_t k) {
      const float moved = x / static_cast<float>(steps.scale[k]) + static_cast<float>(steps.zero[k]);
      return rounded(std::clamp(moved, static_cast<float>(range.low), static_cast<float>(range.high)),
                     rounding);
    });
  Body body(c);
  const std::string x = Body::input(0);
  const bool one = steps.axis < 0;
  // QuantizeLinear rounds half to even before the zero point is added.
  const bool rounds_alike = rounding.mode == "ROUND" && std::fmod(steps.zero[0], 2) == 0;
  if (form.fit && one && rounds_alike) {
    const Range type = form.is_signed ? Range{-128, 127} : Range{0, 255};
    const auto real = [&](double integer) { return (integer - steps.zero[0]) * steps.scale[0]; };
    const bool whole = range.low == type.low && range.high == type.high;
    const std::string inside =
        whole ? x : body.add("Clip", {x, body.number(real(range.low)), body.number(real(range.high))});
    return body.made(on_grid(body, inside, steps, form.is_signed));
  }
  const std::string scale = body.numbers(steps.scale, steps.shape);
  const std::string zero = body.numbers(steps.zero, steps.shape);
  const std::string moved = body.add("Add", {body.add("Div", {x, scale}), zero});
  const std::string inside = body.add("Clip", {moved, body.number(range.low), body.number(range.high)});
  const std::string integers = rounded(body, inside, rounding);
  const std::string reals = body.add("Mul", {body.add("Sub", {integers, zero}), scale});
  return body.made(form.fit && one ? on_grid(body, reals, steps, form.is_signed) : reals);
}

/// A format of floats of few bits.
struct Minifloat {
  int exponent_bits = 1, mantissa_bits = 0;
  int smallest = 0;    ///< the least distance between two numbers is 2^smallest
  double largest = 0;  ///< the format's largest number
  double limit = 0;    ///< results are limited to it; it may lie between two numbers

  /// Distance between the numbers of the format at a magnitude.
  double distance(double magnitude) const {
    if (!(magnitude > 0)) return std::ldexp(1.0, smallest);  // NaN has no logarithm, as 0
    return std::ldexp(1.0, std::max(std::ilogb(magnitude) - mantissa_bits, smallest));
  }
};

Minifloat minifloat_of(const Node& c) {
  constexpr double kMostExponentBits = 6, kMostMantissaBits = 23, kLeast = -126, kMost = 127;
  const auto whole = [&](int i, const char* what, double least, double most) {
    const double v = c.real_number(i, what);
    c.require(v >= least && v <= most && v == std::floor(v),
              fmt::format("has {} {}, needs a whole number from {} to {}", what, v, least, most));
    return static_cast<int>(v);
  };
  Minifloat f;
  f.exponent_bits = whole(2, "exponent bit width", 1, kMostExponentBits);
  f.mantissa_bits = whole(3, "mantissa bit width", 0, kMostMantissaBits);
  const int bias = whole(4, "exponent bias", kLeast, kMost);
  const int last = (1 << f.exponent_bits) - 1 - bias;
  f.smallest = 1 - bias - f.mantissa_bits;
  c.require(f.smallest >= kLeast && last <= kMost,
            fmt::format("has exponent bias {}, whose numbers from 2^{} to 2^{} float32 does not have", bias,
                        f.smallest, last));
  f.largest = std::ldexp(2.0 - std::ldexp(1.0, -f.mantissa_bits), last);
  f.limit = std::min(f.largest, c.real_number(5, "largest value"));
  c.require(f.limit > 0, fmt::format("has largest value {}, needs a positive one", f.limit));
  c.require(c.integer("saturation", 1) != 0, "has saturation 0, needs 1");
  return f;
}

/// A magnitude's last power of two is found bit by bit of its exponent, each by an exact comparison and
/// product, which a logarithm is not.
std::string to_minifloat(Body& body, const std::string& x, const Minifloat& f, const Rounding& rounding) {
  const std::string inside = body.add("Clip", {x, body.number(-f.largest), body.number(f.largest)});
  std::string distance = body.number(std::ldexp(1.0, f.smallest));
  std::string rest = body.add(
      "Mul", {body.add("Abs", {inside}), body.number(std::ldexp(1.0, -f.smallest - f.mantissa_bits))});
  for (int bit = f.exponent_bits; bit-- > 0;) {
    const double power = std::ldexp(1.0, 1 << bit);
    const std::string reached = body.add("GreaterOrEqual", {rest, body.number(power)});
    const std::string far = body.add("Mul", {rest, body.number(1 / power)});
    rest = body.add("Where", {reached, far, rest});
    distance = body.add("Where", {reached, body.add("Mul", {distance, body.number(power)}), distance});
  }
  const std::string steps = rounded(body, body.add("Div", {inside, distance}), rounding);
  return body.add("Clip", {body.add("Mul", {steps, distance}), body.number(-f.limit), body.number(f.limit)});
}

/// Formats whose numbers are 127 of their smallest distances at most are integers of 8 bits.
onnx::FunctionProto float_quant(const Node& c) {
  const Steps steps = steps_of(c, 1, -1);
  const Minifloat f = minifloat_of(c);
  const Rounding& rounding = rounding_of(c, "ROUND");
  const double smallest = std::ldexp(1.0, f.smallest), most = f.limit / smallest;
  const bool fit = most == std::floor(most) && most <= INT8_MAX;
  Steps grid = steps;
  for (double& s : grid.scale) s *= smallest;
  if (fit && is_constant(c.as_it_is(0)))
    return of_constant(c, grid, true, [&](float x, std::size_t k) {
      const double inside = std::clamp<double>(x / static_cast<float>(steps.scale[k]), -f.largest, f.largest);
      const double distance = f.distance(std::abs(inside));
      const double whole = rounded(static_cast<float>(inside / distance), rounding) * distance;
      return std::clamp(whole, -f.limit, f.limit) / smallest;
    });
  Body body(c);
  const std::string scale = body.numbers(steps.scale, steps.shape);
  const std::string number = to_minifloat(body, body.add("Div", {Body::input(0), scale}), f, rounding);
  const std::string reals = body.add("Mul", {number, scale});
  return body.made(fit && steps.axis < 0 ? on_grid(body, reals, grid, true) : reals);
}

/// Version 1 has the bits that go; version 2 the scale and the bits that stay, to which it limits.
onnx::FunctionProto trunc(const Node& c) {
  const bool second = c.inputs() == 6;
  const Steps steps = steps_of(c, 1, 2);
  const Rounding& rounding = rounding_of(c, "FLOOR");
  Body body(c);
  const std::string scale = body.numbers(steps.scale, steps.shape);
  const std::string zero = body.numbers(steps.zero, steps.shape);
  const std::string steps_in =
      body.add("Round", {body.add("Add", {body.add("Div", {Body::input(0), scale}), zero})});
  const auto made = [&](double gone, const Range* range, const std::string& scale_out,
                        const std::string& zero_out) {
    std::string steps_out = body.add("Div", {steps_in, body.number(gone)});
    if (range != nullptr)
      steps_out = body.add("Clip", {steps_out, body.number(range->low), body.number(range->high)});
    steps_out = rounded(body, steps_out, rounding);
    return body.made(body.add("Mul", {body.add("Sub", {steps_out, zero_out}), scale_out}));
  };
  if (!second) {
    const std::int64_t gone = bits_of(c, 3, "input bit width") - bits_of(c, 4, "output bit width");
    return made(std::ldexp(1.0, static_cast<int>(gone)), nullptr, scale, zero);
  }
  const double scale_out = c.real_number(4, "output scale");
  c.require(steps.axis < 0 && scale_out > 0,
            fmt::format("has output scale {} for {} input scales, needs a positive one for one", scale_out,
                        steps.scale.size()));
  const double gone = std::exp2(std::nearbyint(std::log2(scale_out / steps.scale[0])));
  const Range range =
      range_of(bits_of(c, 5, "output bit width"), c.integer("signed", 1) != 0, c.integer("narrow", 0) != 0);
  return made(gone, &range, body.number(scale_out), body.number(steps.zero[0] / gone));
}

bool channels_last(const Node& c) {
  return c.word("data_layout", {"NCHW", "NHWC", "NC", "NHC", "NCW", "NCL"}, "NCHW").ends_with('C') &&
         c.as_it_is(0).rank() > 2;
}

/// The number of thresholds that an element reaches, times out_scale, plus out_bias.
onnx::FunctionProto multi_threshold(const Node& c) {
  const Shape& x = c.as_it_is(0).shape;
  const Value& thresholds = c.constant(1, "thresholds");
  c.require(x.size() >= 2, "has a value of " + graph::to_string(x) + ", needs two dimensions at least");
  const std::size_t axis = channels_last(c) ? x.size() - 1 : 1;
  c.require(thresholds.rank() == 2 && (thresholds.shape[0] == x[axis] || thresholds.shape[0] == 1),
            fmt::format("has thresholds of {}, needs rows for {} channels, or one",
                        graph::to_string(thresholds.shape), x[axis]));
  const double scale = c.real("out_scale", 1.0F), bias = c.real("out_bias", 0.0F);
  const std::int64_t count = thresholds.shape[1];
  Body body(c);
  Shape rows(x.size() + 1, 1);
  rows[axis] = thresholds.shape[0];
  rows.back() = count;
  const auto rank = static_cast<std::int64_t>(x.size());
  const std::string each = body.add("Unsqueeze", {Body::input(0), body.integers({rank})});
  const std::string reached =
      body.add("GreaterOrEqual", {each, body.numbers(tensor::reals_of(thresholds), rows)});
  const std::string ones = body.add("Cast", {reached}, {attribute("to", onnx::TensorProto::FLOAT)});
  std::string reals = body.add("ReduceSum", {ones, body.integers({rank})}, {attribute("keepdims", 0)});
  reals = body.add("Add", {body.add("Mul", {reals, body.number(scale)}), body.number(bias)});
  const double first = bias / scale;
  const Steps steps{{scale}, {0}, {}, -1};
  const EightBits form = eight_bits({first, first + static_cast<double>(count)}, steps);
  return body.made(form.fit && scale > 0 ? on_grid(body, reals, steps, form.is_signed) : reals);
}

/// {0, 2, .., 1}, or its inverse.
Integers order_of(std::size_t rank, bool to_last) {
  Integers order{0};
  if (!to_last) order.push_back(static_cast<std::int64_t>(rank) - 1);
  for (std::size_t d = to_last ? 2 : 1; d < (to_last ? rank : rank - 1); ++d)
    order.push_back(static_cast<std::int64_t>(d));
  if (to_last) order.push_back(1);
  return order;
}

/// An operator of ONNX on values whose channels are last; a Conv's weights have theirs last, too.
onnx::FunctionProto of_channels_last(const Node& c) {
  Body body(c);
  const std::size_t rank = c.as_it_is(0).rank();
  c.require(rank >= 3,
            "has a value of " + graph::to_string(c.as_it_is(0).shape) + ", needs three dimensions at least");
  std::vector<std::string> inputs;
  for (int i = 0; i < c.inputs(); ++i) {
    const bool turned = i == 0 || (i == 1 && c.op() == "Conv");
    c.require(!turned || c.as_it_is(i).rank() == rank,
              fmt::format("has input {} of {}, needs {} dimensions", i, graph::to_string(c.as_it_is(i).shape),
                          rank));
    inputs.push_back(turned
                         ? body.add("Transpose", {Body::input(i)}, {attribute("perm", order_of(rank, false))})
                         : Body::input(i));
  }
  const std::vector<onnx::AttributeProto> attributes(c.proto().attribute().begin(),
                                                     c.proto().attribute().end());
  return body.made(body.add("Transpose", {body.add(c.op(), inputs, attributes)},
                            {attribute("perm", order_of(rank, true))}));
}

/// Sums of windows, without the bits that the output has not.
onnx::FunctionProto quant_avg_pool(const Node& c) {
  const std::int64_t kernel = c.integer("kernel", 1), stride = c.integer("stride", 1);
  const std::int64_t bits = c.integer("ibits", 1), kept = c.integer("obits", 1);
  c.require(
      kernel > 0 && kernel <= 1024 && stride > 0 && bits >= 1 && bits <= 32 && kept >= 1 && kept <= 32,
      fmt::format("has kernel {}, stride {}, ibits {} and obits {}, needs 1 to 1024, a positive one, and "
                  "twice 1 to 32",
                  kernel, stride, bits, kept));
  c.require(c.as_it_is(0).rank() == 4,
            "has a value of " + graph::to_string(c.as_it_is(0).shape) + ", needs an image");
  const auto most = ((std::uint64_t{1} << bits) - 1) * static_cast<std::uint64_t>(kernel * kernel);
  const auto gone = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::bit_width(most)) - kept);
  const bool last = channels_last(c);
  Body body(c);
  std::string x = Body::input(0);
  if (last) x = body.add("Transpose", {x}, {attribute("perm", order_of(4, false))});
  x = body.add(
      "AveragePool", {x},
      {attribute("kernel_shape", Integers{kernel, kernel}), attribute("strides", Integers{stride, stride})});
  const std::string sum =
      body.add("Round", {body.add("Mul", {x, body.number(static_cast<double>(kernel * kernel))})});
  x = body.add("Floor", {body.add("Div", {sum, body.number(std::ldexp(1.0, static_cast<int>(gone)))})});
  if (last) x = body.add("Transpose", {x}, {attribute("perm", order_of(4, true))});
  return body.made(x);
}

struct Row {
  std::string_view op;
  int least, most;  ///< inputs
  onnx::FunctionProto (*define)(const Node&);
};

constexpr Row kGeneral[] = {
    {"BipolarQuant", 2, 2, bipolar_quant},
    {"FloatQuant", 6, 6, float_quant},
    {"IntQuant", 4, 4, int_quant},
    {"MultiThreshold", 2, 2, multi_threshold},
    {"Quant", 4, 4, int_quant},
    {"QuantAvgPool2d", 1, 1, quant_avg_pool},
    {"Trunc", 5, 6, trunc},
};
constexpr Row kChannelsLast[] = {
    {"AveragePool", 1, 1, of_channels_last},
    {"BatchNormalization", 5, 5, of_channels_last},
    {"Conv", 2, 3, of_channels_last},
    {"MaxPool", 1, 1, of_channels_last},
};

std::span<const Row> rows_of(const std::string& domain) {
  if (domain == "qonnx.custom_op.channels_last") return kChannelsLast;
  for (const char* general : {"qonnx.custom_op.general", "finn.custom_op.general", "onnx.brevitas"})
    if (domain == general) return kGeneral;
  return {};
}

}  // namespace

std::vector<std::string_view> operators() {
  std::vector<std::string_view> names;
  for (const Row& row : kGeneral) names.push_back(row.op);
  return names;
}

std::optional<onnx::FunctionProto> definition(const Node& node) {
  const std::span<const Row> rows = rows_of(node.proto().domain());
  const auto row = std::ranges::find(rows, node.op(), &Row::op);
  if (row == rows.end()) return std::nullopt;
  bool whole = node.inputs() >= row->least && node.inputs() <= row->most;
  for (int i = 0; whole && i < row->least; ++i) whole = node.has(i);
  node.require(whole, fmt::format("has {} inputs, needs {}", node.inputs(),
                                  row->least == row->most ? std::to_string(row->least)
                                                          : fmt::format("{} or {}", row->least, row->most)));
  return row->define(node);
}

}  // namespace vdla::import::qonnx
