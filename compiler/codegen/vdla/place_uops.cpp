// SPDX-License-Identifier: Apache-2.0
// Micro-op residency: where in the uop buffer each gemm finds its micro-kernel, and the LOADs that bring
// kernels there. Few micro-ops are loaded once at the start; else a kernel is loaded before its first use, in
// place of those unused for longest.
// Residency of micro-kernels.
#include "compiler/codegen/vdla/passes.h"

#include <algorithm>
#include <list>
#include <optional>

#include "compiler/codegen/vdla/sram.h"
#include "support/error.h"

namespace vdla::codegen {
namespace {

/// Micro-ops that are loaded at once without delaying the first tile.
constexpr std::int64_t kLoadedAtStart = 64;

isa::MemoryInsn load_of(std::int64_t first, std::int64_t count, std::int64_t base) {
  isa::MemoryInsn insn;
  insn.buffer = isa::Buffer::Uop;
  insn.window = isa::Window::Uop;
  insn.dram_offset = static_cast<std::uint64_t>(first) * isa::kUopBytes;
  insn.run = static_cast<std::uint16_t>(count);
  insn.sram_base = static_cast<std::uint16_t>(base);
  return insn;
}

/// Kernels in the buffer, by recent use.
class Residency {
 public:
  Residency(const MicroKernelTable& kernels, std::int64_t depth)
      : kernels_(kernels), space_(depth, 1), bases_(kernels.size()) {}

  /// First micro-op of the kernel; `loads` says whether it has just been given its place.
  std::int64_t use(std::size_t kernel, bool& loads) {
    loads = !bases_[kernel];
    if (!loads) {
      recent_.remove(kernel);
    } else {
      while (!(bases_[kernel] = space_.take(size_of(kernels_[kernel])))) evict();
    }
    recent_.push_back(kernel);
    return *bases_[kernel];
  }

 private:
  void evict() {
    VDLA_CHECK(!recent_.empty()) << "a micro-kernel is larger than the uop buffer";
    const std::size_t oldest = recent_.front();
    recent_.pop_front();
    space_.give_back(*bases_[oldest]);
    bases_[oldest].reset();
  }

  const MicroKernelTable& kernels_;
  SramAllocator space_;
  std::vector<std::optional<std::int64_t>> bases_;
  std::list<std::size_t> recent_;
};

}  // namespace

/// Sets uop_begin of every gemm and inserts loads from window uop, in which the kernels of the stream lie one
/// after the other. Needs a stream without marks.
void place_uops(Stream& stream) {
  const MicroKernelTable& kernels = stream.kernels;
  std::vector<std::int64_t> firsts;
  std::int64_t total = 0;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    firsts.push_back(total);
    total += size_of(kernels[k]);
  }
  const bool at_start = total <= std::min<std::int64_t>(kLoadedAtStart, stream.geometry.uop_depth);
  Residency residency(kernels, stream.geometry.uop_depth);
  std::vector<StreamInsn> result;
  result.reserve(stream.insns.size() + kernels.size());
  if (at_start && total > 0 && !stream.insns.empty())
    result.emplace_back(load_of(0, total, 0), stream.insns.front().source);
  for (StreamInsn& s : stream.insns) {
    if (auto* gemm = std::get_if<isa::GemmInsn>(&s.insn)) {
      bool loads = false;
      const std::int64_t base = at_start ? firsts[s.kernel] : residency.use(s.kernel, loads);
      if (loads) result.emplace_back(load_of(firsts[s.kernel], size_of(kernels[s.kernel]), base), s.source);
      gemm->uop_begin = static_cast<std::uint16_t>(base);
      s.loaded = true;
    }
    result.push_back(std::move(s));
  }
  stream.insns = std::move(result);
}

}  // namespace vdla::codegen
