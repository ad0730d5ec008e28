// SPDX-License-Identifier: Apache-2.0
// Folder of the kit: the one around bin, lib/vdla and share/vdla.
#pragma once

#include <filesystem>

namespace vdla::kit {

/// For programs of the kit itself the folder around their own (bin/vdla is in it), so that the kit can be
/// moved. For programs of users the folder in which CMake found the package, which defines this function in a
/// library of its own (cmake/vdla-config.cmake.in); a program that is linked without CMake defines it.
std::filesystem::path prefix();

}  // namespace vdla::kit
