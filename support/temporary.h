// SPDX-License-Identifier: Apache-2.0
// Unfinished files and folders beside what they are to become. A process holds a lock (flock) on each of its
// own. Processes that were killed hold none, so a new temporary first removes what dead ones left in its
// folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "support/interrupt.h"

namespace vdla {

/// A file or folder with a name of its own, gone with this object, after an interrupt, or when the next
/// temporary is made in its folder after the process was killed.
class Temporary {
 public:
  enum class Kind : std::uint8_t { File, Folder };

  /// Makes one in `folder`, on the way to `target` (its name in messages). UserError when it cannot be made.
  Temporary(const std::filesystem::path& folder, Kind kind, const std::string& target);
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Open for writing; a folder's is open for reading.
  int descriptor() const { return descriptor_; }
  /// Takes the place of `target`, which must be in the same file system; UserError when that fails.
  void rename_to(const std::filesystem::path& target, const Uninterrupted& held);

 private:
  void make(const std::filesystem::path& folder);

  Kind kind_;
  std::string target_;
  std::filesystem::path path_;
  int descriptor_ = -1;
  bool there_ = false;
  std::optional<OnInterrupt> unfinished_;
};

/// Removes what killed processes left in `folder`, which no living process holds.
void remove_dead_temporaries(const std::filesystem::path& folder);

}  // namespace vdla
