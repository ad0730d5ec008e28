// SPDX-License-Identifier: Apache-2.0
// vdla compile --schedule: a layer is computed by the schedule that a person wrote, or the schedule is
// refused.
#include <nlohmann/json.hpp>

#include <random>
#include <regex>
#include <sstream>
#include <utility>
#include <vector>

#include "kit/systemc.h"
#include "tests/tools/cli.h"

namespace vdla::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ScheduleCommand : public Cli {
 protected:
  std::string network() const { return example("digits.onnx") + " "; }

  /// Writes what explain prints of the layer's schedule to a file, and returns the text.
  std::string written(const std::string& layer, const std::string& name,
                      const std::string& flags = "--variant tiny") const {
    const Outcome shown = run("explain " + network() + flags + " --schedule " + layer);
    EXPECT_EQ(shown.status, 0) << shown.err;
    write_file(path(name), shown.out);
    return shown.out;
  }
  /// Writes the text with `from`, which it has, replaced.
  void edit(const std::string& name, std::string text, const std::string& from, const std::string& to) const {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from << " in\n" << text;
    write_file(path(name), text.replace(at, from.size(), to));
  }
  std::string compile(const std::string& schedules, const std::string& flags = "--variant tiny") const {
    return "compile " + network() + flags + " -o " + path("out.vdla") + " " + schedules;
  }
  /// Returns the outputs of a run of the module on an engine.
  std::string outputs(const std::string& module, const std::string& engine = "functional") const {
    const Outcome o =
        run("run " + module + " --random-input 3 --engine " + engine + " --output " + path("o.npy"));
    EXPECT_EQ(o.status, 0) << o.err;
    return read_text(path("o.npy"));
  }
  /// The node's entry of a report of explain.
  nlohmann::json node(const std::string& file, const std::string& name) const {
    const nlohmann::json nodes = nlohmann::json::parse(run("explain " + file + " --json").out).at("nodes");
    for (const nlohmann::json& n : nodes)
      if (n.at("name") == name) return n;
    ADD_FAILURE() << name;
    return {};
  }
};

TEST_F(ScheduleCommand, AnEditedTileIsCompiledAndGivesTheSameOutputs) {
  const std::string text = written("conv3.conv", "s");
  edit("s", text, "split result y 2\n", "split result y 4\n");
  ASSERT_EQ(run(compile("--schedule conv3.conv=" + path("s"))).status, 0);
  const std::string other = digits("tiny");
  EXPECT_NE(run("disasm " + path("out.vdla")).out, run("disasm " + other).out);
  EXPECT_EQ(outputs(path("out.vdla")), outputs(other));
  if (kit::have_systemc()) EXPECT_EQ(outputs(path("out.vdla"), "systemc"), outputs(other));
  EXPECT_THAT(node(path("out.vdla"), "conv3.conv").at("reason"), HasSubstr("; schedule by " + path("s")));
  EXPECT_THAT(node(path("out.vdla"), "pool").at("reason"), Not(HasSubstr("schedule by")));
  EXPECT_NE(node(path("out.vdla"), "conv3.conv").at("estimated_cycles"),
            node(other, "conv3.conv").at("estimated_cycles"));
  EXPECT_THAT(run("info " + path("out.vdla")).out, HasSubstr("--schedule conv3.conv=s"));
}

TEST_F(ScheduleCommand, VirtualThreadsMayBeAdded) {
  const std::string text = written("conv3.conv", "s");
  edit("s", text, "reorder acc", "bind result y.o vthread\nreorder acc");
  ASSERT_EQ(run(compile("--schedule conv3.conv=" + path("s"))).status, 0);
  EXPECT_EQ(outputs(path("out.vdla")), outputs(digits("tiny")));
}

TEST_F(ScheduleCommand, WhatExplainPrintsIsTheSameProgram) {
  std::string schedules;
  for (const std::string layer :
       {"conv1.conv/taps", "conv1.conv", "add", "pool", "conv3.conv", "mean", "dense"}) {
    const std::string name = std::regex_replace(layer, std::regex("/"), "_");
    written(layer, name);
    schedules += " --schedule " + layer + "=" + path(name);
  }
  ASSERT_EQ(run(compile(schedules)).status, 0);
  EXPECT_EQ(run("disasm " + path("out.vdla")).out, run("disasm " + digits("tiny")).out);
}

TEST_F(ScheduleCommand, OneFileMayHaveTheSchedulesOfSeveralLayers) {
  const Outcome shown = run("explain " + network() + "--variant tiny --schedule pool --schedule dense");
  write_file(path("both"), shown.out);
  ASSERT_EQ(run(compile("--schedule pool=" + path("both") + " --schedule dense=" + path("both"))).status, 0);
  EXPECT_EQ(run("disasm " + path("out.vdla")).out, run("disasm " + digits("tiny")).out);
}

