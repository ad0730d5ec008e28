// SPDX-License-Identifier: Apache-2.0
// Names of the cases of INSTANTIATE_TEST_SUITE_P, which are those of ctest: letters, digits and '_'.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <string_view>

namespace vdla {

/// `text` with one '_' for whatever else stands between its letters and digits.
inline std::string test_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  if (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

/// Names of cases whose parameter is a text.
inline constexpr auto kNamedByText = [](const auto& info) { return test_name(info.param); };

}  // namespace vdla
