// SPDX-License-Identifier: Apache-2.0
// Tokens of a program as arrows of a timeline: the k-th token that a channel gets is the k-th that it gives.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/program/program.h"

namespace vdla::timeline {

/// Numbers of tokens, from 1 on, by instruction; a token that nothing pops has none.
struct Tokens {
  std::vector<std::vector<std::uint64_t>> pushed, popped;
};

/// Channels are empty where an entry of the program begins.
Tokens tokens_of(const isa::Program& program);

}  // namespace vdla::timeline
