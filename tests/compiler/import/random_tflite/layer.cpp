// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "compiler/graph/windows.h"
#include "tests/compiler/import/random_tflite/draw.h"

namespace vdla::random_tflite {

using import::tflite::Activation;
using import::tflite::BuiltinOptions;
using import::tflite::Padding;

Window window(Sketch& s, const Shape& x, bool dilates) {
  Window w;
  w.padding = s.random.chance(0.5) ? Padding::SAME : Padding::VALID;
  w.out = {x[0]};
  const bool strides = !dilates || s.random.chance(0.5);
  for (int d = 0; d < 2; ++d) {
    const std::int64_t extent = x[static_cast<std::size_t>(d) + 1];
    w.kernel[d] = static_cast<int>(s.random.between(std::int64_t{1}, std::min<std::int64_t>(3, extent)));
    w.stride[d] = strides ? static_cast<int>(s.random.between(std::int64_t{1}, std::int64_t{3})) : 1;
    if (!strides) w.dilation[d] = static_cast<int>(s.random.between(std::int64_t{1}, std::int64_t{2}));
    int span = (w.kernel[d] - 1) * w.dilation[d] + 1;
    if (span > extent) w.dilation[d] = 1, span = w.kernel[d];
    w.out.push_back(w.padding == Padding::SAME ? (extent + w.stride[d] - 1) / w.stride[d]
                                               : (extent - span) / w.stride[d] + 1);
  }
  return w;
}

Shape image(Sketch& s) {
  const std::int64_t n = s.random.between(std::int64_t{1}, std::int64_t{2});
  const Shape result = {n, s.random.between(std::int64_t{1}, std::int64_t{7}),
                        s.random.between(std::int64_t{1}, std::int64_t{7}),
                        s.random.between(std::int64_t{1}, std::int64_t{5})};
  return s.block == 0 ? result : Shape{1, result[1], result[2], s.block};
}

Activation activation(Sketch& s) {
  return s.random.one_of({Activation::NONE, Activation::NONE, Activation::RELU, Activation::RELU6});
}

int axis_or_none(Sketch& s, int axis) { return s.random.chance(0.5) ? axis : -1; }

DepthwiseWindow depthwise_window(Sketch& s, const Shape& x) {
  DepthwiseWindow w{window(s, x, true)};
  w.stride[1] = w.stride[0];
  w.out[2] = w.padding == Padding::SAME ? (x[2] + w.stride[1] - 1) / w.stride[1]
                                        : (x[2] - (w.kernel[1] - 1) * w.dilation[1] - 1) / w.stride[1] + 1;
  w.each = s.random.between(std::int64_t{1}, std::int64_t{3});
  w.outputs = x[3] * w.each;
  w.out.push_back(w.outputs);
  return w;
}

TransposedWindow transposed_window(Sketch& s, const Shape& x) {
  TransposedWindow w;
  w.padding = s.random.chance(0.5) ? Padding::SAME : Padding::VALID;
  w.outputs = s.random.between(std::int64_t{1}, std::int64_t{4});
  w.out = {x[0]};
  for (std::size_t d = 0; d < 2; ++d) {
    w.stride[d] = static_cast<int>(s.random.between(std::int64_t{1}, std::int64_t{3}));
    w.kernel[d] = w.stride[d] + static_cast<int>(s.random.between(std::int64_t{0}, std::int64_t{2}));
    w.out.push_back(w.padding == Padding::SAME ? x[d + 1] * w.stride[d]
                                               : (x[d + 1] - 1) * w.stride[d] + w.kernel[d]);
  }
  w.out.push_back(w.outputs);
  return w;
}

void finish_conv_2d(Sketch& s, int code, const Window& w, const Ints& inputs) {
  s.finish(code, BuiltinOptions::Conv2DOptions,
           import::tflite::CreateConv2DOptions(s.file.builder(), w.padding, w.stride[1], w.stride[0],
                                               activation(s), w.dilation[1], w.dilation[0]),
           inputs);
}

void finish_depthwise(Sketch& s, int code, const DepthwiseWindow& w, const Ints& inputs) {
  s.finish(code, BuiltinOptions::DepthwiseConv2DOptions,
           import::tflite::CreateDepthwiseConv2DOptions(s.file.builder(), w.padding, w.stride[1], w.stride[0],
                                                        static_cast<int>(w.each), activation(s),
                                                        w.dilation[1], w.dilation[0]),
           inputs);
}

void finish_transpose_conv(Sketch& s, int code, const TransposedWindow& w, const Ints& inputs) {
  s.finish(code, BuiltinOptions::TransposeConvOptions,
           import::tflite::CreateTransposeConvOptions(s.file.builder(), w.padding, w.stride[1], w.stride[0]),
           inputs);
}

namespace {

DataType of_images(Sketch& s) {
  const DataType type = s.random.one_of({kFloat, DataType::Int8});
  if (type == DataType::Int8) s.quantise(s.random.chance(0.3));
  return type;
}
/// The same, and 16-bit integers.
DataType of_resized(Sketch& s) {
  if (!s.random.chance(0.3)) return of_images(s);
  s.quantise16();
  return DataType::Int16;
}
void conv_2d(Sketch& s, int code) {
  const Shape x = image(s);
  Window w = window(s, x, true);
  const std::int64_t outputs = s.random.between(std::int64_t{1}, std::int64_t{6});
  const int data = s.input(kFloat, x);
  Ints inputs = {data, s.weights({outputs, w.kernel[0], w.kernel[1], x[3]}, s.random.chance(0.5) ? 0 : -1)};
  if (s.random.chance(0.8)) inputs.push_back(s.operand(kFloat, {outputs}));
  w.out.push_back(outputs);
  s.output(kFloat, w.out);
  finish_conv_2d(s, code, w, inputs);
}
void depthwise(Sketch& s, int code) {
  const Shape x = image(s);
  const DepthwiseWindow w = depthwise_window(s, x);
  const int data = s.input(kFloat, x);
  const int weights = s.weights({1, w.kernel[0], w.kernel[1], w.outputs}, 3);
  const int bias = s.operand(kFloat, {w.outputs});
  s.output(kFloat, w.out);
  finish_depthwise(s, code, w, {data, weights, bias});
}
void transpose_conv(Sketch& s, int code) {
  const Shape x = image(s);
  const TransposedWindow w = transposed_window(s, x);
  const int size = s.numbers(w.out);
  const int weights = s.operand(kFloat, {w.outputs, w.kernel[0], w.kernel[1], x[3]}, -1, 1);
  Ints inputs = {size, weights, s.input(kFloat, x)};
  if (s.random.chance(0.5)) inputs.push_back(s.operand(kFloat, {w.outputs}));
  s.output(kFloat, w.out);
  finish_transpose_conv(s, code, w, inputs);
}

void pool(Sketch& s, int code) {
  const Shape x = image(s);
  Window w = window(s, x, false);
  const DataType type = code == 12 ? kFloat : of_images(s);
  const int data = s.input(type, x);
  w.out.push_back(x[3]);
  s.output(type, w.out);
  s.finish(code, BuiltinOptions::Pool2DOptions,
           import::tflite::CreatePool2DOptions(s.file.builder(), w.padding, w.stride[1], w.stride[0],
                                               w.kernel[1], w.kernel[0], activation(s)),
           {data});
}

void fully_connected(Sketch& s, int code) {
  const Shape x = s.shape(2, 3);
  const std::int64_t outputs = s.random.between(std::int64_t{1}, std::int64_t{6});
  const bool keeps = s.random.chance(0.5);
  const bool asymmetric = s.random.chance(0.5);
  const int data = s.input(kFloat, x);
  Ints inputs = {data, s.weights({outputs, x.back()}, -1)};
  inputs.push_back(s.random.chance(0.7) ? s.operand(kFloat, {outputs}) : -1);
  Shape out = x;
  out.back() = outputs;
  if (!keeps) out = {graph::element_count(x) / x.back(), outputs};
  s.output(kFloat, out);
  s.finish(code, BuiltinOptions::FullyConnectedOptions,
           import::tflite::CreateFullyConnectedOptions(s.file.builder(), activation(s), 0, keeps, asymmetric),
           inputs);
}
void batch_matmul(Sketch& s, int code) {
  Shape a = s.shape(2, 4), b = a;
  const bool turned_a = s.random.chance(0.3), turned_b = s.random.chance(0.3);
  const std::size_t r = a.size();
  const std::int64_t m = a[r - 2], k = a[r - 1], n = s.random.between(std::int64_t{1}, std::int64_t{5});
  Shape out = a;
  out[r - 1] = n;
  if (turned_a) std::swap(a[r - 2], a[r - 1]);
  b[r - 2] = turned_b ? n : k;
  b[r - 1] = turned_b ? k : n;
  const int x = s.input(kFloat, a), y = s.input(kFloat, b);
  out[r - 2] = m;
  s.output(kFloat, out);
  s.finish(code, BuiltinOptions::BatchMatMulOptions,
           import::tflite::CreateBatchMatMulOptions(s.file.builder(), turned_a, turned_b), {x, y});
}

void softmax(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  const int x = s.input(kFloat, shape, -6, 6);
  s.output(kFloat, shape);
  s.finish(code, BuiltinOptions::SoftmaxOptions,
           import::tflite::CreateSoftmaxOptions(s.file.builder(), s.random.chance(0.6) ? 1.0F : 0.5F), {x});
}
/// The format fixes the scale of integers that it gives.
void log_softmax(Sketch& s, int code) {
  Shape shape = s.shape(1, 4);
  shape.back() = s.random.between(std::int64_t{1}, std::int64_t{30});
  const DataType type = of_images(s);
  const int x = s.input(type, shape, -6, 6);
  if (type == DataType::Int8) s.quantise(s.uint8(), 1.0F / 16, s.uint8() ? 255 : 127);
  s.output(type, shape);
  s.finish(code, {x});
}
void along_last(Sketch& s, int code) {
  const Shape shape = s.shape(1, 4);
  const int x = s.input(kFloat, shape, -6, 6);
  s.output(kFloat, shape);
  s.finish(code, {x});
}
void local_response(Sketch& s, int code) {
  const Shape shape = image(s);
  const int x = s.input(kFloat, shape);
  s.output(kFloat, shape);
  s.finish(code, BuiltinOptions::LocalResponseNormalizationOptions,
           import::tflite::CreateLocalResponseNormalizationOptions(
               s.file.builder(), static_cast<int>(s.random.below(4)), 1.5F, 0.25F, 0.75F),
           {x});
}

/// Real pictures to complex numbers, which may be reshaped, and real again.
void complex_parts(Sketch& s, int code) {
  Shape shape = s.shape(2, 4);
  const auto length = [&] { return std::int64_t{1} << s.random.below(4); };
  const std::int64_t height = s.random.chance(0.5) ? 1 : length(), width = 2 * length();
  const int x = s.input(kFloat, shape), lengths = s.numbers({height, width});
  shape[shape.size() - 2] = height;
  shape.back() = width / 2 + 1;
  int y = s.complex(shape);
  s.step({131, BuiltinOptions::NONE, {}, {x, lengths}, {y}});
  if (s.random.chance(0.4)) {
    Shape turned = shape;
    s.random.shuffle(turned);
    if (s.random.chance(0.5)) turned.insert(turned.begin(), 1);
    const int to = s.numbers(turned), z = s.complex(turned);
    const auto options = import::tflite::CreateReshapeOptionsDirect(s.file.builder(), nullptr);
    s.step({22, BuiltinOptions::ReshapeOptions, options.Union(), {y, to}, {z}});
    y = z;
    shape = turned;
  }
  s.output(kFloat, shape);
  s.finish(code, {y});
}

struct Resized {
  int data = 0, size = 0;
  bool corners = false, halves = false;
};
Resized resized(Sketch& s, DataType type) {
  Resized r;
  const Shape x = image(s);
  const std::int64_t h = s.random.between(std::int64_t{1}, std::int64_t{9}),
                     w = s.random.between(std::int64_t{1}, std::int64_t{9});
  r.corners = s.random.chance(0.3);
  r.halves = !r.corners && s.random.chance(0.5);
  r.data = s.input(type, x);
  r.size = s.numbers({h, w});
  s.output(type, {x[0], h, w, x[3]});
  return r;
}
void resize_bilinear(Sketch& s, int code) {
  const Resized r = resized(s, of_resized(s));
  // The library's optimised kernel of uint8 adds in another order than the reference, in float32.
  s.drawn.slack = s.uint8() ? 1 : 0;
  s.finish(code, BuiltinOptions::ResizeBilinearOptions,
           import::tflite::CreateResizeBilinearOptions(s.file.builder(), 0, 0, r.corners, r.halves),
           {r.data, r.size});
}
void resize_nearest(Sketch& s, int code) {
  const Resized r = resized(s, of_resized(s));
  s.finish(code, BuiltinOptions::ResizeNearestNeighborOptions,
           import::tflite::CreateResizeNearestNeighborOptions(s.file.builder(), r.corners, r.halves),
           {r.data, r.size});
}

}  // namespace

std::vector<Row> layer_rows() {
  return {{"CONV_2D", 3, conv_2d},
          {"DEPTHWISE_CONV_2D", 4, depthwise},
          {"TRANSPOSE_CONV", 67, transpose_conv},
          {"AVERAGE_POOL_2D", 1, pool},
          {"MAX_POOL_2D", 17, pool},
          {"L2_POOL_2D", 12, pool},
          {"FULLY_CONNECTED", 9, fully_connected},
          {"BATCH_MATMUL", 126, batch_matmul},
          {"SOFTMAX", 25, softmax},
          {"LOG_SOFTMAX", 50, log_softmax},
          {"L2_NORMALIZATION", 11, along_last},
          {"LOCAL_RESPONSE_NORMALIZATION", 13, local_response},
          {"COMPLEX_ABS", 135, complex_parts},
          {"REAL", 134, complex_parts},
          {"IMAG", 133, complex_parts},
          {"RESIZE_BILINEAR", 23, resize_bilinear},
          {"RESIZE_NEAREST_NEIGHBOR", 97, resize_nearest}};
}

}  // namespace vdla::random_tflite
