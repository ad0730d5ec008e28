// SPDX-License-Identifier: Apache-2.0
// vdla doctor: what it finds, and that its status follows from it.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/tools/run_command.h"

namespace vdla::tools {
namespace {

using testing::CommandResult;
using ::testing::HasSubstr;
using testing::run_command;

std::map<std::string, nlohmann::json> findings(const nlohmann::json& report) {
  std::map<std::string, nlohmann::json> parts;
  for (const auto& finding : report.at("findings")) parts[finding.at("part")] = finding;
  return parts;
}

TEST(DoctorCommand, EnginesGiveTheInterpretersBytes) {
  const CommandResult result = run_command("doctor --json");
  ASSERT_EQ(result.status, 0) << result.output;
  const auto report = nlohmann::json::parse(result.output);
  EXPECT_TRUE(report.at("healthy").get<bool>());
  auto parts = findings(report);
  EXPECT_EQ(parts["self test: compiler"]["health"], "ok");
  EXPECT_EQ(parts["self test: functional"]["health"], "ok");
  EXPECT_EQ(parts["self test: functional"]["text"], "the interpreter's bytes");
  for (const auto& [part, finding] : parts)
    EXPECT_EQ(finding["health"] == "ok", !finding.contains("remedy")) << part << " " << finding;
}

TEST(DoctorCommand, ABrokenRtlLibraryEndsWithStatus1AndItsRemedy) {
  const auto info = nlohmann::json::parse(run_command("info --json").output);
  if (!info.at("engines").at("rtl").get<bool>()) GTEST_SKIP() << "needs engine rtl";
  const auto& paper = info.at("variants").at(0);
  ASSERT_EQ(paper.at("name"), "paper");
  // A kit of its own, beside which lies what is no library.
  const std::string kit = ::testing::TempDir() + "vdla_doctor_" + std::to_string(getpid());
  std::filesystem::create_directories(kit + "/bin");
  std::filesystem::create_directories(kit + "/lib/vdla/rtl");
  std::filesystem::copy(VDLA_BINARY_DIR "/bin/vdla", kit + "/bin/vdla");
  std::ofstream(kit + "/lib/vdla/rtl/libvdla_rtl_" + paper.at("geometry_hash").get<std::string>() + "_fast.so")
      << "no library";
  const CommandResult result = testing::run_program(kit + "/bin/vdla", "doctor");
  std::filesystem::remove_all(kit);
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("broken  self test: rtl: cannot load " + kit));
  EXPECT_THAT(result.output, HasSubstr("remedy: vdla build-rtl --variant paper"));
}

TEST(DoctorCommand, TheVersionNamesBuildAndInstructionSet) {
  const CommandResult result = run_command("--version");
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, ::testing::MatchesRegex(
                                 "vdla [0-9.]+( \\(commit [0-9a-f]+\\))?, instruction set version [0-9]+, "
                                 "[A-Za-z]+ build\n"));
}

}  // namespace
}  // namespace vdla::tools
