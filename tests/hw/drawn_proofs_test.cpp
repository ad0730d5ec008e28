// SPDX-License-Identifier: Apache-2.0
// One in six of the proofs of hw/formal, drawn: hw_formal_test proves all where their result is not on
// record.
#include <gmock/gmock.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "tests/hw/command.h"
#include "tests/part/part.h"

namespace vdla {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kOneIn = 6;

std::vector<std::string> proofs() {
  std::vector<std::string> names;
  for (const fs::directory_entry& file : fs::directory_iterator(VDLA_SOURCE_DIR "/hw/formal"))
    if (file.path().extension() == ".toml") names.push_back(file.path().stem());
  std::ranges::sort(names);
  return names;
}

TEST(DrawnProofs, Hold) {
  const std::vector<std::string> names = part::taken({"*", kOneIn, ""}, proofs(), part::draw_text());
  ASSERT_FALSE(names.empty());
  std::printf("drawn by '%s': %s\n", part::draw_text().c_str(),
              fmt::format("{}", fmt::join(names, " ")).c_str());
  const CommandResult r =
      run_command(fmt::format("bash '{0}/hw/formal/prove.sh' --jobs 2 --out '{1}/formal/drawn' {2}",
                              VDLA_SOURCE_DIR, VDLA_BINARY_DIR, fmt::join(names, " ")));
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, testing::Not(testing::HasSubstr("FAIL")));
}

}  // namespace
}  // namespace vdla
