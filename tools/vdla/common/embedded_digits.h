// SPDX-License-Identifier: Apache-2.0
// examples/digits/digits.onnx inside of the program.
#pragma once

#include <cstdint>
#include <span>

namespace vdla::tools {

extern const std::span<const std::uint8_t> kEmbeddedDigits;

}  // namespace vdla::tools
