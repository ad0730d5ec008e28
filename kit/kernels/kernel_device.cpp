// SPDX-License-Identifier: Apache-2.0
#include "kit/kernels/kernel_device.h"

#include "kit/gpu_device.h"
#include "runtime/gpu/cuda.h"
#include "runtime/gpu/emulator.h"
#include "runtime/gpu/opencl.h"
#include "runtime/module/gpu_segment.h"
#include "support/error.h"

namespace vdla::kit {
namespace {

void list_opencl(KernelDevices& devices) {
  for (const gpu::OpenClName& name : gpu::opencl_devices())
    devices.found.push_back({name.device, name.platform + ", " + name.version});
}

void list_cuda(KernelDevices& devices) {
  for (const gpu::CudaName& name : gpu::cuda_devices())
    devices.found.push_back({name.device, name.model + ", " + name.driver});
}

void list_emulator(KernelDevices& devices) {
  devices.found.push_back({gpu::kEmulator, "this CPU, thread by thread: watches accesses and barriers"});
}

/// Adds the device that needs no driver.
std::string with_remedy(const gpu::NoDevice& error) {
  return std::string(error.what()) + ", or take '--device emulator', which needs none";
}

}  // namespace

bool means_opencl(const std::string& name) { return kind_of_gpu(name) == runtime::kKindOpenCl; }

passes::Target table_for(const std::string& name) { return pipeline::gpu_table(kind_of_gpu(name)); }

KernelDevice open_kernel_device(const std::string& name, std::uint64_t seed) {
  const std::string kind = kind_of_gpu(name);
  pipeline::gpu_table(kind);  // UserError before a driver is opened
  try {
    return {open_gpu(kind, name, seed), kind};
  } catch (const gpu::NoDevice& error) {
    throw UserError(with_remedy(error));
  }
}

KernelDevices kernel_devices() {
  KernelDevices devices;
  for (const auto list : {list_emulator, list_cuda, list_opencl}) try {
      list(devices);
    } catch (const gpu::NoDevice& error) {
      devices.missing.push_back(with_remedy(error));
    } catch (const UserError& error) {
      devices.missing.emplace_back(error.what());
    }
  return devices;
}

}  // namespace vdla::kit
