// SPDX-License-Identifier: Apache-2.0
// Whole texts in, with errors that name the path and the reason.
#pragma once

#include <filesystem>
#include <string>

namespace vdla::kit {

std::string read_text(const std::filesystem::path& path);

}  // namespace vdla::kit
