// SPDX-License-Identifier: Apache-2.0
// GEMM instructions at the host's speed: whole nests on packed weights, the same result as isa/semantics.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "isa/codec/insn.h"
#include "isa/semantics/state.h"
#include "sim/functional/range.h"
#include "sim/functional/simd.h"

namespace vdla::sim {

/// One step relative to the bases of its block. `reset`: the counters inside the block are at the start of
/// the reduction.
struct GemmOffset {
  std::int32_t acc;
  std::int32_t inp;
  std::int32_t wgt;
  bool reset;
};

/// Steps [begin, end) of a block that follow each other and have either one weight entry or one accumulator.
struct GemmRun {
  std::uint32_t begin, end;
  bool one_weight;
};

/// Steps with common bases, all inside their buffers.
struct GemmBlock {
  const std::vector<GemmOffset>& steps;
  const std::vector<GemmRun>& runs;  ///< cover the steps
  std::int32_t acc;
  std::int32_t inp;
  std::int32_t wgt;
  bool init;  ///< steps with reset overwrite
};

/// Operands in the layout that a kernel wants; weights are packed when first used.
struct Packed {
  std::vector<std::uint8_t> inp;  ///< inp + 128, of the entries that the instruction reads
  std::vector<std::uint8_t> bytes;
  std::vector<std::int32_t> corrections;  ///< per output channel
  std::vector<std::uint8_t> valid;        ///< per entry
  std::size_t stale = 0;                  ///< entries that are not valid

  void fresh(unsigned entry) { stale -= std::exchange(valid[entry], 1) == 0 ? 1 : 0; }
};

class GemmKernel {
 public:
  GemmKernel(const isa::Geometry& geometry, Simd simd);

  /// Entries [first, first + count) of wgt were written.
  void weights_changed(unsigned first, unsigned count);

  /// A legal instruction, to its end or to its first fault.
  std::optional<isa::Fault> run(const isa::GemmInsn& insn, isa::Sram& sram);

 private:
  /// The entries of inp that are read, or nothing where an index wraps or leaves its buffer.
  std::optional<IndexRange> activations_inside(const isa::GemmInsn& insn, const isa::Sram& sram);
  void find_steps(const isa::GemmInsn& insn, unsigned split);
  void find_runs();
  void run_blocks(const isa::GemmInsn& insn, isa::Sram& sram);
  void run_block(const GemmBlock& block, isa::Sram& sram);

  Simd simd_;
  Packed packed_;
  std::vector<isa::Uop> uops_;
  std::vector<GemmOffset> steps_;
  std::vector<GemmRun> runs_;
};

namespace detail {
/// Bytes that a kernel's packed layout of one weight entry has.
std::size_t packed_bytes_vnni(const isa::Geometry& g);
std::size_t packed_bytes_avx2(const isa::Geometry& g);
void flip_activations_vnni(const IndexRange& entries, const isa::Sram& sram, Packed& packed);
void run_block_vnni(const GemmBlock& block, isa::Sram& sram, Packed& packed);
void run_block_avx2(const GemmBlock& block, isa::Sram& sram, Packed& packed);
void run_block_plain(const GemmBlock& block, isa::Sram& sram);
}  // namespace detail

}  // namespace vdla::sim
