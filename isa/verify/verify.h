// SPDX-License-Identifier: Apache-2.0
// The static verifier: proves before a program runs that it cannot stop at an error, stand still, or depend
// on timing. Each entry is checked as started on an idle device whose SRAM is unwritten and whose channels
// are empty; DRAM keeps what earlier entries have written.
//
//   legality    each instruction is legal, FINISH ends each entry and stands nowhere else
//   progress    no deadlock with this geometry's queues and token depth; no token is left at the end
//   bounds      every SRAM index below its depth, every DRAM access inside its window
//   definition  no entry of a buffer and, on request, no byte of DRAM is read before it was written; no row
//   of
//               an entry that was written in part, nor what was computed from it, is stored; on request, the
//               results are written in the end
//   order       any two accesses of different units to the same entry or byte, one of them a write, are
//               ordered by tokens
//
// A clean report is a proof; a finding on definition or bounds may be too careful only for indices that wrap
// on purpose.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/program/program.h"

namespace vdla::isa {

enum class FindingKind : std::uint8_t {
  Illegal,
  Unreachable,
  Deadlock,
  TokenLeft,
  SramBounds,
  WindowBounds,
  Unwritten,
  ResultMissing,
  Unordered
};
std::string_view to_string(FindingKind kind);

/// "instruction 12 (gemm) of layer 'conv1' (conv2d)"
std::string name_of(const Program& program, std::uint32_t insn);

struct Finding {
  FindingKind kind = FindingKind::Illegal;
  std::uint32_t insn = 0;
  std::optional<std::uint32_t> other;  ///< the instruction it conflicts with
  std::string resource;                ///< "inp[12]", "act bytes 0..63", "channel load->gemm"
  std::string message;                 ///< whole sentence with instruction, layer and resource
};

struct WindowBytes {
  Window window = Window::Act;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct VerifyOptions {
  std::size_t max_findings = 20;
  /// Bytes that act, input, output and the spare windows hold at the start; unset: reads of unwritten DRAM
  /// are not looked for. Const and uop hold data always.
  std::optional<std::vector<WindowBytes>> defined;
  /// Bytes that must have been written when the last entry ends, or have held data at the start.
  std::vector<WindowBytes> results;
};

struct Report {
  std::vector<Finding> findings;
  std::size_t total = 0;  ///< also those beyond max_findings
  bool clean() const { return total == 0; }
  /// One message per line.
  std::string text() const;
};

Report verify(const Program& program, const VerifyOptions& options = {});

/// Throws UserError with the report's text unless the program is clean.
void require_verified(const Program& program, const VerifyOptions& options = {});

}  // namespace vdla::isa
