// SPDX-License-Identifier: Apache-2.0
// GPUs of NVIDIA from compute capability 8.0 on, by CUDA's driver. It is opened when the first one is asked
// for: nothing of CUDA is needed to build the kit.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/grid/device.h"

namespace vdla::gpu {

/// Behind it ":" and the device's number; the first one where that is left out.
inline constexpr const char* kCuda = "cuda";

struct CudaName {
  std::string device;  ///< "cuda:0"
  std::string model;   ///< and its compute capability
  std::string driver;  ///< the version of CUDA that it offers
};
/// UserError that says what to install where there is no driver, or no GPU.
std::vector<CudaName> cuda_devices();

/// "cuda" or "cuda:N". Programs are PTX. UserError that lists the devices for another one, and for one that
/// is too old.
std::unique_ptr<Device> open_cuda(const std::string& name);

}  // namespace vdla::gpu
