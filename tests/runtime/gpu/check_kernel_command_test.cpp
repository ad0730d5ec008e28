// SPDX-License-Identifier: Apache-2.0
// vdla check-kernel on the command line.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "support/temporary.h"
#include "tests/runtime/gpu/driver.h"
#include "tests/tools/run_command.h"

namespace vdla::gpu {
namespace {

using ::testing::AllOf;
using testing::CommandResult;
using ::testing::HasSubstr;
using testing::run_command;

class CheckKernelCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    const TestDevice found = open_test_device();
    VDLA_SKIP_WITHOUT_DEVICE(found);
  }

  /// Quoted for the shell.
  std::string file(const std::string& text) {
    const std::filesystem::path path = folder_.path() / "a function.loop";
    std::ofstream(path) << text;
    return "'" + path.string() + "'";
  }

  Temporary folder_{std::filesystem::temp_directory_path(), Temporary::Kind::Folder, "functions"};
};

TEST_F(CheckKernelCommand, ComparesAFileWithItsLoops) {
  const std::string f = file(
      "func f(in A: i8[64], out B: i32[64]) { for b in 0..4 block.x { for t in 0..16 thread.x {"
      " B[b * 16 + t] = i32(A[63 - b * 16 - t]) * 3i32 } } }");
  const CommandResult result = run_command("check-kernel --count 3 " + f);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("1 kernel computes as the loops in order, 3 cases"));
  const auto json = nlohmann::json::parse(run_command("check-kernel --json " + f).output);
  EXPECT_EQ(json["kernels"], 1);
  EXPECT_FALSE(json.contains("mismatch"));
}

TEST_F(CheckKernelCommand, SumsOfBytesAreTheLoops) {
  const std::string f = file(
      "func f(in A: i32[64], in B: i32[64], inout C: i32[64]) { for b in 0..4 block.x { for t in 0..16 "
      "thread.x {"
      " C[b * 16 + t] = C[b * 16 + t] + bytes_dot(A[b * 16 + t], B[b * 16 + t]) } } }");
  for (const std::string device : {"", "--device emulator "}) {
    const CommandResult result = run_command("check-kernel --count 5 " + device + f);
    EXPECT_EQ(result.status, 0) << result.output;
  }
}

TEST_F(CheckKernelCommand, ShowsWhatDiffers) {
  // In order a thread sees what those before it have stored, and behind a barrier what all have.
  const CommandResult result =
      run_command("check-kernel --lowered " +
                  file("func f(in A: i32[64], out B: i32[64], inout C: i32[64]) { for t in 0..64 thread.x {"
                       " C[t] = A[t] intrinsic barrier() B[t] = C[63 - t] } }"));
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, AllOf(HasSubstr("elements of 'B' differ with seed 0, first element "),
                                   HasSubstr("expected "), HasSubstr(", seen ")));
}

/// "pocl" was the name of none: only the version has it, in other letters.
TEST_F(CheckKernelCommand, ADeviceIsFoundByItsVersionInLettersOfEitherCase) {
  const std::string f = file("func f(out B: i32[4]) { for t in 0..4 thread.x { B[t] = 1i32 } }");
  const std::string listed = testing::run_program("sh", "-c '\"" VDLA_BINARY_DIR
                                                        "/bin/vdla\" check-kernel --list --json 2>/dev/null'")
                                 .output;
  for (const auto& device : nlohmann::json::parse(listed)) {
    std::string version = device.at("driver");
    version.erase(0, std::min(version.find("OpenCL "), version.size()));
    if (version.empty()) continue;
    for (char& c : version) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const CommandResult result = run_command("check-kernel --count 1 --device '" + version + "' " + f);
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("f on " + device.at("device").get<std::string>()));
  }
}

TEST_F(CheckKernelCommand, RefusesInOneSentence) {
  const std::string f = file("func f(out B: i32[4]) { for i in 0..2 unrolled { B[i] = 1i32 } }");
  CommandResult result = run_command("check-kernel --device nowhere " + f);
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(
      result.output,
      HasSubstr("no device of OpenCL has 'nowhere' in its name, its driver's or its version; there are '"));
  result = run_command("check-kernel --lowered " + f);
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output,
              HasSubstr("is no function behind the table for opencl, which needs that no loop is "
                        "unrolled; leave --lowered out"));
  result = testing::run_program("env",
                                "OCL_ICD_VENDORS=/nowhere '" VDLA_BINARY_DIR "/bin/vdla' check-kernel " + f);
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output,
              HasSubstr("OpenCL has a loader here and no device; install the driver of the GPU, or "
                        "pocl-opencl-icd"));
}

TEST_F(CheckKernelCommand, RunsOnTheEmulatorWithoutAnyDriver) {
  VDLA_SKIP_WITHOUT_DEVICE(open_test_device(kEmulator));
  const std::string command = "OCL_ICD_VENDORS=/nowhere '" VDLA_BINARY_DIR "/bin/vdla' check-kernel ";
  CommandResult result = testing::run_program("env", command + "--list");
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("emulator ("), HasSubstr("OpenCL has a loader here and no device; ")));
  const std::string on = command + "--device emulator --lowered ";
  const std::string head =
      "func f(in A: i32[64], out B: i32[64]) { for t in 0..64 thread.x { alloc s: i32[64] @shared ";
  result =
      testing::run_program("env", on + file(head + "s[t] = A[t] intrinsic barrier() B[t] = s[63 - t] } }"));
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output,
              HasSubstr("f on emulator: "));  // in order a thread sees what those before it stored
  result = testing::run_program("env", on + file(head + "s[t] = A[t] intrinsic barrier() B[t] = s[t] } }"));
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("f on emulator: 1 kernel computes as the loops in order, 1 case"));
  result = testing::run_program("env", on + file(head + "s[t] = A[t] B[t] = A[t] s[63 - t] = A[t] } }"));
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, HasSubstr("with no barrier between them"));
}

