// SPDX-License-Identifier: Apache-2.0
// The GPU that a module's programs are for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/grid/device.h"
#include "runtime/module/module.h"

namespace vdla::kit {

/// Kind of a device of this name: one of runtime::kGpuKinds.
std::string kind_of_gpu(const std::string& name);

/// The one of the kind that has the name, which is as below. gpu::NoDevice, or UserError, where there is
/// none. `seed` is of the order in which the emulator runs threads.
std::unique_ptr<gpu::Device> open_gpu(const std::string& kind, const std::string& name,
                                      std::uint64_t seed = 1);

/// `name`: "cuda:N", or a part of the name of a device of OpenCL or its driver; empty: the first of the kind
/// that the module wants. GpuError where there is none, with what to install.
std::unique_ptr<gpu::Device> open_gpu(const runtime::Module& module, const std::string& name);

}  // namespace vdla::kit
