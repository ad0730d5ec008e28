// SPDX-License-Identifier: Apache-2.0
// TFLite files of one operator, drawn by a seed: types, shapes, options and elements.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/compiler/import/random_graphs/sketch.h"
#include "tests/compiler/import/tflite/file.h"

namespace vdla::random_tflite {

using graph::DataType;
using import::tflite::FileTensor;
using import::tflite::Ints;
using import::tflite::TensorType;
using random_graphs::Random;
using Shape = graph::Shape;

constexpr DataType kFloat = DataType::Float32, kByte = DataType::Int8;

struct Drawn {
  std::string op;
  std::vector<std::byte> model;
  std::vector<import::Array> inputs;  ///< in the file's types
  double slack = 0;                   ///< distance by which results may miss beyond rounding
  int runs = 1;                       ///< runs with these inputs; the outputs of the last one count
  std::int64_t rows_each =
      0;  ///< set: the last output counts what was found, which has so many rows of the others each
};

Drawn draw(std::uint64_t seed);
/// The file of a drawn one whose operators are a subgraph that another operator stands for.
Drawn draw_wrapped(std::uint64_t seed, const std::string& op);
/// The file of a seed whose tensors have other types than the operator's, at random.
Drawn draw_of_wrong_types(std::uint64_t seed);
/// A file of this operator; UserError where nothing draws it.
Drawn draw(std::uint64_t seed, const std::string& op);
/// A file of this operator whose tensors of four dimensions are one image each, with channels that fill
/// blocks of this size.
Drawn draw_of_whole_blocks(std::uint64_t seed, const std::string& op, std::int64_t block);
/// The operators whose names match a pattern of the shell, "*of int16"; UserError where none does.
std::vector<std::string> operators_like(const std::string& pattern);

/// A file while it is drawn.
class Sketch {
 public:
  explicit Sketch(std::uint64_t seed) : random(seed) {}

  Random random;
  import::tflite::File file;

  /// Extents of 1 to 4, of fewer elements than a few hundred.
  Shape shape(std::int64_t least_rank, std::int64_t most_rank);
  /// A tensor that arrives, with elements in between; of 8-bit integers with the sketch's scale.
  int input(DataType type, const Shape& shape, double low = -2, double high = 2);
  int constant(DataType type, const Shape& shape, const std::vector<double>& elements);
  int drawn_constant(const Shape& shape, double low, double high);  ///< of floats
  int numbers(const std::vector<std::int64_t>& values);             ///< an int32 constant of one dimension
  /// A constant, of which the file has the elements that are not zero.
  int sparse(DataType type, const Shape& shape, const std::vector<double>& elements,
             import::tflite::FileSparsity places);
  /// One or the other.
  int operand(DataType type, const Shape& shape, double low = -2, double high = 2);
  /// Weights of a layer of floats: floats, or constant integers with scales, one for each index of `axis` or
  /// one for all.
  int weights(const Shape& shape, int axis);
  void output(DataType type, const Shape& shape);
  /// An output whose shape the file does not state.
  void output_without_shape(DataType type);

  /// A state, which begins with zeros.
  int variable(DataType type, const Shape& shape);
  /// Gives tensor `index` this scale, and returns it.
  int with_scale(int index, float scale);
  /// A tensor between two operators, of floats unless it says so.
  int inner(const Shape& shape) { return inner(kFloat, shape); }
  int inner(DataType type, const Shape& shape);
  /// A tensor of complex numbers between two operators.
  int complex(const Shape& shape);
  /// An operator that makes an inner tensor, before the last one.
  void step(import::tflite::FileOperator op) { file.before.push_back(std::move(op)); }

