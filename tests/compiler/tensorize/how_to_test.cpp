// SPDX-License-Identifier: Apache-2.0
// docs/how-to/add-an-intrinsic.md: its example is the one of examples/own_intrinsic, which the tests build
// and run; the files that it names exist; a declaration has the parts that the page lists.
#include <gtest/gtest.h>

#include "compiler/intrinsics/table.h"
#include "tests/compiler/how_to_page.h"

namespace vdla::tensorize {
namespace {

TEST(HowTo, AnIntrinsicIsDeclaredAsItsPageSays) {
  const char* page = "add-an-intrinsic.md";
  testing::expect_shows(page, "```cpp\n" + testing::cut("examples/own_intrinsic/main.cpp",
                                                        "intrinsics::Intrinsic amplify(", "\n}\n"));
  testing::expect_shows(
      page, "```\n" +
                testing::cut("examples/own_intrinsic/amplify.intrinsic", "intrinsic amplify\n", "clamp_max") +
                "clamp_max = 127\n```");
  testing::expect_shows(page, "```cpp\n" + testing::cut("compiler/tensorize/host_table.cpp",
                                                        "intrinsics::Intrinsic dot4(", "\n}\n"));
  testing::expect_files_exist(page, 14);
  const std::string table = testing::read_source("compiler/intrinsics/table.cpp");
  for (const char* part : {"operands_b(", "reducer_of(", "vector_value("}) {
    EXPECT_NE(table.find(part), std::string::npos) << page << " names " << part;
  }
  EXPECT_NE(testing::read_source("compiler/codegen/llvm/emit_dot.cpp").find("emit_intrinsic("),
            std::string::npos);
  EXPECT_NE(testing::read_source("compiler/codegen/llvm/host.cpp").find("features_of("), std::string::npos);
}

}  // namespace
}  // namespace vdla::tensorize
