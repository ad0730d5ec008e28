// SPDX-License-Identifier: Apache-2.0
// Operands that OpenCL C and LLVM have no result for: kernels compute what the interpreter does.
#include "tests/compiler/loop/hostile.h"

#include <gtest/gtest.h>

#include "compiler/passes/target.h"
#include "tests/runtime/gpu/driver.h"

namespace vdla::gpu {
namespace {

class HostileOperands : public ::testing::TestWithParam<std::string> {};

TEST_P(HostileOperands, OfThreadsAreTheInterpreters) {
  const TestDevice found = open_test_device(GetParam());
  VDLA_SKIP_WITHOUT_DEVICE(found);
  for (const bool guarded : {false, true})
    for (const loop::HostileCase& hostile : loop::hostile_cases(loop::ForKind::ThreadX, guarded)) {
      const auto loaded =
          found.device->load(found.program(passes::lower(passes::opencl_target(), hostile.func)));
      const auto wanted = loop::interpreted(hostile);
      for (std::size_t i = 0; i < wanted.size(); ++i) loaded->write(i, hostile.arguments[i]);
      loaded->run();
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        std::vector<std::byte> got(wanted[i].size());
        loaded->read(i, got);
        EXPECT_EQ(got, wanted[i]) << hostile.func.name << ", parameter " << i;
      }
    }
}
INSTANTIATE_TEST_SUITE_P(Devices, HostileOperands, ::testing::Values(std::string(), std::string(kEmulator)),
                         kNamedByDevice);

}  // namespace
}  // namespace vdla::gpu
