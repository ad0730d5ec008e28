// SPDX-License-Identifier: Apache-2.0
// docs/verification.md has a table of files that once crashed the kit or gave wrong answers: what each
// command does with them now. The table is this test's list: each row runs, so the page cannot be out of
// date. A second table there names the tests of what needs more than a command (tests/meta/plan_test.py).
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
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

/// Rows of the table.
std::vector<Cells> table() {
  std::istringstream page(read_text(std::string(VDLA_SOURCE_DIR) + "/docs/verification.md"));
  std::vector<Cells> result;
  std::string line;
  while (std::getline(page, line) && !line.starts_with("## Files that once went wrong")) {
  }
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
  for (const Cells& cells : table()) result.push_back({cells.at(0), cells.at(1), cells.at(2), cells.at(3)});
  return result;
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

/// A file that no row names is tested by nothing.
TEST_F(ReproTable, EveryFileHasARow) {
  std::string all;
  for (const Row& row : rows()) all += row.file + " " + row.command + "\n";
  for (const auto& entry : fs::directory_iterator(std::string(VDLA_SOURCE_DIR) + "/tests/regressions/repro"))
    EXPECT_THAT(all, ::testing::HasSubstr(entry.path().filename().string()));
}

}  // namespace
}  // namespace vdla::tools
