// SPDX-License-Identifier: Apache-2.0
// Reads the first and the last time from the head of an FST file.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <utility>

#include "support/error.h"

namespace vdla::sim {

/// Returns the first and the last time in an FST file, in cycles as in RtlWaves; UserError when it is none or
/// empty.
inline std::pair<std::uint64_t, std::uint64_t> wave_cycles(const std::filesystem::path& file) {
  // The first block is the header: its type 0, its length, first and last time, 64 bits each, big end first.
  constexpr std::size_t kFirst = 9, kLast = 17, kHeader = 25;
  std::array<unsigned char, kHeader> header{};
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(header.data()), header.size());
  VDLA_CHECK_USER(in.gcount() == std::streamsize{kHeader} && header[0] == 0)
      << file.string() << ": holds no waveform";
  const auto time = [&](std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i) value = value << 8 | header[at + i];
    return value / 2;  // two steps a cycle
  };
  return {time(kFirst), time(kLast)};
}

}  // namespace vdla::sim
