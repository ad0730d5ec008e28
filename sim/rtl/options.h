// SPDX-License-Identifier: Apache-2.0
// Options of the Verilated engine: the build of the machine, the place of its library, its files beside the
// results.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace vdla::sim {

// X(enumerator, "name", "doc"). The script sim/rtl/build_rtl.sh knows the same names.
#define VDLA_RTL_BUILDS(X)                                                             \
  X(Fast, "fast", "no assertions, tuned for speed")                                    \
  X(Check, "check", "the hardware's assertions are checked")                           \
  X(Coverage, "coverage", "assertions, and counts of lines, toggles and cover points") \
  X(Trace, "trace", "can write waveforms (FST)")                                       \
  X(Axi, "axi", "vdla_axi around the machine, as boards have it, and assertions")      \
  X(Gates, "gates", "the gates that yosys makes of the machine, for comparisons: slow")

enum class RtlBuild : std::uint8_t {
#define VDLA_ENUMERATOR(name, text, doc) name,
  VDLA_RTL_BUILDS(VDLA_ENUMERATOR)
#undef VDLA_ENUMERATOR
};

inline constexpr auto kRtlBuildTexts = std::to_array<std::string_view>({
#define VDLA_TEXT(name, text, doc) text,
    VDLA_RTL_BUILDS(VDLA_TEXT)
#undef VDLA_TEXT
});

constexpr std::string_view to_string(RtlBuild b) { return kRtlBuildTexts[static_cast<std::size_t>(b)]; }
constexpr std::optional<RtlBuild> find_rtl_build(std::string_view name) {
  for (std::size_t i = 0; i < kRtlBuildTexts.size(); ++i)
    if (kRtlBuildTexts[i] == name) return static_cast<RtlBuild>(i);
  return std::nullopt;
}

/// Instructions [first, end) of the stream of one start of the device, the first is 0; none of them a finish.
struct InsnRange {
  unsigned run = 0;
  std::uint32_t first = 0, end = 0;
};

/// Waveforms of the cycles [begin, end), counted as trace events count them: from the engine's first cycle.
/// With `insns` instead: from the first one's dispatch to the last retire.
struct RtlWaves {
  std::filesystem::path file;
  std::uint64_t begin = 0;
  std::uint64_t end = UINT64_MAX;
  std::optional<InsnRange> insns{};
};

struct RtlOptions {
  RtlBuild build = RtlBuild::Fast;
  std::filesystem::path directory{};  ///< folder of libraries; kit/rtl.h finds it
  std::uint64_t state =
      0;  ///< seed of what has no value before the reset; 0: all zero, as always in build fast
  std::optional<RtlWaves> waves{};        ///< needs build trace
  std::filesystem::path coverage_file{};  ///< written when the engine goes; needs build coverage
};

}  // namespace vdla::sim
