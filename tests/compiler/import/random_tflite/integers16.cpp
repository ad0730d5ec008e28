// SPDX-License-Identifier: Apache-2.0
// Operators of 16-bit integers with scales. Scales of results are such that most elements do not saturate.
#include <cmath>

#include "tests/compiler/import/random_tflite/draw.h"

namespace vdla::random_tflite {
namespace {

using import::tflite::BuiltinOptions;
using import::tflite::Padding;

constexpr DataType kWide = DataType::Int16;

/// The scale of a sum of `depth` products of 8-bit weights, at a distance.
float scale_of_sums(Sketch& s, float product, std::int64_t depth) {
  const double spread = 60 * std::sqrt(static_cast<double>(depth));
  return static_cast<float>(product * spread * s.random.between(0.3, 3.0));
}

/// A bias of int64, or of int32 where the operator has one.
int bias16(Sketch& s, std::int64_t outputs, bool narrow = false) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(outputs));
  for (std::int64_t i = 0; i < outputs; ++i)
    values.push_back(
        static_cast<double>(s.random.between(std::int64_t{-4'000'000}, std::int64_t{4'000'000})));
  return s.constant(narrow ? DataType::Int32 : DataType::Int64, {outputs}, values);
}

void conv_2d16(Sketch& s, int code) {
  const Shape x = image(s);
  Window w = window(s, x, true);
  const std::int64_t outputs = s.random.between(std::int64_t{1}, std::int64_t{6});
  s.quantise16();
  const int data = s.input(kWide, x);
  float scale = 0;
  Ints inputs = {data, s.weights16({outputs, w.kernel[0], w.kernel[1], x[3]}, axis_or_none(s, 0), scale)};
  if (s.random.chance(0.8)) inputs.push_back(bias16(s, outputs, s.random.chance(0.3)));
  s.quantise16(scale_of_sums(s, s.scale16() * scale, x[3] * w.kernel[0] * w.kernel[1]));
  w.out.push_back(outputs);
  s.output(kWide, w.out);
  finish_conv_2d(s, code, w, inputs);
}
void depthwise16(Sketch& s, int code) {
  const Shape x = image(s);
  const DepthwiseWindow w = depthwise_window(s, x);
  s.quantise16();
  const int data = s.input(kWide, x);
  float scale = 0;
  const int weights = s.weights16({1, w.kernel[0], w.kernel[1], w.outputs}, 3, scale);
  const int sum = bias16(s, w.outputs);
  s.quantise16(scale_of_sums(s, s.scale16() * scale, std::int64_t{w.kernel[0]} * w.kernel[1]));
  s.output(kWide, w.out);
  finish_depthwise(s, code, w, {data, weights, sum});
}
void transpose_conv16(Sketch& s, int code) {
  const Shape x = image(s);
  const TransposedWindow w = transposed_window(s, x);
  const int size = s.numbers(w.out);
  float scale = 0;
  const int weights = s.weights16({w.outputs, w.kernel[0], w.kernel[1], x[3]}, axis_or_none(s, 0), scale);
  s.quantise16();
  Ints inputs = {size, weights, s.input(kWide, x)};
  if (s.random.chance(0.5)) inputs.push_back(bias16(s, w.outputs));
  s.quantise16(scale_of_sums(s, s.scale16() * scale, x[3]));
  s.output(kWide, w.out);
  finish_transpose_conv(s, code, w, inputs);
}
/// The reference refuses a bias whose scale is not that of the sums.
void fully_connected16(Sketch& s, int code) {
  const Shape x = s.shape(2, 3);
  const std::int64_t outputs = s.random.between(std::int64_t{1}, std::int64_t{6});
  const bool keeps = s.random.chance(0.5);
  s.quantise16();
  const int data = s.input(kWide, x);
  float scale = 0;
  Ints inputs = {data, s.weights16({outputs, x.back()}, -1, scale)};
  inputs.push_back(s.random.chance(0.7) ? bias16(s, outputs) : -1);
  s.quantise16(scale_of_sums(s, s.scale16() * scale, x.back()));
  Shape out = x;
  out.back() = outputs;
  if (!keeps) out = {graph::element_count(x) / x.back(), outputs};
  s.output(kWide, out);
  s.finish(code, BuiltinOptions::FullyConnectedOptions,
           import::tflite::CreateFullyConnectedOptions(s.file.builder(), activation(s), 0, keeps), inputs);
}
void batch_matmul16(Sketch& s, int code) {
  Shape a = s.shape(2, 4), b = a;
  const bool turned_a = s.random.chance(0.3), turned_b = s.random.chance(0.3);
  const std::size_t r = a.size();
  const std::int64_t k = a[r - 1], n = s.random.between(std::int64_t{1}, std::int64_t{5});
  Shape out = a;
  out[r - 1] = n;
  if (turned_a) std::swap(a[r - 2], a[r - 1]);
  b[r - 2] = turned_b ? n : k;
  b[r - 1] = turned_b ? k : n;
  s.quantise16();
  const int x = s.input(kWide, a);
  const float scale = s.scale16();
  s.quantise16();
  const int y = s.input(kWide, b);
  s.quantise16(scale_of_sums(s, s.scale16() * scale * 256, k));
  s.output(kWide, out);
  s.finish(code, BuiltinOptions::BatchMatMulOptions,
           import::tflite::CreateBatchMatMulOptions(s.file.builder(), turned_a, turned_b), {x, y});
}

