// SPDX-License-Identifier: Apache-2.0
// Whole files in and out, with errors that name the path and the reason.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace vdla::tools {

std::vector<std::byte> read_file(const std::string& path);
std::string read_text(const std::string& path);

/// Writes beside the target and renames, so that an old file survives a failure.
void write_file(const std::string& path, std::string_view content);

/// Makes the folder and those around it, where they are missing.
void make_folder(const std::string& folder);

/// A file that is written bit by bit: beside its target until keep(), and gone if that is never called.
class PartFile {
 public:
  explicit PartFile(std::string target);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  std::ostream& stream() { return out_; }
  /// Takes the target's place when all of it was written, and throws UserError otherwise.
  void keep();

 private:
  std::string target_, part_;
  std::ofstream out_;
  bool kept_ = false;
};

/// Regular files of a folder in name order; throws UserError when it is no folder or has none.
std::vector<std::string> files_of(const std::string& folder);

}  // namespace vdla::tools
