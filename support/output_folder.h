// SPDX-License-Identifier: Apache-2.0
// Files that belong together, written in one step: a process that is killed leaves all of the old ones or all
// of the new ones.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace vdla {

struct FolderFile {
  std::filesystem::path name;  ///< path in the folder, also of one below it: "vdla/driver/core/wait.c"
  std::string_view content;
  bool executable = false;
};

/// The folder with these files in it. One that is there changes its place with a new one, which has the other
/// files of the old one too, without those of `gone`; returns which of `gone` there were. What cannot change
/// its place (the current folder, a mount, a file system without exchanges, a folder in one that is closed to
/// this user, or with one below that this user cannot read) is written into, file by file.
/// UserError where it cannot be written.
std::vector<std::string> write_folder(const std::filesystem::path& folder,
                                      const std::vector<FolderFile>& files,
                                      const std::vector<std::string>& gone);

}  // namespace vdla
