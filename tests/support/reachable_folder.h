// SPDX-License-Identifier: Apache-2.0
// A folder for temporary files that other users can reach.
#pragma once

#include <filesystem>

namespace vdla {

/// The folder of TMPDIR if other users may enter it and all folders above it, else /tmp: in a closed folder
/// no file of theirs can be written, whatever its mode.
inline std::filesystem::path reachable_folder() {
  namespace fs = std::filesystem;
  const fs::path usual = fs::canonical(fs::temp_directory_path());
  for (fs::path folder = usual; folder.has_relative_path(); folder = folder.parent_path())
    if ((fs::status(folder).permissions() & fs::perms::others_exec) == fs::perms::none) return "/tmp";
  return usual;
}

}  // namespace vdla
