// SPDX-License-Identifier: Apache-2.0
// Kernels under oclgrind, which sees every access: no two threads race and nothing is read that was not
// written. Each barrier is needed: without it, oclgrind sees a race.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/temporary.h"
#include "tests/compiler/codegen/opencl/schedules.h"
#include "tests/runtime/gpu/barriers.h"
#include "tests/tools/run_command.h"

namespace vdla::gpu {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Oclgrind : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::string(VDLA_OCLGRIND_DRIVER).empty())
      GTEST_SKIP() << "oclgrind is not here: install it and build again";
  }

  /// What oclgrind and the comparison say of a function behind the table.
  testing::CommandResult run(const std::string& lowered, bool looks_for_uninitialised) const {
    const std::filesystem::path path = folder_.path() / "f.loop";
    std::ofstream(path) << lowered;
    return testing::run_program(
        "env",
        fmt::format(
            "OCL_ICD_VENDORS='{}' OCLGRIND_DATA_RACES=1 {} "
            "OCLGRIND_MAX_ERRORS=3 '{}/bin/vdla' check-kernel --lowered '{}'",
            VDLA_OCLGRIND_DRIVER,
            looks_for_uninitialised ? "OCLGRIND_UNINITIALIZED=1 OCLGRIND_BUILD_OPTIONS=-cl-opt-disable" : "",
            VDLA_BINARY_DIR, path.string()));
  }

  void expect_clean(const std::string& lowered) const {
    const testing::CommandResult result = run(lowered, true);
    EXPECT_EQ(result.status, 0) << result.output << lowered;
    EXPECT_THAT(result.output, Not(HasSubstr("data race"))) << lowered;
    EXPECT_THAT(result.output, Not(HasSubstr("Uninitialized"))) << lowered;
  }

  Temporary folder_{std::filesystem::temp_directory_path(), Temporary::Kind::Folder, "functions"};
};

TEST_F(Oclgrind, EachBarrierIsNeededAndNoneIsMissing) {
  std::vector<std::string> functions{lowered_text(grid::sgemm(32, 16))};
  for (const char* text : kFunctionsWithBarriers) functions.push_back(lowered_text(loop::parse(text)));
  for (const std::string& function : functions) {
    expect_clean(function);
    const std::vector<std::string> broken = without_each_barrier(function);
    EXPECT_FALSE(broken.empty()) << function;
    for (const std::string& text : broken)
      EXPECT_THAT(run(text, false).output, HasSubstr("data race")) << text;
  }
}

/// Kernels that have OpenCL C.
std::string drawn_kernel_for_opencl(unsigned seed) {
  const std::string text = drawn_kernel(seed);
  return text.find("f16") == std::string::npos ? text : "";
}

TEST_F(Oclgrind, DrawnKernelsAreClean) {
  int left = 12;
  for (unsigned seed = 0; seed < 4000 && left > 0; ++seed) {
    const std::string text = drawn_kernel_for_opencl(seed);
    if (text.empty()) continue;
    SCOPED_TRACE(seed);
    expect_clean(text);
    --left;
  }
  EXPECT_EQ(left, 0);
}

TEST_F(Oclgrind, SeesARaceExactlyWhereTheEmulatorDoes) {
  VDLA_SKIP_WITHOUT_DEVICE(open_test_device(kEmulator));
  const char* wanted = std::getenv("VDLA_BARRIERS");
  int left = wanted != nullptr ? std::atoi(wanted) : 12, races = 0;
  for (unsigned seed = 0; seed < 4000 && left > 0; ++seed) {
    const std::string text = drawn_kernel_for_opencl(seed);
    if (text.empty()) continue;
    for (const std::string& broken : without_each_barrier(text)) {
      if (left-- <= 0) break;
      const bool is_race = run(broken, false).output.find("data race") != std::string::npos;
      races += is_race ? 1 : 0;
      EXPECT_EQ(is_race, !complaint(broken).empty()) << broken << complaint(broken);
    }
  }
  EXPECT_GT(races, 0);
}

}  // namespace
}  // namespace vdla::gpu
