// SPDX-License-Identifier: Apache-2.0
// Other programs read the files and the output of commands, whatever the names of files, networks, layers and
// variants are.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "kit/systemc.h"
#include "support/inert.h"
#include "support/shell_word.h"
#include "tests/readers/hostile.h"
#include "tests/readers/readers.h"
#include "tests/tools/cli.h"
#include "tests/tools/hostile_network.h"

namespace vdla::tools {
namespace {

using testing::HasSubstr;

/// Works in a folder whose name is hostile, with a network of hostile names in a file of such a name.
class Texts : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    before_ = std::filesystem::current_path();
    const std::string digits = std::filesystem::absolute(example("digits.onnx")).string();
    const std::string folder = path("it's \"a\" <b>,&\n\x1b\xff");
    std::filesystem::create_directories(folder);
    std::filesystem::current_path(folder);
    names_ = readers::hostile_names();
    write_file(kGraph, hostile_network(names_));
    std::filesystem::copy_file(digits, kDigits);
    write_file("p.s", "finish 0\n");
    write_file("f.loop", "func f(in A: i32[4], out B: i32[4]) { for i in 0..4 { B[i] = A[i] } }\n");
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    Cli::TearDown();
  }

  /// JSON that a command prints with --json, to others.
  nlohmann::json json_of(const std::string& arguments, int status = 0) const {
    SCOPED_TRACE("vdla " + arguments);
    const Outcome outcome = run(arguments + " --json");
    EXPECT_EQ(outcome.status, status) << outcome.err;
    return readers::read_by_others("json", path("stdout"));
  }

  void compile() const { ASSERT_EQ(run("compile " + kG + " --variant tiny -o " + kM).status, 0); }

  static constexpr const char* kGraph = "n\" <g>,\n\xff.graph";
  static constexpr const char* kDigits = "d\" <d>,\n\x01.onnx";
  const std::string kG = shell_word(kGraph), kD = shell_word(kDigits), kM = shell_word("m\" <m>,\n\xff.vdla");
  std::vector<std::string> names_;

 private:
  std::filesystem::path before_;
};

