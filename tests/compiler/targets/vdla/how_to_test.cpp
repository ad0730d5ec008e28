// SPDX-License-Identifier: Apache-2.0
// docs/how-to/add-an-operator.md, an operator of the device: its row is the one of the tree, and an operator
// is in the files that it names.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>

#include "compiler/targets/vdla/templates/ops.h"
#include "tests/compiler/how_to_page.h"

namespace vdla::pipeline::device {
namespace {

TEST(HowTo, AnOperatorOfTheDeviceIsWhereItsPageSays) {
  const std::string file = "compiler/targets/vdla/templates/operators/max_pool2d.cpp";
  const std::string row = testing::cut(file, "const Operator<MaxPool2d>& row", "\n}\n");
  const std::string shown = std::regex_replace(row, std::regex("\n"), "\n   ");  // inside of a list
  EXPECT_NE(testing::read_source("docs/how-to/add-an-operator.md").find(shown), std::string::npos)
      << "the page shows another row than\n"
      << row;
  for (const char* other :
       {"compiler/targets/vdla/templates/ops.h", "compiler/targets/vdla/templates/from_graph.h",
        "tests/compiler/targets/vdla/reference.cpp"})
    EXPECT_NE(testing::read_source(other).find("MaxPool2d"), std::string::npos) << other;
  EXPECT_NE(
      testing::read_source("compiler/targets/vdla/templates/CMakeLists.txt").find("operators/max_pool2d.cpp"),
      std::string::npos);
}

/// Without its declaration, a node that a file could take goes to the CPU.
TEST(HowTo, EveryNodeThatAFileTakesIsDeclared) {
  const std::string header = "compiler/targets/vdla/templates/from_graph.h",
                    declared = testing::read_source(header);
  const std::regex definition(R"(\nLayerOrNot from_graph\(const GraphNode& n, const graph::(\w+)&)");
  int found = 0;
  for (const auto& file : std::filesystem::directory_iterator(std::string(VDLA_SOURCE_DIR) +
                                                              "/compiler/targets/vdla/templates/operators")) {
    const std::string path = "compiler/targets/vdla/templates/operators/" + file.path().filename().string();
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
  for (const char* file :
       {"bilinear", "conv2d", "conv_depthwise", "elementwise", "move", "on_chip", "select", "vector"})
    tests += testing::read_source("tests/compiler/targets/vdla/" + std::string(file) + "_test.cpp");
#define VDLA_EXPECT(type)                                              \
  EXPECT_TRUE(std::regex_search(tests, std::regex("\\b" #type "\\b"))) \
      << #type " is compared with reference.cpp by no test of tests/compiler/targets/vdla";
  VDLA_DEVICE_OPERATORS(VDLA_EXPECT)
#undef VDLA_EXPECT
}

}  // namespace
}  // namespace vdla::pipeline::device
