// SPDX-License-Identifier: Apache-2.0
// docs/how-to/add-an-intrinsic.md: its example is the one of examples/own_intrinsic, which the tests build
// and run; the files that it names exist; a declaration has the parts that the page lists.
#include <gtest/gtest.h>

#include "compiler/tensorize/table.h"
#include "tests/compiler/how_to_page.h"

namespace vdla::tensorize {
namespace {

TEST(HowTo, AnIntrinsicIsDeclaredAsItsPageSays) {
  const char* page = "add-an-intrinsic.md";
  testing::expect_shows(page, "```cpp\n" + testing::cut("examples/own_intrinsic/main.cpp",
                                                        "tensorize::Intrinsic amplify(", "\n}\n"));
  testing::expect_shows(
      page, "```\n" +
                testing::cut("examples/own_intrinsic/amplify.intrinsic", "intrinsic amplify\n", "clamp_max") +
                "clamp_max = 127\n```");
  testing::expect_files_exist(page, 8);
  const std::string table = testing::read_source("compiler/tensorize/table.cpp");
  for (const char* part : {"operands_b(", "reducer_of(", "vector_value("}) {
    EXPECT_NE(table.find(part), std::string::npos) << page << " names " << part;
  }
}

}  // namespace
}  // namespace vdla::tensorize