/// "a\xff" -> "a\ufffd", as JSON has text of any bytes.
std::string as_json(const std::string& name) {
  return nlohmann::json::parse(
      nlohmann::json(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

TEST_F(Texts, JsonOfAnyNamesIsJsonWithTheNames) {
  compile();
  const std::string model = as_json(names_.front());
  EXPECT_EQ(json_of("compile " + kG + " --variant tiny -o " + kM).at("model"), model);
  EXPECT_EQ(json_of("run " + kM + " --random-input 1 --output o.npy").at("model"), model);
  json_of("eval " + kM + " --inputs o.npy");
  EXPECT_EQ(json_of("explain " + kM).at("model"), model);
  const std::string nodes = json_of("explain --tensors " + kG + " --variant tiny").dump();
  for (const std::string& name : names_) EXPECT_THAT(nodes, HasSubstr(nlohmann::json(as_json(name)).dump()));
  json_of("verify " + kM);
  json_of("disasm " + kM);
  json_of("info " + kM);
  json_of("coverage " + kM);
  json_of("opt " + kG + " --passes drop-dead");
  json_of("opt f.loop");
  json_of("asm p.s -o p.bin");
  json_of("run p.s --variant tiny");
  json_of("keygen " + shell_word("k\"\n\xff"));
  json_of("sign " + kM + " --key " + shell_word("k\"\n\xff.key"));
  json_of("check-kernel f.loop --device emulator");
  json_of("board list");
  json_of("board info pynq-z2");
  json_of("board ila pynq-z2 -o " + shell_word("i\"\n\xff.tcl"));
}

TEST_F(Texts, JsonOfMeasuredRunsIsJsonWithTheNames) {
  if (!kit::have_systemc()) GTEST_SKIP() << "needs engine systemc";
  compile();
  json_of("run " + kM + " --engine systemc --random-input 1 --record r.json --timeline t.json");
  json_of("report r.json -o r.html");
  json_of("compare " + kM + " " + kM + " --html c.html");
  json_of("tune " + kG + " --variant tiny --trials 2 --book k.json --log l.jsonl --html t.html");
  json_of("fuzz --variant tiny --count 1 --engines functional,systemc");
  json_of("explore --network " + kD + " --axis array=1x4x4 --base tiny -o s");
  readers::read_by_others("json", std::vector<std::string>{"r.json", "k.json", "s/results.json"});
  readers::read_by_others("json_lines", "l.jsonl");
  readers::read_by_others("html", std::vector<std::string>{"r.html", "c.html", "t.html", "s/report.html"});
  // Names of tracks, slices, counters, and both ends of tokens.
  const auto events = readers::read_by_others("trace", "t.json");
  for (const char* kind : {"M", "X", "C", "s", "f"}) EXPECT_GT(events.value(kind, 0), 0) << kind;
}

TEST_F(Texts, JsonOfAnErrorIsJsonForEachCommand) {
  // Names of commands with --json, those of `vdla board` too.
  const auto commands_of = [&](const std::string& group) {
    std::vector<std::string> names;
    const std::string help = run(group + "--help").out;
    const std::string list = help.substr(help.find("\nSubcommands:"));
    static const std::regex kName("\n  ([a-z-]+) +");
    for (std::sregex_iterator at(list.begin(), list.end(), kName), end; at != end; ++at)
      names.push_back(group + (*at)[1].str());
    return names;
  };
  std::vector<std::string> commands = commands_of("");
  std::erase(commands, "board");
  for (const std::string& name : commands_of("board ")) commands.push_back(name);
  EXPECT_GT(commands.size(), 40u);
  const std::string none = shell_word("none\" <g>,\n\x1b\xff.json");
  std::vector<std::string> printed;
  for (const std::string& command : commands) {
    const Outcome outcome = run(command + " " + none + " " + none + " --json");
    if (command == "doctor" || command == "board list") continue;  // take no file: flags are at fault
    EXPECT_NE(outcome.status, 0) << command;
    EXPECT_NE(outcome.status, 3) << command << outcome.err;
    printed.push_back("e" + std::to_string(printed.size()));
    write_file(printed.back(), outcome.out);
  }
  for (const auto& error : readers::read_by_others("json", printed))
    EXPECT_FALSE(error.value("error", "").empty());
}

TEST_F(Texts, TheNodeOfABoardIsADeviceTree) {
  if (readers::missing("dtc")) GTEST_SKIP() << "dtc is missing: install device-tree-compiler";
  compile();
  for (const auto& [board, cells] : {std::pair("pynq-z2", 1), std::pair("kv260", 2)}) {
    run("explain " + kM + " --memory --json --board " +
        board);  // exit status 1 where the board reserves less
    const auto memory = readers::read_by_others("json", path("stdout"));
    const std::string node = memory.at("memory").at("board").at("device_tree");
    write_file("a.dts",
               fmt::format("/dts-v1/; / {{ #address-cells = <{0}>; #size-cells = <{0}>; reserved-memory {{ "
                           "#address-cells = <{0}>; #size-cells = <{0}>; ranges; {1} }}; }};\n",
                           cells, node));
    EXPECT_EQ(readers::run_line("dtc -I dts -O dtb -o a.dtb a.dts"), "") << node;
  }
}

TEST_F(Texts, NumbersThatAreNotFiniteAreTextInJson) {
  write_file("f.graph",
             "graph \"f\"\ninput %x: float32[1, 2, 1, 1]\nconst %w: float32[1, 2, 1, 1] = splat 1e30\n"
             "%y = convolve(%x, %w) {stride = [1, 1], dilation = [1, 1], before = [0, 0], after = [0, 0]}\n"
             "output %y\n");
  ASSERT_EQ(run("compile f.graph -o f.vdla").status, 0) << run("compile f.graph -o f.vdla").err;
  const float values[] = {1e30F, 1e30F};
  write_file("f.bin", {reinterpret_cast<const char*>(values), sizeof values});
  EXPECT_THAT(json_of("run f.vdla --input f.bin --output f.npy").dump(), HasSubstr("\"Infinity\""));
  EXPECT_EQ(readers::read_by_others("npy", "f.npy"),
            (nlohmann::json{{"type", "f4"}, {"shape", {1, 1, 1, 1}}}));
}

TEST_F(Texts, ATableOfASweepHasTheFieldsOfAnyNames) {
  if (!kit::have_systemc()) GTEST_SKIP() << "needs engine systemc";
  nlohmann::json sweep{{"networks", {kDigits}}, {"points", nlohmann::json::array()}};
  std::set<std::string> shown{"tiny"};
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (as_json(names_[i]) != names_[i]) continue;  // JSON text has no other bytes
    sweep["points"].push_back({{"name", names_[i]}, {"timing", {{"dram_latency", 20 + i}}}});
    shown.insert(visible(names_[i]));
  }
  write_file("s.json", sweep.dump());
  const Outcome outcome = run("explore s.json --base tiny -o s --csv t.csv");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto table = readers::read_by_others("csv", "t.csv");
  std::set<std::string> found;
  for (std::size_t row = 1; row < table.size(); ++row) {
    found.insert(table[row][0]);
    EXPECT_EQ(table[row][1], visible(kDigits));
    EXPECT_EQ(table[row][2], "ok");
  }
  for (const std::string& name : shown) EXPECT_TRUE(found.contains(name)) << name.substr(0, 100);
  EXPECT_EQ(found.size(), shown.size()) << nlohmann::json(found);
}

}  // namespace
}  // namespace vdla::tools
