// SPDX-License-Identifier: Apache-2.0
// Attributes and optional inputs of one ONNX node, the same for quantised and float networks.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/import/onnx_schema/schema.h"

namespace vdla::import {

/// The model's version of ONNX's operators. Versions that may say something new are a UserError that begins
/// with `where`.
std::int64_t operator_set(const onnx::ModelProto& model, const std::string& where);

class OnnxAttributes {
 public:
  /// A node of operator set `opset`, whose defaults hold.
  OnnxAttributes(const onnx::NodeProto& proto, std::int64_t opset) : proto_(proto) {
    if (const auto domain = onnx_schema::domain_of(proto))
      version_ = onnx_schema::find(proto.op_type(), opset, *domain);
  }

  const onnx::NodeProto& proto() const { return proto_; }
  bool has(int i) const { return i < proto_.input_size() && !proto_.input(i).empty(); }

  /// Null: the node does not have it. The others then give the default of the operator's version, or
  /// `otherwise` where the version has none. An attribute that is required, or has a default in each version,
  /// needs no `otherwise`.
  const onnx::AttributeProto* find(const std::string& attribute) const;
  std::int64_t integer(const std::string& attribute, std::optional<std::int64_t> otherwise = {}) const;
  double real(const std::string& attribute, std::optional<double> otherwise = {}) const;
  std::string text(const std::string& attribute, const std::optional<std::string>& otherwise = {}) const;
  std::vector<std::int64_t> integers(const std::string& attribute, std::vector<std::int64_t> otherwise) const;

 private:
  template <class T>
  std::optional<T> by_default(const std::string& attribute) const;
  /// The default, which must be there.
  template <class T>
  T stated(const std::string& attribute, std::optional<T> standard) const;

  const onnx::NodeProto& proto_;
  std::optional<onnx_schema::Version> version_;
};

}  // namespace vdla::import
