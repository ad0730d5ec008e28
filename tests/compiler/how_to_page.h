// SPDX-License-Identifier: Apache-2.0
// Pages of docs/how-to against the tree: examples are shown word for word, and every file that is named
// exists.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace vdla::testing {

/// A file of the source tree, whole.
inline std::string read_source(const std::string& path) {
  std::ifstream file(std::string(VDLA_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(file) << path << " cannot be read";
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What stands in a source from `begin` (included if asked for) up to `end`.
inline std::string cut(const std::string& path, const std::string& begin, const std::string& end,
                       bool with_begin = true) {
  const std::string text = read_source(path);
  const std::size_t first = text.find(begin);
  EXPECT_NE(first, std::string::npos) << path << " has no '" << begin << "'";
  if (first == std::string::npos) return {};
  const std::size_t from = with_begin ? first : first + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

/// `page` of docs/how-to shows `example`, code blocks inside of lists moved to the margin.
inline void expect_shows(const std::string& page, const std::string& example) {
  const std::string text = std::regex_replace(read_source("docs/how-to/" + page), std::regex("\n   "), "\n");
  const std::string wanted = std::regex_replace(example, std::regex("\n   "), "\n");
  EXPECT_NE(text.find(wanted), std::string::npos) << page << " shows another example than\n" << example;
}

/// The files that the page names exist; there are at least `count`. A name that it says to be in one of them
/// is there.
inline void expect_files_exist(const std::string& page, int count) {
  const std::string text = read_source("docs/how-to/" + page);
  const std::regex path(
      "`((?:compiler|docs|examples|isa|tests)/[a-z_/-]+\\.[a-z]+|(?:compiler|tests)/[a-z_/]+/"
      "CMakeLists.txt)`");
  int files = 0;
  for (std::sregex_iterator match(text.begin(), text.end(), path), end; match != end; ++match, ++files) {
    EXPECT_TRUE(std::filesystem::exists(std::string(VDLA_SOURCE_DIR) + "/" + match->str(1)))
        << page << ": " << match->str(1);
  }
  EXPECT_GE(files, count) << page;
  const std::regex place("`([A-Za-z_]+)`\\s+in\\s+`([a-z_/]+\\.[a-z]+)`");
  for (std::sregex_iterator match(text.begin(), text.end(), place), end; match != end; ++match) {
    EXPECT_NE(read_source(match->str(2)).find(match->str(1)), std::string::npos)
        << page << " says that " << match->str(1) << " is in " << match->str(2);
  }
}

}  // namespace vdla::testing
