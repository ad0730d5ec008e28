// SPDX-License-Identifier: Apache-2.0
// The static verifier: proves before a program runs that it cannot stop at an error, stand still, or depend
// on timing. Each entry is checked on its own, as started on an idle device whose SRAM is unwritten and whose
// channels are empty.
//
//   legality    each instruction is legal, FINISH ends each entry
//   progress    no deadlock with this geometry's queues and token depth; no token is left at the end
//   bounds      every SRAM index below its depth, every DRAM access inside its window
//   definition  no entry of a buffer is read before it was written (by program order)
//   order       any two accesses of different units to the same entry or byte, one of them a write, are
//   ordered by tokens
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
  Deadlock,
  TokenLeft,
  SramBounds,
  WindowBounds,
  Unwritten,
  Unordered
};
std::string_view to_string(FindingKind kind);

struct Finding {
  FindingKind kind = FindingKind::Illegal;
  std::uint32_t insn = 0;
  std::optional<std::uint32_t> other;  ///< the instruction it conflicts with
  std::string resource;                ///< "inp[12]", "act bytes 0..63", "channel load->gemm"
  std::string message;                 ///< whole sentence with instruction, layer and resource
};

/// Bytes that hold data before the program starts.
struct DefinedBytes {
  Window window = Window::Act;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct VerifyOptions {
  std::size_t max_findings = 20;
  /// What act, output and the spare windows hold at the start; unset: reads of unwritten DRAM are not looked
  /// for. Input, const and uop hold data always.
  std::optional<std::vector<DefinedBytes>> defined;
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
