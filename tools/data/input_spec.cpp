// SPDX-License-Identifier: Apache-2.0
#include "tools/data/input_spec.h"

namespace vdla::tools {

bool InputSpec::of_reals() const {
  switch (type) {
    case runtime::DataType::Int8:
    case runtime::DataType::UInt8:
    case runtime::DataType::Float16:
    case runtime::DataType::Float32:
    case runtime::DataType::Float64:
      return true;
    default:
      return false;
  }
}

std::int64_t InputSpec::elements() const {
  std::int64_t n = 1;
  for (auto extent : shape) n *= extent;
  return n;
}

std::size_t InputSpec::bytes() const {
  return static_cast<std::size_t>(elements()) * runtime::bytes_of(type);
}

std::optional<InputSpec::Range> InputSpec::range() const {
  const bool of_steps = type == runtime::DataType::Int8 || type == runtime::DataType::UInt8;
  if (!of_steps && !quantised_inside) return std::nullopt;
  const double low = type == runtime::DataType::UInt8 ? 0 : -128;
  return Range{scale * (low - zero), scale * (low + 255 - zero)};
}

bool holds_pixels(const InputSpec::Range& range) {
  return range.low <= kFar * 255 && range.high >= (1 - kFar) * 255;
}

}  // namespace vdla::tools
