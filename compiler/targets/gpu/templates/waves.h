// SPDX-License-Identifier: Apache-2.0
// How the processors of a machine share the blocks of a grid: rough figures that estimates of templates have
// in common.
#pragma once

#include <cstdint>
#include <functional>

#include "compiler/targets/gpu/profile.h"

namespace vdla::pipeline::gpu {

/// Use of a block: threads, what each of them keeps in registers, and bytes of shared memory.
struct BlockUse {
  std::int64_t threads, registers, shared_bytes;
};

/// Blocks that a processor has at once: at least 1.
double blocks_at_once(const GpuProfile& m, const BlockUse& use);

/// Time of `blocks` of a grid, `at_once` on a processor, where n of them at once take `time(n)`.
double time_of_blocks(const GpuProfile& m, std::int64_t blocks, double at_once,
                      const std::function<double(double)>& time);

}  // namespace vdla::pipeline::gpu
