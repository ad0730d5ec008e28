// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <numeric>

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
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::string to_string(const Shape& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

}  // namespace vdla::graph
