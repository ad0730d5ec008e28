// SPDX-License-Identifier: Apache-2.0
// Devices of OpenCL 1.2 and later. Its loader is opened when the first one is asked for: nothing of OpenCL is
// needed to build the kit.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/grid/device.h"

namespace vdla::gpu {

struct OpenClName {
  std::string platform, device, version;
};
/// Devices that drivers offer. UserError that names the package where there is no loader or no driver.
std::vector<OpenClName> opencl_devices();

/// The first with `wanted` in the name of device or platform or in the version, in letters of either case;
/// any where that is empty. UserError that lists those that there are.
std::unique_ptr<Device> open_opencl(const std::string& wanted);

}  // namespace vdla::gpu
