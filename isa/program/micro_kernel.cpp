// SPDX-License-Identifier: Apache-2.0
#include "isa/program/micro_kernel.h"

#include "support/error.h"

namespace vdla::isa {

std::uint64_t MicroKernel::size() const {
  std::uint64_t total = 1;
  for (const MicroLoop& loop : loops) {
    total *= loop.count;
    if (total > kMaxDepth) return kMaxDepth + 1;  // enough to be refused, and no overflow
  }
  return total;
}

std::vector<Uop> expand(const MicroKernel& kernel) {
  const std::uint64_t size = kernel.size();
  VDLA_CHECK_USER(size >= 1 && size <= kMaxDepth)
      << "a micro-kernel expands to " << (size == 0 ? "no micro-op" : "more micro-ops than any buffer holds")
      << ", needs 1 to " << kMaxDepth;
  std::vector<Uop> uops = {kernel.base};
  uops.reserve(size);
  // Innermost loop first: what stands so far is repeated, shifted by the stride.
  for (auto loop = kernel.loops.rbegin(); loop != kernel.loops.rend(); ++loop) {
    const std::size_t block = uops.size();
    for (unsigned i = 1; i < loop->count; ++i)
      for (std::size_t u = 0; u < block; ++u)
        uops.push_back({static_cast<std::uint16_t>(uops[u].acc + i * loop->acc),
                        static_cast<std::uint16_t>(uops[u].inp + i * loop->inp),
                        static_cast<std::uint16_t>(uops[u].wgt + i * loop->wgt)});
  }
  return uops;
}

std::vector<Uop> expand(std::span<const MicroKernel> kernels) {
  std::vector<Uop> image;
  for (const MicroKernel& kernel : kernels) {
    const std::vector<Uop> uops = expand(kernel);
    image.insert(image.end(), uops.begin(), uops.end());
  }
  return image;
}

}  // namespace vdla::isa
