// SPDX-License-Identifier: Apache-2.0
// Boards as board.json describes them: the kit's are read whole, and what cannot be is refused with its
// place.
#include "boards/spec/board.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "kit/files.h"
#include "tests/tools/expect_error.h"

namespace vdla::boards {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;

const fs::path kTree = VDLA_SOURCE_DIR;

/// A folder in which boards of a user lie.
class UsersBoard : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("vdla_board_test_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// The kit's board with one piece of its text replaced, under the same name.
  fs::path changed(const std::string& board, const std::string& from, const std::string& to) {
    std::string text = kit::read_text(kTree / "boards" / board / "board.json");
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    fs::create_directories(folder_ / board);
    std::ofstream(folder_ / board / "board.json") << text;
    return folder_ / board / "board.json";
  }

  fs::path folder_;
};

TEST(Boards, OfTheKitAreReadWhole) {
  const std::vector<std::string> names = board_names(kTree);
  EXPECT_THAT(names, IsSupersetOf({"qemu-pci", "qemu-zynq", "qemu-zynqmp", "xrt-emu"}));
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const Board board = load_board(name, kTree);
    EXPECT_EQ(board.name, name);
    EXPECT_NE(board.simulated(), board.fpga.has_value());
    EXPECT_EQ(board.has_arm(), board.registers.has_value());
    EXPECT_FALSE(board.sources.empty()) << "facts come from somewhere";
    EXPECT_GT(board.memory.region.bytes, 0U);
  }
}

/// A row for each field of any board, which names what is in it, and no other rows.
TEST(Boards, ThePageHasTheFieldsOfBoardJson) {
  const std::string page = kit::read_text(kTree / "boards/README.md");
  static const std::regex kRow(R"(\n\| `(\w+)` \|(.*))");
  std::map<std::string, std::string> rows;
  for (std::sregex_iterator row(page.begin(), page.end(), kRow), end; row != end; ++row)
    rows[(*row)[1]] = (*row)[2];
  std::set<std::string> unused;
  for (const auto& [field, text] : rows) unused.insert(field);
  for (const std::string& name : board_names(kTree)) {
    const auto facts = nlohmann::json::parse(kit::read_text(kTree / "boards" / name / "board.json"));
    for (const auto& [field, value] : facts.items()) {
      EXPECT_TRUE(rows.contains(field)) << field << " of " << name;
      unused.erase(field);
      for (const auto& [part, content] : (value.is_array() ? value[0] : value).items())
        if (value.is_structured()) EXPECT_THAT(rows[field], HasSubstr("`" + part + "`")) << field;
    }
  }
  EXPECT_THAT(unused, IsEmpty());
}

TEST(Boards, InterruptsFollowFromPortAndBit) {
  const Board zynq = load_board("qemu-zynq", kTree), zynqmp = load_board("qemu-zynqmp", kTree);
  EXPECT_EQ(zynq.interrupt->gic_id, 61U);
  EXPECT_EQ(zynq.qemu_interrupt_input(), 29U);
  EXPECT_EQ(zynqmp.interrupt->gic_id, 121U);
  EXPECT_EQ(zynqmp.qemu_interrupt_input(), 89U);
  EXPECT_EQ(load_board("qemu-pci", kTree).qemu_interrupt_input(), 20U);
}

TEST_F(UsersBoard, SecondHalfOfTheInterruptsOfAZynqHasOtherNumbers) {
  const fs::path file = changed("qemu-zynq", "\"bit\": 0", "\"bit\": 8");
  EXPECT_EQ(load_board(file.string(), kTree).interrupt->gic_id, 84U);
}

TEST_F(UsersBoard, IsFoundByFileAndByFolder) {
  const fs::path file = changed("qemu-zynq", "0x04000000", "0x02000000");
  EXPECT_EQ(load_board(file.string(), kTree).memory.region.bytes, 0x2000000U);
  EXPECT_EQ(load_board(file.parent_path().string(), kTree).memory.region.bytes, 0x2000000U);
}

TEST_F(UsersBoard, HasAVariantOfItsOwnOrOneThatWasSynthesised) {
  EXPECT_EQ(
      load_board(changed("qemu-zynq", "\"tiny\"", "\"1x16x8\"").string(), kTree).variant.geometry.block_out,
      8U);
  const fs::path file = changed("qemu-zynq", "\"tiny\"", "\"mine.json\"");
  std::ofstream(file.parent_path() / "mine.json")
      << R"({"name": "mine", "geometry": {"block_in": 8, "block_out": 8}})";
  EXPECT_EQ(load_board(file.string(), kTree).variant.geometry.block_in, 8U);
}

TEST(Boards, AnUnknownNameListsTheKnownOnes) {
  expect_user_error([] { load_board("qemu-zinq", kTree); },
                    {"board 'qemu-zinq'", "qemu-zynqmp", "did you mean 'qemu-zynq'?"});
}

