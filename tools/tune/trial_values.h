// SPDX-License-Identifier: Apache-2.0
// Parts of trials that are the same on all machines: values to compute with, and sentences about results.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "compiler/graph/tensor.h"
#include "compiler/knobs/book.h"
#include "tools/tune/log.h"
#include "tools/tune/race.h"

namespace vdla::tune {

/// How long to look: least and most turns.
struct Turns {
  std::size_t least, most;
};
inline constexpr Turns kRace{7, 41}, kDuel{41, 41};

/// Floats from -1 to 1 (no time depends on values like these), bytes of integers of 8 bits, else zeros.
void fill(std::span<std::byte> bytes, graph::DataType type, unsigned seed);

/// Integers to the bit, floats to 1e-4 of the largest.
bool are_alike(std::span<const std::byte> values, std::span<const std::byte> others, graph::DataType type);

/// {"status": "ok", "ns", "incumbent_ns", "ratio", "low", "high", "turns", "program"}; `program`: a hash of
/// the candidate's. A program is as fast as itself, whatever its turns took.
Outcome outcome_of(RaceResult result, const std::string& program, const std::string& incumbent_program);
Outcome unbuildable(const std::string& reason);
/// Outcome of results that are not alike.
Outcome computes_something_else();

/// Knobs of all records, or kByDefault.
std::string text_of_knobs(const pipeline::KnobBook& book);

}  // namespace vdla::tune
