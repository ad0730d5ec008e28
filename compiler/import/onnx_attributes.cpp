// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx_attributes.h"

namespace vdla::import {

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
