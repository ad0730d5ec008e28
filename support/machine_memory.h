// SPDX-License-Identifier: Apache-2.0
// How much memory the machine has, asked before much of it is taken: a system that promises more than it has
// would end the process later.
#pragma once

#include <unistd.h>

#include <cstdint>

namespace vdla {

/// Bytes of physical memory; UINT64_MAX where the system does not tell.
inline std::uint64_t machine_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return UINT64_MAX;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

}  // namespace vdla
