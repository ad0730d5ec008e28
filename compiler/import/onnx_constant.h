// SPDX-License-Identifier: Apache-2.0
// Constants of an ONNX model: initialisers and what folds to one.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/import/origins.h"

namespace vdla::import::onnx_model {

/// Elements as the file has them; with `quantization`, the value meant is scale * (element - zero point).
struct Constant {
  graph::Shape shape;
  int type = onnx::TensorProto::UNDEFINED;
  graph::Bytes raw;  ///< little-endian, row-major
  std::optional<graph::Quantization> quantization;
  Origins origins = {};  ///< tensors of the model that it is, or was computed from

  /// Elements as they stand, without the quantisation.
  std::vector<double> elements() const;
  /// Elements as real values: dequantised where there is a quantisation.
  std::vector<double> reals() const;
  /// Elements as integers (shapes, axes).
  std::vector<std::int64_t> integers() const;
};

/// Throws UserError naming `where` for types or sizes that cannot be.
Constant constant_of(const onnx::TensorProto& tensor, const std::string& where);

Constant make_constant(graph::Shape shape, int type, const std::vector<double>& elements);

/// int8 or uint8 (moved to int8, zero point included) of a quantised constant.
struct Int8Constant {
  std::vector<std::int8_t> values;
  graph::Quantization quantization;
  Origins origins = {};
};
Int8Constant as_int8(const Constant& constant, const std::string& where);

/// Rounds real values to a quantisation of element type `type` (QuantizeLinear on a constant).
Constant quantize_constant(const Constant& constant, graph::Quantization quantization, int type);

/// Output dimension i is input dimension perm[i].
template <class T>
std::vector<T> permute(const std::vector<T>& values, const graph::Shape& shape,
                       const std::vector<int>& perm) {
  std::vector<std::int64_t> stride(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) stride[d - 1] = stride[d] * shape[d];
  if (perm.empty()) return values;
  const auto inner = static_cast<std::size_t>(perm.back());
  const std::int64_t count = shape[inner], step = stride[inner];
  std::vector<T> result(values.size());
  graph::Shape index(perm.size() - 1, 0);
  for (auto to = result.begin(); to != result.end();) {
    std::int64_t source = 0;
    for (std::size_t d = 0; d < index.size(); ++d)
      source += index[d] * stride[static_cast<std::size_t>(perm[d])];
    for (std::int64_t i = 0; i < count; ++i) *to++ = values[static_cast<std::size_t>(source + i * step)];
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < shape[static_cast<std::size_t>(perm[d])]) break;
      index[d] = 0;
    }
  }
  return result;
}

}  // namespace vdla::import::onnx_model
