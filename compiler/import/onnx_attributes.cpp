// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx_attributes.h"

#include "support/error.h"

namespace vdla::import {

std::int64_t operator_set(const onnx::ModelProto& model, const std::string& where) {
  // The changes up to here are looked through: what they say is translated, or refused.
  constexpr std::int64_t kNewest = 22;
  std::int64_t version = 1;
  for (const auto& set : model.opset_import())
    if (set.domain().empty() || set.domain() == "ai.onnx") version = set.version();
  VDLA_CHECK_USER(version <= kNewest)
      << where << "is written in operator set " << version << ", needs at most " << kNewest
      << " (torch.onnx.export and onnx.version_converter take a version)";
  return version;
}

const onnx::AttributeProto* OnnxAttributes::find(const std::string& attribute) const {
  for (const onnx::AttributeProto& a : proto_.attribute())
    if (a.name() == attribute) return &a;
  return nullptr;
}

std::int64_t OnnxAttributes::integer(const std::string& attribute, std::int64_t otherwise) const {
  const auto* a = find(attribute);
  return a ? a->i() : otherwise;
}

double OnnxAttributes::real(const std::string& attribute, double otherwise) const {
  const auto* a = find(attribute);
  return a ? a->f() : otherwise;
}

std::string OnnxAttributes::text(const std::string& attribute, const std::string& otherwise) const {
  const auto* a = find(attribute);
  return a ? a->s() : otherwise;
}

std::vector<std::int64_t> OnnxAttributes::integers(const std::string& attribute,
                                                   std::vector<std::int64_t> otherwise) const {
  const auto* a = find(attribute);
  return a ? std::vector<std::int64_t>(a->ints().begin(), a->ints().end()) : otherwise;
}

}  // namespace vdla::import
