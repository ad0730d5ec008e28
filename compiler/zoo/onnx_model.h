// SPDX-License-Identifier: Apache-2.0
// An ONNX model that is being written: nodes, constants, pairs of QuantizeLinear and DequantizeLinear.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/zoo/calibrate.h"

namespace vdla::zoo {

void attribute(onnx::NodeProto& n, const std::string& name, std::int64_t value);
void attribute(onnx::NodeProto& n, const std::string& name, float value);
void attribute(onnx::NodeProto& n, const std::string& name, const std::vector<std::int64_t>& values);

class OnnxModel {
 public:
  using Shape = std::vector<std::int64_t>;

  /// An empty model. `quantized`: of int8 values between pairs.
  OnnxModel(const std::string& name, int operator_set, bool quantized);

  bool quantized() const { return quantized_; }
  void input(const std::string& name, const Shape& shape, onnx::TensorProto::DataType type);
  void output(const std::string& name, const Shape& shape);

  template <class T>
  std::string constant(const std::string& name, onnx::TensorProto::DataType type, const Shape& shape,
                       const std::vector<T>& values) {
    return constant(name, type, shape, values.data(), values.size() * sizeof(T));
  }
  std::string reals(const std::string& name, const Shape& shape, const std::vector<float>& values) {
    return constant(name, onnx::TensorProto::FLOAT, shape, values);
  }
  std::string integers(const std::string& name, const Shape& shape, const std::vector<std::int64_t>& values) {
    return constant(name, onnx::TensorProto::INT64, shape, values);
  }

  onnx::NodeProto& node(const std::string& op, const std::string& name,
                        const std::vector<std::string>& inputs, const std::string& output);
  /// A node whose output has its name.
  std::string made(const std::string& op, const std::vector<std::string>& inputs, const std::string& name);

  /// The pair behind a float value, whose result gets this name.
  std::string quantize_dequantize(const std::string& value, const Quantizer& q, const std::string& result);

  /// A constant behind a DequantizeLinear with a scale for each index of the dimension `axis`.
  template <class T>
  std::string dequantized(const std::string& name, onnx::TensorProto::DataType type, const Shape& shape,
                          const std::vector<T>& values, const std::vector<float>& scales, std::int64_t axis) {
    const auto channels = static_cast<std::int64_t>(scales.size());
    const std::string elements = constant(name + "_quantized", type, shape, values);
    const std::string scale = reals(name + "_scale", {channels}, scales);
    const std::string zero =
        constant(name + "_zero_point", type, {channels}, std::vector<T>(scales.size(), 0));
    attribute(node("DequantizeLinear", name + "_dequantize", {elements, scale, zero}, name), "axis", axis);
    return name;
  }

  std::string bytes() const { return model_.SerializeAsString(); }

 private:
  onnx::GraphProto& graph() { return *model_.mutable_graph(); }
  std::string constant(const std::string& name, onnx::TensorProto::DataType type, const Shape& shape,
                       const void* elements, std::size_t bytes);

  bool quantized_;
  onnx::ModelProto model_;
};

}  // namespace vdla::zoo
