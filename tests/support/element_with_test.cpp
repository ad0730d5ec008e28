// SPDX-License-Identifier: Apache-2.0
#include "support/element_with.h"

#include <gmock/gmock.h>

#include <span>
#include <string>
#include <vector>

namespace vdla {
namespace {

struct Row {
  std::string name;
  int value;
};

TEST(ElementWith, GivesTheFirstOfItsKind) {
  std::vector<Row> rows = {{"a", 1}, {"b", 2}, {"b", 3}};
  EXPECT_EQ(&element_with(rows, "b", &Row::name), &rows[1]);
  element_with(rows, 3, &Row::value).value = 4;
  EXPECT_EQ(rows[2].value, 4);
}

/// What stands behind the last element is none.
TEST(ElementWith, RefusesWhatIsNotThereInsteadOfReadingBehindTheEnd) {
  const std::vector<Row> rows = {{"a", 1}};
  try {
    element_with(rows, "c", &Row::name);
    FAIL();
  } catch (const InternalError& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("none of 1 elements is the one asked for 'c'"));
  }
  EXPECT_THROW(element_with(std::span<const Row>(), 1, &Row::value), InternalError);
}

}  // namespace
}  // namespace vdla
