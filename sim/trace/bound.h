// SPDX-License-Identifier: Apache-2.0
// Bounds of a layer: the part of the machine that works, in how many of the layer's cycles, and what the
// others are lost to.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/trace/event.h"
#include "sim/trace/profile_options.h"

namespace vdla::trace {

class Stretches;

/// Parts of the machine that can be full.
/// X(enumerator, "text", "doc").
#define VDLA_TRACE_RESOURCES(X)                       \
  X(Array, "array", "a step of gemm enters")          \
  X(Vector, "vector unit", "a step of vector enters") \
  X(Bus, "bus", "data cross the DRAM bus, or load or store move pieces")

/// Why a resource does not work in a cycle: the first of these that holds.
#define VDLA_TRACE_LOSSES(X)                                                                                 \
  X(StartUp, "start-up",                                                                                     \
    "its unit is in the fixed part of an instruction; or nothing works: tokens change hands, fetch is late") \
  X(Latency, "latency", "load or store waits for DRAM, and no data cross the bus")                           \
  X(Dependences, "dependences", "another resource works, and this one has to wait for it")

#define VDLA_TRACE_ENUMERATOR(name, text, doc) name,
enum class Resource : std::uint8_t { VDLA_TRACE_RESOURCES(VDLA_TRACE_ENUMERATOR) };
enum class Loss : std::uint8_t { VDLA_TRACE_LOSSES(VDLA_TRACE_ENUMERATOR) };
#undef VDLA_TRACE_ENUMERATOR
#define VDLA_TRACE_TEXT(name, text, doc) std::string_view{text},
inline constexpr auto kResourceTexts =
    std::to_array<std::string_view>({VDLA_TRACE_RESOURCES(VDLA_TRACE_TEXT)});
inline constexpr auto kLossTexts = std::to_array<std::string_view>({VDLA_TRACE_LOSSES(VDLA_TRACE_TEXT)});
#undef VDLA_TRACE_TEXT

inline constexpr std::size_t kResources = kResourceTexts.size();
inline constexpr std::size_t kLosses = kLossTexts.size();

/// Cycles of a stretch, told apart once for each resource: works + the losses are the stretch's cycles.
struct Bound {
  std::array<Cycle, kResources> works{};
  std::array<std::array<Cycle, kLosses>, kResources> lost{};

  /// Works in the most cycles; the first of several.
  Resource busiest() const;
  /// The busiest resource where it works in four of five cycles; else what the rest is lost to for the most
  /// part. Empty for a stretch without cycles.
  std::string_view by() const;

  Bound& operator+=(const Bound& other);
};

/// Bounds of each layer, and of what comes after the last one.
std::vector<Bound> bounds(std::span<const Event> run, const ProfileOptions& options,
                          const Stretches& stretches, Cycle begin, Cycle end);

}  // namespace vdla::trace
