// SPDX-License-Identifier: Apache-2.0
// Expects a UserError whose message contains each of the given pieces.
#pragma once

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "support/error.h"

namespace vdla {

template <class F>
void expect_user_error(F&& action, const std::vector<std::string>& pieces) {
  try {
    action();
    ADD_FAILURE() << "no UserError";
  } catch (const UserError& e) {
    for (const auto& piece : pieces) EXPECT_THAT(e.what(), testing::HasSubstr(piece));
  }
}

}  // namespace vdla
