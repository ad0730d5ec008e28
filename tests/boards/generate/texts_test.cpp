// SPDX-License-Identifier: Apache-2.0
// Texts of a stranger's board.json: what leaves a field's alphabet is refused with its place, and a text of
// any characters is a text to the programs that read what is made of a board.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "boards/generate/generate.h"
#include "boards/spec/board.h"
#include "boards/spec/ports.h"
#include "support/inert.h"
#include "support/shell_word.h"
#include "tests/readers/hostile.h"
#include "tests/readers/readers.h"
#include "tests/tools/expect_error.h"
#include "tools/data/files.h"

namespace vdla::boards {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using readers::hostile_text;
using readers::missing;

const fs::path kTree = VDLA_SOURCE_DIR;

class BoardTexts : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("vdla_board_texts_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Board load(const std::string& name, const Json& facts) {
    fs::create_directories(folder_ / name);
    std::ofstream(folder_ / name / "board.json") << facts.dump();
    return load_board((folder_ / name / "board.json").string(), kTree);
  }

  /// Exit status of a line of the shell in the folder; what it printed is in the file `said`.
  int shell(const std::string& line) const {
    const std::string all = "cd " + folder_.string() + " && exec >said 2>&1 && " + line;
    return WEXITSTATUS(std::system(("sh -c " + shell_word(all)).c_str()));
  }
  std::string said() const { return tools::read_text((folder_ / "said").string()); }

  fs::path folder_;
};

Json facts_of(const std::string& board) {
  return Json::parse(tools::read_text((kTree / "boards" / board / "board.json").string()));
}

/// Pointers to the texts of a board.json that are no numbers.
std::vector<Json::json_pointer> texts_of(const Json& facts) {
  std::vector<Json::json_pointer> texts;
  const Json flat = facts.flatten();
  for (const auto& [pointer, value] : flat.items())
    if (value.is_string() && !value.get_ref<const std::string&>().starts_with("0x") &&
        !pointer.starts_with("/sources/0/fields"))
      texts.emplace_back(pointer);
  return texts;
}

/// Characters with a meaning in languages of scripts, headers or pages.
constexpr std::string_view kMeant = "\"\\$;{<(|&*'`#\n\x1b\x7f";

bool for_people(const Json::json_pointer& field) {
  return field.back() == "title" || field.back() == "document" || field.back() == "variant";
}

TEST_F(BoardTexts, ACharacterThatALanguageMakesSomethingOfIsRefusedInEveryFieldForTools) {
  for (const std::string board : {"pynq-z2", "alveo-u50", "qemu-zynq"}) {
    Json facts = facts_of(board);
    facts["sources"] = Json::array({{{"fields", {"/title"}}, {"document", "UG585"}}});
    const auto fields = texts_of(facts);
    EXPECT_GE(fields.size(), 9U);
    for (const Json::json_pointer& field : fields) {
      const std::string value = facts[field];
      for (const char c : kMeant) {
        if (for_people(field) && c >= ' ' && c != '\x7f') continue;
        facts[field] = value + c + "x";
        expect_user_error([&] { load(board, facts); }, {field.to_string(), "needs "});
      }
      facts[field] = value;
    }
    EXPECT_NO_THROW(load(board, facts));
  }
}

TEST_F(BoardTexts, ABoardStartsNoOtherProgramThanQemu) {
  Json facts = facts_of("qemu-zynq");
  for (const char* program : {"/tmp/evil.sh", "evil.sh", "qemu-system-arm.sh", "../qemu-system-arm", "sh"}) {
    facts["qemu"]["system"] = program;
    expect_user_error([&] { load("qemu-zynq", facts); },
                      {"/qemu/system is ", program, "needs one of qemu-system-aarch64, qemu-system-arm"});
  }
}

