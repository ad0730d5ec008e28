// SPDX-License-Identifier: Apache-2.0
#include "support/shell_word.h"

#include <gtest/gtest.h>

#include "tests/readers/hostile.h"
#include "tests/readers/readers.h"

namespace vdla {
namespace {

TEST(ShellWord, IsQuotedWhereAShellWouldReadItOtherwise) {
  EXPECT_EQ(shell_word("board.lab:50551"), "board.lab:50551");
  EXPECT_EQ(shell_word("my lab"), "'my lab'");
  EXPECT_EQ(shell_word("$x"), "'$x'");
  EXPECT_EQ(shell_word("a'b"), R"('a'\''b')");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(ShellWord, IsTheWordToAShell) {
  for (const std::string& name : readers::hostile_names())
    EXPECT_EQ(readers::run_line("word=" + shell_word(name) + "; printf %s \"$word\""), name);
}

}  // namespace
}  // namespace vdla
