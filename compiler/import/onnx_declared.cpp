// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx_declared.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "compiler/import/import.h"
#include "compiler/import/tensor/narrow.h"
#include "compiler/import/tensor/node.h"
#include "support/error.h"

namespace vdla::import {

std::string to_string(const onnx::TensorShapeProto& shape) {
  std::vector<std::string> extents;
  for (const auto& d : shape.dim())
    extents.push_back(d.has_dim_value()       ? std::to_string(d.dim_value())
                      : d.dim_param().empty() ? "?"
                                              : d.dim_param());
  return fmt::format("{}", fmt::join(extents, "x"));
}

namespace {

/// Extents that are known only when the model runs are the declared ones, or less than the largest.
bool fits_when_run(const tensor::Value& value, const onnx::TensorShapeProto& declared) {
  const auto& dims = declared.dim();
  return dims.empty() || std::ranges::equal(value.shape, dims, [](std::int64_t largest, const auto& d) {
           return !d.has_dim_value() || d.dim_value() <= largest;
         });
}

bool fits(const tensor::Shape& shape, const onnx::TensorShapeProto& declared) {
  const auto& dims = declared.dim();
  if (dims.empty()) return true;  // some exporters write no extent for a shape that they do not know
  // A scalar and [1] are taken for one another: exporters (Deeploy's, say) declare [1] for a scalar, and one
  // element has no order that the difference could change.
  if (graph::element_count(shape) == 1 &&
      std::ranges::all_of(dims, [](const auto& d) { return d.dim_value() == 1; }))
    return true;
  return std::ranges::equal(shape, dims, [](std::int64_t made, const auto& d) {
    return !d.has_dim_value() || d.dim_value() < 0 || d.dim_value() == made;
  });
}

}  // namespace

void require_tensor(const onnx::ValueInfoProto& info, const std::string& where) {
  const auto& type = info.type();
  const char* kind = type.has_sequence_type() || type.has_map_type() ? "sequences"
                     : type.has_optional_type()                      ? "optional values"
                                                                     : nullptr;
  if (kind != nullptr)
    throw OutOfScope(where + "'" + info.name() + "' is no tensor, needs tensors as inputs and outputs", kind);
}

void require_declared(const tensor::Value& value, const onnx::ValueInfoProto& info,
                      const std::string& where) {
  if (!info.type().has_tensor_type()) return;
  const auto& declared = info.type().tensor_type();
  const std::string what = where + "'" + info.name() + "' is declared ";
  if (declared.elem_type() != 0) {
    tensor::Value like;
    const auto typed = tensor::typed_of(declared.elem_type(), where + "'" + info.name() + "' ");
    like.type = typed.type;
    like.narrow = typed.narrow;
    VDLA_CHECK_USER(like.type == value.type && like.narrow == value.narrow)
        << what << type_text(like) << ", its operator makes " << type_text(value);
  }
  VDLA_CHECK_USER(value.extents ? fits_when_run(value, declared.shape())
                                : fits(value.shape, declared.shape()))
      << what << to_string(declared.shape()) << ", its operator makes " << graph::to_string(value.shape);
}

}  // namespace vdla::import
