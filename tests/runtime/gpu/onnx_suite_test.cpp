// SPDX-License-Identifier: Apache-2.0
// Cases of ONNX's conformance suite as kernels on a device: no case that kernels can have may fail.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/runtime/gpu/driver.h"
#include "tools/vdla/onnx_suite.h"

namespace vdla::gpu {
namespace {

TEST(OnnxSuiteOnADevice, DrawnCasesPass) {
  const TestDevice found = open_test_device();
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

}  // namespace
}  // namespace vdla::gpu
