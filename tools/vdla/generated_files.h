// SPDX-License-Identifier: Apache-2.0
// Folders that a command fills with files of names of its own, which a user does not type.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace vdla::tools {

struct GeneratedText {
  std::filesystem::path name;  ///< in the folder
  std::string_view content;
};

/// UserError names the files that writing these would replace by other content, where none of them says, by
/// `mark` near its beginning, that the folder is an earlier output of the command. Nothing has been written
/// then.
void refuse_files_of_others(const std::filesystem::path& folder, const std::vector<GeneratedText>& files,
                            std::string_view mark);

/// Removes these files, which an earlier run of the command made and this one does not; returns which there
/// were. Needs a folder that refuse_files_of_others() takes.
std::vector<std::string> remove_earlier(const std::filesystem::path& folder,
                                        const std::vector<std::string>& names);

}  // namespace vdla::tools
