// SPDX-License-Identifier: Apache-2.0
#include "kit/kernels/kernel_device.h"

#include <algorithm>
#include <iterator>

#include "runtime/gpu/cuda.h"
#include "runtime/gpu/emulator.h"
#include "runtime/gpu/opencl.h"
#include "runtime/module/gpu_segment.h"
#include "support/error.h"

namespace vdla::kit {
namespace {

/// Row of --device for a kind of device.
struct Kind {
  const char* kind;  ///< one of runtime::kGpuKinds
  bool (*is_meant)(const std::string& name);
  std::unique_ptr<gpu::Device> (*open)(const std::string& name, std::uint64_t seed);
  void (*list)(KernelDevices& devices);
};

void list_opencl(KernelDevices& devices) {
  for (const gpu::OpenClName& name : gpu::opencl_devices())
    devices.found.push_back({name.device, name.platform + ", " + name.version});
}

void list_cuda(KernelDevices& devices) {
  for (const gpu::CudaName& name : gpu::cuda_devices())
    devices.found.push_back({name.device, name.model + ", " + name.driver});
}

/// The first that is meant; the last takes all names.
constexpr Kind kKinds[] = {
    {runtime::kKindEmulator, [](const std::string& name) { return name == gpu::kEmulator; },
     [](const std::string&, std::uint64_t seed) { return gpu::open_emulator(seed); },
     [](KernelDevices& devices) {
       devices.found.push_back({gpu::kEmulator, "this CPU, thread by thread: watches accesses and barriers"});
     }},
    {runtime::kKindCuda,
     [](const std::string& name) {
       return name == gpu::kCuda || name.starts_with(gpu::kCuda + std::string(":"));
     },
     [](const std::string& name, std::uint64_t) { return gpu::open_cuda(name); }, list_cuda},
    {runtime::kKindOpenCl, [](const std::string&) { return true; },
     [](const std::string& name, std::uint64_t) { return gpu::open_opencl(name); }, list_opencl},
};

const Kind& kind_meant_by(const std::string& name) {
  const auto found = std::ranges::find_if(kKinds, [&](const Kind& kind) { return kind.is_meant(name); });
  VDLA_CHECK(found != std::end(kKinds)) << "no kind of device is meant by '" << name << "'";
  return *found;
}

/// Adds the device that needs no driver.
std::string with_remedy(const gpu::NoDevice& error) {
  return std::string(error.what()) + ", or take '--device emulator', which needs none";
}

}  // namespace

bool means_opencl(const std::string& name) { return kind_meant_by(name).kind == runtime::kKindOpenCl; }

const targets::Target& target_for(const std::string& name) {
  return targets::gpu_target(kind_meant_by(name).kind);
}

KernelDevice open_kernel_device(const std::string& name, std::uint64_t seed) {
  const targets::Target& target = target_for(name);
  try {
    return {kind_meant_by(name).open(name, seed), &target};
  } catch (const gpu::NoDevice& error) {
    throw UserError(with_remedy(error));
  }
}

KernelDevices kernel_devices() {
  KernelDevices devices;
  for (const Kind& kind : kKinds) try {
      kind.list(devices);
    } catch (const gpu::NoDevice& error) {
      devices.missing.push_back(with_remedy(error));
    } catch (const UserError& error) {
      devices.missing.emplace_back(error.what());
    }
  return devices;
}

}  // namespace vdla::kit
