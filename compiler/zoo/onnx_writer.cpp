// SPDX-License-Identifier: Apache-2.0
// Names: layer "x" writes "x"; in QDQ form "x_quantized" and "x_dequantized" follow it.
#include "compiler/zoo/onnx_writer.h"

#include <onnx/onnx_pb.h>

#include <cstring>

namespace vdla::zoo {
namespace {

using onnx::TensorProto;

const char* const kInput = "input";
const char* const kOutput = "output";

class Writer {
 public:
  Writer(const Calibrated& calibrated, Form form) : calibrated_(calibrated), form_(form) {
    model_.set_ir_version(7);
    model_.set_producer_name("vdla zoo");
    model_.add_opset_import()->set_version(13);
    graph().set_name(calibrated.network.name);
  }

  std::string write() {
    const Network& network = calibrated_.network;
    const Image& in = network.input;
    value_info(*graph().add_input(), kInput, {1, in.c, in.h, in.w});
    names_.push_back(quantized() ? quantize_dequantize(kInput, calibrated_.input) : kInput);
    for (std::size_t i = 0; i < network.layers.size(); ++i)
      names_.push_back(layer(network.layers[i], calibrated_.layers[i]));
    value_info(*graph().add_output(), kOutput, {1, network.layers.back().out.c});
    return model_.SerializeAsString();
  }

 private:
  onnx::GraphProto& graph() { return *model_.mutable_graph(); }
  bool quantized() const { return form_ == Form::Qdq; }

  static void value_info(onnx::ValueInfoProto& info, const std::string& name,
                         const std::vector<std::int64_t>& shape) {
    info.set_name(name);
    auto& type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(TensorProto::FLOAT);
    for (std::int64_t extent : shape) type.mutable_shape()->add_dim()->set_dim_value(extent);
  }

  template <class T>
  std::string constant(const std::string& name, TensorProto::DataType type,
                       const std::vector<std::int64_t>& shape, const std::vector<T>& values) {
    TensorProto& t = *graph().add_initializer();
    t.set_name(name);
    t.set_data_type(type);
    for (std::int64_t extent : shape) t.add_dims(extent);
    t.set_raw_data(values.data(), values.size() * sizeof(T));
    return name;
  }

  onnx::NodeProto& node(const std::string& op, const std::string& name,
                        const std::vector<std::string>& inputs, const std::string& output) {
    onnx::NodeProto& n = *graph().add_node();
    n.set_op_type(op);
    n.set_name(name);
    for (const std::string& input : inputs) n.add_input(input);
    n.add_output(output);
    return n;
  }

  static void attribute(onnx::NodeProto& n, const std::string& name, std::int64_t value) {
    onnx::AttributeProto& a = *n.add_attribute();
    a.set_name(name);
    a.set_type(onnx::AttributeProto::INT);
    a.set_i(value);
  }
  static void attribute(onnx::NodeProto& n, const std::string& name,
                        const std::vector<std::int64_t>& values) {
    onnx::AttributeProto& a = *n.add_attribute();
    a.set_name(name);
    a.set_type(onnx::AttributeProto::INTS);
    for (std::int64_t v : values) a.add_ints(v);
  }

  /// The pair behind a float value; the name of what comes out.
  std::string quantize_dequantize(const std::string& value, const Quantizer& q) {
    const std::string scale = constant(value + "_scale", TensorProto::FLOAT, {}, std::vector<float>{q.scale});
    const std::string zero = constant(value + "_zero_point", TensorProto::INT8, {},
                                      std::vector<std::int8_t>{static_cast<std::int8_t>(q.zero_point)});
    const bool last = value == calibrated_.network.layers.back().name;
    const std::string result = last ? kOutput : value + "_dequantized";
    node("QuantizeLinear", value + "_quantize", {value, scale, zero}, value + "_quantized");
    node("DequantizeLinear", value + "_dequantize", {value + "_quantized", scale, zero}, result);
    return result;
  }

  /// A constant behind a DequantizeLinear per output channel.
  template <class T>
  std::string dequantized(const std::string& name, TensorProto::DataType type,
                          const std::vector<std::int64_t>& shape, const std::vector<T>& values,
                          const std::vector<float>& scales) {
    const auto channels = static_cast<std::int64_t>(scales.size());
    constant(name + "_quantized", type, shape, values);
    constant(name + "_scale", TensorProto::FLOAT, {channels}, scales);
    constant(name + "_zero_point", type, {channels}, std::vector<T>(scales.size(), 0));
    auto& n = node("DequantizeLinear", name + "_dequantize",
                   {name + "_quantized", name + "_scale", name + "_zero_point"}, name);
    attribute(n, "axis", 0);
    return name;
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
    if (quantized())
      return {
          dequantized(weights, TensorProto::INT8, shape, channels_first(p.int_weights, l), p.weight_scales),
          dequantized(bias, TensorProto::INT32, {l.out.c}, p.int_bias, p.bias_scales)};
    return {constant(weights, TensorProto::FLOAT, shape, channels_first(p.weights, l)),
            constant(bias, TensorProto::FLOAT, {l.out.c}, p.bias)};
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
    if (l.has_weights())
      for (std::string& name : parameters(l, p)) inputs.push_back(std::move(name));
    switch (l.kind) {
      case Kind::Conv:
      case Kind::Depthwise: {
        onnx::NodeProto& n = node("Conv", l.name, inputs, output);
        windows(n, l);
        if (l.kind == Kind::Depthwise) attribute(n, "group", l.in.c);
        return;
      }
      case Kind::MaxPool:
        return windows(node("MaxPool", l.name, inputs, output), l);
      case Kind::Add:
        node("Add", l.name, inputs, output);
        return;
      case Kind::GlobalAveragePool:
        node("GlobalAveragePool", l.name, inputs, output);
        return;
      case Kind::Dense:
        node("Flatten", l.name + "_flatten", {inputs[0]}, l.name + "_flat");
        inputs[0] = l.name + "_flat";
        attribute(node("Gemm", l.name, inputs, output), "transB", 1);
        return;
    }
  }

  /// The name under which others read the layer's output.
  std::string layer(const Layer& l, const Parameters& p) {
    const bool last = &l == &calibrated_.network.layers.back();
    const std::string result = last && !quantized() ? kOutput : l.name;
    if (l.relu) {
      operation(l, p, l.name + "_before_relu");
      node("Relu", l.name + "_relu", {l.name + "_before_relu"}, result);
    } else {
      operation(l, p, result);
    }
    return quantized() ? quantize_dequantize(l.name, p.out) : result;
  }

  const Calibrated& calibrated_;
  Form form_;
  onnx::ModelProto model_;
  std::vector<std::string> names_;  ///< names by value
};

}  // namespace

std::string write_onnx(const Calibrated& calibrated, Form form) { return Writer(calibrated, form).write(); }

}  // namespace vdla::zoo
