// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/gpu/templates/waves.h"

#include <algorithm>
#include <cmath>

namespace vdla::pipeline::gpu {
namespace {

/// Most threads of a processor.
constexpr std::int64_t kMostThreads = 2048;
constexpr double kMostBlocks = 16;

double real(std::int64_t v) { return static_cast<double>(v); }

}  // namespace

double blocks_at_once(const GpuProfile& m, const BlockUse& use) {
  const double by_registers = std::floor(real(m.registers) / real(use.threads * use.registers));
  // A processor has more shared memory than a template gives a block.
  const double by_memory =
      use.shared_bytes == 0 ? kMostBlocks : std::floor(4 * real(m.shared_bytes) / real(use.shared_bytes));
  const double by_threads = real(kMostThreads / use.threads);
  return std::clamp(std::min({by_registers, by_memory, by_threads}), 1.0, kMostBlocks);
}

double time_of_blocks(const GpuProfile& m, std::int64_t blocks, double at_once,
                      const std::function<double(double)>& time) {
  const double each = std::ceil(real(blocks) / real(m.processors)), full = std::floor(each / at_once);
  const double rest = each - full * at_once;
  return full * time(at_once) + (rest > 0 ? time(rest) : 0);
}

}  // namespace vdla::pipeline::gpu
