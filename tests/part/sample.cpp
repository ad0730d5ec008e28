// SPDX-License-Identifier: Apache-2.0
// A program with parts, for part_test.
#include <gtest/gtest.h>

namespace vdla::part {
namespace {

class Drawn : public ::testing::TestWithParam<int> {};
TEST_P(Drawn, Runs) {}
INSTANTIATE_TEST_SUITE_P(Six, Drawn, ::testing::Range(0, 6),
                         [](const auto& info) { return "case" + std::to_string(info.param); });

TEST(Recorded, Runs) {}
TEST(Always, Runs) {}

}  // namespace
}  // namespace vdla::part
