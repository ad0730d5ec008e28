// SPDX-License-Identifier: Apache-2.0
// A device for tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "runtime/gpu/opencl.h"
#include "support/error.h"

namespace vdla::gpu {

/// Or null, and why not.
struct TestDevice {
  std::unique_ptr<Device> device;
  std::string missing;
};
inline TestDevice open_test_device() {
  try {
    return {open_opencl(""), ""};
  } catch (const UserError& error) {
    return {nullptr, error.what()};
  }
}

}  // namespace vdla::gpu

#define VDLA_SKIP_WITHOUT_OPENCL(found) \
  if (!(found).device) GTEST_SKIP() << (found).missing
