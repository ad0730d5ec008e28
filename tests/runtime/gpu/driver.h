// SPDX-License-Identifier: Apache-2.0
// A device for tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "kit/kernels/kernel_device.h"
#include "runtime/gpu/emulator.h"
#include "support/error.h"

namespace vdla::gpu {

/// Or null, and why not.
struct TestDevice : kit::KernelDevice {
  std::string missing;
};
/// By its name in --device: the first one of OpenCL where it is empty.
inline TestDevice open_test_device(const std::string& name = "", std::uint64_t seed = 1) {
  if (name == kEmulator && !VDLA_HAS_LLVM) return {{}, "the kit was built without LLVM"};
  try {
    return {kit::open_kernel_device(name, seed), ""};
  } catch (const UserError& error) {
    return {{}, error.what()};
  }
}

/// Part of a case's name for a name in --device.
inline std::string device_name(const std::string& name) { return name.empty() ? "OpenCl" : "Emulator"; }
inline constexpr auto kNamedByDevice = [](const auto& info) { return device_name(info.param); };

}  // namespace vdla::gpu

#define VDLA_SKIP_WITHOUT_DEVICE(found) \
  if (!(found).device) GTEST_SKIP() << (found).missing
