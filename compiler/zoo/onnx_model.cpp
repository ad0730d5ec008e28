// SPDX-License-Identifier: Apache-2.0
#include "compiler/zoo/onnx_model.h"

namespace vdla::zoo {
namespace {

using onnx::TensorProto;

constexpr int kSetOfLayerNorm = 17;

void describe(onnx::ValueInfoProto& info, const std::string& name, const OnnxModel::Shape& shape,
              TensorProto::DataType element) {
  info.set_name(name);
  auto& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(element);
  for (std::int64_t extent : shape) type.mutable_shape()->add_dim()->set_dim_value(extent);
}

}  // namespace

OnnxModel::OnnxModel(const std::string& name, int operator_set, bool quantized) : quantized_(quantized) {
  model_.set_ir_version(operator_set < kSetOfLayerNorm ? 7 : 8);
  model_.set_producer_name("vdla zoo");
  model_.add_opset_import()->set_version(operator_set);
  graph().set_name(name);
}

void OnnxModel::input(const std::string& name, const Shape& shape, TensorProto::DataType type) {
  describe(*graph().add_input(), name, shape, type);
}

void OnnxModel::output(const std::string& name, const Shape& shape) {
  describe(*graph().add_output(), name, shape, TensorProto::FLOAT);
}

std::string OnnxModel::constant(const std::string& name, TensorProto::DataType type, const Shape& shape,
                                const void* elements, std::size_t bytes) {
  TensorProto& t = *graph().add_initializer();
  t.set_name(name);
  t.set_data_type(type);
  for (std::int64_t extent : shape) t.add_dims(extent);
  t.set_raw_data(elements, bytes);
  return name;
}

onnx::NodeProto& OnnxModel::node(const std::string& op, const std::string& name,
                                 const std::vector<std::string>& inputs, const std::string& output) {
  onnx::NodeProto& n = *graph().add_node();
  n.set_op_type(op);
  n.set_name(name);
  for (const std::string& input : inputs) n.add_input(input);
  n.add_output(output);
  return n;
}

std::string OnnxModel::made(const std::string& op, const std::vector<std::string>& inputs,
                            const std::string& name) {
  node(op, name, inputs, name);
  return name;
}

std::string OnnxModel::quantize_dequantize(const std::string& value, const Quantizer& q,
                                           const std::string& result) {
  const std::string scale = reals(value + "_scale", {}, {q.scale});
  const std::string zero = constant(value + "_zero_point", TensorProto::INT8, {},
                                    std::vector<std::int8_t>{static_cast<std::int8_t>(q.zero_point)});
  node("QuantizeLinear", value + "_quantize", {value, scale, zero}, value + "_quantized");
  node("DequantizeLinear", value + "_dequantize", {value + "_quantized", scale, zero}, result);
  return result;
}

void attribute(onnx::NodeProto& n, const std::string& name, std::int64_t value) {
  onnx::AttributeProto& a = *n.add_attribute();
  a.set_name(name);
  a.set_type(onnx::AttributeProto::INT);
  a.set_i(value);
}

void attribute(onnx::NodeProto& n, const std::string& name, float value) {
  onnx::AttributeProto& a = *n.add_attribute();
  a.set_name(name);
  a.set_type(onnx::AttributeProto::FLOAT);
  a.set_f(value);
}

void attribute(onnx::NodeProto& n, const std::string& name, const std::vector<std::int64_t>& values) {
  onnx::AttributeProto& a = *n.add_attribute();
  a.set_name(name);
  a.set_type(onnx::AttributeProto::INTS);
  for (std::int64_t v : values) a.add_ints(v);
}

}  // namespace vdla::zoo
