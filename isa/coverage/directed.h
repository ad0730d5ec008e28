// SPDX-License-Identifier: Apache-2.0
// Programs that hit every point of coverage of a geometry. Some hold an example of ProgramCoverage:
// instructions before it write what it reads, others after it store what it wrote. The rest fill, drain and
// block each queue and each token channel.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "isa/coverage/program.h"

namespace vdla::isa {

struct DirectedProgram {
  std::string name;
  Program program;  ///< verify() finds nothing
  std::array<std::vector<std::byte>, kWindowCount>
      contents;  ///< contents of act, input, output and the spares; begin at the origin
  /// The first byte of each window that the program touches (a multiple of 64): far offsets need no memory if
  /// the window's base is put that much below what holds it (modulo 2^64).
  std::array<std::uint64_t, kWindowCount> origins{};
};

/// Some have instructions of 65,535 steps or runs.
std::vector<DirectedProgram> directed_programs(const ProgramCoverage& cover);

}  // namespace vdla::isa
