// SPDX-License-Identifier: Apache-2.0
// Names: layer "x" writes "x"; in QDQ form "x_quantized" and "x_dequantized" follow it.
#include "compiler/zoo/onnx_writer.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <utility>

#include "compiler/zoo/onnx_model.h"
#include "compiler/zoo/onnx_tokens.h"

namespace vdla::zoo {
namespace {

using onnx::TensorProto;

const char* const kInput = "input";
const char* const kOutput = "output";

/// Writes nodes of one network.
class Writer {
 public:
  Writer(const Calibrated& calibrated, Form form)
      : calibrated_(calibrated),
        model_(calibrated.network.name, operator_set(calibrated.network), form == Form::Qdq) {}

  std::string write() {
    const Network& network = calibrated_.network;
    const Image& in = network.input;
    if (network.vocabulary != 0) {
      model_.input(kInput, {1, in.w}, TensorProto::INT64);
      names_.push_back(kInput);
    } else {
      model_.input(kInput, {1, in.c, in.h, in.w}, TensorProto::FLOAT);
      names_.push_back(model_.quantized() ? pair_behind(kInput, calibrated_.input) : kInput);
    }
    for (std::size_t i = 0; i < network.layers.size(); ++i)
      names_.push_back(layer(network.layers[i], calibrated_.layers[i]));
    const Image& out = network.layers.back().out;
    const bool flat = std::ranges::any_of(
        network.layers, [](const Layer& l) { return l.kind == Kind::FirstToken || l.kind == Kind::Dense; });
    model_.output(kOutput, flat ? OnnxModel::Shape{1, out.c} : OnnxModel::Shape{1, out.w, out.c});
    for (const auto& [name, shape] : kept_) model_.output(name, shape);
    return model_.bytes();
  }

 private:
  /// The first set with LayerNormalization, where there are tokens.
  static int operator_set(const Network& network) {
    return std::ranges::any_of(network.layers, [](const Layer& l) { return l.kind == Kind::Linear; }) ? 17
                                                                                                      : 13;
  }

  std::string pair_behind(const std::string& value, const Quantizer& q) {
    const bool last = value == calibrated_.network.layers.back().name;
    return model_.quantize_dequantize(value, q, last ? kOutput : value + "_dequantized");
  }

  /// [o][y][x][i] -> [o][i][y][x]
  template <class T>
  static std::vector<T> channels_first(const std::vector<T>& values, const Layer& l) {
    const auto taps = static_cast<std::size_t>(l.kernel.h * l.kernel.w);
    const auto fan_in = static_cast<std::size_t>(l.fan_in());
    std::vector<T> result(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t in_channel = i / taps % (fan_in / taps), tap = i % taps;
      result[i] = values[i / fan_in * fan_in + tap * (fan_in / taps) + in_channel];
    }
    return result;
  }

  /// Names of weights and bias as the layer reads them.
  std::vector<std::string> parameters(const Layer& l, const Parameters& p) {
    const std::string weights = l.name + "_weights", bias = l.name + "_bias";
    const std::int64_t taps = l.kernel.h * l.kernel.w;
    std::vector<std::int64_t> shape{l.out.c, l.fan_in() / taps, l.kernel.h, l.kernel.w};
    if (l.kind == Kind::Dense) shape.resize(2);
    if (model_.quantized())
      return {model_.dequantized(weights, TensorProto::INT8, shape, channels_first(p.int_weights, l),
                                 p.weight_scales, 0),
              model_.dequantized(bias, TensorProto::INT32, {l.out.c}, p.int_bias, p.bias_scales, 0)};
    return {model_.reals(weights, shape, channels_first(p.weights, l)),
            model_.reals(bias, {l.out.c}, p.bias)};
  }

  static void windows(onnx::NodeProto& n, const Layer& l) {
    attribute(n, "kernel_shape", {l.kernel.h, l.kernel.w});
    attribute(n, "strides", {l.stride.h, l.stride.w});
    attribute(n, "pads", {l.pads.top, l.pads.left, l.pads.bottom, l.pads.right});
  }

  /// Adds the operator; the layer's Relu and quantisation follow.
  void operation(const Layer& l, const Parameters& p, const std::string& output) {
    std::vector<std::string> inputs;
    for (int value : l.inputs) inputs.push_back(names_.at(static_cast<std::size_t>(value)));
    if (l.has_weights() && l.kind != Kind::Linear)
      for (std::string& name : parameters(l, p)) inputs.push_back(std::move(name));
    switch (l.kind) {
      case Kind::Conv:
      case Kind::Depthwise: {
        onnx::NodeProto& n = model_.node("Conv", l.name, inputs, output);
        windows(n, l);
        if (l.kind == Kind::Depthwise) attribute(n, "group", l.in.c);
        return;
      }
      case Kind::MaxPool:
        return windows(model_.node("MaxPool", l.name, inputs, output), l);
      case Kind::Add:
        model_.node("Add", l.name, inputs, output);
        return;
      case Kind::GlobalAveragePool:
        model_.node("GlobalAveragePool", l.name, inputs, output);
        return;
      case Kind::Dense:
        model_.node("Flatten", l.name + "_flatten", {inputs[0]}, l.name + "_flat");
        inputs[0] = l.name + "_flat";
        attribute(model_.node("Gemm", l.name, inputs, output), "transB", std::int64_t{1});
        return;
      case Kind::Embedding:
      case Kind::Tokens:
      case Kind::Linear:
      case Kind::LayerNorm:
      case Kind::Heads:
      case Kind::Append:
      case Kind::Scores:
      case Kind::Softmax:
      case Kind::WeightedSum:
      case Kind::Merge:
      case Kind::Gelu:
      case Kind::Tanh:
      case Kind::FirstToken:
        return write_tokens(model_, l, p, std::move(inputs), output);
    }
  }

  /// A cache's input in front of the layer, and behind it the output for the next step.
  std::string append(const Layer& l, const Parameters& p) {
    const std::string past = "past_" + l.name, present = "present_" + l.name;
    const OnnxModel::Shape shape{1, l.out.h, l.out.w - l.in.w, l.out.c};
    model_.input(past, shape, TensorProto::FLOAT);
    const std::string before = model_.quantized() ? pair_behind(past, p.out) : past;
    write_tokens(model_, l, p, {before, names_.at(static_cast<std::size_t>(l.inputs[0]))}, l.name);
    const std::string result = model_.quantized() ? pair_behind(l.name, p.out) : l.name;
    write_without_oldest(model_, l, result, present);
    kept_.emplace_back(present, shape);
    return result;
  }

  /// The name under which others read the layer's output.
  std::string layer(const Layer& l, const Parameters& p) {
    if (l.kind == Kind::Append) return append(l, p);
    const bool last = &l == &calibrated_.network.layers.back();
    const std::string result = last && !model_.quantized() ? kOutput : l.name;
    if (l.relu) {
      operation(l, p, l.name + "_before_relu");
      model_.node("Relu", l.name + "_relu", {l.name + "_before_relu"}, result);
    } else {
      operation(l, p, result);
    }
    return model_.quantized() && !l.moves() ? pair_behind(l.name, p.out) : result;
  }

  const Calibrated& calibrated_;
  OnnxModel model_;
  std::vector<std::string> names_;                              ///< names by value
  std::vector<std::pair<std::string, OnnxModel::Shape>> kept_;  ///< outputs for the next step
};

}  // namespace

std::string write_onnx(const Calibrated& calibrated, Form form) { return Writer(calibrated, form).write(); }

}  // namespace vdla::zoo