TEST_F(ScheduleCommand, ALayerOfTheCpuHasOneToo) {
  const std::string text = written("conv3.conv", "s", "--target cpu");
  std::smatch split;
  ASSERT_TRUE(std::regex_search(text, split, std::regex("parallel [^\n]*\n"))) << text;
  edit("s", text, split.str(), "");
  ASSERT_EQ(run(compile("--schedule conv3.conv=" + path("s"), "--target cpu")).status, 0);
  ASSERT_EQ(run("compile " + network() + "--target cpu -o " + path("cpu.vdla")).status, 0);
  EXPECT_EQ(outputs(path("out.vdla")), outputs(path("cpu.vdla")));
  EXPECT_THAT(run("explain " + path("out.vdla")).out, HasSubstr("; schedule by " + path("s")));
}

TEST_F(ScheduleCommand, ExplainShowsALayerByAFile) {
  const std::string text = written("conv3.conv", "s");
  edit("s", text, "split result y 2\n", "split result y 4\n");
  const Outcome shown = run("explain " + network() + "--variant tiny --schedule conv3.conv=" + path("s") +
                            " --loops conv3.conv");
  EXPECT_THAT(shown.out, HasSubstr("\nsplit result y 4\n"));
  EXPECT_THAT(shown.out, HasSubstr("schedule by " + path("s")));
  expect_error("explain " + digits("tiny") + " --schedule conv3.conv=" + path("s"),
               {"--schedule LAYER=FILE says how a network is compiled", "leave =FILE out"});
}

TEST_F(ScheduleCommand, ASearchsScheduleIsReadBack) {
  write_file(path("net.graph"),
             "graph \"g\"\ninput %x: int8[1, 8, 8, 16]\nconst %w: int8[16, 3, 3, 16] = splat 1\n"
             "%a = conv2d(%x, %w) {pads = [1, 1, 1, 1]}\n%b = conv2d(%a, %w)\noutput %b\n");
  const std::string network = path("net.graph") + " --variant tiny --book " + path("b.json");
  ASSERT_EQ(run("tune " + network + " --trials 40").status, 0);
  const Outcome kept = run("tune " + network + " --best --json --as-schedule " + path("kept"));
  std::string schedules;
  const nlohmann::json report = nlohmann::json::parse(kept.out);
  for (const nlohmann::json& layer : report.at("layers"))
    if (layer.contains("schedule"))
      schedules += " --schedule " + layer.at("node").get<std::string>() + "=" +
                   layer.at("schedule").get<std::string>();
  ASSERT_NE(schedules, "");
  ASSERT_EQ(run("compile " + network + schedules + " -o " + path("out.vdla")).status, 0);
  ASSERT_EQ(run("compile " + network + " -o " + path("tuned.vdla")).status, 0);
  EXPECT_EQ(run("disasm " + path("out.vdla")).out, run("disasm " + path("tuned.vdla")).out);
}

/// The line of the text that holds `words`, from 1.
std::size_t line_of(const std::string& text, const std::string& words) {
  return static_cast<std::size_t>(
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(words)), '\n'));
}

TEST_F(ScheduleCommand, ARefusalNamesFileLineRuleAndRemedy) {
  const std::string text = written("conv3.conv", "s");
  const struct {
    const char *from, *to, *line, *rule;
  } edits[] = {
      {"split result y 2", "splitt result y 2", "splitt", "no primitive 'splitt', did you mean 'split'?"},
      {"split result y 2", "split result y two", "split result y two", "'two' is no number"},
      {"split result y 2", "split results y 2", "split results",
       "no stage 'results', did you mean 'result'?"},
      {"split result y 2", "split result yy 2", "split result yy", "stage 'result' has no loop 'yy'"},
      {"split result y 2", "split result y 0", "split result y 0", "needs a positive factor, got 0"},
      {"split acc ky 1", "split acc ky 1 2", "split acc ky 1 2", "does not take so many words"},
      {"tensorize acc n gemm", "tensorize acc x gemm", "tensorize acc x", "cannot be tensorized with 'gemm'"},
      {"tensorize acc n gemm", "tensorize acc n gemmm", "tensorize acc n gemmm", "gemmm"},
      {"set_scope in_padded inp", "set_scope in_padded ink", "tensorize in_padded",
       "'in_padded' is in 'ink'"},
      {"compute_at in_padded acc ky.o", "compute_at in_padded acc kz.o", "compute_at in_padded acc kz.o",
       "stage 'acc' has no loop 'kz.o'"},
  };
  for (const auto& e : edits) {
    SCOPED_TRACE(e.to);
    edit("s", text, e.from, e.to);
    const std::size_t line = line_of(read_text(path("s")), e.line);
    expect_error(compile("--schedule conv3.conv=" + path("s")),
                 {path("s") + ": line " + std::to_string(line) + ": ", e.rule,
                  "; change it, or begin with what vdla explain --schedule prints of 'conv3.conv'"});
  }
  EXPECT_FALSE(std::filesystem::exists(path("out.vdla")));
}

