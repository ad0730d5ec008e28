// SPDX-License-Identifier: Apache-2.0
// Folders that a command fills with files of names of its own, which a user does not type.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "support/output_folder.h"

namespace vdla::tools {

/// UserError names the files that writing these would replace by other content, where none of them says, by
/// `mark` near its beginning, that the folder is an earlier output of the command. Nothing has been written
/// then.
void refuse_files_of_others(const std::filesystem::path& folder, const std::vector<FolderFile>& files,
                            std::string_view mark);

}  // namespace vdla::tools
