// SPDX-License-Identifier: Apache-2.0
// Layers of 8-bit integers with a scale for each output or one for all. Scales of results are such that most
// elements do not saturate.
#include <cmath>

#include "tests/compiler/import/random_tflite/draw.h"

namespace vdla::random_tflite {
namespace {

using import::tflite::BuiltinOptions;
using import::tflite::Padding;

int data8(Sketch& s, const Shape& shape, float& scale) {
  scale = static_cast<float>(s.random.between(0.01, 0.1));
  s.quantise(false, scale, s.random.between(std::int64_t{-128}, std::int64_t{127}));
  return s.input(kByte, shape, -128 * scale, 127 * scale);
}

/// The output of sums of `depth` products whose scales have this product.
void sums8(Sketch& s, const Shape& shape, float product, std::int64_t depth) {
  const double spread = 90 * std::sqrt(static_cast<double>(depth));
  s.quantise(false, static_cast<float>(product * spread * s.random.between(0.5, 2.0)),
             s.random.between(std::int64_t{-40}, std::int64_t{40}));
  s.output(kByte, shape);
}

/// A bias of the scale of the sums.
int bias8(Sketch& s, std::int64_t outputs, float product) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(outputs));
  for (std::int64_t i = 0; i < outputs; ++i)
    values.push_back(static_cast<double>(s.random.between(std::int64_t{-20'000}, std::int64_t{20'000})));
  return s.with_scale(s.constant(DataType::Int32, {outputs}, values), product);
}

void conv_2d8(Sketch& s, int code) {
  const Shape x = image(s);
  Window w = window(s, x, true);
  const std::int64_t outputs = s.random.between(std::int64_t{1}, std::int64_t{6});
  float in = 0, scale = 0;
  const int data = data8(s, x, in);
  const int weights = s.weights16({outputs, w.kernel[0], w.kernel[1], x[3]}, axis_or_none(s, 0), scale);
  Ints inputs = {data, weights};
  if (s.random.chance(0.8)) inputs.push_back(bias8(s, outputs, in * scale));
  w.out.push_back(outputs);
  sums8(s, w.out, in * scale, x[3] * w.kernel[0] * w.kernel[1]);
  finish_conv_2d(s, code, w, inputs);
}

void depthwise8(Sketch& s, int code) {
  const Shape x = image(s);
  const DepthwiseWindow w = depthwise_window(s, x);
  float in = 0, scale = 0;
  const int data = data8(s, x, in);
  const int weights = s.weights16({1, w.kernel[0], w.kernel[1], w.outputs}, 3, scale);
  const int bias = bias8(s, w.outputs, in * scale);
  sums8(s, w.out, in * scale, std::int64_t{w.kernel[0]} * w.kernel[1]);
  finish_depthwise(s, code, w, {data, weights, bias});
}

void transpose_conv8(Sketch& s, int code) {
  const Shape x = image(s);
  const TransposedWindow w = transposed_window(s, x);
  const int size = s.numbers(w.out);
  float in = 0, scale = 0;
  const int weights = s.weights16({w.outputs, w.kernel[0], w.kernel[1], x[3]}, axis_or_none(s, 0), scale);
  Ints inputs = {size, weights, data8(s, x, in)};
  if (s.random.chance(0.5)) inputs.push_back(bias8(s, w.outputs, in * scale));
  sums8(s, w.out, in * scale, x[3]);
  finish_transpose_conv(s, code, w, inputs);
}

void fully_connected8(Sketch& s, int code) {
  const Shape x = s.shape(2, 3);
  const std::int64_t outputs = s.random.between(std::int64_t{1}, std::int64_t{6});
  const bool keeps = s.random.chance(0.5);
  float in = 0, scale = 0;
  const int data = data8(s, x, in);
  Ints inputs = {data, s.weights16({outputs, x.back()}, -1, scale)};
  inputs.push_back(s.random.chance(0.7) ? bias8(s, outputs, in * scale) : -1);
  Shape out = x;
  out.back() = outputs;
  if (!keeps) out = {graph::element_count(x) / x.back(), outputs};
  sums8(s, out, in * scale, x.back());
  s.finish(code, BuiltinOptions::FullyConnectedOptions,
           import::tflite::CreateFullyConnectedOptions(s.file.builder(), activation(s), 0, keeps), inputs);
}

void softmax8(Sketch& s, int code) {
  Shape shape = s.shape(1, 4);
  shape.back() = s.random.between(std::int64_t{1}, std::int64_t{40});
  float in = 0;
  const int x = data8(s, shape, in);
  s.quantise(false, 1 / 256.F, -128);
  s.output(kByte, shape);
  s.finish(code, BuiltinOptions::SoftmaxOptions,
           import::tflite::CreateSoftmaxOptions(s.file.builder(), s.random.one_of({1.0F, 0.5F, 2.0F})), {x});
}

}  // namespace

std::vector<Row> layer8_rows() {
  return {{"CONV_2D of int8", 3, conv_2d8},
          {"DEPTHWISE_CONV_2D of int8", 4, depthwise8},
          {"FULLY_CONNECTED of int8", 9, fully_connected8},
          {"SOFTMAX of int8", 25, softmax8},
          {"TRANSPOSE_CONV of int8", 67, transpose_conv8}};
}

}  // namespace vdla::random_tflite
