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

/// As support/output_file.h says.
void write_file(const std::string& path, std::string_view content);

/// Makes the folder and those around it, where they are missing.
void make_folder(const std::string& folder);

/// Regular files of a folder in name order; throws UserError when it is no folder or has none.
std::vector<std::string> files_of(const std::string& folder);

}  // namespace vdla::tools
