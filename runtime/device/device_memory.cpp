// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/device_memory.h"

#include <algorithm>

#include "runtime/device/device.h"
#include "support/error.h"

namespace vdla::runtime {
namespace {

std::uint64_t whole_blocks(std::uint64_t bytes, std::uint64_t block = kDmaAlignment) {
  return (bytes + block - 1) / block * block;
}

}  // namespace

DeviceMemory device_memory(const Module& module) {
  DeviceMemory memory;
  for (std::size_t i = 0; i < module.steps.size(); ++i) {
    const auto* step = std::get_if<DeviceStep>(&module.steps[i]);
    if (!step) continue;
    for (std::size_t w = 0; w < isa::kWindows.size(); ++w) {
      const auto window = static_cast<isa::Window>(w);
      const std::uint64_t bytes = step->program.window_size(window);
      if (bytes == 0) continue;
      const WindowPlace& place = step->places[w];
      memory.windows.push_back({i, window, bytes, place});
      memory.bytes += whole_blocks(bytes, std::max(kDmaAlignment, place.alignment));
    }
  }
  return memory;
}

void check_device_memory(const Module& module, std::uint64_t there) {
  const std::uint64_t needed = device_memory(module).bytes;
  VDLA_CHECK_USER(there == 0 || needed <= whole_blocks(there))
      << "'" << module.model_name << "' needs " << needed << " bytes of the device's memory, in blocks of "
      << kDmaAlignment << ", and there are " << there
      << "; reserve more (vdla explain --memory says where they go)";
}

}  // namespace vdla::runtime
