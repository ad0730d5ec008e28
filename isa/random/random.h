// SPDX-License-Identifier: Apache-2.0
// Random programs for lock-step tests: legal, inside their buffers and windows, hazard-free by tokens, and
// the same for the same seed on every machine. Every field of every instruction takes part; sizes are small
// so that the RTL runs thousands of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/program/program.h"

namespace vdla::isa {

struct RandomOptions {
  std::uint64_t seed = 1;
  unsigned insns = 40;       ///< besides the loads at the start that define the buffers, and FINISH
  unsigned region = 48;      ///< entries of each buffer that the program uses (at most its depth)
  unsigned max_steps = 200;  ///< most steps of a gemm or vector instruction
  unsigned max_pieces = 64;  ///< most pieces of a load or store
  unsigned window_bytes = 4096;
  unsigned min_gemm_steps =
      0;  ///< least gemm steps of the whole program; the generator adds gemm instructions until it has them
  /// Every n-th ordering that the program does not need gets a token too; 0: none.
  unsigned redundant_tokens = 4;
};

/// Options as a campaign wants them, weighted: mostly about 70 instructions on small regions, now and then
/// few or many instructions, whole buffers, thousands of gemm steps, tight windows.
RandomOptions campaign_options(std::uint64_t seed);

/// A program and what the windows hold before it runs (act, input, output and spares; the program has the
/// others).
struct RandomProgram {
  Program program;
  std::array<std::vector<std::byte>, kWindowCount> contents;
};

/// verify() finds nothing in it.
RandomProgram random_program(const Geometry& geometry, const RandomOptions& options);

}  // namespace vdla::isa
