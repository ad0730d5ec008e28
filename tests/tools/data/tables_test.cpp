// SPDX-License-Identifier: Apache-2.0
#include "tools/data/tables.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/tools/expect_error.h"
#include "tools/data/files.h"

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

TEST_F(TablesTest, LabelsWithAndWithoutClassesOrAHeading) {
  const auto seen = [&](const std::string& name, const std::string& text) {
    std::string out;
    for (const auto& row : read_labels(file(name, text)))
      out += row.name + "@" + std::to_string(row.line) + "=" + std::to_string(row.value) + " ";
    return out;
  };
  EXPECT_EQ(seen("a.csv", "x,10,3\ny,10,4\n"), "x@1=3 y@2=4 ");
  EXPECT_EQ(seen("b.csv", "x,3\n\n# comment\ny,4\r\n\"z\", 5\n"), "x@1=3 y@4=4 z@5=5 ");
  EXPECT_EQ(seen("c.csv", "i,filename,label_idx\n0,a.png,1\n1,b.png,0\n"), "a.png@2=1 b.png@3=0 ");
}

/// "b,c",1 became the three cells b, c and 1.
TEST_F(TablesTest, ACellInQuotesMayHoldCommasQuotesAndLines) {
  const auto rows = read_labels(
      file("q.csv", "\xef\xbb\xbf\"b,c\",1\r\n \"say \"\"a\"\"\" , 2\n\"two\nlines\",3\nd\"e,4\n,5\n"));
  std::vector<std::string> seen;
  for (const auto& row : rows)
    seen.push_back(row.name + "@" + std::to_string(row.line) + "=" + std::to_string(row.value));
  EXPECT_EQ(seen,
            (std::vector<std::string>{"b,c@1=1", "say \"a\"@2=2", "two\nlines@3=3", "d\"e@5=4", "@6=5"}));
  expect_user_error([&] { read_labels(file("r.csv", "a,1\n\"b,2\nc,3\n")); },
                    {"r.csv:2: a quote is not closed"});
  expect_user_error([&] { read_labels(file("s.csv", "\"a\"b,1\n")); },
                    {"s.csv:1: text stands after a closing"});
}

TEST_F(TablesTest, ErrorsNameLineAndNeed) {
  expect_user_error([&] { read_labels(file("c.csv", "x,1\ny,two\n")); }, {":2:", "'two'", "not a number"});
  expect_user_error([&] { read_labels(file("d.csv", "# nothing\n")); }, {"has no rows"});
  expect_user_error([&] { read_goldens(file("e.csv", "x,1,2\ny,one\n")); }, {":2:", "'one'", "not a number"});
}

/// A label of 1e300 became whatever the conversion to an integer made of it.
TEST_F(TablesTest, LabelsThatAreNoWholeNumbersAreRefused) {
  for (const char* label : {"1e300", "-1", "2.5", "inf", "nan"})
    expect_user_error([&] { read_labels(file("c.csv", std::string("x,1\ny,") + label + "\n")); },
                      {":2:", "label", label, "whole number"});
}

TEST_F(TablesTest, GoldensKeepOrder) {
  const auto g = read_goldens(file("f.csv", "x,1,-2\ny,3,4,5\n"));
  EXPECT_EQ(g[0].value, (std::vector<double>{1, -2}));
  EXPECT_EQ(g[1].value, (std::vector<double>{3, 4, 5}));
}

}  // namespace
}  // namespace vdla::tools
