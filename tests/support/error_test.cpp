// SPDX-License-Identifier: Apache-2.0
#include "support/error.h"

#include <gtest/gtest.h>

namespace vdla {
namespace {

TEST(Error, UserCheckThrowsItsMessage) {
  const int factor = -2;
  try {
    VDLA_CHECK_USER(factor > 0) << "split needs a positive factor, got " << factor;
    FAIL() << "no exception";
  } catch (const UserError& e) {
    EXPECT_STREQ(e.what(), "split needs a positive factor, got -2");
  }
}

TEST(Error, InternalCheckNamesFileAndCondition) {
  try {
    VDLA_CHECK(1 + 1 == 3) << "sum";
    FAIL() << "no exception";
  } catch (const InternalError& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with("error_test.cpp:")) << e.what();
    EXPECT_NE(std::string(e.what()).find("1 + 1 == 3: sum"), std::string::npos) << e.what();
  }
}

struct Unprintable {};
std::ostream& operator<<(std::ostream&, const Unprintable&) { throw std::bad_alloc(); }

// Was a call of std::terminate: the message was thrown by a destructor.
TEST(Error, WhatIsThrownWhileAMessageIsPutTogetherPassesThrough) {
  EXPECT_THROW(VDLA_CHECK_USER(false) << "got " << Unprintable(), std::bad_alloc);
  EXPECT_THROW(VDLA_CHECK(false) << std::string("a").at(7), std::out_of_range);
}

TEST(Error, PassingChecksDoNothing) {
  VDLA_CHECK_USER(true) << "never";
  VDLA_CHECK(true) << "never";
}

}  // namespace
}  // namespace vdla
