// SPDX-License-Identifier: Apache-2.0
// Memory of the device that a module takes: the windows of its steps, as sessions and firmware allocate them.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/module/module.h"

namespace vdla::runtime {

/// A window that a step of the device uses.
struct WindowNeed {
  std::size_t step = 0;  ///< index in the module
  isa::Window window = isa::Window::Insn;
  std::uint64_t bytes = 0;
  WindowPlace place;
};

struct DeviceMemory {
  std::vector<WindowNeed> windows;  ///< windows in the order in which they are allocated
  std::uint64_t bytes = 0;          ///< all of them, in whole blocks of kDmaAlignment, or of what
                                    ///< a window is aligned to where that is more
};

DeviceMemory device_memory(const Module& module);

/// UserError, which says how much is needed, where a transport has less in all (0: it does not say).
void check_device_memory(const Module& module, std::uint64_t there);

}  // namespace vdla::runtime
