// SPDX-License-Identifier: Apache-2.0
// Facts of a CPU for schedule templates.
#pragma once

#include <cstdint>
#include <string>

namespace vdla::pipeline::cpu {

struct CpuProfile {
  std::int64_t vector_bytes = 16;  ///< bytes of the longest vector register
  std::int64_t vector_registers = 16;
  std::int64_t fma_latency = 4;  ///< cycles until a sum can be used
  std::int64_t fma_per_cycle = 2;
  std::int64_t l1_bytes = 32 << 10, l2_bytes = 256 << 10, l3_bytes = 4 << 20;
  std::int64_t cores = 1;
  bool dot_product = false;       ///< adds four u8 * i8 to each i32 in one instruction
  std::string processor = "any";  ///< name that it gives itself; kernels do not depend on it, but times do

  std::int64_t lanes(std::int64_t element_bytes) const { return vector_bytes / element_bytes; }
};

/// The machine that this runs on: registers from its CPU, caches and cores from the operating system (where
/// it does not tell, the values above).
CpuProfile host_profile();

}  // namespace vdla::pipeline::cpu
