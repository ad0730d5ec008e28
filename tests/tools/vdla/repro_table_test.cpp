// SPDX-License-Identifier: Apache-2.0
// docs/verification.md has a table of files that once crashed the kit or gave wrong answers: what each
// command does with them now. The table is this test's list: each row runs, so the page cannot be out of
// date. A second table has what other tests cover, by their names.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/tools/cli.h"

namespace vdla::tools {
namespace {

namespace fs = std::filesystem;

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" `"), last = text.find_last_not_of(" `");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

using Cells = std::vector<std::string>;

/// Rows of a table under a heading, the first or the second one there.
std::vector<Cells> table(int number, const std::string& heading = "## Files that once went wrong") {
  std::istringstream page(read_text(std::string(VDLA_SOURCE_DIR) + "/docs/verification.md"));
  std::vector<Cells> result;
  std::string line;
  while (std::getline(page, line) && !line.starts_with(heading)) {
  }
  for (int i = 0; i < number; ++i)
    while (std::getline(page, line) && !line.starts_with("| ---")) {
    }
  while (std::getline(page, line) && line.starts_with("|")) {
    std::istringstream text(line.substr(1));
    Cells cells;
    for (std::string cell; std::getline(text, cell, '|');) cells.push_back(trimmed(cell));
    result.push_back(cells);
  }
  return result;
}

struct Row {
  std::string file, command, status, says;
};

std::vector<Row> rows() {
  std::vector<Row> result;
  for (const Cells& cells : table(1)) result.push_back({cells.at(0), cells.at(1), cells.at(2), cells.at(3)});
  return result;
}

/// Adds what stands between each `before` and the next `end`, without blanks and with a dot for a comma.
void add_names(const std::string& text, const std::string& before, const std::string& end,
               std::set<std::string>& names) {
  for (std::size_t at = 0; (at = text.find(before, at)) != std::string::npos;) {
    at += before.size();
    std::string name = text.substr(at, text.find_first_of(end, at) - at);
    std::erase_if(name, [](char c) { return c == ' ' || c == '\n'; });
    std::ranges::replace(name, ',', '.');
    names.insert(name);
  }
}

/// Names of the tests under tests/: "Suite.Name" of sources, and of the others what ctest calls them.
std::set<std::string> names_of_tests() {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(std::string(VDLA_BINARY_DIR) + "/tests"))
    if (entry.path().filename() == "CTestTestfile.cmake")
      add_names(read_text(entry.path().string()), "add_test([=[", "]", names);
  for (const auto& entry : fs::recursive_directory_iterator(std::string(VDLA_SOURCE_DIR) + "/tests")) {
    const std::string file = entry.path().filename().string();
    if (!file.ends_with(".cpp")) continue;
    for (const char* macro : {"\nTEST(", "\nTEST_F(", "\nTEST_P("})
      add_names(read_text(entry.path().string()), macro, ")", names);
  }
  return names;
}

class ReproTable : public Cli {
 protected:
  /// A folder with the files of tests/regressions/repro and the command's name.
  void SetUp() override {
    Cli::SetUp();
    for (const auto& entry :
         fs::directory_iterator(std::string(VDLA_SOURCE_DIR) + "/tests/regressions/repro"))
      fs::create_symlink(entry.path(), path(entry.path().filename().string()));
    fs::create_symlink(fs::absolute(example("images.npy")), path("images.npy"));
    fs::create_symlink(std::string(VDLA_BINARY_DIR) + "/bin/vdla", path("vdla"));
  }

  /// Standard output and errors of all commands of a row, one behind the other.
  Outcome run_row(const std::string& command) const {
    const std::string folder = fs::path(path("x")).parent_path().string();
    std::ofstream(path("row.sh")) << "cd '" << folder << "' && PATH=\"$PWD:$PATH\" && ulimit -c 0 && "
                                  << command << "\n";
    const int status =
        std::system(("timeout 60 bash '" + path("row.sh") + "' >'" + path("said") + "' 2>&1").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(path("said")), ""};
  }
};

TEST_F(ReproTable, EveryFileGivesTheRightAnswerOrASentence) {
  const std::vector<Row> table = rows();
  ASSERT_GT(table.size(), 30u);
  for (const Row& row : table) {
    SCOPED_TRACE(row.file + ": " + row.command);
    const Outcome outcome = run_row(row.command);
    EXPECT_EQ(std::to_string(outcome.status), row.status) << outcome.out;
    EXPECT_THAT(outcome.out, ::testing::HasSubstr(row.says));
  }
}

/// Names in a column that are those of tests; what stands behind a semicolon is not looked at.
std::size_t expect_tests(const std::vector<Cells>& table, std::size_t column) {
  const std::set<std::string> existing = names_of_tests();
  std::size_t named = 0;
  for (const Cells& cells : table) {
    SCOPED_TRACE(cells.at(0));
    const std::string& all = cells.at(column);
    std::istringstream names(all.substr(0, all.find(';')));
    std::size_t of_row = 0;
    for (std::string name; std::getline(names, name, ',');) {
      name = trimmed(name);
      if (name.empty() || name == "and rows above") continue;
      EXPECT_TRUE(existing.contains(name)) << "no test " << name;
      ++of_row;
    }
    EXPECT_TRUE(of_row > 0 || all.find(';') != std::string::npos) << "names no test";
    named += of_row;
  }
  return named;
}

TEST(ReproTests, ThatTheTableNamesExist) { EXPECT_GT(expect_tests(table(2), 2), 20u); }

TEST(TextsForOthers, HaveTheTestsThatTheTableNames) {
  EXPECT_GT(expect_tests(table(1, "## Text for other programs"), 3), 30u);
}

/// A file that no row names is tested by nothing.
TEST_F(ReproTable, EveryFileHasARow) {
  std::string all;
  for (const Row& row : rows()) all += row.file + " " + row.command + "\n";
  for (const auto& entry : fs::directory_iterator(std::string(VDLA_SOURCE_DIR) + "/tests/regressions/repro"))
    EXPECT_THAT(all, ::testing::HasSubstr(entry.path().filename().string()));
}

}  // namespace
}  // namespace vdla::tools
