// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/quantize/random_networks/draw.h"

#include <cmath>
#include <cstring>
#include <numeric>
#include <string>

namespace vdla::random_networks {
namespace {

using import::tflite::Activation;
using import::tflite::BuiltinOptions;
using import::tflite::Ints;
using import::tflite::Padding;
using random_tflite::DataType;
using random_tflite::kFloat;
using random_tflite::Shape;
using random_tflite::Sketch;
using random_tflite::Window;

constexpr std::size_t kSamples = 8;
constexpr double kRange = 2;  ///< largest magnitude of an element of the input

/// Numbers of the operators in the format.
enum Code {
  kAdd = 0,
  kAveragePool = 1,
  kConcatenation = 2,
  kConv = 3,
  kDepthwiseConv = 4,
  kDequantize = 6,
  kFullyConnected = 9,
  kLogistic = 14,
  kMaxPool = 17,
  kMul = 18,
  kRelu = 19,
  kReshape = 22,
  kResizeBilinear = 23,
  kSoftmax = 25,
  kTanh = 28,
  kPad = 34,
  kMean = 40,
  kStridedSlice = 45,
  kPrelu = 54,
  kTransposeConv = 67,
  kResizeNearest = 97,
  kLeakyRelu = 98,
  kHardSwish = 117,
};

enum class WeightType : std::uint8_t {
  Float32,
  Float16,      ///< behind a DEQUANTIZE
  Dequantised,  ///< int8 with scales behind a DEQUANTIZE
  Steps,        ///< int8 with scales, which the layer reads
};

/// A value of the network.
struct Value {
  int tensor = 0;
  Shape shape;
};

class Drawing {
 public:
  explicit Drawing(std::uint64_t seed) : s_(seed) {}

  Network draw() {
    weights_ =
        r().one_of({WeightType::Float32, WeightType::Float16, WeightType::Dequantised, WeightType::Steps});
    const Shape shape = {1, number(6, 12), number(6, 12), number(1, 6)};
    x_ = {s_.input(kFloat, shape, -kRange, kRange), shape};
    const std::int64_t layers = number(2, 7);
    for (std::int64_t i = 0; i < layers; ++i) {
      seen_.push_back(x_);
      body();
    }
    head();
    Network network{std::move(s_.drawn), {}};
    network.drawn.op = "network";
    for (std::size_t i = 0; i < kSamples; ++i) network.samples.push_back(sample(shape));
    network.drawn.inputs[0].data = std::make_shared<const graph::Bytes>(network.samples[0]);
    return network;
  }

 private:
  random_graphs::Random& r() { return s_.random; }
  flatbuffers::FlatBufferBuilder& builder() { return s_.file.builder(); }
  std::int64_t number(std::int64_t low, std::int64_t high) { return r().between(low, high); }

  graph::Bytes sample(const Shape& shape) {
    std::vector<float> values(static_cast<std::size_t>(graph::element_count(shape)));
    for (float& v : values) v = static_cast<float>(r().between(-kRange, kRange));
    return *graph::to_bytes(values);
  }

  /// Appends an operator; the last one gives the network's output.
  template <class Options>
  Value add(Code code, BuiltinOptions kind, flatbuffers::Offset<Options> options, const Ints& inputs,
            Shape shape) {
    if (is_last_) {
      s_.output(kFloat, shape);
      s_.finish(code, kind, options, inputs);
      return {-1, std::move(shape)};
    }
    const int made = s_.inner(shape);
    s_.step({code, kind, options.Union(), inputs, {made}});
    return {made, std::move(shape)};
  }
  Value add(Code code, const Ints& inputs, Shape shape) {
    return add(code, BuiltinOptions::NONE, flatbuffers::Offset<void>(0), inputs, std::move(shape));
  }

  /// Weights of a size that keeps the magnitudes of what they are multiplied with: `terms` make a sum.
  int weights(const Shape& shape, std::int64_t terms, int axis) {
    const double most = std::sqrt(3.0 / static_cast<double>(terms));
    switch (weights_) {
      case WeightType::Float32:
        return s_.drawn_constant(shape, -most, most);
      case WeightType::Float16:
        return dequantised(s_.constant(DataType::Float16, shape, reals(shape, most)), shape);
      case WeightType::Dequantised:
        return dequantised(steps(shape, most, axis), shape);
      case WeightType::Steps:
        return steps(shape, most, axis);
    }
    return -1;
  }

  int steps(const Shape& shape, double most, int axis) {
    float scale = 0;
    return s_.weights16(shape, axis, scale, 0.6 * most / 127, most / 127);
  }

  int dequantised(int constant, const Shape& shape) {
    const int made = s_.inner(shape);
    s_.step({kDequantize, BuiltinOptions::NONE, {}, {constant}, {made}});
    return made;
  }

  std::vector<double> reals(const Shape& shape, double most) {
    std::vector<double> values(static_cast<std::size_t>(graph::element_count(shape)));
    for (double& v : values) v = r().between(-most, most);
    return values;
  }

  int bias(std::int64_t outputs) { return s_.drawn_constant({outputs}, -0.3, 0.3); }

