// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/quantize/random_networks/onnx_rows.h"

#include <cmath>
#include <numeric>

namespace vdla::random_networks {

using graph::Shape;
using testing::OnnxModel;
using Names = std::vector<std::string>;

OnnxSketch::OnnxSketch(std::uint64_t seed, const Shape& input) : random_(seed), x_{"x", input} {
  model_.opset(24);  // the first with Swish
  model_.input("x", input);
}

std::string OnnxSketch::reals(const Shape& shape, double low, double high) {
  std::vector<double> values(static_cast<std::size_t>(graph::element_count(shape)));
  for (double& v : values) v = random_.between(low, high);
  std::string name = new_name("c");
  model_.constant(name, onnx::TensorProto::FLOAT, shape, values);
  return name;
}

std::string OnnxSketch::weights(const Shape& shape, std::int64_t terms) {
  const double most = std::sqrt(3.0 / static_cast<double>(terms));
  return reals(shape, -most, most);
}

std::string OnnxSketch::integers(const std::vector<std::int64_t>& values, Shape shape) {
  std::string name = new_name("i");
  if (shape.empty()) shape = {static_cast<std::int64_t>(values.size())};
  model_.constant(name, onnx::TensorProto::INT64, shape, {values.begin(), values.end()});
  return name;
}

onnx::NodeProto& OnnxSketch::add(const std::string& op, const Names& inputs, Shape shape) {
  seen_.push_back(x_);
  x_ = {new_name("v"), std::move(shape)};
  return model_.node(op, inputs, x_.name);
}

std::string OnnxSketch::like(const Shape& shape) {
  std::vector<std::string> fitting;
  for (const OnnxValue& v : seen_)
    if (v.shape == shape && v.name != x_.name) fitting.push_back(v.name);
  if (fitting.empty()) return reals(shape, -1, 1);
  return fitting[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(fitting.size())))];
}

graph::Bytes OnnxSketch::finish() {
  model_.output(x_.name);
  return model_.bytes();
}

