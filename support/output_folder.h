// SPDX-License-Identifier: Apache-2.0
// Folders for what goes out. Files that belong together are written in one step: a process that is killed
// leaves all of the old ones or all of the new ones.
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

/// A folder that is there from now on, with those around it. Where the object goes because of an exception,
/// the folders that it made go too, if no file is in them: a command that fails leaves no empty folder.
class NewFolder {
 public:
  /// UserError where it cannot be made; messages call it `name`.
  NewFolder(const std::filesystem::path& folder, const std::string& name);
  explicit NewFolder(const std::filesystem::path& folder) : NewFolder(folder, folder.string()) {}
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

 private:
  void remove_empty() const;

  std::vector<std::filesystem::path> made_;  ///< the innermost first
  int exceptions_;                           ///< number of exceptions in flight when it was made
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
