// SPDX-License-Identifier: Apache-2.0
// Cases of ONNX's conformance suite as kernels on a device: no case that kernels can have may fail.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "kit/kernels/check_kernel.h"
#include "tests/runtime/gpu/driver.h"
#include "tools/onnx_suite/onnx_suite.h"

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
    passes += one.verdict == tools::Verdict::Pass ? 1 : 0;
  }
  EXPECT_GE(passes, 40u);
}
INSTANTIATE_TEST_SUITE_P(Devices, OnnxSuiteOnADevice,
                         ::testing::Values(std::string(), std::string(kEmulator)), kNamedByDevice);

class BrokenDevice final : public Device {
 public:
  std::string name() const override { return "broken"; }
  std::string_view clock() const override { return "no clock"; }
  std::unique_ptr<Loaded> load(const Program&) override { throw UserError("the device is broken"); }
};

TEST(OnnxSuite, ADeviceThatBreaksIsAFailureAndNotUnsupported) {
  const char* data = std::getenv("VDLA_DATA");
  if (!data) GTEST_SKIP() << "VDLA_DATA is not set: no cases of ONNX";
  const kit::KernelDevice broken{std::make_unique<BrokenDevice>(), "opencl"};
  tools::SuiteOptions options;
  options.device = &broken;
  options.only = "relu";
  options.draw = 0;
  std::size_t failures = 0;
  for (const tools::SuiteCase& one :
       tools::run_onnx_suite(std::filesystem::path(data) / "onnx_backend_v1.12.0" / "node", options)) {
    if (one.name != "relu") continue;
    EXPECT_EQ(one.verdict, tools::Verdict::Fail) << one.message;
    EXPECT_EQ(one.message, "the device is broken");
    ++failures;
  }
  EXPECT_EQ(failures, 1u);
}

}  // namespace
}  // namespace vdla::gpu