/// A kit's board with a hostile text in every place for one.
Board with_texts(const std::string& name, const std::string& text) {
  Board board = load_board(name, kTree);
  board.name = board.title = board.variant_text = board.variant.name = text;
  board.cpu = {text, text, board.cpu.bare_metal_triple.empty() ? "" : text, text};
  if (board.fpga) board.fpga = Fpga{board.fpga->part, text, text};
  if (board.xrt) board.xrt->platform = text;
  if (!board.has_arm()) board.memory.port = text;
  for (Source& source : board.sources) source.document = text;
  return board;
}

class GeneratedTexts : public BoardTexts {
 protected:
  /// A copy of what scripts read of the kit, in a folder that Tcl and shells make something of.
  void SetUp() override {
    BoardTexts::SetUp();
    root_ = folder_ / R"(kit [exec touch PWN] $(touch PWN) {"';)";
    fs::create_directories(root_ / "hw");
    fs::create_directories(root_ / "boards/generate");
    for (const char* part : {"generate/templates", "firmware", "fpga", "linux"})
      fs::copy(kTree / "boards" / part, root_ / "boards" / part, fs::copy_options::recursive);
    std::ofstream(root_ / "hw/files.f") << "hw/rtl/top/vdla_axi.v\n";
  }

  void write(const Board& board) const {
    const fs::path out = folder_ / "out";
    fs::remove_all(out);
    fs::create_directories(out);
    Surroundings around;
    around.root = root_;
    around.out = out;
    for (const GeneratedFile& file : generate(board, around))
      tools::write_file((out / file.name).string(), file.text);
  }

  std::string generated(const std::string& name) const {
    return tools::read_text((folder_ / "out" / name).string());
  }

  /// Whether a file is there that a part of a hostile text makes.
  bool something_ran() const { return fs::exists(folder_ / "PWN") || fs::exists(folder_ / "out/PWN"); }

  /// Calls that a script for Vivado makes.
  std::vector<Json> record(const std::string& script) const {
    EXPECT_EQ(shell("tclsh " + shell_word((kTree / "tests/boards/generate/recording.tcl").string()) +
                    " out/" + script + " record BOARD_PARTS="),
              0)
        << said();
    std::vector<Json> calls;
    std::ifstream lines(folder_ / "record");
    for (std::string line; std::getline(lines, line);) calls.push_back(Json::parse(line));
    return calls;
  }

  fs::path root_;
};

TEST_F(GeneratedTexts, AreWordsToTcl) {
  if (missing("tclsh")) GTEST_SKIP() << "tclsh is missing: install tcl";
  write(with_texts("pynq-z2", hostile_text()));
  const auto calls = record("package.tcl");
  const std::string text = visible(hostile_text());
  EXPECT_EQ(calls.at(0).back(), text) << "create_project .. -part";
  EXPECT_FALSE(something_ran());
  write(with_texts("alveo-u50", hostile_text()));
  record("kernel.tcl");
  EXPECT_FALSE(something_ran());
  // build.tcl refuses a board that Vivado has no files for, by its name.
  write(with_texts("kv260", hostile_text()));
  EXPECT_NE(shell("tclsh " + shell_word((kTree / "tests/boards/generate/recording.tcl").string()) +
                  " out/build.tcl record"),
            0);
  EXPECT_NE(said().find("board files of " + text.substr(0, 40)), std::string::npos) << said();
  EXPECT_FALSE(something_ran());
}

// Vivado reads constraints as Tcl.
TEST_F(GeneratedTexts, AreWordsToTclInConstraints) {
  if (missing("tclsh")) GTEST_SKIP() << "tclsh is missing: install tcl";
  for (const std::string board : {"pynq-z2", "alveo-u50"}) {
    write(with_texts(board, hostile_text()));
    tools::write_file((folder_ / "read.tcl").string(),
                      "proc get_ports {name} { return $name }\n"
                      "proc create_clock {args} { puts $args }\nsource out/clock.xdc\n");
    EXPECT_EQ(shell("tclsh read.tcl"), 0) << said();
    EXPECT_TRUE(said().starts_with("-name aclk -period ") && said().ends_with(" aclk\n")) << said();
    EXPECT_FALSE(something_ran());
  }
}

