// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/operators.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "compiler/import/integer/rules.h"

namespace vdla::quantize {
namespace {

/// Operators that compute on integers between scales of their own. Functions of one value are those that make
/// the error of what they read little larger: a step of the input of Log, Sqrt or Floor may be many of the
/// output.
constexpr std::string_view kComputing[] = {
    "Abs",   "Add",           "AveragePool", "BatchNormalization",
    "Celu",  "Clip",          "Concat",      "Conv",
    "Elu",   "ConvTranspose", "Erf",         "Exp",
    "Gelu",  "Gemm",          "HardSigmoid", "GlobalAveragePool",
    "Max",   "HardSwish",     "LeakyRelu",   "MatMul",
    "Min",   "Mish",          "Mul",         "Neg",
    "PRelu", "ReduceMean",    "Relu",        "Resize",
    "Selu",  "Sigmoid",       "Softmax",     "Softplus",
    "Sub",   "Softsign",      "Swish",       "Tanh",
};
/// Operators whose outputs have the values, and so the scale, of their input.
constexpr std::string_view kMoving[] = {
    "DepthToSpace", "Expand", "Flatten",   "Gather",    "GatherElements", "GatherND",        "GlobalMaxPool",
    "MaxPool",      "Pad",    "ReduceMax", "ReduceMin", "Reshape",        "ReverseSequence", "SpaceToDepth",
    "Slice",        "Split",  "Squeeze",   "Tile",      "Transpose",      "Unsqueeze",
};
/// Operators of two values or constants.
constexpr std::string_view kOfTwo[] = {"Add", "MatMul", "Max", "Min", "Mul", "Sub"};
/// Functions of a layer's result and a constant that become part of the layer.
constexpr std::string_view kAffine[] = {"Add", "Mul", "Sub"};

bool is_one_of(std::span<const std::string_view> list, const std::string& op) {
  return std::ranges::find(list, op) != list.end();
}

bool has_input(const onnx::NodeProto& node, int i) { return i < node.input_size() && !node.input(i).empty(); }

bool has_constants(const Network& network, const onnx::NodeProto& node, int first, int last) {
  for (int i = first; i <= last; ++i)
    if (has_input(node, i) && !network.is_float_constant(node.input(i))) return false;
  return true;
}

template <class Holds>
bool all_of(const Network& network, const std::string& constant, const Holds& holds) {
  return std::ranges::all_of(network.weights(constant).values, holds);
}

bool is_factor(float v) { return v != 0 && std::isfinite(v); }

/// Dimension of the output channels of a layer with weights.
std::size_t result_channels(const Network& network, const onnx::NodeProto& layer) {
  const bool image = layer.op_type() == "Conv" || layer.op_type() == "ConvTranspose";
  return image ? 1 : network.shape(layer.output(0)).size() - 1;
}

/// A batch norm that computes, with constants for each channel.
bool is_plain_norm(const Network& network, const onnx::NodeProto& norm) {
  return norm.op_type() == "BatchNormalization" && norm.output_size() == 1 && norm.input_size() == 5 &&
         attribute(norm, "training_mode", std::int64_t{0}) == 0 && has_constants(network, norm, 1, 4) &&
         all_of(network, norm.input(1), is_factor);
}

/// The layer with weights that the node is, or is part of; null: none.
const onnx::NodeProto* layer_of(const Network& network, const onnx::NodeProto& node) {
  if (has_weights(network, node)) return &node;
  if (!is_one_of(kAffine, node.op_type()) && node.op_type() != "BatchNormalization") return nullptr;
  for (const std::string& input : node.input()) {
    const int before = network.producer(input);
    if (before < 0 || !joins_its_reader(network, network.graph().node(before))) continue;
    return layer_of(network, network.graph().node(before));
  }
  return nullptr;
}

/// Whether the node is a function of a layer's result `of` that its weights and its bias can hold.
bool is_affine_function(const Network& network, const onnx::NodeProto& node, const std::string& of,
                        std::size_t channels) {
  if (is_plain_norm(network, node)) return channels == 1;
  if (!is_one_of(kAffine, node.op_type()) || node.input(0) == node.input(1)) return false;
  const std::string& other = node.input(node.input(0) == of ? 1 : 0);
  return network.is_float_constant(other) &&
         import::integer::is_along(network.constant_shape(other), network.shape(of), channels) &&
         (node.op_type() != "Mul" || all_of(network, other, is_factor));
}

/// Whether the node is a product of two values times one positive number `of`.
bool is_positive_factor(const Network& network, const onnx::NodeProto& node, const std::string& of) {
  if (node.op_type() != "Mul" || node.input(0) == node.input(1)) return false;
  const std::string& other = node.input(node.input(0) == of ? 1 : 0);
  return network.is_float_constant(other) &&
         network.constant_shape(other).size() <= network.shape(of).size() &&
         graph::element_count(network.constant_shape(other)) == 1 &&
         all_of(network, other, [](float v) { return v > 0 && std::isfinite(v); });
}

/// The integer form of Gemm scales nothing and adds the same to each row.
bool gemm_has_form(const Network& network, const onnx::NodeProto& gemm) {
  if (attribute(gemm, "alpha", 1.0f) != 1 || attribute(gemm, "beta", 1.0f) != 1 ||
      attribute(gemm, "transA", std::int64_t{0}) != 0 || !has_weights(network, gemm))
    return false;
  if (!has_input(gemm, 2)) return true;
  if (!network.is_float_constant(gemm.input(2))) return false;
  const std::vector<std::int64_t> bias = network.constant_shape(gemm.input(2));
  return graph::element_count(bias) == 1 || import::integer::is_row(bias, network.shape(gemm.output(0)));
}

bool convolution_has_form(const Network& network, const onnx::NodeProto& conv) {
  return has_weights(network, conv) && has_constants(network, conv, 2, 2);
}

bool batch_norm_has_form(const Network& network, const onnx::NodeProto& norm) {
  return is_plain_norm(network, norm) &&
         (network.shape(norm.output(0)).size() == 4 || layer_of(network, norm) != nullptr);
}

/// One slope, or slopes along one dimension that are all above one or none.
bool slopes_have_form(const Network& network, const onnx::NodeProto& node) {
  if (!network.is_float_constant(node.input(1))) return false;
  const Weights slope = network.weights(node.input(1));
  return import::integer::sloped_axis(slope.shape, network.shape(node.output(0))).has_value() &&
         import::integer::side_of_slopes({slope.values.begin(), slope.values.end()}).has_value();
}

bool resize_has_form(const Network&, const onnx::NodeProto& node) {
  return attribute(node, "mode", "nearest") != "cubic" &&
         attribute(node, "antialias", std::int64_t{0}) == 0 &&
         attribute(node, "coordinate_transformation_mode", "half_pixel") != "tf_crop_and_resize";
}

/// Zeros, or values of the input.
bool pad_has_form(const Network& network, const onnx::NodeProto& pad) {
  if (attribute(pad, "mode", "constant") != "constant") return true;
  if (has_input(pad, 3) || !has_constants(network, pad, 2, 2)) return false;
  return !has_input(pad, 2) || all_of(network, pad.input(2), [](float v) { return v == 0; });
}

bool softmax_has_form(const Network& network, const onnx::NodeProto& node) {
  const std::int64_t axis = attribute(node, "axis", std::int64_t{-1});
  return axis == -1 || axis + 1 == static_cast<std::int64_t>(network.shape(node.output(0)).size());
}

bool clip_has_form(const Network& network, const onnx::NodeProto& node) {
  return has_constants(network, node, 1, 2);
}

bool is_of_two(const Network&, const onnx::NodeProto& node) { return node.input_size() == 2; }

/// Needs of an operator for an integer form, beyond operands with scales.
struct Need {
  std::string_view op;
  bool (*has_form)(const Network&, const onnx::NodeProto&);
};
constexpr Need kNeeds[] = {
    {"BatchNormalization", batch_norm_has_form},
    {"Clip", clip_has_form},
    {"Conv", convolution_has_form},
    {"ConvTranspose", convolution_has_form},
    {"Gemm", gemm_has_form},
    {"Max", is_of_two},
    {"Min", is_of_two},
    {"PRelu", slopes_have_form},
    {"Pad", pad_has_form},
    {"Resize", resize_has_form},
    {"Softmax", softmax_has_form},
};

}  // namespace

std::span<const std::string_view> computing_operators() { return kComputing; }
std::span<const std::string_view> moving_operators() { return kMoving; }

bool is_moving(const onnx::NodeProto& node) {
  const std::string& op = node.op_type();
  return is_one_of(kMoving, op) || (op == "Resize" && attribute(node, "mode", "nearest") == "nearest");
}

std::vector<std::string> operands(const onnx::NodeProto& node) {
  const std::string& op = node.op_type();
  const int count = op == "Concat" ? node.input_size() : is_one_of(kOfTwo, op) ? 2 : 1;
  return {node.input().begin(), node.input().begin() + std::min(count, node.input_size())};
}

bool is_known(const Network& network, const onnx::NodeProto& node) {
  if (!is_one_of(kComputing, node.op_type()) && !is_moving(node)) return false;
  // Values computed from shapes or constants alone have no samples, and integers have no scale.
  if (!network.is_activation(node.output(0)) || network.stays_in_float(node)) return false;
  const auto need = std::ranges::find(kNeeds, node.op_type(), &Need::op);
  if (need != std::end(kNeeds) && !need->has_form(network, node)) return false;
  const std::vector<std::string> read = operands(node);
  return std::ranges::any_of(read, [&](const auto& t) { return network.is_activation(t); }) &&
         std::ranges::all_of(
             read, [&](const auto& t) { return network.is_activation(t) || network.is_float_constant(t); });
}

bool has_weights(const Network& network, const onnx::NodeProto& node) {
  const std::string& op = node.op_type();
  if (op == "Conv" || op == "ConvTranspose")
    return network.is_float_constant(node.input(1)) && network.constant_shape(node.input(1)).size() > 2;
  return (op == "Gemm" || op == "MatMul") && network.is_float_constant(node.input(1)) &&
         network.constant_shape(node.input(1)).size() == 2;
}

std::size_t channel_axis(const onnx::NodeProto& node) {
  if (node.op_type() == "Conv") return 0;
  return attribute(node, "transB", std::int64_t{0}) != 0 ? 0 : 1;
}

bool joins_its_reader(const Network& network, const onnx::NodeProto& node) {
  const int reader = network.sole_consumer(node.output(0));
  if (reader < 0 || !network.is_activation(node.output(0))) return false;
  const onnx::NodeProto& next = network.graph().node(reader);
  const bool clamp = next.op_type() == "Relu" || (next.op_type() == "Clip" && clip_has_form(network, next));
  if (clamp) return is_one_of(kComputing, node.op_type()) && !is_moving(node) && node.op_type() != "Softmax";
  if (const onnx::NodeProto* layer = layer_of(network, node))
    return is_affine_function(network, next, node.output(0), result_channels(network, *layer));
  return node.op_type() == "MatMul" && is_positive_factor(network, next, node.output(0));
}

}  // namespace vdla::quantize
