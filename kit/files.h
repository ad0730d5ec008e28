// SPDX-License-Identifier: Apache-2.0
// Whole texts in, and folders for what goes out, with errors that name the path and the reason.
#pragma once

#include <filesystem>
#include <string>

namespace vdla::kit {

std::string read_text(const std::filesystem::path& path);

/// Makes the folder and those around it, where they are missing.
void make_folder(const std::filesystem::path& folder);

}  // namespace vdla::kit
