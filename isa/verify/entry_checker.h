// SPDX-License-Identifier: Apache-2.0
// Bounds, definition and order of one entry of a program: one walk over its instructions, in an order that
// the tokens allow, over shadows of the buffers and windows.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "isa/semantics/uop_buffer.h"
#include "isa/verify/buffer_shadow.h"
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

using WindowShadows = std::array<Shadow, kWindowCount>;

// Long: a method for each rule over one walk of an entry and its shadows.
class EntryChecker {
 public:
  /// `uops` is the image of window uop; `run` the abstract execution of the entry. All must outlive the
  /// checker. `windows` goes from entry to entry; with `know_dram`, reads of bytes that it has as undefined
  /// are findings.
  EntryChecker(const Program& program, const EntryPoint& entry, const std::vector<Uop>& uops,
               const TokenRun& run, WindowShadows& windows, bool know_dram, Findings& findings);
  void run();

 private:
  void check_insn(std::uint32_t i);
  bool check_uops(std::uint32_t i, const GemmInsn& gemm);
  bool check_bounds(std::uint32_t i, const SramAccess& access);
  void check_sram(std::uint32_t i, const SramAccess& access, std::span<const Uop> uops);
  void check_dram(std::uint32_t i, const DramAccess& access);
  void require_written(std::uint32_t i, const Intervals& intervals, Buffer buffer, RowMask rows);
  void require_written(std::uint32_t i, const Intervals& intervals, Window window);
  void note_bytes(std::uint32_t i, bool write, const Intervals& intervals, Window window);
  void add_unordered(std::uint32_t i, bool writes, std::uint32_t other, bool other_writes,
                     const std::string& resource);
  void add_unwritten(std::uint32_t i, const std::string& resource, std::string_view which);
  void follow_rows(const Insn& insn, std::span<const Uop> uops, std::span<const SramAccess> accesses);
  bool ordered(std::int32_t earlier, std::uint32_t later) const;
  BufferShadow& shadow(Buffer buffer) { return buffers_[static_cast<std::size_t>(buffer)]; }

  const Program& program_;
  const EntryPoint& entry_;
  const TokenRun& tokens_;
  WindowShadows& windows_;
  const bool know_dram_;
  Findings& findings_;
  std::vector<BufferShadow> buffers_;                          ///< shadows by buffer
  std::array<std::vector<std::uint32_t>, kQueueUnits> insns_;  ///< instructions by place in the unit's order
  UopBuffer uops_;
};

}  // namespace vdla::isa
