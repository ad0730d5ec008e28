// SPDX-License-Identifier: Apache-2.0
// Whole files in and out, with errors that name the path and the reason.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kit/files.h"

namespace vdla::tools {

std::vector<std::byte> read_file(const std::string& path);
using kit::read_text;

/// As support/output_file.h says.
void write_file(const std::string& path, std::string_view content);

/// Regular files of a folder in name order, without those that file managers hide (.DS_Store); throws
/// UserError when it is no folder or has none.
std::vector<std::string> files_of(const std::string& folder);

}  // namespace vdla::tools
