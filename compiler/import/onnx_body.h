// SPDX-License-Identifier: Apache-2.0
// The body of a function that defines an operator, node by node.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <utility>
#include <vector>

#include "compiler/import/tensor/node.h"

namespace vdla::import {

class Body {
 public:
  /// Has the inputs of the node.
  explicit Body(const tensor::Node& node);

  static std::string input(int i);
  /// Adds a node with one output, and returns the name of that.
  std::string add(const std::string& op, const std::vector<std::string>& inputs,
                  const std::vector<onnx::AttributeProto>& attributes = {});
  std::string constant(const onnx::TensorProto& tensor);
  /// A float32 scalar.
  std::string number(double value);
  /// Float32 elements of a shape.
  std::string numbers(const std::vector<double>& values, const tensor::Shape& shape);
  std::string integers(const std::vector<std::int64_t>& values);
  /// Integers of 8 bits, int8 or uint8.
  std::string bytes(const std::vector<double>& values, bool is_signed, const tensor::Shape& shape);

  onnx::FunctionProto made(const std::string& output);

 private:
  onnx::FunctionProto function_;
};

onnx::AttributeProto attribute(const std::string& name, std::int64_t value);
onnx::AttributeProto attribute(const std::string& name, const std::vector<std::int64_t>& values);

}  // namespace vdla::import
