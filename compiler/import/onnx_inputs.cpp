// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "compiler/graph/shape.h"
#include "compiler/import/integer/ports.h"
#include "compiler/import/onnx_declared.h"
#include "compiler/import/tensor/node.h"
#include "support/error.h"

namespace vdla::import {
namespace {

using tensor::DataType;
using tensor::Shape;
using tensor::Value;

/// Declared extents, 1 for a free one.
struct Extents {
  Shape shape;
  bool open = false;  ///< one is free
};

Extents extents_of(const onnx::TypeProto::Tensor& type, const std::string& what, bool any_may_be_free) {
  VDLA_CHECK_USER(type.has_shape()) << what << "has no shape, needs one: give it (vdla compile --shape)";
  Extents result;
  for (const auto& dimension : type.shape().dim()) {
    const bool fixed = dimension.has_dim_value() && dimension.dim_value() >= 0;
    VDLA_CHECK_USER(fixed || dimension.dim_value() >= -1)  // some write -1 for an extent that is free
        << what << "has extent " << dimension.dim_value() << " in dimension " << result.shape.size()
        << " (corrupt)";
    VDLA_CHECK_USER(fixed || result.shape.empty() || any_may_be_free)
        << what << "has no fixed extent in dimension " << result.shape.size()
        << ", needs one (only the batch may be free): give the input's shape (vdla compile --shape)";
    result.open = result.open || !fixed;
    result.shape.push_back(fixed ? dimension.dim_value() : 1);
  }
  return result;
}

/// Extents that the caller gives for an input; those that the model fixes are the model's.
Extents given_extents(const onnx::TypeProto::Tensor& type, const std::string& what, const Shape& given) {
  const auto& declared = type.shape().dim();
  bool fits = !type.has_shape() || static_cast<std::size_t>(declared.size()) == given.size();
  for (int d = 0; fits && type.has_shape() && d < declared.size(); ++d) {
    const bool fixed = declared[d].has_dim_value() && declared[d].dim_value() >= 0;
    fits = !fixed || declared[d].dim_value() == given[static_cast<std::size_t>(d)];
  }
  VDLA_CHECK_USER(fits) << what << "is declared " << to_string(type.shape()) << ", and given the shape "
                        << graph::to_string(given) << "; needs equal extents where the model fixes them";
  return {given, false};
}

/// The constant that the caller gives for an input, in the type and shape that the model declares.
Value constant_like(const Array& bound, DataType type, const std::string& what, const Extents& declared) {
  Value given{bound.type, bound.shape, bound.data};
  VDLA_CHECK_USER(declared.open || given.count() == graph::element_count(declared.shape))
      << what << "is bound to " << given.count() << " elements, needs " << graph::to_string(declared.shape);
  if (!declared.open) given.shape = declared.shape;
  if (given.type == type) return given;
  const auto is_real = [](DataType t) { return expr::is_float(graph::dtype_of(t)); };
  if (!is_real(given.type)) return tensor::make_constant(type, given.shape, tensor::integers_of(given));
  const std::vector<double> reals = tensor::reals_of(given);
  for (double v : reals)
    VDLA_CHECK_USER(is_real(type) || v == std::floor(v))
        << what << "is bound to " << v << ", needs " << name_of(type);
  return tensor::make_constant(type, given.shape, reals);
}

}  // namespace

ModelInputs::ModelInputs(tensor::Network& network, const onnx::GraphProto& graph,
                         const ImportOptions& options, std::string where)
    : network_(network),
      options_(options),
      where_(std::move(where)),
      quantised_(integer::inputs_for_one_border(graph)) {}

Value ModelInputs::read(const onnx::ValueInfoProto& info) {
  Value value = read_stored(info);
  value.narrow = tensor::typed_of(info.type().tensor_type().elem_type(), where_).narrow;
  return value;
}

Value ModelInputs::read_stored(const onnx::ValueInfoProto& info) {
  const std::string what = where_ + "input '" + info.name() + "' ";
  names_.push_back(info.name());
  require_tensor(info, where_);
  const auto [type, narrow] = tensor::typed_of(info.type().tensor_type().elem_type(), what);
  const auto bound = options_.bound.find(info.name());
  const bool is_bound = bound != options_.bound.end();
  const auto given = options_.shapes.find(info.name());
  VDLA_CHECK_USER(!is_bound || given == options_.shapes.end())
      << what << "is bound to a constant and given a shape; leave one of them out";
  const Extents declared = given == options_.shapes.end()
                               ? extents_of(info.type().tensor_type(), what, is_bound)
                               : given_extents(info.type().tensor_type(), what, given->second);
  if (is_bound) return constant_like(bound->second, type, what, declared);
  const Shape& shape = declared.shape;
  // A tensor of no element is known.
  if (graph::checked_count(shape, what) == 0) return tensor::make_constant(type, shape, tensor::Integers{});
  graph::require_extents(shape, what);
  if (narrow == tensor::Narrow::None && quantised_.contains(info.name()))
    return integer::unread_input(network_, info.name(), type, shape);
  return network_.input(info.name(), type, shape);
}

void ModelInputs::require_bound() const {
  for (const auto& [name, value] : options_.bound)
    VDLA_CHECK_USER(std::ranges::count(names_, name) > 0)
        << where_ << "has no input '" << name
        << "' that could be bound, its inputs are: " << fmt::format("{}", fmt::join(names_, ", "));
  for (const auto& [name, shape] : options_.shapes)
    VDLA_CHECK_USER(std::ranges::count(names_, name) > 0)
        << where_ << "has no input '" << name
        << "' that could have a shape, its inputs are: " << fmt::format("{}", fmt::join(names_, ", "));
}

void ModelInputs::sort(graph::Graph& graph) const {
  std::unordered_map<std::string_view, std::size_t> places;
  for (const std::string& name : names_) places.emplace(name, places.size());
  std::ranges::stable_sort(graph.inputs, {},
                           [&](const graph::Port& p) { return places.at(graph.tensor(p.tensor).name); });
}

}  // namespace vdla::import
