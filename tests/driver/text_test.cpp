// SPDX-License-Identifier: Apache-2.0
#include "driver/core/text.h"

#include <gtest/gtest.h>

namespace {

TEST(Text, FormatsNumbers) {
  char buffer[100];
  vdla_text text = vdla_text_in(buffer, sizeof buffer);
  vdla_text_add(&text, "a ");
  vdla_text_add_unsigned(&text, 0);
  vdla_text_add(&text, " ");
  vdla_text_add_unsigned(&text, UINT64_MAX);
  vdla_text_add(&text, " ");
  vdla_text_add_hex(&text, 0xbeef, 8);
  vdla_text_add(&text, " ");
  vdla_text_add_hex(&text, UINT64_MAX, 1);
  EXPECT_STREQ(buffer, "a 0 18446744073709551615 0x0000beef 0xffffffffffffffff");
}

TEST(Text, CutsOffWhereTheBufferEnds) {
  char buffer[6] = "#####";
  vdla_text text = vdla_text_in(buffer, 5);
  vdla_text_add(&text, "abcdefgh");
  vdla_text_add_unsigned(&text, 12);
  EXPECT_STREQ(buffer, "abcd");
  EXPECT_EQ(text.used, 4u);
  vdla_text nothing = vdla_text_in(buffer, 1);
  vdla_text_add(&nothing, "x");
  EXPECT_STREQ(buffer, "");
}

}  // namespace
