// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/tables.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/tools/expect_error.h"
#include "tools/vdla/files.h"

namespace vdla::tools {
namespace {

class TablesTest : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    const auto path =
        (std::filesystem::temp_directory_path() / ("vdla_tables_" + std::to_string(getpid()) + name))
            .string();
    write_file(path, text);
    written_.push_back(path);
    return path;
  }
  void TearDown() override {
    for (const auto& p : written_) std::filesystem::remove(p);
  }
  std::vector<std::string> written_;
};

TEST_F(TablesTest, LabelsWithAndWithoutClasses) {
  EXPECT_EQ(read_labels(file("a.csv", "x,10,3\ny,10,4\n"), 2), (std::vector<int>{3, 4}));
  EXPECT_EQ(read_labels(file("b.csv", "x,3\n\n# comment\ny,4\nz,5\n"), 2), (std::vector<int>{3, 4}));
}

TEST_F(TablesTest, ErrorsNameLineAndNeed) {
  expect_user_error([&] { read_labels(file("c.csv", "x,1\ny,two\n"), 2); }, {":2:", "'two'", "not a number"});
  expect_user_error([&] { read_labels(file("d.csv", "x,1\n"), 2); }, {"has 1 rows", "2 inputs"});
  expect_user_error([&] { read_goldens(file("e.csv", "x,1,2\ny,1\n"), 2); },
                    {":2:", "has 1 values", "needs 2"});
}

TEST_F(TablesTest, GoldensKeepOrder) {
  const auto g = read_goldens(file("f.csv", "x,1,-2\ny,3,4\n"), 2);
  EXPECT_EQ(g[0], (std::vector<double>{1, -2}));
  EXPECT_EQ(g[1], (std::vector<double>{3, 4}));
}

}  // namespace
}  // namespace vdla::tools
