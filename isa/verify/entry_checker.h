// SPDX-License-Identifier: Apache-2.0
// Bounds, definition and order of one entry of a program: one walk in program order over shadows of the
// buffers and windows.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "isa/verify/shadow.h"
#include "isa/verify/tokens.h"
#include "isa/verify/verify.h"

namespace vdla::isa {

/// Collects findings into a report.
class Findings {
 public:
  Findings(Report& report, std::size_t max) : report_(report), max_(max) {}
  void add(Finding finding);

 private:
  Report& report_;
  std::size_t max_;
};

/// "instruction 12 (gemm) of layer 'conv1' (conv2d)"
std::string name_of(const Program& program, std::uint32_t insn);

class EntryChecker {
 public:
  /// `uops` is the image of window uop; `run` the abstract execution of the entry. All must outlive the
  /// checker.
  EntryChecker(const Program& program, const EntryPoint& entry, const std::vector<Uop>& uops,
               const TokenRun& run, const VerifyOptions& options, Findings& findings);
  void run();

 private:
  void check_insn(std::uint32_t i);
  bool gemm_uops(std::uint32_t i, const GemmInsn& gemm, std::vector<Uop>& uops);
  void check_sram(std::uint32_t i, const SramAccess& access, std::span<const Uop> uops);
  void check_dram(std::uint32_t i, const DramAccess& access);
  void note_access(std::uint32_t i, bool write, const Intervals& intervals, Shadow& shadow,
                   std::string_view what, bool dram);
  void require_written(std::uint32_t i, const Intervals& intervals, Shadow& shadow, std::string_view what,
                       bool dram);
  void load_uops(const MemoryInsn& insn);
  void define(const DefinedBytes& bytes);
  bool ordered(std::int32_t earlier, std::uint32_t later) const;

  const Program& program_;
  const EntryPoint& entry_;
  const std::vector<Uop>& image_;
  const TokenRun& tokens_;
  const VerifyOptions& options_;
  Findings& findings_;
  std::array<Shadow, kBuffers.size()> buffers_;
  std::array<Shadow, kWindowCount> windows_;
  std::vector<std::optional<Uop>> uop_sram_;
};

}  // namespace vdla::isa
