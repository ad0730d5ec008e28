// SPDX-License-Identifier: Apache-2.0
// Form of the tables of operators. Private to this folder.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "compiler/import/onnx_schema/schema_types.h"

namespace vdla::import::onnx_schema {

/// First sets of versions in ascending order; zeros fill the rest.
using Sets = std::array<std::uint8_t, 9>;

/// Versions of an operator in a row that agree in everything that this table tells; they differ in types, or
/// in what the operator computes.
struct Row {
  std::string_view op;
  Sets since;
  std::span<const Attribute> attributes;
  Counts inputs, outputs;
  bool removed = false;  ///< sets from here on do not have the operator
};

constexpr Row removed(std::string_view op, std::uint8_t since) { return {op, {since}, {}, 0, 0, true}; }

constexpr Attribute integer(std::string_view name) { return {name, AttributeType::Int}; }
constexpr Attribute integer(std::string_view name, std::int64_t otherwise) {
  return {name, AttributeType::Int, false, otherwise};
}
constexpr Attribute real(std::string_view name) { return {name, AttributeType::Float}; }
constexpr Attribute real(std::string_view name, float otherwise) {
  return {name, AttributeType::Float, false, otherwise};
}
constexpr Attribute text(std::string_view name) { return {name, AttributeType::String}; }
constexpr Attribute text(std::string_view name, std::string_view otherwise) {
  return {name, AttributeType::String, false, otherwise};
}
constexpr Attribute integers(std::string_view name) { return {name, AttributeType::Ints}; }
constexpr Attribute integers(std::string_view name, std::span<const std::int64_t> otherwise) {
  return {name, AttributeType::Ints, false, otherwise};
}
constexpr Attribute reals(std::string_view name) { return {name, AttributeType::Floats}; }
constexpr Attribute texts(std::string_view name) { return {name, AttributeType::Strings}; }
constexpr Attribute texts(std::string_view name, std::span<const std::string_view> otherwise) {
  return {name, AttributeType::Strings, false, otherwise};
}
constexpr Attribute tensor(std::string_view name) { return {name, AttributeType::Tensor}; }
constexpr Attribute sparse_tensor(std::string_view name) { return {name, AttributeType::SparseTensor}; }
constexpr Attribute graph(std::string_view name) { return {name, AttributeType::Graph}; }
constexpr Attribute type(std::string_view name) { return {name, AttributeType::TypeProto}; }
constexpr Attribute required(Attribute attribute) {
  attribute.required = true;
  return attribute;
}

// Lists of attributes that operators of several tables have.
inline constexpr std::span<const Attribute> kNone = {};
inline constexpr Attribute kAxis1[] = {integer("axis", 1)};
inline constexpr Attribute kLastAxis[] = {integer("axis", -1)};
inline constexpr Attribute kAxisKept[] = {integer("axis", 0), integer("keepdims", 1)};

/// Rows ascend by operator, those of one operator by set.
constexpr bool ascends(std::span<const Row> rows) {
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i].op < rows[i - 1].op ||
        (rows[i].op == rows[i - 1].op && rows[i].since[0] <= rows[i - 1].since[0]))
      return false;
  return true;
}

// The tables, each in a file of its name.
std::span<const Row> math_rows();
std::span<const Row> layer_rows();
std::span<const Row> tensor_rows();
/// Operators of sets 1 to 9 that were experiments.
std::span<const Row> experiment_rows();
/// Operators that ONNX Runtime's tools write in the domain ai.onnx, where ONNX does not have them.
std::span<const Row> runtime_rows();
/// Operators of the domain com.microsoft that this kit imports.
std::span<const Row> microsoft_rows();

}  // namespace vdla::import::onnx_schema
