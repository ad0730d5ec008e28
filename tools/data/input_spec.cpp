// SPDX-License-Identifier: Apache-2.0
#include "tools/data/input_spec.h"

namespace vdla::tools {

std::int64_t InputSpec::elements() const {
  std::int64_t n = 1;
  for (auto extent : shape) n *= extent;
  return n;
}

std::size_t InputSpec::bytes() const {
  return static_cast<std::size_t>(elements()) * (type == InputType::Float32 ? 4 : 1);
}

std::optional<InputSpec::Range> InputSpec::range() const {
  if (type == InputType::Float32 && !quantised_inside) return std::nullopt;
  const double low = type == InputType::UInt8 ? 0 : -128;
  return Range{scale * (low - zero), scale * (low + 255 - zero)};
}

bool holds_pixels(const InputSpec::Range& range) {
  return range.low <= kFar * 255 && range.high >= (1 - kFar) * 255;
}

}  // namespace vdla::tools
