// SPDX-License-Identifier: Apache-2.0
// docs/how-to/add-an-operator.md, an operator of the device: its row is the one of the tree, and an operator
// is in the five files that it names.
#include <gtest/gtest.h>

#include <regex>

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

}  // namespace
}  // namespace vdla::pipeline::device
