// SPDX-License-Identifier: Apache-2.0
#include "support/nearest.h"

#include <gtest/gtest.h>

namespace vdla {
namespace {

const std::vector<std::string> kNames{"compile", "run",       "eval",  "explain",
                                      "explore", "--variant", "paper", "tiny"};

TEST(Nearest, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("abc", "abd"), 1u);
  EXPECT_EQ(edit_distance("abc", "acb"), 1u);
  EXPECT_EQ(edit_distance("abc", "ab"), 1u);
  EXPECT_EQ(edit_distance("ABC", "abc"), 0u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Nearest, OneTypingErrorIsUnderstood) {
  EXPECT_EQ(nearest("complie", kNames), "compile");
  EXPECT_EQ(nearest("rnu", kNames), "run");
  EXPECT_EQ(nearest("explane", kNames), "explain");
  EXPECT_EQ(nearest("--varaint", kNames), "--variant");
  EXPECT_EQ(nearest("Paper", kNames), "paper");
  EXPECT_EQ(did_you_mean("tniy", kNames), ", did you mean 'tiny'?");
}

TEST(Nearest, WhatIsNearNothingGetsNoGuess) {
  EXPECT_EQ(nearest("frobnicate", kNames), "");
  EXPECT_EQ(nearest("x", kNames), "");
  EXPECT_EQ(nearest("", kNames), "");
  EXPECT_EQ(did_you_mean(std::string(1 << 20, 'a'), kNames), "");
}

}  // namespace
}  // namespace vdla
