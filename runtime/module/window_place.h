// SPDX-License-Identifier: Apache-2.0
// Places that the memory of a window may have.
#pragma once

#include <cstdint>

namespace vdla::runtime {

/// Blocks of DMA memory begin at multiples of it, so that the alignment of a run does not depend on what else
/// is allocated.
inline constexpr std::uint64_t kDmaAlignment = 4096;

struct WindowPlace {
  std::uint64_t alignment = kDmaAlignment;  ///< its base is a multiple of it; a power of two
  unsigned address_bits = 64;               ///< all its bytes lie below 2^address_bits
  bool operator==(const WindowPlace&) const = default;
};

/// The largest alignment that a module may ask for.
inline constexpr std::uint64_t kMostWindowAlignment = 1 << 30;

/// Whether bytes from `base` on lie where the window may.
constexpr bool holds(const WindowPlace& place, std::uint64_t base, std::uint64_t bytes) {
  const std::uint64_t last = bytes == 0 ? base : base + (bytes - 1);
  return base % place.alignment == 0 && last >= base &&
         (place.address_bits >= 64 || last >> place.address_bits == 0);
}

}  // namespace vdla::runtime