TEST_F(GeneratedTexts, AreWordsToAShell) {
  for (const std::string board : {"pynq-z2", "alveo-u50"}) {
    write(with_texts(board, hostile_text()));
    EXPECT_EQ(shell("sh -n out/release.sh"), 0) << said();
    EXPECT_EQ(shell("sh out/release.sh --selftest x --clock-mhz 1 -o y"), 1);
    EXPECT_EQ(said(),
              "release.sh: error: x is missing: what vdla board selftest --json printed on the board\n");
    EXPECT_EQ(shell(". out/variables.sh && printf '<%s>' \"$board\""), 0);
    EXPECT_EQ(said(), "<" + visible(hostile_text()) + ">");
    EXPECT_FALSE(something_ran());
  }
}

TEST_F(GeneratedTexts, AreStringsAndCommentsToC) {
  for (const std::string board : {"pynq-z2", "kv260", "qemu-pci"}) {
    write(with_texts(board, hostile_text()));
    tools::write_file((folder_ / "a.c").string(),
                      "#include \"out/board.h\"\nconst char name[] = VDLA_BOARD_NAME;\n");
    EXPECT_EQ(
        shell(shell_word(VDLA_C_COMPILER) + " -std=c11 -Wall -Wextra -Werror -trigraphs -fsyntax-only a.c"),
        0)
        << said();
  }
}

/// A board's name was a word of the shell, and then once more a text of the page's language.
TEST_F(GeneratedTexts, ANameInACommandOfThePageIsTheShellsWord) {
  write(with_texts("pynq-z2", "my * (board)"));
  EXPECT_NE(generated("README.md").find("--variant board:'my * (board)'` makes"), std::string::npos);
}

TEST_F(GeneratedTexts, AreCommentsToADeviceTree) {
  if (missing("dtc")) GTEST_SKIP() << "dtc is missing: install device-tree-compiler";
  for (const std::string board : {"pynq-z2", "kv260"}) {
    write(with_texts(board, hostile_text()));
    EXPECT_EQ(shell("dtc -@ -I dts -O dtb -o a.dtb out/overlay.dtso"), 0) << said();
    EXPECT_EQ(said(), "");
  }
}

/// Text of a page without comments and code in backticks, which run nothing.
std::string without_comments_and_code(std::string text) {
  for (std::size_t begin; (begin = text.find("<!--")) != std::string::npos;)
    text.erase(begin, text.find("-->", begin) + 3 - begin);
  return std::regex_replace(text, std::regex("`[^`\n]*`"), "");
}

TEST_F(GeneratedTexts, AreOneLineOfAPageAndOfAConfiguration) {
  for (const std::string board : {"pynq-z2", "alveo-u50"})
    for (const std::string file : {"README.md", "link.cfg"}) {
      write(with_texts(board, "plain"));
      if (!fs::exists(folder_ / "out" / file)) continue;
      const auto lines = [&](const std::string& text) { return std::ranges::count(text, '\n'); };
      const auto needed = lines(generated(file));
      write(with_texts(board, hostile_text()));
      EXPECT_EQ(lines(generated(file)), needed) << file;
      if (file == "README.md")
        EXPECT_EQ(without_comments_and_code(generated(file)).find("<script"), std::string::npos);
    }
}

/// A port that boards/spec takes and Vivado has no names for ended in an error of design.tcl.
TEST(Scripts, VivadoHasNamesForEveryPort) {
  const auto expect_row = [](Family family, std::string_view port) {
    const fs::path file = kTree / "boards/fpga" / (std::string(key(family)) + ".tcl");
    EXPECT_NE(tools::read_text(file.string()).find("\n  " + std::string(port) + " "), std::string::npos)
        << file << " has no row for " << port;
  };
  for (const MasterPort& port : master_ports()) expect_row(port.family, port.name);
  for (const SlavePort& port : slave_ports()) expect_row(port.family, port.name);
  for (const InterruptPort& port : interrupt_ports()) expect_row(port.family, port.name);
}

}  // namespace
}  // namespace vdla::boards
