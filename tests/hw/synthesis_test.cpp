// SPDX-License-Identifier: Apache-2.0
// yosys reads and synthesises the whole machine in its wrapper for AMD 7 series without an error, and the
// table's tool counts its cells; memories and multipliers map on hard blocks; one clock drives everything.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "isa/variants/variants.h"
#include "tests/hw/command.h"

namespace vdla {
namespace {

namespace fs = std::filesystem;

TEST(Synthesis, SmallMachineFor7Series) {
  isa::Variant variant = isa::load_variant("tiny");
  variant.name = "small";
  isa::Geometry& g = variant.geometry;
  g.inp_depth = g.acc_depth = 1024;
  g.wgt_depth = g.out_depth = g.uop_depth = 512;
  g.queue_depth = 4;
  const fs::path folder = fs::path(VDLA_BINARY_DIR) / "tests/synthesis";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder / "small.json") << isa::to_json(variant);
  const CommandResult r = run_command("python3 '" VDLA_SOURCE_DIR "/hw/synth/table.py' synth '" +
                                      (folder / "small.json").string() + "' --bus axi3 --out '" +
                                      (folder / "results").string() + "'");
  ASSERT_EQ(r.status, 0) << r.output;
  const auto result = nlohmann::json::parse(std::ifstream(folder / "results/small-axi3.json"));
  EXPECT_GT(result.at("dsp"), 16);
  EXPECT_GT(result.at("ramb36").get<int>() + result.at("ramb18").get<int>(), 4);
  EXPECT_GT(result.at("lut"), 5000);
  EXPECT_GT(result.at("ff"), 5000);
  // No buffer became LUTs, and the tool would have said so.
  unsigned large = 0;
  for (const auto& memory : result.at("memories")) {
    const unsigned bits = memory.at("width").get<unsigned>() * memory.at("depth").get<unsigned>();
    EXPECT_TRUE(bits < 16384 || memory.at("place") == "block RAM") << memory;
    large += bits >= 16384 ? 1 : 0;
  }
  EXPECT_GE(large, 5u) << result.at("memories");
  EXPECT_THAT(r.output, testing::Not(testing::HasSubstr("needs block RAM")));
}

CommandResult clocks_of(const fs::path& root) {
  return run_command("bash '" VDLA_SOURCE_DIR "/hw/synth/clocks.sh' --source '" + root.string() +
                     "' BlockIn=4 BlockOut=4 InpDepth=256 WgtDepth=64 AccDepth=256 OutDepth=64 ParDepth=64 "
                     "UopDepth=256");
}

TEST(Synthesis, OneClockDrivesEverything) {
  const CommandResult r = clocks_of(VDLA_SOURCE_DIR);
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, testing::HasSubstr(" registers and memories, 0 of them not clocked by aclk alone"));
}

TEST(Synthesis, AClockGateIsFound) {
  const fs::path folder = fs::path(VDLA_BINARY_DIR) / "tests/clock-gate";
  fs::remove_all(folder);
  for (const char* part : {"hw/rtl", "hw/files.f", "isa/generated"}) {
    fs::create_directories((folder / part).parent_path());
    fs::copy(fs::path(VDLA_SOURCE_DIR) / part, folder / part, fs::copy_options::recursive);
  }
  const fs::path gate = folder / "hw/rtl/common/vdla_dep_gate.sv";
  std::ifstream in(gate);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::string clocked = "always_ff @(posedge clk_i)";
  const std::size_t at = text.find(clocked);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, clocked.size(),
               "logic gated;\n  assign gated = clk_i && push_ready_o;\n  always_ff @(posedge gated)");
  std::ofstream(gate) << text;
  const CommandResult r = clocks_of(folder);
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_THAT(r.output, testing::HasSubstr("u_gate"));
}

}  // namespace
}  // namespace vdla
