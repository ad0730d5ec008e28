// SPDX-License-Identifier: Apache-2.0
// The units of the machine. Apart from isa/spec/insn.h, since a geometry needs no instruction.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "isa/spec/memories.h"

namespace vdla::isa {

// X(enumerator, code, "text", "doc").
#define VDLA_UNITS(X)                                                     \
  X(Load, 0, "load", "DRAM to SRAM")                                      \
  X(Gemm, 1, "gemm", "matrix products into the accumulators")             \
  X(Vector, 2, "vector", "requantise, add, pool, depthwise, per element") \
  X(Store, 3, "store", "out buffer to DRAM")                              \
  X(Fetch, 4, "fetch", "reads, checks and dispatches instructions")

/// Units that have a queue and take part in tokens: all but fetch.
inline constexpr unsigned kQueueUnits = 4;

#define VDLA_ENUMERATOR(name, code, text, doc) name = code,
enum class Unit : std::uint8_t { VDLA_UNITS(VDLA_ENUMERATOR) };
#undef VDLA_ENUMERATOR

#define VDLA_NAMED(name, code, text, doc) NamedCode{text, code, doc},
inline constexpr auto kUnits = std::to_array<NamedCode>({VDLA_UNITS(VDLA_NAMED)});
#undef VDLA_NAMED

constexpr std::string_view to_string(Unit u) { return text_of(kUnits, static_cast<unsigned>(u)); }

}  // namespace vdla::isa
