// SPDX-License-Identifier: Apache-2.0
// vdla check-intrinsic on the command line: files, the kit's own by name, a wrong lowering shown and in JSON.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <regex>

#include "tests/compiler/how_to_page.h"
#include "tests/tools/run_command.h"

namespace vdla::tools {
namespace {

using testing::CommandResult;
using ::testing::HasSubstr;
using testing::run_command;

const std::string kExample = "'" VDLA_SOURCE_DIR "/examples/own_intrinsic/amplify.intrinsic'";

TEST(CheckIntrinsicCommand, AgreesForAFileOnEveryEngine) {
  const CommandResult result = run_command("check-intrinsic " + kExample + " --count 10");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "amplify out <- inp: 10 cases agree on functional, systemc, rtl\n");
}

TEST(CheckIntrinsicCommand, ShowsAWrongFileSmallAndSideBySide) {
  const std::string text =
      std::regex_replace(testing::read_source("examples/own_intrinsic/amplify.intrinsic"),
                         std::regex("clamp_max = 127"), "clamp_max = 126");
  const std::string file =
      (std::filesystem::temp_directory_path() / "check_intrinsic_test.intrinsic").string();
  std::ofstream(file) << text;
  CommandResult result = run_command("check-intrinsic " + file + " --engine systemc");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, HasSubstr("intrinsic 'amplify out <- inp': the lowering differs from the "
                                       "declaration on engine systemc"));
  EXPECT_TRUE(std::regex_search(result.output, std::regex("dst\\[0, \\d\\] +127 +126\n"))) << result.output;

  result = run_command("check-intrinsic " + file + " --engine functional --json");
  EXPECT_EQ(result.status, 1);
  const auto mismatch = nlohmann::json::parse(result.output)["intrinsics"][0]["mismatch"];
  ASSERT_EQ(mismatch["elements"].size(), 1u) << result.output;
  EXPECT_EQ(mismatch["elements"][0]["expected"], 127);
  EXPECT_EQ(mismatch["elements"][0]["seen"], 126);
  std::filesystem::remove(file);
}

TEST(CheckIntrinsicCommand, TakesTheKitsOwnByNameAndByForm) {
  CommandResult result = run_command("check-intrinsic gemm --engine rtl --count 5");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "gemm: 5 cases agree on rtl\n");
  result =
      run_command("check-intrinsic 'hsum acc <- inp, par' --variant paper --engine functional --count 3");
  EXPECT_EQ(result.output, "hsum acc <- inp, par: 3 cases agree on functional\n");
  EXPECT_THAT(run_command("check-intrinsic --list").output, HasSubstr("scale out <- acc, par\n"));
}

TEST(CheckIntrinsicCommand, NamesWrongCalls) {
  CommandResult result = run_command("check-intrinsic convolve");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output,
              HasSubstr("'convolve' is no file and no intrinsic of the kit, needs a file, gemm, "));
  result = run_command("check-intrinsic dot4");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output,
              HasSubstr("'dot4' is an intrinsic of CPUs; only those of the device are checked"));
  result = run_command("check-intrinsic");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, HasSubstr("which intrinsic?"));
  EXPECT_EQ(run_command("check-intrinsic gemm --count 0").status, 2);
}

}  // namespace
}  // namespace vdla::tools
