// SPDX-License-Identifier: Apache-2.0
#include "tools/data/match.h"

#include <gtest/gtest.h>

#include "tests/tools/expect_error.h"

namespace vdla::tools {
namespace {

using Names = std::vector<std::string>;

std::vector<RowName> rows(const Names& names) {
  std::vector<RowName> made;
  for (const std::string& name : names) made.push_back({name, made.size() + 1});
  return made;
}

Match match(const Names& row_names, const Names& inputs, std::size_t used, bool subset = false) {
  return match_rows("t.csv", rows(row_names), {inputs, used, ""}, subset);
}

using Rows = std::vector<std::size_t>;

TEST(MatchRows, ByNameWhateverTheOrderFolderOrEnding) {
  const Match m = match({"b.png", "images/a.jpg", "c"}, {"a", "b", "c"}, 3);
  EXPECT_EQ(m.rows, (Rows{1, 0, 2}));
  EXPECT_EQ(m.sentence("labels"), "labels: 3 of 3 matched by name");
  EXPECT_EQ(match({"x#1", "x#0"}, {"x#0", "x#1"}, 2).rows, (Rows{1, 0}));
}

TEST(MatchRows, NamesWithDotsAreNotCut) {
  EXPECT_EQ(match({"tst_0.5", "tst_0.25"}, {"tst_0.25", "tst_0.5"}, 2).rows, (Rows{1, 0}));
  EXPECT_EQ(match({"tst_0.5.bin", "tst_0.25.bin"}, {"tst_0.25", "tst_0.5"}, 2).rows, (Rows{1, 0}));
}

TEST(MatchRows, ByNumberInABatch) {
  const Match m = match({"2", "0", "1"}, {"x#0", "x#1", "x#2"}, 3);
  EXPECT_EQ(m.rows, (Rows{1, 2, 0}));
  EXPECT_EQ(m.by, "number");
}

TEST(MatchRows, ByOrderOnlyInABatchAndSaysWhy) {
  const Match m = match({"car", "ship"}, {"x#0", "x#1"}, 2);
  EXPECT_EQ(m.rows, (Rows{0, 1}));
  EXPECT_EQ(m.sentence("labels"),
            "labels: 2 of 2 matched by order, since no row names an input: the first is 'car', the first "
            "input 'x#0'");
  expect_user_error([&] { match({"car", "ship"}, {"a", "b"}, 2); },
                    {"t.csv", "none of its 2 rows", "line 1 has 'car'", "'a'"});
}

TEST(MatchRows, RowsBehindTheLimitAreKnown) {
  EXPECT_EQ(match({"c", "b", "a"}, {"a", "b", "c"}, 1).rows, (Rows{2}));
  EXPECT_EQ(match({"car", "ship"}, {"x#0", "x#1"}, 1).rows, (Rows{0}));
}

TEST(MatchRows, RowsOfNoInputNeedSubset) {
  expect_user_error([&] { match({"a", "b", "z"}, {"a", "b"}, 2); },
                    {"t.csv:3", "'z'", "2 inputs", "--subset"});
  const Match m = match({"z", "b", "a"}, {"a", "b"}, 2, true);
  EXPECT_EQ(m.rows, (Rows{2, 1}));
  EXPECT_EQ(m.sentence("labels"), "labels: 2 of 2 matched by name; 1 rows are of inputs that are not here");
  expect_user_error([&] { match({"0", "7"}, {"x#0", "x#1"}, 2); }, {"t.csv:2", "'7'"});
  expect_user_error([&] { match({"car", "ship", "cat"}, {"x#0", "x#1"}, 2); },
                    {"3 rows", "2 inputs", "--subset"});
}

TEST(MatchRows, TwoRowsOfOneInputAndInputsWithoutARowAreRefused) {
  expect_user_error([&] { match({"a", "b", "a.png"}, {"a", "b"}, 2); }, {"t.csv:3", "'a.png'", "line 1"});
  expect_user_error([&] { match({"a"}, {"a", "b"}, 2); }, {"input 'b' has no row"});
  expect_user_error([&] { match({"a", "b"}, {"a", "a"}, 2); }, {"'a' names two inputs"});
  expect_user_error([&] { match({"0", "1", "1"}, {"x#0", "x#1"}, 2); }, {"t.csv:3", "line 2"});
}

TEST(MatchRows, NamesFromAFileAreNoOrder) {
  const InputNames inputs{{"car", "ship"}, 2, "names.txt"};
  EXPECT_EQ(match_rows("t.csv", rows({"ship", "car"}), inputs, false).rows, (Rows{1, 0}));
  expect_user_error([&] { match_rows("t.csv", rows({"cat", "dog"}), inputs, false); },
                    {"none of its 2 rows"});
}

}  // namespace
}  // namespace vdla::tools