TEST_F(UsersBoard, WhatCannotBeIsRefusedWithItsPlace) {
  struct Case {
    std::string board, from, to;
    std::vector<std::string> pieces;
  };
  const std::vector<Case> cases = {
      {"qemu-zynq",
       "\"clock_mhz\": 100",
       "\"clock_mhz\": \"fast\"",
       {":6:3: /clock_mhz is \"fast\"", "a positive number"}},
      {"qemu-zynq", "\"clock_mhz\": 100", "\"clock_mhz\": 0", {"/clock_mhz is 0"}},
      {"qemu-zynq", "\"clock_mhz\"", "\"clock_mhx\"", {"has no field 'clock_mhz'"}},
      {"qemu-zynq",
       "\"uart\": {",
       "\"uart\": {\"bose\": 1, ",
       {"/uart/bose is an unknown field", "did you mean 'base'?"}},
      {"qemu-zynq", "\"zynq7000\"", "\"zynq700\"", {"/family is \"zynq700\"", "did you mean 'zynq7000'?"}},
      {"qemu-zynq",
       "\"fabric_status\": false",
       "\"fabric_status\": \"none\"",
       {"/qemu/fabric_status is \"none\", needs true or false"}},
      {"qemu-zynq", "\"tiny\"", "\"titan\"", {"/variant is \"titan\"", "vdla info lists them"}},
      {"qemu-zynq",
       "0x43c00000",
       "0x43c00g00",
       {":15:17: /registers/base is \"0x43c00g00\"", "a text like \"0x43c00000\""}},
      {"qemu-zynq",
       "0x43c00000",
       "0x83c00000",
       {"/registers/base", "behind M_AXI_GP0: 0x40000000 to 0x7fffffff"}},
      {"qemu-zynq", "0x43c00000", "0x43c00200", {"/registers/base", "a multiple of 0x1000"}},
      {"qemu-zynq", "\"0x1000\"", "\"0x3000\"", {"/registers/bytes", "a power of two"}},
      {"qemu-zynq",
       "M_AXI_GP0",
       "M_AXI_HPM0_FPD",
       {"/registers/port", "a port of zynq7000: M_AXI_GP0, M_AXI_GP1"}},
      {"qemu-zynq", "\"width_bits\": 64", "\"width_bits\": 128", {"/memory/width_bits is 128", "32 or 64"}},
      {"qemu-zynq", "\"bit\": 0", "\"bit\": 16", {"/interrupt/bit is 16", "0 to 15"}},
      {"qemu-zynq",
       "\"base\": \"0x10000000\"",
       "\"base\": \"0x30000000\"",
       {"/memory is", "a region of ram, 0x0 to 0x1fffffff"}},
      {"qemu-zynq",
       "\"base\": \"0x10000000\"",
       "\"base\": \"0x100000000\"",
       {"/memory/base", "a region that ends below 2^32, which S_AXI_HP0 reaches"}},
      {"qemu-zynq", "0x0ff00000", "0x10000000", {"/firmware is", "apart from memory"}},
      {"qemu-zynq", "\"0x04000000\"", "\"0x04000001\"", {"/memory/bytes", "a multiple of 0x1000"}},
      {"qemu-zynq", "\"/uart\"]", "\"/~\"]", {"/sources/0/fields", "JSON pointers to fields of this file"}},
      {"qemu-zynq",
       "\"/uart\"]",
       "\"/urat\"]",
       {"/sources/0/fields", "JSON pointers to fields of this file"}},
      {"qemu-zynq", "\"qemu-zynq\"", "\"zynq\"", {"/name is \"zynq\"", "the name of its folder, qemu-zynq"}},
      {"qemu-zynq", "\"qemu\": {", "\"quemu\": {", {"has no field 'fpga'"}},
      {"qemu-pci", "\"slot\": 4", "\"slot\": 32", {"/pci/slot is 32", "0 to 31"}},
      {"qemu-pci", "\"pci\": {", "\"uart\": {\"base\": 0}, \"pci\": {", {"/uart is an unknown field"}},
      {"qemu-pci", "\"ram\"", "\"rom\"", {"has no field 'ram'"}},
      {"xrt-emu", "\"hw_emu\"", "\"sw_emu\"", {"/xrt/emulation is \"sw_emu\"", "needs hw_emu"}},
      {"xrt-emu", "0x10000000\", \"bytes", "0x10000001\", \"bytes", {"/memory/base", "a multiple of 0x1000"}},
      {"alveo-u50", "\"xrt\": {", "\"ram\": {}, \"xrt\": {", {"/ram is an unknown field"}},
      {"qemu-pci", "{\n", "[\n", {"is no JSON"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.to);
    const fs::path file = changed(c.board, c.from, c.to);
    std::vector<std::string> pieces = c.pieces;
    pieces.push_back(file.string() + ":");
    expect_user_error([&] { load_board(file.string(), kTree); }, pieces);
  }
}

}  // namespace
}  // namespace vdla::boards
