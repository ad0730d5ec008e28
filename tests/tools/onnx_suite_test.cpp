// SPDX-License-Identifier: Apache-2.0
// ONNX's conformance suite on machine code: no case may fail, and the number of passes may only grow.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/compiler/import/data.h"
#include "tools/vdla/onnx_suite.h"

namespace vdla::tools {
namespace {

void expect_passes(const std::string& folder, std::size_t least) {
  const auto results = run_onnx_suite(testing::data_folder() / "onnx_backend_v1.12.0" / folder, {});
  std::size_t passes = 0;
  for (const SuiteCase& c : results) {
    EXPECT_NE(c.verdict, Verdict::Fail) << c.name << ": " << c.message;
    passes += c.verdict == Verdict::Pass;
    if (c.verdict == Verdict::Unsupported)
      std::printf("unsupported %s: %s\n", c.name.c_str(), c.message.c_str());
  }
  EXPECT_GE(passes, least) << "of " << results.size();
  // More passes than the test asks for: raise the number, so that they stay.
  EXPECT_LE(passes, least) << "of " << results.size();
}

TEST(OnnxSuite, Node) {
  VDLA_NEED_DATA();
  expect_passes("node", 840);
}

TEST(OnnxSuite, Simple) {
  VDLA_NEED_DATA();
  expect_passes("simple", 7);
}

}  // namespace
}  // namespace vdla::tools
