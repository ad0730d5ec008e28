// SPDX-License-Identifier: Apache-2.0
#include "support/inert.h"

#include <gtest/gtest.h>

namespace vdla {
namespace {

TEST(Inert, WhatMovesACursorOrTurnsTheWritingIsVisible) {
  EXPECT_EQ(visible("conv\x1b[2J"), "conv\\u001b[2J");
  EXPECT_EQ(visible("a\nb\tc\r", "\n\t"), "a\nb\tc\\u000d");
  EXPECT_EQ(visible("\x7f\xc2\x9b"), "\\u007f\\u009b") << "C1 as UTF-8: a terminal takes it for ESC [";
  EXPECT_EQ(visible("a\xe2\x80\xae"
                    "b\xe2\x81\xa7"),
            "a\\u202eb\\u2067");
  EXPECT_EQ(visible("\xe2\x80\xa8"), "\\u2028") << "a line's end of Unicode";
  EXPECT_EQ(visible("Größe 中 \xf0\x9f\x98\x80"), "Größe 中 \xf0\x9f\x98\x80");
}

TEST(Inert, BytesThatAreNoUtf8BecomeAReplacement) {
  const std::string replaced = "\xef\xbf\xbd";
  for (const char* bytes : {"\x9b", "\xff", "\xc1"}) EXPECT_EQ(visible(bytes), replaced) << bytes;
  EXPECT_EQ(visible("\xc0\x9b"), replaced + replaced) << "longer than it needs to be";
  EXPECT_EQ(visible("a\xe2\x80"), "a" + replaced + replaced) << "cut off";
  EXPECT_EQ(visible("\xed\xa0\x80"), replaced + replaced + replaced) << "a surrogate";
  EXPECT_EQ(visible(std::string_view("\0", 1)), "\\u0000");
}

TEST(Inert, ATextInACommentDoesNotEndIt) {
  EXPECT_EQ(comment_text("*/ int x; /*\n#endif"), "_/ int x; /_\\u000a#endif");
  EXPECT_EQ(comment_text("paper* (00c0ffee)"), "paper* (00c0ffee)");
  EXPECT_EQ(comment_text("*"), "_");
  EXPECT_EQ(comment_text("joins the next line \\"), "joins the next line _");
  // GCC joins lines at a backslash before blanks, and where it reads trigraphs at "\?\?/".
  EXPECT_EQ(comment_text("joins the next line \\  "), "joins the next line _  ");
  EXPECT_EQ(comment_text("joins the next line \?\?/"), "joins the next line \?\?_");
  EXPECT_EQ(comment_text("joins the next line \?\?/ "), "joins the next line \?\?_ ");
  EXPECT_EQ(comment_text("a\\ b \?\?/ c/ "), "a\\ b \?\?/ c/ ");
  EXPECT_EQ(comment_text("  "), "  ");
  EXPECT_EQ(comment_text("--><script>"), "--_<script>");
}

TEST(Inert, AStringOfCStaysOne) {
  EXPECT_EQ(c_text("a\"b\\c\n\?\?/"), "a\\\"b\\\\c___/");
  EXPECT_EQ(c_text(std::string(5000, '"')).size(), 2003u) << "a literal of C99 has 4095 characters at most";
}

TEST(Inert, TclReadsAWordAsTheWord) {
  EXPECT_EQ(tcl_text("xc7z020clg400-1"), "xc7z020clg400-1");
  EXPECT_EQ(tcl_text("[exec touch x]"), "\\[exec\\ touch\\ x\\]");
  EXPECT_EQ(tcl_text("${a};\"\\"), "\\$\\{a\\}\\;\\\"\\\\");
}

TEST(Inert, MarkupReadsATextAsTheText) {
  EXPECT_EQ(markup_text("a < b & \"c\" > 'd'"), "a &lt; b &amp; &quot;c&quot; &gt; 'd'");
  EXPECT_EQ(markup_text("]]>\x01\xff\xef\xbf\xbf"), "]]&gt;\\u0001\xef\xbf\xbd\\uffff");
}

TEST(Inert, AFieldOfCsvStaysOne) {
  EXPECT_EQ(csv_text("a, \"b\"\n\xff"), "\"a, \"\"b\"\"\\u000a\xef\xbf\xbd\"");
}

TEST(Inert, ACellOfMarkdownStaysOne) {
  EXPECT_EQ(markdown_text("a | b\nc"), "a \\| b\\\\u000ac");
  EXPECT_EQ(markdown_text("<img> [x](http://y) `z`"), "&lt;img> [x]\\(http://y) \\`z\\`");
  EXPECT_EQ(markdown_text("IRQ_F2P[0], HBM[0] (256 MiB)"), "IRQ_F2P[0], HBM[0] (256 MiB)");
  EXPECT_EQ(markdown_code("a`b\n"), "`a'b\\u000a`");
}

}  // namespace
}  // namespace vdla
