// SPDX-License-Identifier: Apache-2.0
// Whole files in and out, with errors that name the path and the reason.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vdla::tools {

std::vector<std::byte> read_file(const std::string& path);
std::string read_text(const std::string& path);

/// Writes beside the target and renames, so that an old file survives a failure.
void write_file(const std::string& path, std::string_view content);

/// Regular files of a folder in name order; throws UserError when it is no folder or has none.
std::vector<std::string> files_of(const std::string& folder);

}  // namespace vdla::tools