namespace {

void set_real(onnx::NodeProto& node, const char* name, double value) {
  auto& a = *node.add_attribute();
  a.set_name(name);
  a.set_type(onnx::AttributeProto::FLOAT);
  a.set_f(static_cast<float>(value));
}

void set_text(onnx::NodeProto& node, const char* name, const char* value) {
  auto& a = *node.add_attribute();
  a.set_name(name);
  a.set_type(onnx::AttributeProto::STRING);
  a.set_s(value);
}

bool always(const Shape&) { return true; }
bool is_large(const Shape& x) { return x[2] >= 4 && x[3] >= 4; }
bool is_small(const Shape& x) { return graph::element_count(x) <= 1200; }
bool has_fours(const Shape& x) { return x[1] % 4 == 0; }
bool has_pairs(const Shape& x) { return x[1] % 2 == 0; }
bool has_even_sides(const Shape& x) { return x[2] % 2 == 0 && x[3] % 2 == 0; }

template <const char* kOp>
void unary(OnnxSketch& s) {
  s.add(kOp, {s.x().name}, s.shape());
}

/// Combines the value with an earlier one, with a constant for each channel, or with one number.
template <const char* kOp>
void binary(OnnxSketch& s) {
  const Shape& x = s.shape();
  const std::int64_t kind = s.number(0, 2);
  const std::string other = kind == 0   ? s.like(x)
                            : kind == 1 ? s.reals({x[1], 1, 1}, 0.5, 1.5)
                                        : s.reals({}, 0.3, 0.9);
  Names inputs = {s.x().name, other};
  if (s.random().chance(0.3)) std::swap(inputs[0], inputs[1]);
  s.add(kOp, inputs, x);
}

void average_pool(OnnxSketch& s) {
  const Shape& x = s.shape();
  auto& node = s.add("AveragePool", {s.x().name}, {x[0], x[1], x[2] - 1, x[3] - 2});
  OnnxModel::ints(node, "kernel_shape", {2, 3});
}

void max_pool(OnnxSketch& s) {
  const Shape& x = s.shape();
  auto& node = s.add("MaxPool", {s.x().name}, {x[0], x[1], (x[2] - 2) / 2 + 1, (x[3] - 2) / 2 + 1});
  OnnxModel::ints(node, "kernel_shape", {2, 2});
  OnnxModel::ints(node, "strides", {2, 2});
}

void batch_normalization(OnnxSketch& s) {
  const Shape c = {s.shape()[1]};
  const Names inputs = {s.x().name, s.reals(c, 0.5, 1.5), s.reals(c, -0.5, 0.5), s.reals(c, -0.5, 0.5),
                        s.reals(c, 0.5, 2)};
  s.add("BatchNormalization", inputs, s.shape());
}

void clip(OnnxSketch& s) {
  const Names inputs = {s.x().name, s.reals({}, -1, -0.5), s.reals({}, 0.5, 1.5)};
  s.add("Clip", inputs, s.shape());
}

void concat(OnnxSketch& s) {
  Shape x = s.shape();
  const Names inputs = {s.x().name, s.like(x)};
  x[1] *= 2;
  OnnxModel::integer(s.add("Concat", inputs, x), "axis", 1);
}

void conv(OnnxSketch& s) {
  Shape x = s.shape();
  const std::int64_t in = x[1], groups = in % 2 == 0 && s.random().chance(0.3) ? 2 : 1;
  const bool depthwise = s.random().chance(0.3), same = is_large(x);
  const std::int64_t group = depthwise ? in : groups, out = depthwise ? in : 2 * s.number(1, 6);
  const std::int64_t kernel = same ? 3 : 1;
  x[1] = out;
  const std::string w = s.weights({out, in / group, kernel, kernel}, in / group * kernel * kernel);
  auto& node = s.add("Conv", {s.x().name, w, s.reals({out}, -0.3, 0.3)}, x);
  if (same) OnnxModel::ints(node, "pads", {1, 1, 1, 1});
  OnnxModel::integer(node, "group", group);
}

void conv_transpose(OnnxSketch& s) {
  Shape x = s.shape();
  const std::int64_t in = x[1], group = in % 2 == 0 && s.random().chance(0.3) ? 2 : 1, each = s.number(1, 3);
  x = {x[0], group * each, 2 * x[2], 2 * x[3]};
  const std::string w = s.weights({in, each, 4, 4}, in / group * 4);
  auto& node = s.add("ConvTranspose", {s.x().name, w, s.reals({group * each}, -0.3, 0.3)}, x);
  OnnxModel::ints(node, "strides", {2, 2});
  OnnxModel::ints(node, "pads", {1, 1, 1, 1});
  OnnxModel::integer(node, "group", group);
}

/// The channels weighted by what the node says of them.
template <const char* kOp>
void pooled(OnnxSketch& s) {
  const OnnxValue image = s.x();
  s.add(kOp, {image.name}, {image.shape[0], image.shape[1], 1, 1});
  s.add("Sigmoid", {s.x().name}, s.shape());
  s.add("Mul", {image.name, s.x().name}, image.shape);
}

template <const char* kOp>
void reduced(OnnxSketch& s) {
  const OnnxValue image = s.x();
  const std::int64_t axis = s.number(1, 3);
  Shape shape = image.shape;
  shape[static_cast<std::size_t>(axis)] = 1;
  s.add(kOp, {image.name, s.integers({axis})}, shape);
  s.add("Add", {image.name, s.x().name}, image.shape);
}

/// Rows of the images as a matrix, and back.
void gemm(OnnxSketch& s) {
  const Shape x = s.shape();
  const std::int64_t rows = x[0] * x[1] * x[2], in = x[3], out = s.number(2, 8), kind = s.number(0, 2);
  s.add("Reshape", {s.x().name, s.integers({rows, in})}, {rows, in});
  const bool turned = s.random().chance(0.5);
  const std::string w = s.weights(turned ? Shape{out, in} : Shape{in, out}, in);
  Names inputs = {s.x().name, w};
  if (kind == 1) inputs.push_back(s.reals({out}, -0.5, 0.5));
  if (kind == 2) inputs.push_back(s.reals({rows, out}, -0.5, 0.5));
  auto& node = s.add("Gemm", inputs, {rows, out});
  OnnxModel::integer(node, "transB", turned ? 1 : 0);
  if (kind == 2) set_real(node, "alpha", 0.5);
  s.add("Reshape", {s.x().name, s.integers({x[0], x[1], x[2], out})}, {x[0], x[1], x[2], out});
}

/// Multiplies the images by weights, or by themselves.
void matmul(OnnxSketch& s) {
  Shape x = s.shape();
  if (s.random().chance(0.5)) {
    const std::int64_t in = x[3];
    x[3] = s.number(2, 8);
    const std::string w = s.weights({in, x[3]}, in);
    s.add("MatMul", {s.x().name, w}, x);
    return;
  }
  const OnnxValue image = s.x();
  OnnxModel::ints(s.add("Transpose", {image.name}, {x[0], x[1], x[3], x[2]}), "perm", {0, 1, 3, 2});
  s.add("MatMul", {image.name, s.x().name}, {x[0], x[1], x[2], x[2]});
  s.add("Mul", {s.x().name, s.reals({}, 0.2, 0.4)}, s.shape());
}

void prelu(OnnxSketch& s) {
  const Shape slopes = s.random().chance(0.7) ? Shape{s.shape()[1], 1, 1} : Shape{1};
  const bool above = s.random().chance(0.2);
  s.add("PRelu", {s.x().name, s.reals(slopes, above ? 1 : -0.5, above ? 2 : 0.5)}, s.shape());
}

void resize(OnnxSketch& s) {
  Shape x = s.shape();
  const bool linear = s.random().chance(0.5);
  x[2] *= 2;
  x[3] *= 2;
  auto& node = s.add("Resize", {s.x().name, "", "", s.integers(x)}, x);
  set_text(node, "mode", linear ? "linear" : "nearest");
  set_text(node, "coordinate_transformation_mode", s.random().chance(0.5) ? "asymmetric" : "half_pixel");
  set_text(node, "nearest_mode", "floor");
}

void depth_to_space(OnnxSketch& s) {
  const Shape& x = s.shape();
  OnnxModel::integer(s.add("DepthToSpace", {s.x().name}, {x[0], x[1] / 4, 2 * x[2], 2 * x[3]}), "blocksize",
                     2);
}

void space_to_depth(OnnxSketch& s) {
  const Shape& x = s.shape();
  OnnxModel::integer(s.add("SpaceToDepth", {s.x().name}, {x[0], 4 * x[1], x[2] / 2, x[3] / 2}), "blocksize",
                     2);
}

void expand(OnnxSketch& s) {
  const Shape x = s.shape();
  s.add("ReduceMean", {s.x().name, s.integers({2})}, {x[0], x[1], 1, x[3]});
  s.add("Expand", {s.x().name, s.integers(x)}, x);
}

void flatten(OnnxSketch& s) {
  const Shape x = s.shape();
  OnnxModel::integer(s.add("Flatten", {s.x().name}, {x[0] * x[1], x[2] * x[3]}), "axis", 2);
  s.add("Reshape", {s.x().name, s.integers(x)}, x);
}

void reshape(OnnxSketch& s) {
  const Shape x = s.shape(), y = {x[0], x[1], x[3], x[2]};
  s.add("Reshape", {s.x().name, s.integers(y)}, y);
}

void gather(OnnxSketch& s) {
  Shape x = s.shape();
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < 4; ++i) places.push_back(s.number(0, x[1] - 1));
  x[1] = 4;
  OnnxModel::integer(s.add("Gather", {s.x().name, s.integers(places)}, x), "axis", 1);
}

