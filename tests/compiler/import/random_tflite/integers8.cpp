// SPDX-License-Identifier: Apache-2.0
// Operators of 8-bit integers whose scales TFLite Micro divides or multiplies otherwise than TensorFlow Lite,
// or which TensorFlow Lite's library lacks.
#include <algorithm>

#include "tests/compiler/import/random_tflite/draw.h"

namespace vdla::random_tflite {
namespace {

using import::tflite::BuiltinOptions;

/// A scale and zero point for the tensors that follow; the scale has all of its bits.
float rescale(Sketch& s, double low, double high) {
  const auto scale = static_cast<float>(s.random.between(low, high));
  s.quantise(false, scale, s.random.between(std::int64_t{-128}, std::int64_t{127}));
  return scale;
}

/// Elements of all 256 values.
int bytes(Sketch& s, const Shape& shape, float scale) {
  return s.input(kByte, shape, -128 * scale, 127 * scale);
}

void sub8(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  const float a = rescale(s, 0.01, 0.1);
  const int x = bytes(s, shape, a);
  const float b = rescale(s, 0.3 * a, 3 * a);
  const int y = bytes(s, shape, b);
  rescale(s, 0.7 * (a + b), 2 * (a + b));
  s.output(kByte, shape);
  s.finish(code, BuiltinOptions::SubOptions,
           import::tflite::CreateActivationOptions(s.file.builder(), activation(s)), {x, y});
}

/// Two operands, the second one of a scale near the first one's, and a result in `least` to `most` of theirs.
template <class Options>
void two8(Sketch& s, int code, BuiltinOptions kind, const Options& options, double least, double most) {
  const Shape shape = s.shape(1, 4);
  const float a = rescale(s, 0.01, 0.1);
  const int x = bytes(s, shape, a);
  const float b = rescale(s, 0.3 * a, 3 * a);
  const int y = s.operand(kByte, narrower(s, shape));
  rescale(s, least * (a + b), most * (a + b));
  s.output(kByte, shape);
  s.finish(code, kind, options(), {x, y});
}
void add8(Sketch& s, int code) {
  two8(
      s, code, BuiltinOptions::AddOptions,
      [&] { return import::tflite::CreateAddOptions(s.file.builder(), activation(s)).Union(); }, 0.7, 2);
}
void mul8(Sketch& s, int code) {
  two8(
      s, code, BuiltinOptions::MulOptions,
      [&] { return import::tflite::CreateMulOptions(s.file.builder(), activation(s)).Union(); }, 1, 5);
}

/// Operands and a result of one scale.
void extreme8(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  const float scale = rescale(s, 0.01, 0.1);
  const int x = bytes(s, shape, scale), y = s.operand(kByte, narrower(s, shape));
  s.output(kByte, shape);
  s.finish(code, {x, y});
}
void compared8(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  const float a = rescale(s, 0.01, 0.1);
  const int x = bytes(s, shape, a);
  rescale(s, 0.3 * a, 3 * a);
  const int y = s.operand(kByte, narrower(s, shape));
  s.output(DataType::Bool, shape);
  s.finish(code, {x, y});
}
void add_n8(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  const float scale = rescale(s, 0.01, 0.1);
  Ints inputs;
  for (std::int64_t i = s.random.between(std::int64_t{2}, std::int64_t{4}); i > 0; --i)
    inputs.push_back(bytes(s, shape, scale));
  rescale(s, scale, 4 * scale);
  s.output(kByte, shape);
  s.finish(code, inputs);
}
void cumsum8(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  const float scale = rescale(s, 0.01, 0.1);
  const int x = bytes(s, shape, scale);
  const int axis = s.constant(DataType::Int32, {},
                              {static_cast<double>(s.random.below(static_cast<std::int64_t>(shape.size())))});
  rescale(s, scale, 3 * scale);
  s.output(kByte, shape);
  s.finish(code, BuiltinOptions::CumsumOptions,
           import::tflite::CreateCumsumOptions(s.file.builder(), s.random.chance(0.5), s.random.chance(0.5)),
           {x, axis});
}
void quantize8(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  const bool of_floats = s.random.chance(0.5);
  const float scale = rescale(s, 0.01, 0.1);
  const int x = of_floats ? s.input(kFloat, shape) : bytes(s, shape, scale);
  rescale(s, 0.5 * scale, 2 * scale);
  s.output(kByte, shape);
  s.finish(code, {x});
}
void dequantize8(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  const int x = bytes(s, shape, rescale(s, 0.01, 0.1));
  s.output(kFloat, shape);
  s.finish(code, {x});
}

template <class Options>
void one8(Sketch& s, int code, BuiltinOptions kind, flatbuffers::Offset<Options> options) {
  const Shape shape = s.shape(1, 4);
  const float in = rescale(s, 0.01, 0.1);
  const int x = bytes(s, shape, in);
  rescale(s, 0.5 * in, 2 * in);
  s.output(kByte, shape);
  s.finish(code, kind, options, {x});
}
void leaky_relu8(Sketch& s, int code) {
  const auto slope = static_cast<float>(s.random.between(-0.5, 1.5));
  one8(s, code, BuiltinOptions::LeakyReluOptions,
       import::tflite::CreateLeakyReluOptions(s.file.builder(), slope));
}
/// The format fixes the scale of the result.
void logistic8(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  const int x = bytes(s, shape, rescale(s, 0.01, 0.1));
  const bool of_both_signs = code == 28;
  s.quantise(false, of_both_signs ? 1 / 128.F : 1 / 256.F, of_both_signs ? 0 : -128);
  s.output(kByte, shape);
  s.finish(code, {x});
}
/// LiteRT takes no other scales.
void negative8(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  const float scale = rescale(s, 0.01, 0.1);
  const std::int64_t zero = std::max<std::int64_t>(s.zero_point(), -127);
  s.quantise(false, scale, zero);
  const int x = bytes(s, shape, scale);
  s.quantise(false, scale, -zero);
  s.output(kByte, shape);
  s.finish(code, {x});
}

/// Functions of one element without options.
void plain8(Sketch& s, int code) { one8(s, code, BuiltinOptions::NONE, flatbuffers::Offset<void>()); }

/// The reference refuses a sum of scales that gives its multiplier bits to the left.
void squared_difference8(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  const float a = rescale(s, 0.01, 0.1);
  const int x = bytes(s, shape, a);
  const float b = rescale(s, 0.3 * a, 3 * a);
  const int y = s.operand(kByte, narrower(s, shape));
  const double larger = std::max(a, b);
  rescale(s, 20 * larger * larger, 600 * larger * larger);
  s.output(kByte, shape);
  s.finish(code, {x, y});
}

void l2_normalization8(Sketch& s, int code) {
  Shape shape = s.shape(1, 4);
  shape.back() = s.random.between(std::int64_t{1}, std::int64_t{60});
  const float scale = rescale(s, 0.001, 0.2);
  const int x = bytes(s, shape, scale);
  s.quantise(false, 1 / 128.F, 0);
  s.output(kByte, shape);
  s.finish(code, BuiltinOptions::NONE, flatbuffers::Offset<void>(), {x});
}

/// Divisors but 0. Where quotients are below a step of the result, the reference shifts by more than 31 bits,
/// which C++ leaves open: steps are small.
void div8(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  const float a = rescale(s, 0.01, 0.1);
  const int x = bytes(s, shape, a);
  const float b = rescale(s, 0.01, 0.1);
  std::vector<double> divisors;
  for (std::int64_t i = 0; i < graph::element_count(shape); ++i) {
    std::int64_t e = s.zero_point();
    while (e == s.zero_point())
      e = s.random.between(std::max<std::int64_t>(s.zero_point() - 127, -128),
                           std::min<std::int64_t>(s.zero_point() + 127, 127));
    divisors.push_back(static_cast<double>(e));
  }
  const int y = s.constant(kByte, shape, divisors);
  rescale(s, 0.01 * a / b, 0.015 * a / b);
  s.output(kByte, shape);
  s.finish(code, BuiltinOptions::DivOptions,
           import::tflite::CreateActivationOptions(s.file.builder(), activation(s)), {x, y});
}

/// TFLite Micro ends a run at a negative number, which this zero point leaves out.
void rsqrt8(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  const auto scale = static_cast<float>(s.random.between(0.01, 0.1));
  s.quantise(false, scale, -128);
  const int x = bytes(s, shape, scale);
  rescale(s, 0.01, 0.1);
  s.output(kByte, shape);
  s.finish(code, {x});
}

void sum8(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  const float in = rescale(s, 0.01, 0.1);
  const int x = bytes(s, shape, in);
  std::vector<std::int64_t> axes;
  Shape out;
  const bool keeps = s.random.chance(0.5);
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (d == 0 || s.random.chance(0.5)) {
      axes.push_back(static_cast<std::int64_t>(d));
      if (keeps) out.push_back(1);
    } else {
      out.push_back(shape[d]);
    }
  const int a = s.numbers(axes);
  rescale(s, in, 20 * in);
  s.output(kByte, out);
  s.finish(code, BuiltinOptions::ReducerOptions,
           import::tflite::CreateReducerOptions(s.file.builder(), keeps), {x, a});
}

void batch_matmul8(Sketch& s, int code) {
  Shape a = s.shape(2, 4), b = a, out = a;
  const bool turned_a = s.random.chance(0.3), turned_b = s.random.chance(0.3);
  const std::size_t row = a.size() - 2, column = a.size() - 1;
  const std::int64_t depth = s.random.between(std::int64_t{1}, std::int64_t{30}),
                     columns = s.random.between(std::int64_t{1}, std::int64_t{5});
  a[column] = b[row] = depth;
  b[column] = out[column] = columns;
  if (turned_a) std::swap(a[row], a[column]);
  if (turned_b) std::swap(b[row], b[column]);
  const float of_a = rescale(s, 0.01, 0.1);
  const int x = bytes(s, a, of_a);
  const float of_b = rescale(s, 0.01, 0.1);
  const int y = bytes(s, b, of_b);
  const double sums = of_a * of_b * 128.0 * static_cast<double>(depth);
  rescale(s, 0.3 * sums, sums);
  s.output(kByte, out);
  s.finish(code, BuiltinOptions::BatchMatMulOptions,
           import::tflite::CreateBatchMatMulOptions(s.file.builder(), turned_a, turned_b), {x, y});
}

void wide_softmax8(Sketch& s, int code) {
  Shape shape = s.shape(1, 4);
  shape.back() = s.random.between(std::int64_t{1}, std::int64_t{40});
  const float scale = rescale(s, 0.001, 0.2);
  const int x = bytes(s, shape, scale);
  s.quantise16(0x1p-16F, -32768);
  s.output(DataType::Int16, shape);
  s.finish(code, BuiltinOptions::SoftmaxOptions,
           import::tflite::CreateSoftmaxOptions(s.file.builder(), s.random.one_of({1.0F, 0.5F, 2.0F})), {x});
}

}  // namespace

std::vector<Row> integer8_rows() {
  return {{"ABS of int8", 101, plain8},
          {"ADD of int8", 0, add8},
          {"ADD_N of int8", 106, add_n8},
          {"BATCH_MATMUL of int8", 126, batch_matmul8},
          {"CUMSUM of int8", 128, cumsum8},
          {"DEQUANTIZE of int8", 6, dequantize8},
          {"DIV of int8", 42, div8},
          {"EQUAL of int8", 71, compared8},
          {"GREATER of int8", 61, compared8},
          {"GREATER_EQUAL of int8", 62, compared8},
          {"HARD_SWISH of int8", 117, plain8},
          {"L2_NORMALIZATION of int8", 11, l2_normalization8},
          {"LEAKY_RELU of int8", 98, leaky_relu8},
          {"LESS of int8", 58, compared8},
          {"LESS_EQUAL of int8", 63, compared8},
          {"MAXIMUM of int8", 55, extreme8},
          {"MINIMUM of int8", 57, extreme8},
          {"MUL of int8", 18, mul8},
          {"NOT_EQUAL of int8", 72, compared8},
          {"QUANTIZE of int8", 114, quantize8},
          {"RELU of int8", 19, plain8},
          {"RSQRT of int8", 76, rsqrt8},
          {"SOFTMAX of int8 to int16", 25, wide_softmax8},
          {"SQUARED_DIFFERENCE of int8", 99, squared_difference8},
          {"SUB of int8", 41, sub8},
          {"SUM of int8", 74, sum8},
          // TensorFlow Lite's functions, and those that Micro has of floats alone.
          {"EXP of 8 bits", 47, plain8},
          {"LOG of 8 bits", 73, plain8},
          {"LOGISTIC of 8 bits", 14, logistic8},
          {"NEG of 8 bits", 59, negative8},
          {"RELU_0_TO_1 of 8 bits", 152, plain8},
          {"SQRT of 8 bits", 75, plain8},
          {"TANH of 8 bits", 28, logistic8}};
}

}  // namespace vdla::random_tflite
