// SPDX-License-Identifier: Apache-2.0
// Vector instructions of the host that the kernels use; chosen at run time.
#pragma once

#include <cstdint>
#include <vector>

namespace vdla::sim {

enum class Simd : std::uint8_t {
  Plain,  ///< whatever the compiler makes of scalar code
  Avx2,   ///< 256-bit multiply-add of 16-bit pairs
  Vnni,   ///< 512-bit dot products of bytes
};

/// Vector instructions of this host, Plain first, the best last.
std::vector<Simd> available_simd();
Simd best_simd();

}  // namespace vdla::sim
