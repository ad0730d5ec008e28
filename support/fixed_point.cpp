// SPDX-License-Identifier: Apache-2.0
#include "support/fixed_point.h"

#include <bit>
#include <cmath>

#include "support/error.h"

namespace vdla {

QuantizedMultiplier quantize_multiplier(double value) {
  VDLA_CHECK_USER(std::isfinite(value) && value >= 0.0)
      << "a quantized multiplier is made from " << value << ", needs a finite number that is not negative";
  if (value == 0.0) return {};
  int shift = 0;
  const double fraction = std::frexp(value, &shift);
  auto fixed = static_cast<std::int64_t>(std::round(fraction * static_cast<double>(std::int64_t{1} << 31)));
  if (fixed == (std::int64_t{1} << 31)) {
    fixed /= 2;
    ++shift;
  }
  if (shift < -31) return {};
  if (shift > 30) return {INT32_MAX, 30};
  return {static_cast<std::int32_t>(fixed), shift};
}

Reciprocal reciprocal_of(std::uint32_t divisor) {
  VDLA_CHECK_USER(divisor >= 1 && divisor <= 131071)
      << "division by " << divisor << " has no reciprocal on the device, needs 1 to 131071";
  // ceil(2^shift / divisor) < 2^32 with the largest shift; a power of two is exact with any.
  const unsigned log2 = static_cast<unsigned>(std::bit_width(divisor)) - 1;
  const unsigned shift = 31 + log2;
  const std::uint64_t multiplier = ((std::uint64_t{1} << shift) + divisor - 1) / divisor;
  return {static_cast<std::uint32_t>(multiplier), divisor / 2, shift};
}

}  // namespace vdla
