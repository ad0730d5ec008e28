// SPDX-License-Identifier: Apache-2.0
// Element types of constants as C++ types. Private to this folder.
#pragma once

#include <cstdint>

#include "compiler/graph/types.h"

namespace vdla::graph {

/// Elements of a network that "splat" fills: a few characters are that many.
inline constexpr std::int64_t kMostSplat = std::int64_t{1} << 26;

/// Calls f(T()) with the C++ type of an element, and returns true; false where there is none (16-bit floats).
template <class F>
bool with_element(DataType type, const F& f) {
  switch (type) {
    case DataType::Int8:
      return f(std::int8_t()), true;
    case DataType::UInt8:
    case DataType::Bool:
      return f(std::uint8_t()), true;
    case DataType::Int16:
      return f(std::int16_t()), true;
    case DataType::UInt16:
      return f(std::uint16_t()), true;
    case DataType::Int32:
      return f(std::int32_t()), true;
    case DataType::UInt32:
      return f(std::uint32_t()), true;
    case DataType::Int64:
      return f(std::int64_t()), true;
    case DataType::UInt64:
      return f(std::uint64_t()), true;
    case DataType::Float32:
      return f(float()), true;
    case DataType::Float64:
      return f(double()), true;
    case DataType::Float16:
    case DataType::BFloat16:
      return false;
  }
  return false;
}

}  // namespace vdla::graph
