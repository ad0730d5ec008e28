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

/// Variables name the way to the sources, which is another one from here.
std::string without_root(const std::string& text) {
  static const std::regex kWay(R"(set root "[^"]*")");
  return std::regex_replace(text, kWay, "ROOT");
}

/// The file that boards of the kit share, of which a folder elsewhere gets a copy.
fs::path shared_file(const std::string& name) {
  for (const char* folder : {"firmware", "fpga"})
    if (fs::exists(kBoardsTree / "boards" / folder / name)) return kBoardsTree / "boards" / folder / name;
  return kBoardsTree / "boards/linux" / name;
}

TEST_F(BoardGenerate, CommittedFilesAreFreshAndNoOthersAreThere) {
  for (const std::string& board : boards::board_names(kBoardsTree)) {
    SCOPED_TRACE(board);
    std::vector<std::string> files = generate(board, "-o " + path(board)), committed;
    const fs::path folder = kBoardsTree / "boards" / board / "generated";
    std::erase_if(files, [&](const std::string& name) {
      if (fs::exists(folder / name)) return false;
      const fs::path shared = shared_file(name), copy = path(board) + "/" + name;
      EXPECT_EQ(read_text(copy.string()), read_text(shared.string())) << name;
      EXPECT_EQ(fs::status(copy).permissions() & fs::perms::owner_exec,
                fs::status(shared).permissions() & fs::perms::owner_exec)
          << name;
      return true;
    });
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
  EXPECT_THAT(header, HasSubstr("#define VDLA_BOARD_INTERRUPT_ID 85 "));
  EXPECT_THAT(header, HasSubstr("#define VDLA_BOARD_CLOCK_HZ 50000000 "));
  EXPECT_THAT(read_text(path("qemu-zynq") + "/generated/README.md"), HasSubstr("at assumed 50 MHz"));
}

TEST_F(BoardGenerate, CommandsRunWhereTheNameOfABoardHasASpace) {
  Json facts = Json::parse(read_text((kBoardsTree / "boards/qemu-zynq/board.json").string()));
  facts["name"] = "my board";
  fs::create_directories(path("my board"));
  std::ofstream(path("my board") + "/board.json") << facts.dump(2);
  generate("'" + path("my board") + "'", "");
  const std::string page = read_text(path("my board") + "/generated/README.md");
  EXPECT_THAT(page, HasSubstr("`vdla compile NETWORK --variant board:'my board'`"));
  EXPECT_THAT(page, HasSubstr("by `vdla board generate 'my board'`"));
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

/// A board whose bitstream somebody has built, and its release.
class BoardRelease : public BoardGenerate {
 protected:
  void SetUp() override {
    Cli::SetUp();
    if (std::system("command -v dtc > /dev/null") != 0)
      GTEST_SKIP() << "dtc is missing: install device-tree-compiler";
    fs::create_directories(path("pynq-z2"));
    fs::copy(kBoardsTree / "boards/pynq-z2/generated", path("pynq-z2/generated"),
             fs::copy_options::recursive);
    fs::create_directories(path("pynq-z2/generated/build"));
    for (const char* name : {"vdla.bit", "vdla.xsa", "timing.txt"})
      std::ofstream(path("pynq-z2/generated/build/") + name) << "contents of " << name;
    selftest("UIO device vdla", "passed");
  }
  void selftest(const std::string& device, const std::string& verdict) const {
    const Json stages = {{{"stage", "fpga"}, {"verdict", "passed"}, {"text", "fpga0 'operating'"}},
                         {{"stage", "bus"}, {"verdict", "passed"}, {"text", "ok"}},
                         {{"stage", "dma"}, {"verdict", verdict}, {"text", "window act"}}};
    std::ofstream(path("log.json")) << Json{{"device", device}, {"verdict", verdict}, {"stages", stages}};
  }
  /// Exit status of release.sh; what it said is in the file `said`.
  int release(const std::string& flags, const std::string& board = "pynq-z2") const {
    const std::string script = "VDLA_BOARD='" + path(board + "/generated") +
                               "' '" VDLA_SOURCE_DIR "/boards/fpga/release.sh' " + flags + " >" +
                               path("said") + " 2>&1";
    return WEXITSTATUS(std::system(script.c_str()));
  }
  std::string whole_release() const {
    fs::remove_all(path("release"));
    EXPECT_EQ(release("--selftest " + path("log.json") + " --clock-mhz 100.5 -o " + path("release")), 0)
        << read_text(path("said"));
    return path("release");
  }
  void expect_refused(const std::vector<std::string>& pieces) const {
    expect_error("board install " + path("release") + " -o " + path("installed"), pieces);
    EXPECT_FALSE(fs::exists(path("installed")));
  }
};

TEST_F(BoardRelease, WholeIsInstalled) {
  const Outcome outcome = run("board install " + whole_release() + " -o " + path("installed") + " --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out).at("clock_mhz"), 100.5);
  EXPECT_EQ(read_text(path("installed/vdla.bit")), "contents of vdla.bit");
  EXPECT_GT(fs::file_size(path("installed/vdla.dtbo")), 100U);
}

TEST_F(BoardRelease, WhatIsNotWholeIsRefused) {
  whole_release();
  std::ofstream(path("release/vdla.bit")) << "other";
  expect_refused({"vdla.bit has SHA-256", "not the file that was released"});
  whole_release();
  fs::remove(path("release/timing.txt"));
  expect_refused({"timing.txt is missing", "not whole"});
  whole_release();
  std::ofstream(path("release/extra")) << "";
  expect_refused({"extra is not named in release.json"});
  selftest("UIO device vdla", "failed");
  whole_release();
  expect_refused({"stage \"dma\" with verdict \"failed\"", "window act"});
  selftest("engine rtl, 1x16x8", "passed");
  whole_release();
  expect_refused({"engine rtl", "needs a self test of the board"});
  selftest("UIO device vdla", "passed");
  fs::copy(kBoardsTree / "boards/kv260/generated/variant.json", path("pynq-z2/generated/variant.json"),
           fs::copy_options::overwrite_existing);
  whole_release();
  expect_refused({"variant.json has another geometry than board pynq-z2: block_out is 16, needs 8"});
  std::ofstream(path("release/release.json")) << R"({"board": "pynq-z2", "clock_mhz": 100, "files": {}})";
  expect_refused({"release.json:1:", "has no 'vdla.bit'", "not whole"});
}

/// A card has no device tree; its configuration is one file.
TEST_F(BoardRelease, OfACardHasItsXclbin) {
  fs::create_directories(path("alveo-u50"));
  fs::copy(kBoardsTree / "boards/alveo-u50/generated", path("alveo-u50/generated"),
           fs::copy_options::recursive);
  const auto release_card = [&] {
    fs::remove_all(path("release"));
    return release("--selftest " + path("log.json") + " --clock-mhz 300 -o " + path("release"), "alveo-u50");
  };
  EXPECT_EQ(release_card(), 1);
  EXPECT_THAT(read_text(path("said")), HasSubstr("vdla.xclbin is missing: run build.sh first"));
  fs::create_directories(path("alveo-u50/generated/build"));
  std::ofstream(path("alveo-u50/generated/build/vdla.xclbin")) << "an xclbin";
  EXPECT_EQ(release_card(), 0) << read_text(path("said"));
  expect_refused(
      {"UIO device vdla", "needs a self test of the board (vdla board selftest --xrt 0:vdla.xclbin"});
  selftest("XRT card 0", "passed");
  EXPECT_EQ(release_card(), 0) << read_text(path("said"));
  const Outcome outcome = run("board install " + path("release") + " -o " + path("installed"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read_text(path("installed/vdla.xclbin")), "an xclbin");
}

TEST_F(BoardRelease, ScriptNamesWhatIsMissing) {
  EXPECT_EQ(release("--selftest " + path("log.json") + " -o " + path("release")), 1);
  EXPECT_THAT(read_text(path("said")), HasSubstr("--clock-mhz is missing"));
  for (const char* clock : {"007", "fast", "100MHz", ".5", "1.", "1.2.3"}) {
    EXPECT_EQ(release("--selftest " + path("log.json") + " --clock-mhz " + clock + " -o " + path("release")),
              1);
    EXPECT_THAT(read_text(path("said")),
                HasSubstr(std::string("--clock-mhz is '") + clock + "', needs a number"));
  }
  EXPECT_EQ(release("--selftest " + path("none.json") + " --clock-mhz 100 -o " + path("release")), 1);
  EXPECT_THAT(read_text(path("said")), HasSubstr("none.json is missing: what vdla board selftest"));
  EXPECT_FALSE(fs::exists(path("release")));
  fs::remove(path("pynq-z2/generated/build/vdla.xsa"));
  EXPECT_EQ(release("--selftest " + path("log.json") + " --clock-mhz 100 -o " + path("release")), 1);
  EXPECT_THAT(read_text(path("said")), HasSubstr("vdla.xsa is missing: run vivado"));
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
