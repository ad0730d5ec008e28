// SPDX-License-Identifier: Apache-2.0
#include "tools/data/input_spec.h"

namespace vdla::tools {

bool InputSpec::of_steps() const {
  return type == runtime::DataType::Int8 || type == runtime::DataType::UInt8 ||
         (type == runtime::DataType::Int16 && has_scale);
}

InputSpec::Ends InputSpec::ends() const {
  if (type == runtime::DataType::UInt8) return {0, 255};
  if (type == runtime::DataType::Int16) return {INT16_MIN, INT16_MAX};
  return {};
}

bool InputSpec::of_reals() const {
  switch (type) {
    case runtime::DataType::Float16:
    case runtime::DataType::Float32:
    case runtime::DataType::Float64:
      return true;
    default:
      return of_steps();
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
  if (!of_steps() && !quantised_inside) return std::nullopt;
  const auto [low, high] = ends();
  return Range{scale * (low - zero), scale * (high - zero)};
}

bool holds_pixels(const InputSpec::Range& range) {
  return range.low <= kFar * 255 && range.high >= (1 - kFar) * 255;
}

}  // namespace vdla::tools
