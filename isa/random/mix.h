// SPDX-License-Identifier: Apache-2.0
// Contents of random programs: counts of opcodes, operations, buffers, windows, flags, and the sizes of
// programs.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "isa/program/program.h"

namespace vdla::isa {

/// Steps of all gemm instructions of a program.
std::uint64_t gemm_steps(const Program& program);

class Mix {
 public:
  void add(const Program& program);
  void add(const Mix& other);

  std::uint64_t programs() const { return insns_.size(); }
  /// Task instructions of the middle program; FINISH is counted.
  std::uint64_t median_insns() const;
  /// Programs with at least `steps` gemm steps.
  std::uint64_t programs_with_steps(std::uint64_t steps) const;
  std::uint64_t total_insns() const;
  std::uint64_t total_steps() const;
  /// "vector.op.scale", "load.buffer.wgt", "gemm.init" ... by how many instructions.
  const std::map<std::string, std::uint64_t>& counts() const { return counts_; }

  // Parts from which from() makes the mix again, in another process.
  const std::vector<std::uint32_t>& insns() const { return insns_; }
  const std::vector<std::uint64_t>& steps() const { return steps_; }
  static Mix from(std::vector<std::uint32_t> insns, std::vector<std::uint64_t> steps,
                  std::map<std::string, std::uint64_t> counts);

 private:
  void add(const Insn& insn);
  std::vector<std::uint32_t> insns_;  ///< instructions of each program
  std::vector<std::uint64_t> steps_;
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace vdla::isa
