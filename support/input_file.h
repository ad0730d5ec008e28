// SPDX-License-Identifier: Apache-2.0
// Whole files read into memory, by the one function that knows folders, devices without an end and files that
// are larger than memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace vdla {

/// Most bytes that are read of a pipe or a device, which may have no end.
constexpr std::size_t kMostOfAStream = std::size_t{256} << 20;

/// All bytes of a file. UserError names the path and the reason: it is missing, it is a folder, it cannot be
/// read, it does not fit memory, or it is no regular file and does not end within kMostOfAStream.
std::vector<std::byte> read_input(const std::filesystem::path& path);

}  // namespace vdla
