// SPDX-License-Identifier: Apache-2.0
#include "tests/part/part.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <sstream>

#include "support/error.h"
#include "tests/tools/run_command.h"

namespace vdla::part {
namespace {

using testing::CommandResult;
using testing::run_program;

constexpr std::string_view kWholeCommand = "`ctest -C Campaign -L whole` runs all";

std::string commit() {
  const CommandResult said = run_program("git", "-C '" VDLA_SOURCE_DIR "' rev-parse HEAD");
  return said.status == 0 ? said.output.substr(0, 12) : "no commit";
}

/// FNV-1a, whose values are the same everywhere.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return value ^ value >> 32;
}

std::vector<std::string> names_of_tests() {
  std::vector<std::string> names;
  const ::testing::UnitTest& program = *::testing::UnitTest::GetInstance();
  for (int s = 0; s < program.total_test_suite_count(); ++s) {
    const ::testing::TestSuite& suite = *program.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t)
      names.push_back(fmt::format("{}.{}", suite.name(), suite.GetTestInfo(t)->name()));
  }
  return names;
}

bool matches_any(std::string_view patterns, const std::string& name) {
  std::istringstream all{std::string(patterns)};
  for (std::string pattern; std::getline(all, pattern, ':');)
    if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
  return false;
}

/// Tells whether a googletest filter takes a name: patterns, and after a '-' the patterns of names that are
/// left out.
bool filter_takes(std::string_view filter, const std::string& name) {
  const std::size_t minus = std::min(filter.find('-'), filter.size());
  const std::string_view wanted = filter.substr(0, minus);
  return (wanted.empty() || matches_any(wanted, name)) &&
         (minus == filter.size() || !matches_any(filter.substr(minus + 1), name));
}

/// The sentence of the record where the result for these sources is on it.
std::optional<std::string> on_record(const std::string& suite) {
  const CommandResult said =
      run_program("python3", fmt::format("'{0}/tests/part/record.py' state {1}", VDLA_SOURCE_DIR, suite));
  if (said.status == 0) return said.output.substr(0, said.output.find('\n'));
  std::cout << "part: all of it runs: " << said.output;
  return {};
}

/// Why the cases of a row that are not taken stay away; nothing where they run after all.
std::optional<std::string> reason_of(const Drawn& drawn) {
  if (!drawn.record.empty()) return on_record(drawn.record);
  return fmt::format("not drawn: one in {} is, by '{}'", drawn.one_in, draw_text());
}

}  // namespace

bool is_whole() {
  const char* asked = std::getenv("VDLA_WHOLE");
  return asked != nullptr && *asked != '\0' && std::string_view(asked) != "0";
}

const std::string& draw_text() {
  static const std::string text = [] {
    const char* given = std::getenv("VDLA_DRAW");
    return given != nullptr ? std::string(given) : commit();
  }();
  return text;
}

std::size_t draw(std::string_view what, std::size_t count, std::string_view text) {
  return static_cast<std::size_t>(hash(fmt::format("{}/{}", text, what)) % count);
}
std::size_t draw(std::string_view what, std::size_t count) { return draw(what, count, draw_text()); }

void say_part(const std::string& left_out) {
  std::cout << "part: " << left_out << "; " << kWholeCommand << std::endl;
}

std::vector<Drawn> parse_drawn(std::string_view rows) {
  std::vector<Drawn> all;
  std::istringstream in{std::string(rows)};
  for (std::string row; std::getline(in, row, '|');) {
    std::istringstream words(row);
    Drawn drawn;
    words >> drawn.one_in >> drawn.pattern;
    VDLA_CHECK(words);
    words >> drawn.record;
    all.push_back(drawn);
  }
  return all;
}

std::vector<std::string> taken(const Drawn& drawn, const std::vector<std::string>& names,
                               std::string_view text) {
  std::vector<std::string> some;
  if (drawn.one_in == 0) return some;
  std::size_t at = draw(drawn.pattern, drawn.one_in, text);
  for (const std::string& name : names)
    if (matches_any(drawn.pattern, name) && at++ % drawn.one_in == 0) some.push_back(name);
  return some;
}

int run_part(std::string_view rows) {
  if (is_whole() || GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  const std::vector<std::string> names = names_of_tests();
  std::string filter = GTEST_FLAG_GET(filter), left_out;
  for (const Drawn& drawn : parse_drawn(rows)) {
    const std::vector<std::string> runs = taken(drawn, names, draw_text());
    std::vector<std::string> stays;
    std::ranges::copy_if(names, std::back_inserter(stays), [&](const std::string& name) {
      return matches_any(drawn.pattern, name) && filter_takes(filter, name) &&
             std::ranges::find(runs, name) == runs.end();
    });
    const std::optional<std::string> reason = stays.empty() ? std::nullopt : reason_of(drawn);
    if (!reason) continue;
    for (const std::string& name : stays) {
      say_part(fmt::format("{} does not run, {}", name, *reason));
      left_out += ':' + name;
    }
  }
  if (!left_out.empty())
    GTEST_FLAG_SET(filter, filter + (filter.find('-') == std::string::npos ? "-" : ":") + left_out.substr(1));
  return RUN_ALL_TESTS();
}

}  // namespace vdla::part
