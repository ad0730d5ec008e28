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
#define VDLA_CASE(name, text, bytes) \
  case DataType::name:               \
    return text;
    VDLA_GRAPH_DATA_TYPES(VDLA_CASE)
#undef VDLA_CASE
  }
  VDLA_CHECK(false) << "data type " << static_cast<int>(type);
  return {};
}

std::size_t bytes_of(DataType type) {
  switch (type) {
#define VDLA_CASE(name, text, bytes) \
  case DataType::name:               \
    return bytes;
    VDLA_GRAPH_DATA_TYPES(VDLA_CASE)
#undef VDLA_CASE
  }
  VDLA_CHECK(false) << "data type " << static_cast<int>(type);
  return 0;
}

std::int64_t element_count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::string to_string(const Shape& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

}  // namespace vdla::graph
