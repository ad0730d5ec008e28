// SPDX-License-Identifier: Apache-2.0
#include "kit/kernel_device.h"

#include <algorithm>
#include <iterator>

#include "kit/check_kernel.h"
#include "kit/llvm_program.h"
#include "runtime/gpu/cuda.h"
#include "runtime/gpu/emulator.h"
#include "runtime/gpu/opencl.h"
#include "support/error.h"

namespace vdla::kit {
namespace {

/// Row of --device for a kind of device.
struct Kind {
  bool (*is_meant)(const std::string& name);
  KernelDevice (*open)(const std::string& name, std::uint64_t seed);
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
    {[](const std::string& name) { return name == gpu::kEmulator; },
     [](const std::string&, std::uint64_t seed) {
       require_llvm("the emulator");
       return KernelDevice{gpu::open_emulator(seed), emulated_program};
     },
     [](KernelDevices& devices) {
       devices.found.push_back({gpu::kEmulator, "this CPU, thread by thread: watches accesses and barriers"});
     }},
    {[](const std::string& name) {
       return name == gpu::kCuda || name.starts_with(gpu::kCuda + std::string(":"));
     },
     [](const std::string& name, std::uint64_t) {
       require_llvm("CUDA");
       return KernelDevice{gpu::open_cuda(name), cuda_program};
     },
     list_cuda},
    {[](const std::string&) { return true; },
     [](const std::string& name, std::uint64_t) {
       return KernelDevice{gpu::open_opencl(name), opencl_program};
     },
     list_opencl},
};

/// Adds the device that needs no driver.
std::string with_remedy(const gpu::NoDevice& error) {
  return std::string(error.what()) + ", or take '--device emulator', which needs none";
}

}  // namespace

bool means_opencl(const std::string& name) {
  return std::ranges::find_if(kKinds, [&](const Kind& kind) { return kind.is_meant(name); }) ==
         std::end(kKinds) - 1;
}

MakeProgram program_maker(const std::string& kind) {
  if (kind == "opencl") return opencl_program;
  require_llvm(kind == gpu::kCuda ? "CUDA" : "the emulator");
  VDLA_CHECK(kind == gpu::kCuda || kind == gpu::kEmulator) << "kind of device '" << kind << "'";
  return kind == gpu::kCuda ? cuda_program : emulated_program;
}

KernelDevice open_kernel_device(const std::string& name, std::uint64_t seed) {
  for (const Kind& kind : kKinds) try {
      if (kind.is_meant(name)) return kind.open(name, seed);
    } catch (const gpu::NoDevice& error) {
      throw UserError(with_remedy(error));
    }
  throw InternalError("no kind of device is meant by '" + name + "'");
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
