// SPDX-License-Identifier: Apache-2.0
// Modules that desks have uploaded, by the SHA-256 of their file: a folder of limited size, from which those
// go that were not used for the longest time. Files take their names when they are whole and have their hash.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "runtime/module/tensor.h"

namespace vdla::remote {

struct CacheLimits {
  std::uint64_t file_bytes = 256ull << 20;     ///< most bytes of one module
  std::uint64_t folder_bytes = 1024ull << 20;  ///< most bytes of all
};

/// 64 lower-case hexadecimal digits, and nothing that leads out of a folder.
bool is_sha256(const std::string& text);

class ModuleCache {
 public:
  /// Makes the folder, for its owner alone, and removes what killed servers left. UserError where that fails.
  ModuleCache(std::filesystem::path folder, const CacheLimits& limits);

  /// Bytes of the largest module that is taken.
  std::uint64_t largest() const { return std::min(limits_.file_bytes, limits_.folder_bytes); }
  /// The file, which is now the one used last; nothing where it is not there. One whose bytes are no longer
  /// those of its name is removed.
  std::optional<runtime::Bytes> find(const std::string& sha256);

  /// Takes a file of `bytes` bytes by parts; `next` gives one, or false at the end. `check` may refuse what
  /// is whole by throwing. UserError says what is wrong, and nothing of the file stays.
  void add(const std::string& sha256, std::uint64_t bytes, const std::function<bool(std::string& part)>& next,
           const std::function<void(const runtime::Bytes& file)>& check);

 private:
  std::filesystem::path path_of(const std::string& sha256) const;
  void make_room(const std::filesystem::path& newest) const;

  std::filesystem::path folder_;
  CacheLimits limits_;
};

}  // namespace vdla::remote
