// SPDX-License-Identifier: Apache-2.0
// For speed, not for the result: a matrix step also waits until the vector unit has read the accumulators of
// earlier tiles in its bank. Gemm goes first there in each cycle, so a tile that it overtook would lie until
// gemm leaves the bank again.
#include "compiler/codegen/vdla/passes.h"

#include "compiler/codegen/vdla/region.h"
#include "compiler/codegen/vdla/waits.h"

namespace vdla::codegen {
namespace {

bool is_in_acc(const Access& access) {
  return !access.dram && access.space == static_cast<std::size_t>(isa::Buffer::Acc);
}

bool touches_acc(const isa::Insn& insn) {
  bool touches = false;
  visit_operands(insn, [&](isa::Buffer buffer, auto) { touches = touches || buffer == isa::Buffer::Acc; });
  return touches;
}

}  // namespace

/// Adds to StreamInsn::after. What its unit has waited for before for this reason is left out.
void order_banks(Stream& stream) {
  constexpr auto kVector = static_cast<std::size_t>(isa::Unit::Vector);
  const std::int64_t bank = stream.geometry.acc_depth / isa::kAccBanks;
  std::array<std::int32_t, isa::kAccBanks> last_of_vector;
  last_of_vector.fill(kNever);
  Waits waits(stream);
  for (std::size_t i = 0; i < stream.insns.size(); ++i) {
    const StreamInsn& s = stream.insns[i];
    if (!touches_acc(s.insn)) continue;
    const MicroKernel* kernel = s.kernel == kNoKernel ? nullptr : &stream.kernels[s.kernel];
    Clock latest = kNoClock;
    for (const Access& access : accesses_of(s.insn, kernel, stream.geometry)) {
      if (!is_in_acc(access)) continue;
      std::int64_t last = access.box.base + access.box.run - 1;
      for (const auto& [count, stride] : access.box.dims) last += (count - 1) * stride;
      for (std::int64_t b = access.box.base / bank; b <= last / bank; ++b) {
        std::int32_t& vector = last_of_vector[static_cast<std::size_t>(b)];
        if (isa::unit_of(s.insn) == isa::Unit::Vector) {
          vector = static_cast<std::int32_t>(i);
        } else {
          latest[kVector] = std::max(latest[kVector], vector);
        }
      }
    }
    waits.add(i, latest);
  }
}

}  // namespace vdla::codegen
