// SPDX-License-Identifier: Apache-2.0
// FNV-1a of bytes as 16 hexadecimal digits: names of cached results.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace vdla::explore {

inline std::string content_hash(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

}  // namespace vdla::explore