/// The weights of all blocks are loaded at once.
TEST_F(ScheduleCommand, ATileThatFindsNoRoomIsRefusedWithItsLine) {
  const std::string text = written("conv3.conv", "s");
  edit("s", text, "compute_at weights.wgt acc nb.o\n", "");
  const std::size_t line = line_of(read_text(path("s")), "tensorize weights.wgt");
  expect_error(compile("--schedule conv3.conv=" + path("s")),
               {path("s") + ": line " + std::to_string(line) + ": layer 'conv3.conv': ",
                "buffer 'weights.wgt' needs 288 entries of wgt, which has 64 together free of 64",
                "use a tile of at most 64 entries; change it"});
}

/// The lines with one of them left out, written twice, changed in its last number, or in the place of another
/// one.
std::vector<std::string> edited(std::vector<std::string> lines, std::mt19937& random) {
  const auto drawn = [&] { return lines.begin() + static_cast<std::ptrdiff_t>(random() % lines.size()); };
  const auto at = drawn();
  switch (random() % 4) {
    case 0:
      lines.erase(at);
      break;
    case 1:
      lines.insert(at, *at);
      break;
    case 2:
      *at = std::regex_replace(*at, std::regex(" [0-9]+$"), " " + std::to_string(1 + random() % 9));
      break;
    default:
      std::swap(*at, *drawn());
  }
  return lines;
}

TEST_F(ScheduleCommand, DrawnEditsAreRefusedWithALineOrGiveTheSameOutputs) {
  std::mt19937 random(1);
  const std::string expected = outputs(digits("tiny"));
  std::size_t taken = 0, refused = 0;
  for (const std::string layer : {"add", "pool", "conv3.conv", "mean", "dense"}) {
    std::vector<std::string> lines;
    std::istringstream text(written(layer, "s"));
    for (std::string line; std::getline(text, line);)
      if (!line.empty() && !line.starts_with("#")) lines.push_back(line);
    for (int i = 0; i < 5; ++i) {
      std::string edit;
      for (const std::string& line : edited(lines, random)) edit += line + "\n";
      SCOPED_TRACE(layer + "\n" + edit);
      write_file(path("s"), edit);
      const Outcome o = run(compile("--schedule " + layer + "=" + path("s")));
      ++(o.status == 0 ? taken : refused);
      if (o.status == 0) {
        EXPECT_EQ(outputs(path("out.vdla")), expected);
      } else {
        EXPECT_EQ(o.status, 1);
        EXPECT_THAT(o.err, ::testing::StartsWith("vdla: error: " + path("s") + ": line "));
      }
    }
  }
  EXPECT_GE(taken, 5u);
  EXPECT_GE(refused, 5u);
}

TEST_F(ScheduleCommand, AScheduleOfAnotherLayerIsRefused) {
  written("pool", "s");
  expect_error(compile("--schedule conv3.conv=" + path("s")),
               {path("s") + ": line 3: is a schedule of layer 'pool', and is given to 'conv3.conv'"});
  write_file(path("bare"), "split nothing y 2\n");
  expect_error(compile("--schedule conv3.conv=" + path("bare")),
               {path("bare") + ": line 1: no stage 'nothing'"});
  write_file(path("empty"), "# only a comment\n");
  expect_error(compile("--schedule conv3.conv=" + path("empty")), {"empty: has no line of a schedule"});
  write_file(path("other"), "# schedule of conv3d, layer conv3.conv\nsplit result y 2\n");
  expect_error(compile("--schedule conv3.conv=" + path("other")),
               {"other: line 1: layer 'conv3.conv' has no function 'conv3d', needs 'conv2d'"});
}

TEST_F(ScheduleCommand, TheLayerIsOneOfExplain) {
  written("conv3.conv", "s");
  write_file(path("bare"), "split result y 2\n");
  expect_error(compile("--schedule conv3.con=" + path("bare")),
               {path("bare") + ": the network has no layer 'conv3.con', did you mean 'conv3.conv'?",
                "vdla explain lists them"});
  for (const char* layer : {"conv2.conv", "dense/rows"})
    expect_error(compile("--schedule " + std::string(layer) + "=" + path("bare")),
                 {path("bare"), "the layer has no function of its own"});
  expect_error(compile("--schedule conv3.conv"), {"--schedule 'conv3.conv': needs LAYER=FILE"});
  expect_error(compile("--schedule conv3.conv=" + path("none")), {"none"});
  expect_error(compile("--schedule conv3.conv=" + path("s") + " --schedule conv3.conv=" + path("bare")),
               {"gives 'conv3.conv' two files", "leave one of them out"});
  expect_error(compile("--schedule conv3.conv=" + path("s"), "--target opencl"),
               {"--schedule is for layers on the device and the CPU, and --target is opencl"});
}

}  // namespace
}  // namespace vdla::tools