  void body() {
    const bool is_small = x_.shape[1] < 4 || x_.shape[2] < 4;
    switch (number(0, 15)) {
      case 0:
      case 1:
      case 2:
        return conv();
      case 3:
      case 4:
        return depthwise();
      case 5:
        return is_small ? conv() : pool(r().one_of({kAveragePool, kMaxPool}));
      case 6:
        return join(kAdd);
      case 7:
        return join(kConcatenation);
      case 8:
        return gate();
      case 9:
        return activate();
      case 10:
        return pad();
      case 11:
        return crop();
      case 12:
        return is_small ? resize() : conv();
      case 13:
        return is_small ? transpose_conv() : depthwise();
      case 14:
        return squeeze_and_excite();
      default:
        return scale();
    }
  }

  void conv() {
    Window w = random_tflite::window(s_, x_.shape, true);
    const std::int64_t in = x_.shape[3], out = number(1, 9);
    const int kernel = weights({out, w.kernel[0], w.kernel[1], in}, in * w.kernel[0] * w.kernel[1], 0);
    w.out.push_back(out);
    x_ = add(kConv, BuiltinOptions::Conv2DOptions,
             import::tflite::CreateConv2DOptions(builder(), w.padding, w.stride[1], w.stride[0],
                                                 random_tflite::activation(s_), w.dilation[1], w.dilation[0]),
             {x_.tensor, kernel, bias(out)}, w.out);
  }

  void depthwise() {
    Window w = random_tflite::window(s_, x_.shape, false);
    w.stride[1] = w.stride[0];  // TensorFlow Lite takes equal ones alone
    const std::int64_t extent = x_.shape[2], each = number(1, 2), out = x_.shape[3] * each;
    w.out[2] = w.padding == Padding::SAME ? (extent + w.stride[1] - 1) / w.stride[1]
                                          : (extent - w.kernel[1]) / w.stride[1] + 1;
    const int kernel = weights({1, w.kernel[0], w.kernel[1], out}, w.kernel[0] * w.kernel[1], 3);
    w.out.push_back(out);
    x_ = add(kDepthwiseConv, BuiltinOptions::DepthwiseConv2DOptions,
             import::tflite::CreateDepthwiseConv2DOptions(builder(), w.padding, w.stride[1], w.stride[0],
                                                          static_cast<int>(each),
                                                          random_tflite::activation(s_), 1, 1),
             {x_.tensor, kernel, bias(out)}, w.out);
  }

  void pool(Code code) {
    Window w = random_tflite::window(s_, x_.shape, false);
    w.out.push_back(x_.shape[3]);
    x_ = add(code, BuiltinOptions::Pool2DOptions,
             import::tflite::CreatePool2DOptions(builder(), w.padding, w.stride[1], w.stride[0], w.kernel[1],
                                                 w.kernel[0]),
             {x_.tensor}, w.out);
  }

  /// The value with an earlier one of its extents; without such a one a layer.
  void join(Code code) {
    const std::size_t first = static_cast<std::size_t>(r().below(static_cast<std::int64_t>(seen_.size())));
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const Value& other = seen_[(first + i) % seen_.size()];
      Shape shape = x_.shape;
      const bool fits = other.shape[1] == shape[1] && other.shape[2] == shape[2] &&
                        (code == kConcatenation || other.shape[3] == shape[3]);
      if (!fits) continue;
      if (code == kAdd) {
        x_ = add(kAdd, BuiltinOptions::AddOptions,
                 import::tflite::CreateAddOptions(builder(), random_tflite::activation(s_)),
                 {x_.tensor, other.tensor}, shape);
      } else {
        shape[3] += other.shape[3];
        x_ = add(kConcatenation, BuiltinOptions::ConcatenationOptions,
                 import::tflite::CreateConcatenationOptions(builder(), 3), {x_.tensor, other.tensor}, shape);
      }
      return;
    }
    conv();
  }

  Value multiplied(const Value& a, const Value& b) {
    return add(kMul, BuiltinOptions::MulOptions, import::tflite::CreateMulOptions(builder()),
               {a.tensor, b.tensor}, a.shape);
  }

  /// x * sigmoid(x)
  void gate() { x_ = multiplied(x_, add(kLogistic, {x_.tensor}, x_.shape)); }

  void activate() {
    const Code code = r().one_of({kLogistic, kRelu, kTanh, kPrelu, kLeakyRelu, kHardSwish});
    if (code == kLeakyRelu)
      x_ = add(code, BuiltinOptions::LeakyReluOptions,
               import::tflite::CreateLeakyReluOptions(builder(), 0.2F), {x_.tensor}, x_.shape);
    else if (code == kPrelu)
      x_ = add(code, {x_.tensor, s_.drawn_constant({1, 1, x_.shape[3]}, 0, 0.5)}, x_.shape);
    else
      x_ = add(code, {x_.tensor}, x_.shape);
  }

