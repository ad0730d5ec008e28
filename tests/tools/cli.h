// SPDX-License-Identifier: Apache-2.0
// Runs the built `vdla` as a user does, in a folder of its own.
#pragma once

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/reachable_folder.h"
#include "tools/data/files.h"

namespace vdla::tools {

struct Outcome {
  int status = 0;
  std::string out, err;
};

class Cli : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = reachable_folder() / ("vdla_cli_test_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string example(const std::string& name) const {
    // Relative: the way to the checkout may have spaces, and this stands in lines of the shell.
    return std::filesystem::relative(VDLA_SOURCE_DIR "/examples/digits/").string() + "/" + name;
  }

  /// `arguments` are words of the shell.
  Outcome run(const std::string& arguments) const { return run_with("", arguments); }

  /// With variables of the environment in front, as a shell takes them.
  Outcome run_with(const std::string& environment, const std::string& arguments) const {
    const std::string command = environment + " '" VDLA_BINARY_DIR "/bin/vdla' " + arguments + " >" +
                                path("stdout") + " 2>" + path("stderr");
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(path("stdout")),
            read_text(path("stderr"))};
  }

  /// One line on stderr with each of the pieces, nothing on stdout, that exit status.
  void expect_error(const std::string& arguments, const std::vector<std::string>& pieces,
                    int status = 1) const {
    SCOPED_TRACE("vdla " + arguments);
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, status);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, ::testing::StartsWith("vdla: error: "));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    for (const std::string& piece : pieces) EXPECT_THAT(outcome.err, ::testing::HasSubstr(piece));
  }

  /// The digit network compiled for `variant`.
  std::string digits(const std::string& variant = "paper", const std::string& flags = "") const {
    const std::string module = path("digits_" + variant + ".vdla");
    const Outcome outcome =
        run("compile " + example("digits.onnx") + " -o " + module + " --variant " + variant + " " + flags);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return module;
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace vdla::tools
