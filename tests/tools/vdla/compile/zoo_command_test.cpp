// SPDX-License-Identifier: Apache-2.0
// vdla zoo on the command line: files, JSON, and what it says to wrong calls.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/tools/run_command.h"
#include "tools/data/files.h"

namespace vdla::tools {
namespace {

namespace fs = std::filesystem;
using testing::CommandResult;
using ::testing::HasSubstr;
using testing::run_command;

class ZooCommand : public ::testing::Test {
 protected:
  ZooCommand() { fs::create_directories(folder_); }
  ~ZooCommand() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  const fs::path folder_ =
      fs::temp_directory_path() /
      (std::string("vdla_zoo_") + ::testing::UnitTest::GetInstance()->current_test_info()->name() + "_" +
       std::to_string(::getpid()));
};

void expect_error(const std::string& arguments, int status, const std::string& message) {
  const CommandResult result = run_command(arguments);
  EXPECT_EQ(result.status, status) << result.output;
  EXPECT_THAT(result.output, HasSubstr(message));
}

TEST_F(ZooCommand, ListsTheNetworks) {
  const CommandResult result = run_command("zoo --list --json");
  ASSERT_EQ(result.status, 0) << result.output;
  const auto list = nlohmann::json::parse(result.output);
  ASSERT_EQ(list.size(), 8u);
  EXPECT_EQ(list[5]["network"], "resnet18");
  EXPECT_EQ(list[5]["macs"], 1'814'073'344);
}

TEST_F(ZooCommand, TheSeedDecidesTheBytes) {
  const CommandResult first = run_command("zoo resnet8 --seed 5 --json -o " + path("a.onnx"));
  ASSERT_EQ(first.status, 0) << first.output;
  const std::string bytes = read_text(path("a.onnx"));
  EXPECT_EQ(nlohmann::json::parse(first.output)["bytes"], bytes.size());
  ASSERT_EQ(run_command("zoo resnet8 --seed 5 -o " + path("b.onnx")).status, 0);
  ASSERT_EQ(run_command("zoo resnet8 --seed 6 -o " + path("c.onnx")).status, 0);
  ASSERT_EQ(run_command("zoo resnet8 --seed 5 --float -o " + path("d.onnx")).status, 0);
  EXPECT_TRUE(bytes == read_text(path("b.onnx")));
  EXPECT_FALSE(bytes == read_text(path("c.onnx")));
  EXPECT_FALSE(bytes == read_text(path("d.onnx")));
}

TEST_F(ZooCommand, UnknownNetworkListsTheKnown) {
  expect_error("zoo vgg16 -o " + path("x.onnx"), 1,
               "the zoo has no network 'vgg16', it has bert_tiny, decoder_step, deit_tiny, "
               "mobilenet_v1, mobilenet_v2, resnet18, resnet50, resnet8");
  EXPECT_FALSE(fs::exists(path("x.onnx")));
}

TEST_F(ZooCommand, OutputThatCannotBeWrittenIsNamed) {
  expect_error("zoo resnet8 -o " + path("none/x.onnx"), 1, "none/x.onnx: cannot be written: ");
}

TEST_F(ZooCommand, OutputThatIsAFolderStays) {
  fs::create_directories(path("folder/inside"));
  expect_error("zoo resnet8 -o " + path("folder"), 1, "folder: cannot be written: ");
  EXPECT_TRUE(fs::exists(path("folder/inside")));
  EXPECT_FALSE(fs::exists(path("folder.part")));
}

TEST_F(ZooCommand, MissingArgumentsAreNamed) {
  expect_error("zoo", 1, "needs a network's name, or --list");
  expect_error("zoo resnet8", 1, "needs -o FILE");
  expect_error("zoo resnet8 --seed -1 -o " + path("x.onnx"), 2, "--seed");
}

}  // namespace
}  // namespace vdla::tools
