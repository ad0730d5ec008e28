// SPDX-License-Identifier: Apache-2.0
#include "tests/readers/readers.h"

#include <gtest/gtest.h>

#include <sstream>

#include "support/shell_word.h"
#include "tests/tools/run_command.h"

namespace vdla::readers {

std::vector<nlohmann::json> read_by_others(const std::string& kind, const std::vector<std::string>& files) {
  std::string words = "'" VDLA_SOURCE_DIR "/tests/readers/read.py' " + kind;
  for (const std::string& file : files) words += " " + shell_word(file);
  const testing::CommandResult read = testing::run_program(VDLA_PYTHON, words);
  EXPECT_EQ(read.status, 0) << read.output;
  std::vector<nlohmann::json> results;
  std::istringstream lines(read.output);
  for (std::string line; read.status == 0 && std::getline(lines, line);)
    results.push_back(nlohmann::json::parse(line));
  results.resize(files.size());
  return results;
}

nlohmann::json read_by_others(const std::string& kind, const std::string& file) {
  return read_by_others(kind, std::vector{file}).front();
}

std::string run_line(const std::string& line) {
  const testing::CommandResult result = testing::run_program("sh", "-c " + shell_word(line));
  EXPECT_EQ(result.status, 0) << line << "\n" << result.output;
  return result.output;
}

bool missing(const std::string& program) {
  return testing::run_program("sh", "-c 'command -v " + program + " >/dev/null'").status != 0;
}

}  // namespace vdla::readers
