// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/error.h"

namespace vdla::graph {

std::string_view name_of(DataType type) {
  switch (type) {
#define VDLA_CASE(name, text, dtype) \
  case DataType::name:               \
    return text;
    VDLA_GRAPH_DATA_TYPES(VDLA_CASE)
#undef VDLA_CASE
  }
  VDLA_CHECK(false) << "data type " << static_cast<int>(type);
  return {};
}

std::size_t bytes_of(DataType type) { return static_cast<std::size_t>(expr::bytes(dtype_of(type))); }

expr::DType dtype_of(DataType type) {
  switch (type) {
#define VDLA_CASE(name, text, dtype) \
  case DataType::name:               \
    return expr::DType::dtype;
    VDLA_GRAPH_DATA_TYPES(VDLA_CASE)
#undef VDLA_CASE
  }
  VDLA_CHECK(false) << "data type " << static_cast<int>(type);
  return expr::DType::I8;
}

DataType data_type_of(expr::DType type) {
  switch (type) {
#define VDLA_CASE(name, text, dtype) \
  case expr::DType::dtype:           \
    return DataType::name;
    VDLA_GRAPH_DATA_TYPES(VDLA_CASE)
#undef VDLA_CASE
  }
  VDLA_CHECK(false) << "type " << static_cast<int>(type);
  return DataType::Int8;
}

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape)
    VDLA_CHECK_USER(!__builtin_mul_overflow(count, extent, &count))
        << "a tensor of shape " << to_string(shape)
        << " has more elements than 64 bits count, needs fewer than 2^63";
  return count;
}

std::string to_string(const Shape& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

}  // namespace vdla::graph
