// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share. A target hands libFuzzer's bytes to one reader of the kit. A refusal
// (UserError) is an answer; everything else that is thrown, and everything that the sanitizers see, is a
// finding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "support/error.h"

namespace vdla::fuzzing {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}
inline std::span<const std::byte> as_bytes(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

/// Runs `f`; true when it did not refuse.
template <class F>
bool accepted(const F& f) {
  try {
    f();
  } catch (const UserError&) {
    return false;
  }
  return true;
}

/// The bytes as a file, for readers that take a path. The file lives in memory only.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

}  // namespace vdla::fuzzing
