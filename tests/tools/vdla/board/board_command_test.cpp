// SPDX-License-Identifier: Apache-2.0
// vdla board list and info, as users call them.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "boards/spec/board.h"
#include "tests/tools/cli.h"

namespace vdla::tools {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

class BoardCommand : public Cli {};

TEST_F(BoardCommand, ListsTheBoardsOfTheKit) {
  const Outcome outcome = run("board list --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::vector<std::string> names;
  const Json list = Json::parse(outcome.out);
  for (const Json& row : list.at("boards")) names.push_back(row.at("name"));
  EXPECT_EQ(names, boards::board_names(VDLA_SOURCE_DIR));
  const std::string table = run("board list").out;
  for (const std::string& name : names) EXPECT_THAT(table, HasSubstr("\n" + name + " "));
}

TEST_F(BoardCommand, SaysWhereRegistersMemoryAndInterruptLie) {
  const Json info = Json::parse(run("board info qemu-zynqmp --json").out);
  EXPECT_EQ(info.at("/registers/base"_json_pointer), 0xa0000000U);
  EXPECT_EQ(info.at("/memory/base"_json_pointer), 0x10000000U);
  EXPECT_EQ(info.at("/memory/axi"_json_pointer), "AXI4");
  EXPECT_EQ(info.at("/interrupt/gic_id"_json_pointer), 121U);
  const Json pci = Json::parse(run("board info qemu-pci --json").out);
  EXPECT_EQ(pci.at("/memory/bytes"_json_pointer), 0x400000U);
  EXPECT_FALSE(pci.at("memory").contains("base")) << "the guest's driver says where";
  const std::string text = run("board info qemu-zynq").out;
  EXPECT_THAT(text, HasSubstr("0x43c00000 to 0x43c00fff (4 KiB) behind M_AXI_GP0"));
  EXPECT_THAT(text, HasSubstr("number 61 of the interrupt controller"));
  EXPECT_THAT(text, HasSubstr("100 MHz assumed"));
}

TEST_F(BoardCommand, SelftestSaysWhatEachStageSaw) {
  const Json all = Json::parse(run("board selftest --engine systemc --json").out);
  EXPECT_EQ(all.at("verdict"), "passed");
  EXPECT_EQ(all.at("device"), "engine systemc, tiny");
  EXPECT_EQ(all.at("stages").size(), 11U);
  const std::string page = read_text(VDLA_SOURCE_DIR "/docs/driver.md");
  for (const Json& stage : all.at("stages"))
    if (stage.at("stage") != "interrupt")  // the page shows a board, where one can get lost
      EXPECT_THAT(page, HasSubstr(" passed   " + stage.at("text").get<std::string>() + "\n"));
  expect_error("board selftest --uio none", {"no UIO device is named 'none'"});
  expect_error("board selftest --uio none --engine rtl", {"--engine"}, 2);
}

TEST_F(BoardCommand, SelftestRunsOnArraysOfOtherShapes) {
  for (const char* variant :
       {"isa/variants/2x16x16.json", "isa/variants/1x16x8.json", "isa/variants/4x8x8.json"}) {
    const Outcome outcome =
        run("board selftest --variant '" VDLA_SOURCE_DIR "/" + std::string(variant) + "'");
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(": passed\n"));
  }
}

/// Each board's variant has a name that commands take, and board:BOARD is the one that its memory sees.
TEST_F(BoardCommand, VariantsOfBoardsHaveNames) {
  const Json variants = Json::parse(run("info --json").out).at("variants");
  for (const Json& row : Json::parse(run("board list --json").out).at("boards")) {
    const std::string name = row.at("variant");
    EXPECT_EQ(std::ranges::count_if(variants, [&](const Json& v) { return v.at("name") == name; }), 1)
        << name;
  }
  const auto memory_of = [&](const std::string& variant) {
    const Outcome outcome = run("board bandwidth --engine systemc --variant " + variant);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("engine systemc, 1x16x8, "));
    return outcome.out;
  };
  const std::string of_port = memory_of("board:pynq-z1");
  EXPECT_EQ(of_port, memory_of("'" VDLA_SOURCE_DIR "/boards/pynq-z1/generated/variant.json'"));
  EXPECT_EQ(of_port, memory_of("'board:" VDLA_SOURCE_DIR "/boards/pynq-z1/board.json'"));
  EXPECT_NE(of_port, memory_of("1x16x8")) << "bursts of AXI3 are shorter";
  EXPECT_EQ(run("board selftest --variant board:pynq-z2").status, 0);
  EXPECT_EQ(run("fuzz --variant 1x16x8 --engines functional,systemc --count 2").status, 0);
  expect_error("compile " + example("digits.onnx") + " --variant 1x16x9 -o " + path("x.vdla"),
               {"variant '1x16x9' is neither one of the kit's (", "1x16x8", "did you mean '1x16x8'?"});
  expect_error("compile " + example("digits.onnx") + " --variant board:pynq -o " + path("x.vdla"),
               {"board 'pynq' is neither one of the kit's"});
  expect_error("compile " + example("digits.onnx") + " --variant device: -o " + path("x.vdla"),
               {"--variant device: names no machine, needs device:HOST[:PORT]"});
}

TEST_F(BoardCommand, SelftestOfBoardsSaysWhatBoardItNeeds) {
  expect_error("board selftest --board pynq-z1", {"board pynq-z1 is a real one", "--uio vdla"});
  expect_error("board selftest --board ''", {"--board: is empty, needs a simulated board"}, 2);
  expect_error("board selftest --board qemu-zynq --kernel '" VDLA_SOURCE_DIR "'",
               {"--kernel is for a board that runs Linux, qemu-pci"});
  std::filesystem::create_directory(path("no_kernel"));
  expect_error("board selftest --board qemu-pci --kernel " + path("no_kernel"),
               {"boards/linux/get_kernel.sh"});
  expect_error("run x.vdla --board ''", {"--board: is empty, needs HOST[:PORT]"}, 2);
}

TEST_F(BoardCommand, RefusesWhatIsNoBoardAndNoCommand) {
  expect_error("board info qemu-zinq", {"board 'qemu-zinq'", "did you mean 'qemu-zynq'?"});
  expect_error(
      "board lst",
      {"there is no command 'board lst'", "list info", "did you mean 'list'?", "see vdla board --help"}, 2);
  expect_error("board", {"see vdla board --help"}, 2);
  expect_error("board info --jsn", {"did you mean '--json'?", "see vdla board info --help"}, 2);
}

}  // namespace
}  // namespace vdla::tools
