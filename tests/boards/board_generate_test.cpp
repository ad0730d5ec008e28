// SPDX-License-Identifier: Apache-2.0
// vdla board generate: what is committed is what it makes, for the kit's boards and for one that somebody
// adds.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "boards/spec/board.h"
#include "isa/variants/variants.h"
#include "tests/tools/cli.h"

namespace vdla::tools {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

const fs::path kBoardsTree = VDLA_SOURCE_DIR;

class BoardGenerate : public Cli {
 protected:
  /// Names of the files that it says it wrote.
  std::vector<std::string> generate(const std::string& board, const std::string& flags) const {
    const Outcome outcome = run("board generate --json " + board + " " + flags);
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    return outcome.status == 0 ? Json::parse(outcome.out).at("files").get<std::vector<std::string>>()
                               : std::vector<std::string>{};
  }
};

/// Scripts name the way to the sources, which is another one from here.
std::string without_root(const std::string& text) {
  static const std::regex kWay(R"(\$here \{[^}]*\}|sources are those of the kit: \S+)");
  return std::regex_replace(text, kWay, "ROOT");
}

TEST_F(BoardGenerate, CommittedFilesAreFreshAndNoOthersAreThere) {
  for (const std::string& board : boards::board_names(kBoardsTree)) {
    SCOPED_TRACE(board);
    std::vector<std::string> files = generate(board, "-o " + path(board)), committed;
    const fs::path folder = kBoardsTree / "boards" / board / "generated";
    for (const std::string& name : files)
      EXPECT_TRUE(without_root(read_text((folder / name).string())) ==
                  without_root(read_text(path(board) + "/" + name)))
          << name << " is stale: run bin/vdla board generate " << board;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      committed.push_back(entry.path().filename().string());
    std::ranges::sort(files);
    std::ranges::sort(committed);
    EXPECT_EQ(files, committed);
  }
}

TEST_F(BoardGenerate, FollowsTheFactsOfBoardJson) {
  Json facts = Json::parse(read_text((kBoardsTree / "boards/qemu-zynq/board.json").string()));
  facts["registers"]["base"] = "0x43c10000";
  facts["interrupt"]["bit"] = 9;
  facts["clock_mhz"] = 50;
  fs::create_directories(path("qemu-zynq"));
  std::ofstream(path("qemu-zynq") + "/board.json") << facts.dump(2);
  generate(path("qemu-zynq"), "");
  const std::string header = read_text(path("qemu-zynq") + "/generated/board.h");
  EXPECT_THAT(header, HasSubstr("#define VDLA_BOARD_REGISTERS_BASE 0x43c10000\n"));
  EXPECT_THAT(header, HasSubstr("#define VDLA_BOARD_INTERRUPT_ID 85\n"));
  EXPECT_THAT(header, HasSubstr("#define VDLA_BOARD_CLOCK_HZ 50000000\n"));
  EXPECT_THAT(read_text(path("qemu-zynq") + "/generated/README.md"), HasSubstr("at assumed 50 MHz"));
}

TEST_F(BoardGenerate, VariantIsTheBoardsWithBurstsThatItsPortTakes) {
  for (const std::string& name : boards::board_names(kBoardsTree)) {
    SCOPED_TRACE(name);
    const boards::Board board = boards::load_board(name, kBoardsTree);
    const isa::Variant variant =
        isa::load_variant((kBoardsTree / "boards" / name / "generated/variant.json").string());
    EXPECT_EQ(variant.geometry, board.variant.geometry);
    EXPECT_EQ(variant.timing.dram_burst_bytes, board.axi3() && !board.simulated() ? 128U : 256U);
  }
}

TEST_F(BoardGenerate, PageOfABoardSaysBudgetAndAssumedClock) {
  for (const std::string& board : boards::board_names(kBoardsTree)) {
    SCOPED_TRACE(board);
    const bool real = boards::load_board(board, kBoardsTree).fpga.has_value();
    const std::string page = read_text((kBoardsTree / "boards" / board / "generated/README.md").string());
    EXPECT_EQ(page.find("## Budget") != std::string::npos, real);
    EXPECT_THAT(page, HasSubstr("MHz |"));
    // Whoever takes a line out of the table takes the assumption with it.
    static const std::regex kFrames(R"(\| \w+ \| \d+ \| [\d.]+ at assumed \d+ MHz \|)");
    const auto networks =
        std::distance(std::sregex_iterator(page.begin(), page.end(), kFrames), std::sregex_iterator());
    EXPECT_EQ(networks, 2);
    EXPECT_THAT(page, Not(HasSubstr("@")));
  }
}

/// The page's own example, and the files that its table promises.
TEST_F(BoardGenerate, HowToAddABoardWorksAsWritten) {
  const std::string page = read_text((kBoardsTree / "docs/how-to/add-a-board.md").string());
  const auto begin = page.find("```json\n") + 8;
  const Json facts = Json::parse(page.substr(begin, page.find("```", begin) - begin));
  const std::string name = facts.at("name");
  fs::create_directories(path(name));
  std::ofstream(path(name) + "/board.json") << facts.dump(2);
  const std::vector<std::string> files = generate(path(name), "");
  static const std::regex kPromised(R"(\| `generated/([\w.]+)` \|)");
  std::vector<std::string> promised;
  for (std::sregex_iterator it(page.begin(), page.end(), kPromised), end; it != end; ++it)
    promised.push_back((*it)[1]);
  EXPECT_EQ(files, promised);
  EXPECT_EQ(run("board info " + path(name)).status, 0);
}

TEST(AddABoard, EachBoardOfTheKitHasWhatThePageAsksFor) {
  const std::string page = read_text((kBoardsTree / "docs/how-to/add-a-board.md").string());
  static const std::regex kAsked(R"(\| `boards/NAME/([\w./]+)` \|)");
  std::vector<std::string> asked;
  for (std::sregex_iterator it(page.begin(), page.end(), kAsked), end; it != end; ++it)
    asked.push_back((*it)[1]);
  ASSERT_GE(asked.size(), 3U);
  for (const std::string& board : boards::board_names(kBoardsTree)) {
    for (const std::string& file : asked)
      EXPECT_TRUE(fs::exists(kBoardsTree / "boards" / board / file)) << board << " has no " << file;
    const std::string words = read_text((kBoardsTree / "boards" / board / "README.md").string());
    EXPECT_THAT(words, HasSubstr("\n## What has run\n")) << board;
    EXPECT_THAT(words, HasSubstr("\n## What has not\n")) << board;
  }
}

}  // namespace
}  // namespace vdla::tools
