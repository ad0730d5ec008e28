// SPDX-License-Identifier: Apache-2.0
// A device for tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "kit/kernel_device.h"
#include "runtime/gpu/emulator.h"
#include "support/error.h"

namespace vdla::gpu {

/// Or null, and why not.
struct TestDevice {
  std::unique_ptr<Device> device;
  Program (*program)(const loop::Func& lowered) = nullptr;
  std::string missing;
};
/// By its name in --device: the first one of OpenCL where it is empty.
inline TestDevice open_test_device(const std::string& name = "") {
  if (name == kEmulator && !VDLA_HAS_LLVM) return {nullptr, nullptr, "the kit was built without LLVM"};
  try {
    auto [device, program] = kit::open_kernel_device(name, 1);
    return {std::move(device), program, ""};
  } catch (const UserError& error) {
    return {nullptr, nullptr, error.what()};
  }
}

}  // namespace vdla::gpu

#define VDLA_SKIP_WITHOUT_DEVICE(found) \
  if (!(found).device) GTEST_SKIP() << (found).missing
