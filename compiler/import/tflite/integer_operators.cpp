// SPDX-License-Identifier: Apache-2.0
// TFLite operators of 8-bit integers with scales, by the integer contract (docs/numbers.md): one row of the
// table and one function each.
#include <algorithm>
#include <array>
#include <cmath>

#include "compiler/graph/compose.h"
#include "compiler/graph/requant.h"
#include "compiler/graph/shape.h"
#include "compiler/import/lut.h"
#include "compiler/import/tflite/integers.h"
#include "compiler/import/tflite/integers16.h"
#include "compiler/import/tflite/operation.h"
#include "support/error.h"
#include "support/fixed_point.h"

namespace vdla::import::tflite {

std::pair<std::int32_t, std::int32_t> limits(const graph::Quantization& q, Activation activation,
                                             std::pair<std::int32_t, std::int32_t> ends,
                                             const std::string& where) {
  const auto step = [&](double real) {
    return graph::quantize_clamped(real, q.scale[0], q.zero_point[0], ends.first, ends.second);
  };
  switch (activation) {
    case Activation::NONE:
      return ends;
    case Activation::RELU:
      return {step(0), ends.second};
    case Activation::RELU6:
      return {step(0), step(6)};
    case Activation::RELU_N1_TO_1:
      return {step(-1), step(1)};
    case Activation::TANH:
    case Activation::SIGN_BIT:
      break;
  }
  VDLA_CHECK_USER(false) << where << "has the activation " << EnumNameActivation(activation)
                         << ", needs NONE, RELU, RELU6 or RELU_N1_TO_1";
  return {};
}

std::pair<std::int32_t, std::int32_t> limits(const Context& c, Activation activation) {
  return limits(c.output(), activation, {-128, 127}, c.builder.where(c.op));
}

graph::OutputStage stage(const Context& c, std::vector<graph::Multiplier> multiplier, Activation activation) {
  const auto [min, max] = limits(c, activation);
  return {std::move(multiplier), c.output().zero_point[0], min, max};
}

namespace {

using graph::TensorId;

graph::Pads pads(const graph::Shape& x, graph::Hw kernel, graph::Hw stride, graph::Hw dilation,
                 Padding padding) {
  if (padding == Padding::VALID) return {};
  const auto [top, bottom] = graph::same_padding(x.at(1), kernel.h, stride.h, dilation.h);
  const auto [left, right] = graph::same_padding(x.at(2), kernel.w, stride.w, dilation.w);
  return {top, bottom, left, right};
}

/// Multiplier of sums of products in the output's steps: the reference multiplies the scales in float32.
graph::Multiplier product_multiplier(const graph::Quantization& a, const graph::Quantization& b,
                                     const graph::Quantization& out) {
  const double product = static_cast<float>(a.scale[0]) * static_cast<float>(b.scale[0]);
  return graph::multiplier_of(product / out.scale[0]);
}

/// A layer's bias as one dimension, which files need not state.
TensorId bias(const Context& c, unsigned i) {
  const TensorId id = c.input(i);
  if (id == graph::kNone) return id;
  const Value value = c.builder.network().value_of(id);
  if (value.rank() == 1) return id;
  const tensor::Composer composer(c.builder.network(), c.op.node, c.builder.where(c.op));
  return c.builder.network().tensor(composer.reshape(value, {value.count()}), c.op.node + "/bias");
}

/// Fields that convolutions have in common. Weights of a uint8 model have one scale, and its kernels multiply
/// the scales in float.
template <class Attributes, class Options>
Attributes convolution(const Context& c, const Options& o) {
  c.inputs(2);
  const graph::Shape x = c.shape(0), w = c.shape(1);
  c.require(x.size() == 4 && w.size() == 4, "needs data and weights of 4 dimensions");
  c.require(o.stride_h() > 0 && o.stride_w() > 0 && o.dilation_h() > 0 && o.dilation_w() > 0,
            "has a stride or dilation that is not positive");
  Attributes a;
  a.stride = {o.stride_h(), o.stride_w()};
  a.dilation = {o.dilation_h(), o.dilation_w()};
  a.pads = pads(x, {w[1], w[2]}, a.stride, a.dilation, o.padding());
  const graph::Quantization in = c.quantization(0), weights = c.quantization(1);
  a.input_zero_point = in.zero_point[0];
  a.weight_zero_point = weights.zero_point[0];
  c.require(std::all_of(weights.zero_point.begin(), weights.zero_point.end(),
                        [&](int z) { return z == weights.zero_point[0]; }),
            "has weights whose zero points differ by channel, needs one");
  auto multipliers = graph::convolution_multipliers(in.scale[0], weights.scale, c.output().scale[0]);
  if (c.uint8()) multipliers = {product_multiplier(in, weights, c.output())};
  a.out = stage(c, std::move(multipliers), o.activation());
  return a;
}

void conv_2d(const Context& c) {
  auto a = convolution<graph::Conv2d>(c, c.options(&Operator::builtin_options_as_Conv2DOptions));
  const std::int64_t per_group = c.shape(1)[3];
  c.require(per_group > 0 && c.shape(0)[3] % per_group == 0,
            "has weights that do not fit its input channels");
  a.groups = c.shape(0)[3] / per_group;
  c.add(std::move(a), {c.input(0), c.input(1), bias(c, 2)});
}

void depthwise_conv_2d(const Context& c) {
  c.add(
      convolution<graph::DepthwiseConv2d>(c, c.options(&Operator::builtin_options_as_DepthwiseConv2DOptions)),
      {c.input(0), c.input(1), bias(c, 2)});
}

/// Inputs: output shape, weights, data, optional bias.
void transpose_conv(const Context& c) {
  c.inputs(3);
  const auto& o = c.options(&Operator::builtin_options_as_TransposeConvOptions);
  const graph::Shape w = c.shape(1), out = c.builder.shape(c.builder.output_index(c.op));
  c.require(w.size() == 4 && out.size() == 4, "needs weights and an output of 4 dimensions");
  c.require(o.stride_h() > 0 && o.stride_w() > 0, "has a stride that is not positive");
  graph::TransposedConv2d a;
  a.stride = {o.stride_h(), o.stride_w()};
  a.output = {out[1], out[2]};
  if (o.padding() == Padding::SAME) {
    a.pad_top = graph::same_padding(out[1], w[1], a.stride.h, 1).first;
    a.pad_left = graph::same_padding(out[2], w[2], a.stride.w, 1).first;
  }
  const graph::Quantization in = c.quantization(2), weights = c.quantization(1);
  a.input_zero_point = in.zero_point[0];
  a.weight_zero_point = weights.zero_point[0];
  a.out = stage(c, graph::convolution_multipliers(in.scale[0], weights.scale, c.output().scale[0]),
                o.activation());
  c.builder.bind(c.op, graph::add_transposed_conv2d(c.builder.graph(), c.op.node, a,
                                                    {c.input(2), c.input(1), bias(c, 3)}, c.output()));
}

void batch_matmul(const Context& c) {
  c.inputs(2);
  const auto& o = c.options(&Operator::builtin_options_as_BatchMatMulOptions);
  const graph::Quantization a = c.quantization(0), b = c.quantization(1);
  const auto m = product_multiplier(a, b, c.output());
  c.add(graph::BatchMatMul{o.adj_x(), o.adj_y(), a.zero_point[0], b.zero_point[0],
                           stage(c, {m}, Activation::NONE)},
        {c.input(0), c.input(1)});
}

/// The output of a dense layer in the dimensions that it keeps of its input, or in rows.
graph::Shape dense_shape(const Context& c, bool keep_dims, std::int64_t depth, std::int64_t outputs) {
  graph::Shape dims = c.shape(0);
  if (!keep_dims) return {graph::element_count(dims) / depth, outputs};
  c.require(!dims.empty() && dims.back() == depth,
            "keeps the dimensions of its input " + graph::to_string(dims) + ", whose last one needs " +
                std::to_string(depth) + " elements, as its weights have");
  dims.back() = outputs;
  return dims;
}

/// Flattens the data to rows of the weights' depth, as the reference does.
void fully_connected(const Context& c) {
  c.inputs(2);
  const auto& o = c.options(&Operator::builtin_options_as_FullyConnectedOptions);
  c.require(o.weights_format() == 0, "has shuffled weights, needs the default format");
  const graph::Shape w = c.shape(1);
  c.require(w.size() == 2, "has weights of " + graph::to_string(w) + ", needs 2 dimensions");
  TensorId x = c.input(0);
  const std::int64_t count = graph::element_count(c.shape(0));
  c.require(count % w[1] == 0, "has input " + graph::to_string(c.shape(0)) + " that does not fit weights " +
                                   graph::to_string(w));
  if (c.shape(0) != graph::Shape{count / w[1], w[1]})
    x = c.builder.graph().add_node(c.op.node + "/rows", graph::Reshape{{count / w[1], w[1]}}, {x},
                                   c.quantization(0));
  const graph::Quantization in = c.quantization(0), weights = c.quantization(1);
  auto multipliers = graph::convolution_multipliers(in.scale[0], weights.scale, c.output().scale[0]);
  if (!weights.per_channel()) multipliers = {product_multiplier(in, weights, c.output())};
  graph::FullyConnected a{in.zero_point[0], weights.zero_point[0],
                          stage(c, std::move(multipliers), o.activation())};
  const graph::Shape dims = dense_shape(c, o.keep_num_dims(), w[1], w[0]);
  TensorId made =
      c.builder.graph().add_node(c.op.node, std::move(a), {x, c.input(1), bias(c, 2)}, c.output());
  if (dims.size() != 2) {
    c.builder.stands_for(c.op, made);
    made = c.builder.graph().add_node(c.op.node + "/dimensions", graph::Reshape{dims}, {made}, c.output());
  }
  c.builder.bind(c.op, made);
}

void add(const Context& c) {
  c.inputs(2);
  const graph::Quantization a = c.quantization(0), b = c.quantization(1);
  graph::Add op;
  const auto m = graph::add_multipliers(a.scale[0], b.scale[0], c.output().scale[0], op.left_shift);
  op.a_zero_point = a.zero_point[0];
  op.b_zero_point = b.zero_point[0];
  op.a = m.a;
  op.b = m.b;
  op.out = stage(c, {m.out}, c.options(&Operator::builtin_options_as_AddOptions).activation());
  c.add(std::move(op), {c.input(0), c.input(1)});
}

void mul(const Context& c) {
  c.inputs(2);
  const graph::Quantization a = c.quantization(0), b = c.quantization(1);
  const auto m = graph::multiplier_of(a.scale[0] * b.scale[0] / c.output().scale[0]);
  c.add(graph::Mul{a.zero_point[0], b.zero_point[0],
                   stage(c, {m}, c.options(&Operator::builtin_options_as_MulOptions).activation())},
        {c.input(0), c.input(1)});
}

void require_same_quantization(const Context& c, unsigned i) {
  c.require(
      c.quantization(i).scale == c.output().scale && c.quantization(i).zero_point == c.output().zero_point,
      "has input " + std::to_string(i) + " and output of different scale or zero point, needs equal ones");
}

void maximum(const Context& c) {
  c.inputs(2);
  for (unsigned i : {0u, 1u}) require_same_quantization(c, i);
  c.add(graph::Maximum{}, {c.input(0), c.input(1)});
}
void minimum(const Context& c) {
  c.inputs(2);
  for (unsigned i : {0u, 1u}) require_same_quantization(c, i);
  c.add(graph::Minimum{}, {c.input(0), c.input(1)});
}

template <class Pool>
Pool pool(const Context& c) {
  c.inputs(1);
  const auto& o = c.options(&Operator::builtin_options_as_Pool2DOptions);
  const graph::Shape x = c.shape(0);
  c.require(x.size() == 4, "needs an input of 4 dimensions");
  c.require(o.stride_h() > 0 && o.stride_w() > 0 && o.filter_h() > 0 && o.filter_w() > 0,
            "has a stride or window that is not positive");
  require_same_quantization(c, 0);
  Pool p;
  p.kernel = {o.filter_h(), o.filter_w()};
  p.stride = {o.stride_h(), o.stride_w()};
  p.pads = pads(x, p.kernel, p.stride, {}, o.padding());
  std::tie(p.min, p.max) = limits(c, o.activation());
  return p;
}

void max_pool_2d(const Context& c) { c.add(pool<graph::MaxPool2d>(c), {c.input(0)}); }
void average_pool_2d(const Context& c) {
  auto p = pool<graph::AvgPool2d>(c);
  p.offset = c.uint8() ? 128 : 0;  // the uint8 kernel rounds half up
  c.add(p, {c.input(0)});
}

void mean(const Context& c) {
  c.inputs(2);
  const graph::Shape x = c.shape(0);
  graph::Mean op;
  std::int64_t count = 1;
  for (std::int32_t axis : c.builder.constant_ints(c.op, 1)) {
    const std::int32_t wrapped = axis < 0 ? axis + static_cast<int>(x.size()) : axis;
    c.require(wrapped >= 0 && wrapped < static_cast<int>(x.size()),
              "has axis " + std::to_string(axis) + " outside of its input");
    if (std::ranges::find(op.axes, wrapped) != op.axes.end()) continue;  // as TFLite has it
    op.axes.push_back(wrapped);
    count *= x[static_cast<std::size_t>(wrapped)];
  }
  op.keep_dims = c.options(&Operator::builtin_options_as_ReducerOptions).keep_dims();
  op.input_zero_point = c.quantization(0).zero_point[0];
  op.out = stage(c, {graph::mean_multiplier(c.quantization(0).scale[0], c.output().scale[0], count)},
                 Activation::NONE);
  c.add(std::move(op), {c.input(0)});
}

void softmax(const Context& c) {
  c.inputs(1);
  c.require(std::abs(c.output().scale[0] - 1.0 / 256) < 1e-6 && c.output().zero_point[0] == -128,
            "has another output quantisation than scale 1/256 with the smallest value as zero point");
  c.add(graph::softmax_parameters(c.options(&Operator::builtin_options_as_SoftmaxOptions).beta(),
                                  c.quantization(0).scale[0]),
        {c.input(0)});
}

void require_same_type(const Context& c) {
  const auto type = [&](int tensor) { return c.builder.file_tensor(tensor).type(); };
  const TensorType in = type(c.builder.input_index(c.op, 0)), out = type(c.builder.output_index(c.op));
  c.require(in == out, std::string("moves elements of ") + EnumNameTensorType(in) + " to an output of " +
                           EnumNameTensorType(out) + ", needs one type");
}

/// RESHAPE, SQUEEZE, EXPAND_DIMS: the file states the output's shape.
void reshape(const Context& c) {
  c.inputs(1);
  require_same_type(c);
  c.add(graph::Reshape{c.builder.shape(c.builder.output_index(c.op))}, {c.input(0)});
}

/// Adds a node that moves elements as they are. Where the file gives the output another scale or zero point,
/// that is a step of its own: the integers stay and stand for other numbers.
void add_moving(const Context& c, graph::Op node) {
  require_same_type(c);
  graph::Graph& g = c.builder.graph();
  const TensorId x = c.input(0);
  const graph::Quantization in = g.tensor(x).quantization;
  const TensorId moved = g.add_node(c.op.node, std::move(node), {x}, in);
  if (in.empty() || in == c.output()) return c.builder.bind(c.op, moved);
  const graph::Shape shape = g.tensor(moved).shape;
  c.builder.bind(c.op, g.add_node(c.op.node + "/scale", graph::Reshape{shape}, {moved}, c.output()));
}

void transpose(const Context& c) {
  c.inputs(2);
  const auto perm = c.builder.constant_ints(c.op, 1);
  add_moving(c, graph::Transpose{{perm.begin(), perm.end()}});
}

void pad(const Context& c) {
  c.inputs(2);
  const auto amounts = c.builder.constant_ints(c.op, 1);
  graph::Pad op;
  op.value = c.output().zero_point[0];
  if (const TensorId fill = c.op.op->inputs()->size() > 2 ? c.input(2) : graph::kNone; fill != graph::kNone) {
    const Value value = c.builder.network().value_of(fill);
    c.require(value.constant() && value.count() == 1,
              "has a value for what it adds that is not one constant");
    op.value = static_cast<std::int32_t>(tensor::integers_of(value)[0]);
  }
  for (std::size_t i = 0; i + 1 < amounts.size(); i += 2) {
    op.before.push_back(amounts[i]);
    op.after.push_back(amounts[i + 1]);
  }
  add_moving(c, std::move(op));
}

/// An input of a uint8 concatenation in the output's scale, for each of its values: the reference computes
/// them in float32, which integer multipliers do not give everywhere.
graph::Lut rescaled_in_float(const graph::Quantization& in, const graph::Quantization& out) {
  const float inverse = 1.0F / static_cast<float>(out.scale[0]);
  const float scale = static_cast<float>(in.scale[0]) * inverse;
  const float bias = static_cast<float>(-(in.zero_point[0] + 128)) * scale;
  graph::Lut lut{"rescale", {}};
  for (int q = -128; q < 128; ++q) {
    const float product = static_cast<float>(q + 128) * scale;
    lut.table[static_cast<std::size_t>(q) + 128] = table_entry(std::round(product + bias), out.zero_point[0]);
  }
  return lut;
}

/// Whether both compute the same for each of the 256 values.
bool equal_everywhere(const graph::Requantize& op, const graph::Lut& lut) {
  const graph::Multiplier& m = op.out.multiplier[0];
  for (int q = -128; q < 128; ++q) {
    const std::int32_t step = multiply_by_quantized_multiplier(q - op.input_zero_point, m.value, m.shift);
    if (std::clamp(wrap_add(step, op.out.zero_point), -128, 127) !=
        lut.table[static_cast<std::size_t>(q) + 128])
      return false;
  }
  return true;
}

/// Input i of a concatenation in the output's scale.
TensorId rescaled(const Context& c, unsigned i) {
  c.require(c.builder.input_index(c.op, i) >= 0, "lacks input " + std::to_string(i));
  const graph::Quantization in = c.quantization(i), out = c.output();
  if (in.scale == out.scale && in.zero_point == out.zero_point) return c.input(i);
  graph::Op op = graph::Requantize{
      in.zero_point[0], {{graph::multiplier_of(in.scale[0] / out.scale[0])}, out.zero_point[0], -128, 127}};
  if (c.uint8())
    if (graph::Lut lut = rescaled_in_float(in, out); !equal_everywhere(std::get<graph::Requantize>(op), lut))
      op = std::move(lut);
  return c.builder.graph().add_node(c.op.node + "/input" + std::to_string(i), std::move(op), {c.input(i)},
                                    out);
}

void concatenation(const Context& c) {
  const auto& o = c.options(&Operator::builtin_options_as_ConcatenationOptions);
  c.require(o.activation() == Activation::NONE, "has a fused activation, needs none");
  std::vector<TensorId> inputs;
  inputs.reserve(c.op.op->inputs()->size());
  for (unsigned i = 0; i < c.op.op->inputs()->size(); ++i) inputs.push_back(rescaled(c, i));
  const bool at_once = inputs.size() <= graph::kMostParts;
  int steps = 0;
  c.builder.bind(c.op, graph::joined_in_steps(std::move(inputs), [&](std::vector<TensorId> few) {
                   const std::string name = c.op.node + (at_once ? "" : "/step" + std::to_string(steps++));
                   return c.builder.graph().add_node(name, graph::Concat{o.axis()}, std::move(few),
                                                     c.output());
                 }));
}

void requantize(const Context& c, double factor, Activation activation) {
  c.add(graph::Requantize{c.quantization(0).zero_point[0],
                          stage(c, {graph::multiplier_of(factor)}, activation)},
        {c.input(0)});
}

/// The reference divides the scales in float32.
void requantize(const Context& c, Activation activation) {
  c.inputs(1);
  const auto in = static_cast<float>(c.quantization(0).scale[0]);
  requantize(c, in / static_cast<float>(c.output().scale[0]), activation);
}

void relu(const Context& c) { requantize(c, Activation::RELU); }
void relu6(const Context& c) { requantize(c, Activation::RELU6); }
void relu_n1_to_1(const Context& c) { requantize(c, Activation::RELU_N1_TO_1); }

void relu_0_to_1(const Context& c) {
  c.inputs(1);
  const auto in = static_cast<float>(c.quantization(0).scale[0]);
  auto out = stage(c, {graph::multiplier_of(in / static_cast<float>(c.output().scale[0]))}, Activation::RELU);
  out.max = limits(c, Activation::RELU_N1_TO_1).second;
  c.add(graph::Requantize{c.quantization(0).zero_point[0], std::move(out)}, {c.input(0)});
}

void quantize(const Context& c) {
  c.inputs(1);
  if (c.builder.graph().tensor(c.input(0)).type == graph::DataType::Int8)
    return requantize(c, c.quantization(0).scale[0] / c.output().scale[0], Activation::NONE);
  c.add(graph::Quantize{static_cast<float>(c.output().scale[0]), c.output().zero_point[0]}, {c.input(0)});
}

void dequantize(const Context& c) {
  c.inputs(1);
  c.add(graph::Dequantize{static_cast<float>(c.quantization(0).scale[0]), c.quantization(0).zero_point[0]},
        {c.input(0)});
}

void lookup(const Context& c, std::string function, double (*f)(double)) {
  c.inputs(1);
  c.add(make_lut(std::move(function), f, c.quantization(0), c.output()), {c.input(0)});
}
void logistic(const Context& c) {
  lookup(c, "logistic", [](double x) { return 1 / (1 + std::exp(-x)); });
}
void tanh_(const Context& c) {
  lookup(c, "tanh", [](double x) { return std::tanh(x); });
}
void arg_max(const Context& c) {
  c.inputs(2);
  const auto axis = c.builder.constant_ints(c.op, 1);
  c.require(axis.size() == 1, "needs one axis");
  c.add(graph::ArgMax{axis[0]}, {c.input(0)});
}

constexpr IntegerRow kOperators[] = {
    {"ADD", add},
    {"ARG_MAX", arg_max},
    {"AVERAGE_POOL_2D", average_pool_2d},
    {"BATCH_MATMUL", batch_matmul},
    {"CONCATENATION", concatenation},
    {"CONV_2D", conv_2d},
    {"DEPTHWISE_CONV_2D", depthwise_conv_2d},
    {"DEQUANTIZE", dequantize},
    {"EXPAND_DIMS", reshape},
    {"FULLY_CONNECTED", fully_connected},
    {"LOGISTIC", logistic},
    {"MAXIMUM", maximum},
    {"MAX_POOL_2D", max_pool_2d},
    {"MEAN", mean},
    {"MINIMUM", minimum},
    {"MUL", mul},
    {"PAD", pad},
    {"QUANTIZE", quantize},
    {"RELU", relu},
    {"RELU6", relu6},
    {"RELU_0_TO_1", relu_0_to_1},
    {"RELU_N1_TO_1", relu_n1_to_1},
    {"RESHAPE", reshape},
    {"SOFTMAX", softmax},
    {"SQUEEZE", reshape},
    {"TANH", tanh_},
    {"TRANSPOSE", transpose},
    {"TRANSPOSE_CONV", transpose_conv},
};

/// Whether the operator reads or gives 8-bit integers, and none of 16 bits. A constant that is dequantised is
/// known as reals, and a place is int32 in the graph's integer operator.
bool of_integers(Builder& builder, const OperatorRef& op) {
  const int first = builder.input_index(op, 0), output = builder.output_index(op);
  if (builder.is_wide(output) || (first >= 0 && builder.is_wide(first))) return false;
  if (quantises_int32(builder, op)) return false;
  if (builder.is_quantised(output)) return true;
  if (first < 0 || !builder.is_quantised(first)) return false;
  if (op.op_name == "ARG_MAX") return builder.data_type(builder.output_index(op)) == graph::DataType::Int32;
  return op.op_name != "DEQUANTIZE" || !builder.value(first).constant();
}

}  // namespace

std::span<const IntegerRow> integer_rows() {
  static const auto all = [] {
    std::vector<IntegerRow> result(std::begin(kOperators), std::end(kOperators));
    for (const auto& family : {integer_maps(), integer_quotients(), integer_recurrent()})
      result.insert(result.end(), family.begin(), family.end());
    return result;
  }();
  return all;
}

bool import_integers(Builder& builder, const OperatorRef& op) {
  const auto named = [&](const IntegerRow& row) { return row.name == op.op_name; };
  const auto row = std::ranges::find_if(integer_rows(), named);
  if (row == integer_rows().end() || !of_integers(builder, op)) return false;
  row->import({builder, op});
  return true;
}

}  // namespace vdla::import::tflite