void gather_elements(OnnxSketch& s) {
  const Shape x = s.shape();
  std::vector<std::int64_t> places(static_cast<std::size_t>(graph::element_count(x)));
  for (std::int64_t& p : places) p = s.number(0, x[3] - 1);
  OnnxModel::integer(s.add("GatherElements", {s.x().name, s.integers(places, x)}, x), "axis", 3);
}

void gather_nd(OnnxSketch& s) {
  Shape x = s.shape();
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < 4; ++i) places.insert(places.end(), {0, s.number(0, x[1] - 1)});
  x[1] = 4;
  s.add("GatherND", {s.x().name, s.integers(places, {1, 4, 2})}, x);
}

void pad(OnnxSketch& s) {
  Shape x = s.shape();
  const std::string pads = s.integers({0, 0, 1, 0, 0, 0, 1, 1});
  x[2] += 2;
  x[3] += 1;
  auto& node = s.add("Pad", {s.x().name, pads}, x);
  if (s.random().chance(0.4)) set_text(node, "mode", "reflect");
}

void reverse_sequence(OnnxSketch& s) {
  const Shape x = s.shape();
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(x[1]));
  for (std::int64_t& n : lengths) n = s.number(1, x[2]);
  auto& node = s.add("ReverseSequence", {s.x().name, s.integers(lengths)}, x);
  OnnxModel::integer(node, "batch_axis", 1);
  OnnxModel::integer(node, "time_axis", 2);
}

