// SPDX-License-Identifier: Apache-2.0
// Devices with a grid by name, and the kind of their programs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/pipeline/kernels.h"
#include "runtime/grid/device.h"

namespace vdla::kit {

struct KernelDevice {
  std::unique_ptr<gpu::Device> device;
  std::string kind;  ///< as of --target

  /// Makes a program of a function behind the kind's table of lowering.
  gpu::Program program(const loop::Func& lowered) const { return pipeline::gpu_program(kind, lowered); }
};

/// The table of lowering for devices of that name, of which there need be none. UserError where this kit was
/// built without what makes their programs.
passes::Target table_for(const std::string& name);

/// "emulator", "cuda" or "cuda:N", or a part of the name of a device of OpenCL or its driver: any where it is
/// empty. `seed` is of the order in which the emulator runs threads. UserError where there is none, with what
/// to do.
KernelDevice open_kernel_device(const std::string& name, std::uint64_t seed);

/// Whether the name stands for a device of OpenCL.
bool means_opencl(const std::string& name);

struct KernelDeviceName {
  std::string device;  ///< as above
  std::string driver;  ///< and its version
};
struct KernelDevices {
  std::vector<KernelDeviceName> found;
  std::vector<std::string> missing;  ///< sentences: which driver is not here, and how to get it
};
KernelDevices kernel_devices();

}  // namespace vdla::kit
