// SPDX-License-Identifier: Apache-2.0
// Forms in which a network of the zoo is written.
#pragma once

#include <cstdint>

namespace vdla::zoo {

enum class Form : std::uint8_t {
  Qdq,    ///< int8 between QuantizeLinear and DequantizeLinear: weights and int32 bias per channel
  Float,  ///< float32
};

}  // namespace vdla::zoo