/// Lines were those of what lowering had made, without comments and with barriers, and B was "buffer 1".
TEST_F(CheckKernelCommand, TheEmulatorNamesLinesOfTheFileAndBuffersByName) {
  const auto shown = [&](const std::string& flags, const std::string& buffers, const std::string& store) {
    const std::string text = "# a\n\n# b\nfunc f(in A: i32[" + buffers + "], out B: i32[" + buffers +
                             "]) {\n  for b in 0..2 block.x {\n"
                             "    alloc S: i32[4] @shared\n"
                             "    for t in 0..4 thread.x {\n"
                             "      S[t] = i32(t)  # a number\n"
                             "    }\n"
                             "    for u in 0..4 thread.x {\n"
                             "      " +
                             store + "\n    }\n  }\n}\n";
    const CommandResult result = run_command("check-kernel --device emulator " + flags + file(text));
    EXPECT_EQ(result.status, 1) << result.output;
    return result.output;
  };
  EXPECT_THAT(shown("--lowered ", "8", "B[b * 4 + u] = S[3 - u]"),
              HasSubstr("of the block's shared memory in line 11 ('B[b * 4 + u] = S[3 - u]'), which"));
  // A barrier, which is in no line of the file, does not stop another block from writing the same row.
  EXPECT_THAT(shown("", "2, 4", "B[0, u] = S[3 - u]"),
              HasSubstr("of buffer 'B' in line 11 ('B[0, u] = S[3 - u]'), which another block wrote in "
                        "line 11 ('B[0, u] = S[3 - u]')"));
  // Two lines that passes changed and that store to B what they load from S.
  EXPECT_THAT(shown("", "2, 4", "B[0, u] = S[3 - u]\n      B[1, u] = S[u]"),
              HasSubstr("in line 11 or 12 ('B["));
}

TEST_F(CheckKernelCommand, NeedsATemporaryFolderForOpenClAlone) {
  VDLA_SKIP_WITHOUT_DEVICE(open_test_device(kEmulator));
  const std::string command =
      "-u POCL_CACHE_DIR TMPDIR=/nowhere '" VDLA_BINARY_DIR "/bin/vdla' check-kernel ";
  const std::string f =
      file("func f(in A: i32[4], out B: i32[4]) { for t in 0..4 thread.x { B[t] = A[t] } }");
  CommandResult result = testing::run_program("env", command + "--device emulator " + f);
  EXPECT_EQ(result.status, 0) << result.output;
  for (const std::string& asks_opencl : {std::string("--list"), f}) {
    result = testing::run_program("env", command + asks_opencl);
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.output, AllOf(HasSubstr("vdla: error: no folder for PoCL's compiled kernels: "),
                                     HasSubstr("; set TMPDIR to a folder that can be written")));
  }
}

TEST_F(CheckKernelCommand, OfALoweredFunctionRefusesWhatAKernelCannotHave) {
  const struct {
    std::string body, says;
  } cases[] = {
      {"for t in 0..16 thread.x { alloc p: i32[100000] for k in 0..100000 { p[k] = A[t] } B[t] = p[t] }",
       "has 400000 bytes of memory in each thread, needs at most 16384"},
      {"for t in 0..2048 thread.x { if t < 32 { B[t] = A[t] } }", "threads in a block, needs at most 1024"},
      {"for b in 0..2 block.x { for c in 0..2 block.x { B[b * 2 + c] = A[c] } }",
       "loop 'c' is block.x inside of another one"},
      {"for t in 4..12 thread.x { B[t] = A[t] }",
       "loop 't' is thread.x and needs to go from 0 to a constant"},
  };
  for (const auto& [body, says] : cases) {
    const CommandResult result = run_command("check-kernel --lowered " +
                                             file("func f(in A: i32[32], out B: i32[32]) { " + body + " }"));
    EXPECT_EQ(result.status, 1) << body;
    EXPECT_THAT(result.output, AllOf(HasSubstr("a function.loop: place-threads: "), HasSubstr(says))) << body;
  }
}

TEST_F(CheckKernelCommand, SaysWhereTheEmulatorHasNotWatched) {
  VDLA_SKIP_WITHOUT_DEVICE(open_test_device(kEmulator));
  const auto json_of = [&](const std::string& elements) {
    const CommandResult result =
        run_command("check-kernel --json --device emulator " +
                    file("func f(in A: i8[" + elements +
                         "], out B: i32[4]) { for t in 0..4 thread.x { B[t] = i32(A[t]) } }"));
    EXPECT_EQ(result.status, 0) << result.output;
    return result.output;
  };
  EXPECT_THAT(
      json_of("40000000"),
      AllOf(HasSubstr("\"watched\": false"),
            HasSubstr("the emulator has watched no accesses of 40000016 bytes of buffers, it does so up "
                      "to 33554432")));
  EXPECT_THAT(json_of("4"), ::testing::Not(HasSubstr("watched")));
}

}  // namespace
}  // namespace vdla::gpu
