// SPDX-License-Identifier: Apache-2.0
#include "runtime/device_memory.h"

#include "runtime/device.h"
#include "support/error.h"

namespace vdla::runtime {
namespace {

std::uint64_t whole_blocks(std::uint64_t bytes) {
  return (bytes + kDmaAlignment - 1) / kDmaAlignment * kDmaAlignment;
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
      memory.windows.push_back({i, window, bytes});
      memory.bytes += whole_blocks(bytes);
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
