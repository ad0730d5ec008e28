// SPDX-License-Identifier: Apache-2.0
// yosys reads and synthesises the whole machine for AMD 7 series without an error, and the table's tool
// counts its cells; memories and multipliers map on hard blocks.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
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
  const CommandResult r =
      run_command("python3 '" VDLA_SOURCE_DIR "/hw/synth/table.py' synth '" +
                  (folder / "small.json").string() + "' --out '" + (folder / "results").string() + "'");
  ASSERT_EQ(r.status, 0) << r.output;
  const auto result = nlohmann::json::parse(std::ifstream(folder / "results/small.json"));
  EXPECT_GT(result.at("dsp"), 16);
  EXPECT_GT(result.at("ramb36").get<int>() + result.at("ramb18").get<int>(), 4);
  EXPECT_GT(result.at("lut"), 5000);
  EXPECT_GT(result.at("ff"), 5000);
}

}  // namespace
}  // namespace vdla
