// SPDX-License-Identifier: Apache-2.0
// Element types, shapes, quantisation parameters and constant data of graph tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/expr/dtype.h"

namespace vdla::graph {

// name, text, type of expressions
#define VDLA_GRAPH_DATA_TYPES(X) \
  X(Int8, "int8", I8)            \
  X(UInt8, "uint8", U8)          \
  X(Int32, "int32", I32)         \
  X(Float32, "float32", F32)     \
  X(Bool, "bool", Bool)          \
  X(Int16, "int16", I16)         \
  X(UInt16, "uint16", U16)       \
  X(UInt32, "uint32", U32)       \
  X(Int64, "int64", I64)         \
  X(UInt64, "uint64", U64)       \
  X(Float64, "float64", F64)     \
  X(Float16, "float16", F16)     \
  X(BFloat16, "bfloat16", BF16)

enum class DataType : std::uint8_t {
#define VDLA_ENUM(name, text, dtype) name,
  VDLA_GRAPH_DATA_TYPES(VDLA_ENUM)
#undef VDLA_ENUM
};

std::string_view name_of(DataType type);
std::size_t bytes_of(DataType type);
expr::DType dtype_of(DataType type);
DataType data_type_of(expr::DType type);

using Shape = std::vector<std::int64_t>;

/// Number of elements; 1 for a scalar (rank 0).
std::int64_t element_count(const Shape& shape);

/// "1x32x32x3", or "scalar".
std::string to_string(const Shape& shape);

/// real = scale * (q - zero_point). One entry for the whole tensor, or one for each index of dimension
/// `axis`.
struct Quantization {
  std::vector<double> scale;
  std::vector<std::int32_t> zero_point;
  int axis = -1;

  bool empty() const { return scale.empty(); }
  bool per_channel() const { return scale.size() > 1; }
  bool operator==(const Quantization&) const = default;
};

/// Raw little-endian elements in row-major order, shared and never changed.
using Bytes = std::vector<std::byte>;
using SharedBytes = std::shared_ptr<const Bytes>;

}  // namespace vdla::graph
