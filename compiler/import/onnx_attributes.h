// SPDX-License-Identifier: Apache-2.0
// Attributes and optional inputs of one ONNX node, the same for quantised and float networks.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <vector>

namespace vdla::import {

/// The model's version of ONNX's operators. Versions that may say something new are a UserError that begins
/// with `where`.
std::int64_t operator_set(const onnx::ModelProto& model, const std::string& where);

class OnnxAttributes {
 public:
  explicit OnnxAttributes(const onnx::NodeProto& proto) : proto_(proto) {}

  const onnx::NodeProto& proto() const { return proto_; }
  bool has(int i) const { return i < proto_.input_size() && !proto_.input(i).empty(); }

  /// Null: the node does not have it. The others give `otherwise` then.
  const onnx::AttributeProto* find(const std::string& attribute) const;
  std::int64_t integer(const std::string& attribute, std::int64_t otherwise) const;
  double real(const std::string& attribute, double otherwise) const;
  std::string text(const std::string& attribute, const std::string& otherwise) const;
  std::vector<std::int64_t> integers(const std::string& attribute, std::vector<std::int64_t> otherwise) const;

 private:
  const onnx::NodeProto& proto_;
};

}  // namespace vdla::import