  /// The tensors of 8-bit integers from now on have a scale and zero point.
  void quantise(bool uint8);
  void quantise(bool uint8, float scale, std::int64_t zero_point);
  /// The tensors of 16-bit integers from now on have this scale, or one that is drawn.
  void quantise16(float scale, std::int64_t zero_point = 0) {
    scale16_ = scale;
    zero16_ = zero_point;
  }
  void quantise16();
  float scale16() const { return scale16_; }
  /// Constant 8-bit weights with scales, one for each index of `axis` or one for all; `scale` is about
  /// theirs, drawn between the two.
  int weights16(const Shape& shape, int axis, float& scale, double least = 0.001, double most = 0.02);
  bool uint8() const { return uint8_; }
  std::int64_t zero_point() const { return zero_; }

  void finish(int code, import::tflite::BuiltinOptions kind, flatbuffers::Offset<void> options,
              const Ints& inputs);
  template <class Options>
  void finish(int code, import::tflite::BuiltinOptions kind, flatbuffers::Offset<Options> options,
              const Ints& inputs) {
    finish(code, kind, options.Union(), inputs);
  }
  void finish(int code, const Ints& inputs) { finish(code, import::tflite::BuiltinOptions::NONE, 0, inputs); }

  Drawn drawn;
  bool wrong_types = false;  ///< the file states other types for some tensors
  std::int64_t block = 0;    ///< set: channels of images come in blocks of this size

 private:
  void change_types();
  FileTensor tensor(DataType type, const Shape& shape);
  std::vector<double> elements(DataType type, const Shape& shape, double low, double high);

  std::vector<FileTensor> tensors_;
  std::size_t outputs_ = 0;
  bool uint8_ = false;
  float scale_ = 0, scale16_ = 0;
  std::int64_t zero_ = 0, zero16_ = 0;
};

/// A window over an image.
struct Window {
  import::tflite::Padding padding = import::tflite::Padding::SAME;
  int kernel[2], stride[2], dilation[2] = {1, 1};
  Shape out;  ///< N H W
};
/// A window that fits the image at least once.
Window window(Sketch& s, const Shape& x, bool dilates);
/// Window of a depthwise layer, whose strides are equal: TensorFlow Lite takes no others. `each`: outputs of
/// a channel.
struct DepthwiseWindow : Window {
  std::int64_t each = 1, outputs = 1;
};
DepthwiseWindow depthwise_window(Sketch& s, const Shape& x);
/// Window of a transposed convolution, whose result has the extents `out`.
struct TransposedWindow {
  import::tflite::Padding padding{};
  std::int64_t outputs = 1;
  std::array<int, 2> kernel{}, stride{};
  Shape out;
};
TransposedWindow transposed_window(Sketch& s, const Shape& x);

/// The axis along which weights have scales; -1: they have one.
int axis_or_none(Sketch& s, int axis);

/// Writes the operator of a window with its options, and a drawn activation where it has one.
void finish_conv_2d(Sketch& s, int code, const Window& w, const Ints& inputs);
void finish_depthwise(Sketch& s, int code, const DepthwiseWindow& w, const Ints& inputs);
void finish_transpose_conv(Sketch& s, int code, const TransposedWindow& w, const Ints& inputs);
Shape image(Sketch& s);
import::tflite::Activation activation(Sketch& s);
/// Floats, integers, or integers of 8 or 16 bits with a scale.
DataType moved(Sketch& s);
/// A shape that broadcasts with `shape`: extents of 1, and fewer dimensions.
Shape narrower(Sketch& s, Shape shape);

struct Row {
  std::string_view name;
  int code;
  void (*draw)(Sketch& s, int code);
};

// The families, each in a file of its name.
std::vector<Row> elementwise_rows();
std::vector<Row> movement_rows();
std::vector<Row> layer_rows();
std::vector<Row> recurrent_rows();
std::vector<Row> integer16_rows();
std::vector<Row> integer8_rows();
std::vector<Row> layer8_rows();
std::vector<Row> custom_rows();
std::vector<Row> sparse_rows();
std::vector<Row> control_rows();
std::vector<Row> scatter_rows();
std::vector<Row> volume_rows();

}  // namespace vdla::random_tflite
