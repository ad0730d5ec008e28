// SPDX-License-Identifier: Apache-2.0
// Order of instructions: read after write, write after read and write after write between different units,
// over entries of SRAM and bytes of DRAM. Hazards by shadow memory.
#include "compiler/codegen/vdla/passes.h"

#include <algorithm>
#include <numeric>

#include "compiler/codegen/vdla/region.h"
#include "compiler/codegen/vdla/waits.h"

namespace vdla::codegen {
namespace {

/// Last readers and writers of each cell of one space.
class Shadow {
 public:
  /// `latest` is raised to the instructions that an access must wait for.
  void visit(const Access& access, std::size_t unit, std::int32_t index, std::int64_t granule,
             Clock& latest) {
    for_each_interval(access.box, [&](std::int64_t begin, std::int64_t end) {
      const auto first = static_cast<std::size_t>(begin / granule);
      const auto last = static_cast<std::size_t>((end - 1) / granule);
      if (last >= cells_.size()) cells_.resize(std::max(last + 1, cells_.size() * 2), {kNoClock, kNoClock});
      for (std::size_t c = first; c <= last; ++c) {
        Cell& cell = cells_[c];
        for (std::size_t u = 0; u < isa::kQueueUnits; ++u) {
          if (u == unit) continue;
          latest[u] = std::max(latest[u], cell.written[u]);
          if (access.write) latest[u] = std::max(latest[u], cell.read[u]);
        }
        (access.write ? cell.written : cell.read)[unit] = index;
      }
    });
  }

 private:
  struct Cell {
    Clock written, read;
  };
  std::vector<Cell> cells_;
};

class HazardPass {
 public:
  explicit HazardPass(Stream& stream) : stream_(stream) {
    for (const StreamInsn& s : stream.insns) {
      const auto* copy = std::get_if<isa::MemoryInsn>(&s.insn);
      if (!copy) continue;
      (copy->opcode == isa::Opcode::Store ? written_ : read_)[static_cast<std::size_t>(copy->window)] = true;
    }
    granule_ = std::gcd(stream.geometry.block_in, stream.geometry.block_out);
  }

  void run() {
    Waits waits(stream_);
    for (std::size_t i = 0; i < stream_.insns.size(); ++i) waits.add(i, hazards(i));
  }

 private:
  Clock hazards(std::size_t i) {
    Clock latest = kNoClock;
    const StreamInsn& s = stream_.insns[i];
    const auto unit = static_cast<std::size_t>(isa::unit_of(s.insn));
    const MicroKernel* kernel = s.kernel == kNoKernel ? nullptr : &stream_.kernels[s.kernel];
    std::vector<Access> accesses = accesses_of(s.insn, kernel, stream_.geometry);
    if (const auto* gemm = std::get_if<isa::GemmInsn>(&s.insn)) {
      accesses.push_back(
          {false, static_cast<std::size_t>(isa::Buffer::Uop), false, {gemm->uop_begin, gemm->uop_count, {}}});
    }
    for (const Access& access : accesses) {
      // Windows that are only read, or only written, have no hazards between units.
      if (access.dram && !(written_[access.space] && read_[access.space])) continue;
      Shadow& shadow = access.dram ? windows_[access.space] : buffers_[access.space];
      shadow.visit(access, unit, static_cast<std::int32_t>(i), access.dram ? granule_ : 1, latest);
    }
    return latest;
  }

  Stream& stream_;
  std::array<bool, isa::kWindows.size()> written_{}, read_{};
  std::int64_t granule_ = 1;
  std::array<Shadow, isa::kBuffers.size()> buffers_;
  std::array<Shadow, isa::kWindows.size()> windows_;
};

}  // namespace

/// Adds to StreamInsn::after. What its unit has waited for before is left out.
void order_hazards(Stream& stream) { HazardPass(stream).run(); }

}  // namespace vdla::codegen