void pool16(Sketch& s, int code) {
  const Shape x = image(s);
  Window w = window(s, x, false);
  s.quantise16();
  const int data = s.input(kWide, x);
  w.out.push_back(x[3]);
  s.output(kWide, w.out);
  s.finish(code, BuiltinOptions::Pool2DOptions,
           import::tflite::CreatePool2DOptions(s.file.builder(), w.padding, w.stride[1], w.stride[0],
                                               w.kernel[1], w.kernel[0], activation(s)),
           {data});
}

void reduce16(Sketch& s, int code) {
  const Shape shape = s.shape(2, 4);
  std::vector<std::int64_t> axes;
  Shape out;
  const bool keeps = s.random.chance(0.5);
  std::int64_t count = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool gone = s.random.chance(0.5) || (axes.empty() && d + 1 == shape.size());
    if (gone) axes.push_back(static_cast<std::int64_t>(d)), count *= shape[d];
    if (!gone || keeps) out.push_back(gone ? 1 : shape[d]);
  }
  s.quantise16();
  const int x = s.input(kWide, shape), a = s.numbers(axes);
  const double times = code == 74 ? std::sqrt(static_cast<double>(count)) : 1;
  s.quantise16(static_cast<float>(s.scale16() * times * s.random.between(0.6, 1.5)));
  s.output(kWide, out);
  s.finish(code, BuiltinOptions::ReducerOptions,
           import::tflite::CreateReducerOptions(s.file.builder(), keeps), {x, a});
}

/// Two operands, each with a scale of its own, and a result whose scale `out` makes of the larger one.
template <class Options>
void two16(Sketch& s, int code, BuiltinOptions kind, const Options& options, double low, double high) {
  const Shape all = s.shape(1, 4);
  s.quantise16();
  const float one = s.scale16();
  const int a = s.input(kWide, all);
  s.quantise16();
  const float larger = std::max(one, s.scale16());
  const int b = s.operand(kWide, narrower(s, all));
  s.quantise16(static_cast<float>(larger * s.random.between(low, high)));
  s.output(kWide, all);
  s.finish(code, kind, options(), {a, b});
}
void add16(Sketch& s, int code) {
  two16(
      s, code, BuiltinOptions::AddOptions,
      [&] { return import::tflite::CreateAddOptions(s.file.builder(), activation(s)).Union(); }, 0.7, 2.5);
}
void sub16(Sketch& s, int code) {
  two16(
      s, code, BuiltinOptions::SubOptions,
      [&] { return import::tflite::CreateActivationOptions(s.file.builder(), activation(s)).Union(); }, 0.7,
      2.5);
}
/// The smaller scale is a part of the larger one.
void mul16(Sketch& s, int code) {
  two16(
      s, code, BuiltinOptions::MulOptions,
      [&] { return import::tflite::CreateMulOptions(s.file.builder(), activation(s)).Union(); }, 3, 60);
}
void squared_difference16(Sketch& s, int code) {
  two16(s, code, BuiltinOptions::NONE, [] { return flatbuffers::Offset<void>(0); }, 20, 200);
}

void extreme16(Sketch& s, int code) {
  const Shape all = s.shape(1, 4);
  s.quantise16();
  const int a = s.input(kWide, all), b = s.operand(kWide, narrower(s, all));
  s.output(kWide, all);
  s.finish(code, {a, b});
}

