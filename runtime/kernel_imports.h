// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace vdla::runtime {

/// Whether machine code of host kernels may call a function of this name: mathematics, memory, and what
/// processors lack. An object that wants any other is refused.
bool is_kernel_import(std::string_view name);

}  // namespace vdla::runtime
