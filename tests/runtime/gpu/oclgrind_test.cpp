// SPDX-License-Identifier: Apache-2.0
// Kernels under oclgrind, which sees every access: no two threads race and nothing is read that was not
// written. Each barrier is needed: without it, oclgrind sees a race.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"
#include "compiler/passes/target.h"
#include "support/temporary.h"
#include "tests/compiler/codegen_opencl/schedules.h"
#include "tests/compiler/lower/random_grid.h"
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

std::string lowered(const loop::Func& func) {
  return loop::to_string(passes::lower(passes::opencl_target(), func, passes::Verify::Yes));
}

/// The text without each of its barriers in turn.
std::vector<std::string> without_each_barrier(const std::string& text) {
  std::vector<std::string> lines, result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find("intrinsic barrier()") == std::string::npos) continue;
    std::string rest;
    for (std::size_t j = 0; j < lines.size(); ++j)
      if (j != i) rest += lines[j] + "\n";
    result.push_back(rest);
  }
  return result;
}

TEST_F(Oclgrind, EachBarrierIsNeededAndNoneIsMissing) {
  const char* texts[] = {
      // Tiles in a loop, and a second use of the same memory.
      R"(func tiles(in A: f32[96], out B: f32[96]) { for b in 0..2 block.x { for t in 0..8 thread.x {
        alloc s: f32[16] @shared
        for k in 0..3 {
          for o in 0..2 unrolled { for c in 0..8 thread.x { s[o * 8 + c] = A[b * 48 + k * 16 + o * 8 + c] } }
          B[b * 48 + k * 16 + t] = s[15 - t]
          B[b * 48 + k * 16 + 8 + t] = s[7 - t]
        } } } })",
      // A reduction by halves.
      R"(func halves(in A: i32[32], out B: i32[2]) { for b in 0..2 block.x {
        alloc s: i32[16] @shared
        for t in 0..16 thread.x { s[t] = A[b * 16 + t] }
        for u in 0..8 thread.x { s[u] = s[u] + s[u + 8] }
        for v in 0..4 thread.x { s[v] = s[v] + s[v + 4] }
        B[b] = s[0] + s[1] + s[2] + s[3] } })",
      // A parameter between two loops over threads.
      R"(func exchange(in A: i32[16], out B: i32[16], out C: i32[16]) { for b in 0..2 block.x {
        for t in 0..8 thread.x { B[b * 8 + t] = A[b * 8 + t] }
        for u in 0..8 thread.x { C[b * 8 + u] = B[b * 8 + 7 - u] } } })",
  };
  std::vector<std::string> functions{lowered(grid::sgemm(32, 16))};
  for (const char* text : texts) functions.push_back(lowered(loop::parse(text)));
  for (const std::string& function : functions) {
    expect_clean(function);
    const std::vector<std::string> broken = without_each_barrier(function);
    EXPECT_FALSE(broken.empty()) << function;
    for (const std::string& text : broken)
      EXPECT_THAT(run(text, false).output, HasSubstr("data race")) << text;
  }
}

TEST_F(Oclgrind, DrawnKernelsAreClean) {
  const std::vector<lower::Problem> problems = lower::random_problems();
  int left = 12;
  for (unsigned seed = 0; seed < 4000 && left > 0; ++seed) {
    const lower::Problem& problem = problems[seed % problems.size()];
    const lower::Candidate candidate = lower::draw_grid_candidate(problem, 40000000 + seed);
    std::string text;
    const auto note = [&](const loop::Func& func, const auto&) { text = lowered(func); };
    try {
      lower::failure_of(problem, candidate, note);
    } catch (const UserError&) {
    }
    if (text.find("barrier") == std::string::npos || text.find("f16") != std::string::npos) continue;
    SCOPED_TRACE(to_string(candidate));
    expect_clean(text);
    --left;
  }
  EXPECT_EQ(left, 0);
}

}  // namespace
}  // namespace vdla::gpu
