// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx_attributes.h"

#include "support/error.h"

namespace vdla::import {

std::int64_t operator_set(const onnx::ModelProto& model, const std::string& where) {
  std::optional<std::int64_t> version;
  for (const auto& set : model.opset_import()) {
    if (!set.domain().empty() && set.domain() != "ai.onnx") continue;
    VDLA_CHECK_USER(!version || *version == set.version())
        << where << "is written in operator sets " << *version << " and " << set.version() << ", needs one";
    version = set.version();
  }
  const std::int64_t stated = version.value_or(1);
  VDLA_CHECK_USER(stated >= 1 && stated <= onnx_schema::kNewestOperatorSet)
      << where << "is written in operator set " << stated << ", needs one from 1 to "
      << onnx_schema::kNewestOperatorSet << " (torch.onnx.export and onnx.version_converter take a version)";
  return stated;
}

const onnx::AttributeProto* OnnxAttributes::find(const std::string& attribute) const {
  for (const onnx::AttributeProto& a : proto_.attribute())
    if (a.name() == attribute) return &a;
  return nullptr;
}

template <class T>
std::optional<T> OnnxAttributes::by_default(const std::string& name) const {
  const auto* known = version_ ? onnx_schema::attribute(*version_, name) : nullptr;
  const T* value = known ? std::get_if<T>(&known->otherwise) : nullptr;
  return value ? std::optional<T>(*value) : std::nullopt;
}

template <class T>
T OnnxAttributes::stated(const std::string& attribute, std::optional<T> standard) const {
  VDLA_CHECK(standard.has_value()) << proto_.op_type() << " has no default of '" << attribute << "'";
  return *standard;
}

std::int64_t OnnxAttributes::integer(const std::string& attribute,
                                     std::optional<std::int64_t> otherwise) const {
  if (const auto* a = find(attribute)) return a->i();
  const auto standard = by_default<std::int64_t>(attribute);
  return stated(attribute, standard ? standard : otherwise);
}

double OnnxAttributes::real(const std::string& attribute, std::optional<double> otherwise) const {
  if (const auto* a = find(attribute)) return a->f();
  const auto standard = by_default<float>(attribute);
  return stated(attribute, standard ? std::optional<double>(*standard) : otherwise);
}

std::string OnnxAttributes::text(const std::string& attribute,
                                 const std::optional<std::string>& otherwise) const {
  if (const auto* a = find(attribute)) return a->s();
  const auto standard = by_default<std::string_view>(attribute);
  return stated(attribute, standard ? std::optional<std::string>(*standard) : otherwise);
}

std::vector<std::int64_t> OnnxAttributes::integers(const std::string& attribute,
                                                   std::vector<std::int64_t> otherwise) const {
  if (const auto* a = find(attribute)) return {a->ints().begin(), a->ints().end()};
  const auto standard = by_default<std::span<const std::int64_t>>(attribute);
  return standard ? std::vector<std::int64_t>(standard->begin(), standard->end()) : otherwise;
}

}  // namespace vdla::import