/// A function of one element, from a scale to another that is at most so many times as large or small.
template <class Options>
void one16(Sketch& s, int code, BuiltinOptions kind, const Options& options, double most = 2) {
  const Shape shape = s.shape(1, 4);
  s.quantise16();
  const int x = s.input(kWide, shape);
  s.quantise16(static_cast<float>(s.scale16() * s.random.between(1 / most, most)));
  s.output(kWide, shape);
  s.finish(code, kind, options(), {x});
}
flatbuffers::Offset<void> no_options16() { return 0; }
void relu16(Sketch& s, int code) { one16(s, code, BuiltinOptions::NONE, no_options16); }
void relu6_16(Sketch& s, int code) { one16(s, code, BuiltinOptions::NONE, no_options16, 1); }
void absolute16(Sketch& s, int code) { one16(s, code, BuiltinOptions::NONE, no_options16); }
/// Micro ends a run at a negative number.
void rsqrt16(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  s.quantise16();
  std::vector<double> elements;
  for (std::int64_t i = 0; i < graph::element_count(shape); ++i)
    elements.push_back(static_cast<double>(s.random.chance(0.1)
                                               ? s.random.between(std::int64_t{0}, std::int64_t{4})
                                               : s.random.between(std::int64_t{0}, std::int64_t{INT16_MAX})));
  const int x = s.input(kWide, shape);
  s.drawn.inputs.back() = random_graphs::array_of(kWide, shape, elements);
  s.quantise16(static_cast<float>(s.random.between(0.00002, 0.02) / std::sqrt(s.scale16())));
  s.output(kWide, shape);
  s.finish(code, {x});
}
void leaky_relu16(Sketch& s, int code) {
  one16(s, code, BuiltinOptions::LeakyReluOptions, [&] {
    return import::tflite::CreateLeakyReluOptions(s.file.builder(), s.random.one_of({0.25F, 0.1F, 1.5F}))
        .Union();
  });
}
void prelu16(Sketch& s, int code) {
  const Shape shape = s.shape(3, 4);
  s.quantise16();
  const int x = s.input(kWide, shape);
  float scale = 0;
  const int slopes = s.weights16({shape.back()}, -1, scale);
  s.quantise16(static_cast<float>(s.scale16() * s.random.between(0.5, 2.0)));
  s.output(kWide, shape);
  s.finish(code, {x, slopes});
}

/// Functions whose results have one scale. That of the elements is also a power of two.
void of_table16(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  const float scale = static_cast<float>(s.random.between(0.00002, 0.001));
  s.quantise16(s.random.one_of({scale, 0x1p-12F, 0x1p-11F, 0x1p-10F, 0x1p-14F}));
  const int x = s.input(kWide, shape);
  s.quantise16(0x1p-15F);
  s.output(kWide, shape);
  s.finish(code, {x});
}
void softmax16(Sketch& s, int code) {
  Shape shape = s.shape(1, 4);
  shape.back() = s.random.between(std::int64_t{1}, std::int64_t{30});
  s.quantise16();
  const int x = s.input(kWide, shape);
  s.quantise16(0x1p-15F);
  s.output(kWide, shape);
  s.finish(code, BuiltinOptions::SoftmaxOptions,
           import::tflite::CreateSoftmaxOptions(s.file.builder(), s.random.chance(0.6) ? 1.0F : 0.5F), {x});
}

void quantize16(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  const DataType from = s.random.one_of({kFloat, kWide, DataType::Int8}),
                 to = from == kWide ? s.random.one_of({kWide, DataType::Int8}) : kWide;
  s.quantise(false);
  s.quantise16(static_cast<float>(s.random.between(0.0001, 0.01)));
  const int x = s.input(from, shape);
  s.quantise16(static_cast<float>(s.random.between(0.0001, 0.01)));
  s.output(to, shape);
  s.finish(code, {x});
}
void dequantize16(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  s.quantise16();
  const int x = s.input(kWide, shape);
  s.output(kFloat, shape);
  s.finish(code, {x});
}

}  // namespace

std::vector<Row> integer16_rows() {
  return {{"CONV_2D of int16", 3, conv_2d16},
          {"DEPTHWISE_CONV_2D of int16", 4, depthwise16},
          {"TRANSPOSE_CONV of int16", 67, transpose_conv16},
          {"FULLY_CONNECTED of int16", 9, fully_connected16},
          {"BATCH_MATMUL of int16", 126, batch_matmul16},
          {"AVERAGE_POOL_2D of int16", 1, pool16},
          {"MAX_POOL_2D of int16", 17, pool16},
          {"MEAN of int16", 40, reduce16},
          {"SUM of int16", 74, reduce16},
          {"ADD of int16", 0, add16},
          {"SUB of int16", 41, sub16},
          {"MUL of int16", 18, mul16},
          {"SQUARED_DIFFERENCE of int16", 99, squared_difference16},
          {"MAXIMUM of int16", 55, extreme16},
          {"MINIMUM of int16", 57, extreme16},
          {"RELU of int16", 19, relu16},
          {"RELU6 of int16", 21, relu6_16},
          {"ABS of int16", 101, absolute16},
          {"RSQRT of int16", 76, rsqrt16},
          {"LEAKY_RELU of int16", 98, leaky_relu16},
          {"PRELU of int16", 54, prelu16},
          {"LOGISTIC of int16", 14, of_table16},
          {"TANH of int16", 28, of_table16},
          {"SOFTMAX of int16", 25, softmax16},
          {"QUANTIZE of int16", 114, quantize16},
          {"DEQUANTIZE of int16", 6, dequantize16}};
}

}  // namespace vdla::random_tflite
