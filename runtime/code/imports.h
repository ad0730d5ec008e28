// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace vdla::runtime {

/// Address of a function of this name, if machine code of host kernels may call it: mathematics, memory, and
/// what processors lack. 0 for any other name: an object that wants it is refused.
std::uintptr_t address_of_import(std::string_view name);

}  // namespace vdla::runtime
