// SPDX-License-Identifier: Apache-2.0
#include "tools/data/files.h"

#include <filesystem>

#include "support/error.h"
#include "support/input_file.h"
#include "support/output_file.h"
#include "support/path.h"

namespace vdla::tools {

std::vector<std::byte> read_file(const std::string& path) { return read_input(path); }

void write_file(const std::string& path, std::string_view content) { write_output(path, content); }

namespace {

/// Whether a file manager left a file of this name and does not show it: .DS_Store and ._photo.png on macOS,
/// Thumbs.db and desktop.ini on Windows.
bool is_hidden(const std::string& name) {
  return name.starts_with(".") || name == "Thumbs.db" || name == "desktop.ini";
}

}  // namespace

std::vector<std::string> files_of(const std::string& folder) {
  VDLA_CHECK_USER(is_folder(folder)) << folder << ": is not a folder";
  std::vector<std::string> files;
  for (const std::filesystem::path& entry : entries_of(folder))
    if (is_file(entry) && !is_hidden(entry.filename().string())) files.push_back(entry.string());
  VDLA_CHECK_USER(!files.empty()) << folder << ": has no files";
  return files;
}

}  // namespace vdla::tools