void slice(OnnxSketch& s) {
  Shape x = s.shape();
  const std::int64_t step = s.number(1, 2);
  const Names inputs = {s.x().name, s.integers({1, 0}), s.integers({x[2], x[3]}), s.integers({2, 3}),
                        s.integers({step, step})};
  x[2] = (x[2] - 1 + step - 1) / step;
  x[3] = (x[3] + step - 1) / step;
  s.add("Slice", inputs, x);
}

void split(OnnxSketch& s) {
  Shape half = s.shape();
  half[1] /= 2;
  auto& node = s.add("Split", {s.x().name}, half);
  const std::string second = s.new_name("v"), first = s.x().name;
  node.add_output(second);
  OnnxModel::integer(node, "axis", 1);
  OnnxModel::integer(node, "num_outputs", 2);
  s.add("Sub", {second, first}, half);
}

void squeeze(OnnxSketch& s) {
  const Shape x = s.shape();
  s.add("Squeeze", {s.x().name, s.integers({0})}, {x[1], x[2], x[3]});
  s.add("Unsqueeze", {s.x().name, s.integers({0})}, x);
}

void tile(OnnxSketch& s) {
  Shape x = s.shape();
  const std::string repeats = s.integers({1, 1, 1, 2});
  x[3] *= 2;
  s.add("Tile", {s.x().name, repeats}, x);
}

void transpose(OnnxSketch& s) {
  const Shape& x = s.shape();
  OnnxModel::ints(s.add("Transpose", {s.x().name}, {x[0], x[1], x[3], x[2]}), "perm", {0, 1, 3, 2});
}

constexpr char kOnnxAbs[] = "Abs", kOnnxAdd[] = "Add", kOnnxCelu[] = "Celu", kOnnxElu[] = "Elu",
               kOnnxErf[] = "Erf", kOnnxExp[] = "Exp", kOnnxGelu[] = "Gelu",
               kOnnxHardSigmoid[] = "HardSigmoid", kOnnxHardSwish[] = "HardSwish",
               kOnnxLeakyRelu[] = "LeakyRelu", kOnnxMax[] = "Max", kOnnxMin[] = "Min", kOnnxMish[] = "Mish",
               kOnnxMul[] = "Mul", kOnnxNeg[] = "Neg", kOnnxRelu[] = "Relu", kOnnxSelu[] = "Selu",
               kOnnxSigmoid[] = "Sigmoid", kOnnxSoftmax[] = "Softmax", kOnnxSoftplus[] = "Softplus",
               kOnnxSoftsign[] = "Softsign", kOnnxSub[] = "Sub", kOnnxSwish[] = "Swish", kOnnxTanh[] = "Tanh",
               kOnnxGlobalAveragePool[] = "GlobalAveragePool", kOnnxGlobalMaxPool[] = "GlobalMaxPool",
               kOnnxReduceMean[] = "ReduceMean", kOnnxReduceMax[] = "ReduceMax",
               kOnnxReduceMin[] = "ReduceMin";

