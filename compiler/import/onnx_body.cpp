// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx_body.h"

namespace vdla::import {
namespace {

constexpr std::int64_t kOperatorSet = 17;  // set of the bodies' nodes

}  // namespace

Body::Body(const tensor::Node& node) {
  for (int i = 0; i < node.inputs(); ++i) function_.add_input(input(i));
  auto& set = *function_.add_opset_import();
  set.set_domain("");
  set.set_version(kOperatorSet);
}

std::string Body::input(int i) { return "#input" + std::to_string(i); }

std::string Body::add(const std::string& op, const std::vector<std::string>& inputs,
                      const std::vector<onnx::AttributeProto>& attributes) {
  onnx::NodeProto& node = *function_.add_node();
  node.set_op_type(op);
  for (const std::string& name : inputs) node.add_input(name);
  for (const onnx::AttributeProto& a : attributes) *node.add_attribute() = a;
  const std::string output = "#" + std::to_string(function_.node_size());
  node.add_output(output);
  return output;
}

std::string Body::constant(const onnx::TensorProto& tensor) {
  onnx::AttributeProto value;
  value.set_name("value");
  value.set_type(onnx::AttributeProto::TENSOR);
  *value.mutable_t() = tensor;
  return add("Constant", {}, {value});
}

std::string Body::number(double value) { return numbers({value}, {}); }

std::string Body::numbers(const std::vector<double>& values, const tensor::Shape& shape) {
  onnx::TensorProto t;
  t.set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : shape) t.add_dims(extent);
  for (const double value : values) t.add_float_data(static_cast<float>(value));
  return constant(t);
}

std::string Body::integers(const std::vector<std::int64_t>& values) {
  onnx::TensorProto t;
  t.set_data_type(onnx::TensorProto::INT64);
  t.add_dims(static_cast<std::int64_t>(values.size()));
  for (const std::int64_t value : values) t.add_int64_data(value);
  return constant(t);
}

std::string Body::bytes(const std::vector<double>& values, bool is_signed, const tensor::Shape& shape) {
  onnx::TensorProto t;
  t.set_data_type(is_signed ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8);
  for (const std::int64_t extent : shape) t.add_dims(extent);
  std::string& raw = *t.mutable_raw_data();
  for (const double value : values) raw.push_back(static_cast<char>(static_cast<std::int64_t>(value)));
  return constant(t);
}

onnx::FunctionProto Body::made(const std::string& output) {
  function_.add_output(output);
  return function_;
}

onnx::AttributeProto attribute(const std::string& name, std::int64_t value) {
  onnx::AttributeProto a;
  a.set_name(name);
  a.set_type(onnx::AttributeProto::INT);
  a.set_i(value);
  return a;
}

onnx::AttributeProto attribute(const std::string& name, const std::vector<std::int64_t>& values) {
  onnx::AttributeProto a;
  a.set_name(name);
  a.set_type(onnx::AttributeProto::INTS);
  for (const std::int64_t value : values) a.add_ints(value);
  return a;
}

}  // namespace vdla::import