  void pad() {
    const std::int64_t top = number(0, 2), bottom = number(0, 2), left = number(0, 2), right = number(0, 2);
    const int pads = s_.constant(DataType::Int32, {4, 2},
                                 {0, 0, static_cast<double>(top), static_cast<double>(bottom),
                                  static_cast<double>(left), static_cast<double>(right), 0, 0});
    Shape shape = x_.shape;
    shape[1] += top + bottom;
    shape[2] += left + right;
    x_ = add(kPad, {x_.tensor, pads}, shape);
  }

  void crop() {
    const Shape& x = x_.shape;
    const std::int64_t top = number(0, 1), left = number(0, 1), step = number(1, 2);
    if (x[1] < 4 || x[2] < 4) return conv();
    const Shape shape = {1, (x[1] - top + step - 1) / step, (x[2] - left + step - 1) / step, x[3]};
    x_ =
        add(kStridedSlice, BuiltinOptions::StridedSliceOptions,
            import::tflite::CreateStridedSliceOptions(builder()),
            {x_.tensor, s_.numbers({0, top, left, 0}), s_.numbers(x), s_.numbers({1, step, step, 1})}, shape);
  }

  void resize() {
    Shape shape = x_.shape;
    shape[1] *= 2;
    shape[2] *= 2;
    const bool half = r().chance(0.5);
    const Ints inputs = {x_.tensor, s_.numbers({shape[1], shape[2]})};
    if (r().chance(0.5))
      x_ = add(kResizeNearest, BuiltinOptions::ResizeNearestNeighborOptions,
               import::tflite::CreateResizeNearestNeighborOptions(builder(), false, half), inputs, shape);
    else
      x_ = add(kResizeBilinear, BuiltinOptions::ResizeBilinearOptions,
               import::tflite::CreateResizeBilinearOptions(builder(), 0, 0, false, half), inputs, shape);
  }

  void transpose_conv() {
    const std::int64_t in = x_.shape[3], out = number(1, 6), kernel = number(2, 4);
    const Shape shape = {1, 2 * x_.shape[1], 2 * x_.shape[2], out};
    const int size = s_.numbers(shape);
    const WeightType all = weights_;
    if (all == WeightType::Steps) weights_ = WeightType::Dequantised;  // the reference reads floats alone
    const int w = weights({out, kernel, kernel, in}, in * kernel * kernel / 4 + 1, 0);
    weights_ = all;
    x_ = add(kTransposeConv, BuiltinOptions::TransposeConvOptions,
             import::tflite::CreateTransposeConvOptions(builder(), Padding::SAME, 2, 2), {size, w, x_.tensor},
             shape);
  }

  Value mean(const Value& x, bool keeps) {
    const Shape shape = keeps ? Shape{1, 1, 1, x.shape[3]} : Shape{1, x.shape[3]};
    return add(kMean, BuiltinOptions::ReducerOptions, import::tflite::CreateReducerOptions(builder(), keeps),
               {x.tensor, s_.numbers({1, 2})}, shape);
  }

  /// The channels weighted by what their means say.
  void squeeze_and_excite() {
    const Value image = x_;
    x_ = mean(image, true);
    const std::int64_t c = image.shape[3];
    const int kernel = weights({c, 1, 1, c}, c, 0);
    x_ = add(kConv, BuiltinOptions::Conv2DOptions,
             import::tflite::CreateConv2DOptions(builder(), Padding::SAME, 1, 1),
             {x_.tensor, kernel, bias(c)}, x_.shape);
    x_ = multiplied(image, add(kLogistic, {x_.tensor}, x_.shape));
  }

  /// Multiplies by a constant for each channel.
  void scale() { x_ = multiplied(x_, {s_.drawn_constant({x_.shape[3]}, 0.5, 1.5), {}}); }

  void dense(std::int64_t out) {
    const std::int64_t in = x_.shape[1];
    const int w = weights({out, in}, in, -1);
    x_ = add(kFullyConnected, BuiltinOptions::FullyConnectedOptions,
             import::tflite::CreateFullyConnectedOptions(builder(), Activation::NONE, 0, false, true),
             {x_.tensor, w, bias(out)}, {1, out});
  }

  void head() {
    if (r().chance(0.3)) {
      is_last_ = true;
      return conv();
    }
    if (r().chance(0.5)) {
      x_ = mean(x_, false);
    } else {
      const std::int64_t count = graph::element_count(x_.shape);
      x_ = add(kReshape, {x_.tensor, s_.numbers({1, count})}, {1, count});
    }
    const std::int64_t classes = number(2, 10);
    is_last_ = r().chance(0.5);
    dense(classes);
    if (is_last_) return;
    is_last_ = true;
    add(kSoftmax, BuiltinOptions::SoftmaxOptions, import::tflite::CreateSoftmaxOptions(builder(), 1.0F),
        {x_.tensor}, x_.shape);
  }

  Sketch s_;
  WeightType weights_ = WeightType::Float32;
  Value x_;                  ///< value that the next layer reads
  std::vector<Value> seen_;  ///< values before it
  bool is_last_ = false;     ///< the next operator gives the output
};

}  // namespace

Network draw(std::uint64_t seed) { return Drawing(seed).draw(); }

}  // namespace vdla::random_networks