constexpr OnnxRow kOnnxRows[] = {
    {"Abs", always, unary<kOnnxAbs>},
    {"Add", always, binary<kOnnxAdd>},
    {"AveragePool", is_large, average_pool},
    {"BatchNormalization", always, batch_normalization},
    {"Celu", always, unary<kOnnxCelu>},
    {"Clip", always, clip},
    {"Concat", is_small, concat},
    {"Conv", always, conv},
    {"ConvTranspose", is_small, conv_transpose},
    {"DepthToSpace", has_fours, depth_to_space},
    {"Elu", always, unary<kOnnxElu>},
    {"Erf", always, unary<kOnnxErf>},
    {"Exp", always, unary<kOnnxExp>},
    {"Expand", always, expand},
    {"Flatten", always, flatten},
    {"Gather", always, gather},
    {"GatherElements", always, gather_elements},
    {"GatherND", always, gather_nd},
    {"Gelu", always, unary<kOnnxGelu>},
    {"Gemm", always, gemm},
    {"GlobalAveragePool", always, pooled<kOnnxGlobalAveragePool>},
    {"GlobalMaxPool", always, pooled<kOnnxGlobalMaxPool>},
    {"HardSigmoid", always, unary<kOnnxHardSigmoid>},
    {"HardSwish", always, unary<kOnnxHardSwish>},
    {"LeakyRelu", always, unary<kOnnxLeakyRelu>},
    {"MatMul", always, matmul},
    {"Max", always, binary<kOnnxMax>},
    {"MaxPool", is_large, max_pool},
    {"Min", always, binary<kOnnxMin>},
    {"Mish", always, unary<kOnnxMish>},
    {"Mul", always, binary<kOnnxMul>},
    {"Neg", always, unary<kOnnxNeg>},
    {"PRelu", always, prelu},
    {"Pad", is_large, pad},
    {"ReduceMax", always, reduced<kOnnxReduceMax>},
    {"ReduceMean", always, reduced<kOnnxReduceMean>},
    {"ReduceMin", always, reduced<kOnnxReduceMin>},
    {"Relu", always, unary<kOnnxRelu>},
    {"Reshape", always, reshape},
    {"Resize", is_small, resize},
    {"ReverseSequence", always, reverse_sequence},
    {"Selu", always, unary<kOnnxSelu>},
    {"Sigmoid", always, unary<kOnnxSigmoid>},
    {"Slice", is_large, slice},
    {"Softmax", always, unary<kOnnxSoftmax>},
    {"Softplus", always, unary<kOnnxSoftplus>},
    {"Softsign", always, unary<kOnnxSoftsign>},
    {"SpaceToDepth", has_even_sides, space_to_depth},
    {"Split", has_pairs, split},
    {"Squeeze", always, squeeze},
    {"Sub", always, binary<kOnnxSub>},
    {"Swish", always, unary<kOnnxSwish>},
    {"Tanh", always, unary<kOnnxTanh>},
    {"Tile", is_small, tile},
    {"Transpose", always, transpose},
    {"Unsqueeze", always, squeeze},
};

}  // namespace

std::span<const OnnxRow> onnx_rows() { return kOnnxRows; }

}  // namespace vdla::random_networks
