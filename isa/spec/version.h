// SPDX-License-Identifier: Apache-2.0
// The version of the instruction set; raised with every change of layout, meaning or register map.
#pragma once

#include <cstdint>

namespace vdla::isa {

inline constexpr std::uint32_t kIsaVersion = 3;

}  // namespace vdla::isa
