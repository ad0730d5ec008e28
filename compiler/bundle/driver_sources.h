// SPDX-License-Identifier: Apache-2.0
// The driver's own sources, which go into each bundle. Private to this folder.
#pragma once

#include <span>
#include <string_view>

namespace vdla::bundle {

struct DriverSource {
  std::string_view path;  ///< from the root of the source tree: "driver/core/device.c"
  std::string_view text;
};

/// Sources of driver/core, memory, mmio and model, and the generated header of the machine.
std::span<const DriverSource> driver_sources();

}  // namespace vdla::bundle
