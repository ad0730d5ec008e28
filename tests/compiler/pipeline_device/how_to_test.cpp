// SPDX-License-Identifier: Apache-2.0
// docs/how-to/add-an-operator.md, an operator of the device: its row is the one of the tree, and an operator
// is in the files that it names.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>

#include "compiler/pipeline/device/ops.h"
#include "tests/compiler/how_to_page.h"

namespace vdla::pipeline::device {
namespace {

TEST(HowTo, AnOperatorOfTheDeviceIsWhereItsPageSays) {
  const std::string file = "compiler/pipeline/device/operators/max_pool2d.cpp";
  const std::string row = testing::cut(file, "const Operator<MaxPool2d>& row", "\n}\n");
  const std::string shown = std::regex_replace(row, std::regex("\n"), "\n   ");  // inside of a list
  EXPECT_NE(testing::read_source("docs/how-to/add-an-operator.md").find(shown), std::string::npos)
      << "the page shows another row than\n"
      << row;
  for (const char* other : {"compiler/pipeline/device/ops.h", "compiler/pipeline/device/from_graph.h",
                            "tests/compiler/pipeline_device/reference.cpp"})
    EXPECT_NE(testing::read_source(other).find("MaxPool2d"), std::string::npos) << other;
  EXPECT_NE(testing::read_source("compiler/pipeline/device/CMakeLists.txt").find("operators/max_pool2d.cpp"),
            std::string::npos);
}

/// Without its declaration, a node that a file could take goes to the CPU.
TEST(HowTo, EveryNodeThatAFileTakesIsDeclared) {
  const std::string header = "compiler/pipeline/device/from_graph.h", declared = testing::read_source(header);
  const std::regex definition(R"(\nLayerOrNot from_graph\(const GraphNode& n, const graph::(\w+)&)");
  int found = 0;
  for (const auto& file : std::filesystem::directory_iterator(std::string(VDLA_SOURCE_DIR) +
                                                              "/compiler/pipeline/device/operators")) {
    const std::string path = "compiler/pipeline/device/operators/" + file.path().filename().string();
    const std::string text = testing::read_source(path);
    for (std::sregex_iterator match(text.begin(), text.end(), definition), end; match != end;
         ++match, ++found)
      EXPECT_NE(declared.find("graph::" + match->str(1) + "& op);"), std::string::npos)
          << header << " does not declare from_graph() of graph::" << match->str(1) << ", which " << path
          << " has";
  }
  EXPECT_GE(found, 14);
}

TEST(HowTo, EveryOperatorOfTheDeviceHasATest) {
  std::string tests;
  for (const char* file : {"conv2d", "conv_depthwise", "move", "on_chip", "vector"})
    tests += testing::read_source("tests/compiler/pipeline_device/" + std::string(file) + "_test.cpp");
#define VDLA_EXPECT(type)                                              \
  EXPECT_TRUE(std::regex_search(tests, std::regex("\\b" #type "\\b"))) \
      << #type " is compared with reference.cpp by no test of tests/compiler/pipeline_device";
  VDLA_DEVICE_OPERATORS(VDLA_EXPECT)
#undef VDLA_EXPECT
}

}  // namespace
}  // namespace vdla::pipeline::device
