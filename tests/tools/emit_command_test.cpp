// SPDX-License-Identifier: Apache-2.0
// vdla compile --emit c.
#include <filesystem>

#include <nlohmann/json.hpp>

#include "tests/tools/cli.h"

namespace vdla::tools {
namespace {

using testing::HasSubstr;

TEST_F(Cli, EmitCWritesAFolderWhosePageSaysHowToBuildIt) {
  const std::string folder = path("deep/digits.c99");
  const auto result = run("compile " + example("digits.onnx") +
                          " --emit c --name seven --cpu-target aarch64 -o " + folder + " --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_EQ(report["output"], folder);
  EXPECT_EQ(report["firmware"]["device_memory_bytes"].get<int>() % 4096, 0);
  for (const char* file :
       {"seven.h", "seven.c", "seven_data.c", "libseven_kernels.a", "vdla/driver/mmio/mmio.c"})
    EXPECT_TRUE(std::filesystem::is_regular_file(folder + "/" + file)) << file;
  EXPECT_THAT(read_text(folder + "/README.md"),
              AllOf(HasSubstr("`vdla compile digits.onnx --emit c --name seven --cpu-target aarch64`"),
                    HasSubstr("add_subdirectory(seven)"),
                    HasSubstr("| DMA memory | " + report["firmware"]["device_memory_bytes"].dump())));
  EXPECT_EQ(run("run " + folder + "/seven.vdla --random-input 1").status, 0);
}

TEST_F(Cli, EmitCRefusesWhatDoesNotFitItBeforeAnythingIsWritten) {
  const std::string compile = "compile " + example("digits.onnx") + " -o ";
  expect_error(compile + path("net") + " --emit c",
               {"'conv1.conv/taps' runs on the CPU", "--cpu-target armv7"});
  expect_error(compile + path("net.vdla") + " --emit c", {"--emit c writes a folder"}, 2);
  expect_error(compile + path("net.vdla") + " --cpu-target armv7", {"--cpu-target is for C: say --emit c"});
  expect_error(compile + path("net") + " --emit c --cpu-target armv7 --cpu-native",
               {"--cpu-native is for code that runs on this machine"});
  expect_error(compile + path("net") + " --emit c --cpu-target armv8", {"armv8", "did you mean 'armv7'"}, 2);
  expect_error(compile + path("net") + " --emit c --name 7up --cpu-target armv7",
               {"'7up' begins symbols of C"});
  EXPECT_FALSE(std::filesystem::exists(path("net")));
}

}  // namespace
}  // namespace vdla::tools
