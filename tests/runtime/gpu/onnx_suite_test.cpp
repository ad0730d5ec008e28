// SPDX-License-Identifier: Apache-2.0
// Cases of ONNX's conformance suite as kernels on a device: no case that kernels can have may fail.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/runtime/gpu/driver.h"
#include "tools/vdla/onnx_suite.h"

namespace vdla::gpu {
namespace {

/// By its name in --device.
class OnnxSuiteOnADevice : public ::testing::TestWithParam<std::string> {};

TEST_P(OnnxSuiteOnADevice, DrawnCasesPass) {
  const TestDevice found = open_test_device(GetParam());
  VDLA_SKIP_WITHOUT_DEVICE(found);
  const char* data = std::getenv("VDLA_DATA");
  if (!data) GTEST_SKIP() << "VDLA_DATA is not set: no cases of ONNX";
  tools::SuiteOptions options;
  options.device = &found;
  options.draw = 60;
  options.seed = 4;
  std::size_t passes = 0;
  for (const tools::SuiteCase& one :
       tools::run_onnx_suite(std::filesystem::path(data) / "onnx_backend_v1.12.0" / "node", options)) {
    EXPECT_NE(one.verdict, tools::Verdict::Fail) << one.name << ": " << one.message;
    // A kernel in which the emulator finds a fault is not one that a device cannot have.
    EXPECT_EQ(one.message.find("kernel '"), std::string::npos) << one.name << ": " << one.message;
    passes += one.verdict == tools::Verdict::Pass ? 1 : 0;
  }
  EXPECT_GE(passes, 40u);
}
INSTANTIATE_TEST_SUITE_P(Devices, OnnxSuiteOnADevice,
                         ::testing::Values(std::string(), std::string(kEmulator)));

}  // namespace
}  // namespace vdla::gpu
