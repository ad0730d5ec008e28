// SPDX-License-Identifier: Apache-2.0
// vdla run --waves on `tiny`, whose library with waveforms comes with the kit.
#include <nlohmann/json.hpp>

#include "sim/rtl/waves.h"
#include "tests/tools/cli.h"

namespace vdla::tools {
namespace {

using nlohmann::json;

class Waves : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    ASSERT_EQ(run("compile " + example("digits.onnx") + " -o " + path("d.vdla") + " --variant tiny").status,
              0);
  }
};

TEST_F(Waves, OfALayerCoverItsInstructionsAndLittleElse) {
  const Outcome o = run("run " + path("d.vdla") + " --engine rtl --random-input 1 --waves " + path("w.fst") +
                        " --waves-layer conv3.conv --timeline " + path("t.json") + " --json");
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(json::parse(o.out).at("waves"), path("w.fst"));
  std::uint64_t begin = UINT64_MAX, end = 0, run_begin = UINT64_MAX, run_end = 0;
  const json timeline = json::parse(read_text(path("t.json")));
  for (const json& e : timeline.at("traceEvents")) {
    if (e.at("ph") != "X" || !e.at("args").contains("insn")) continue;
    const std::uint64_t from = e.at("ts"), until = from + e.at("dur").get<std::uint64_t>();
    run_begin = std::min(run_begin, from);
    run_end = std::max(run_end, until);
    if (e.at("args").value("layer", "") != "conv3.conv") continue;
    begin = std::min(begin, from);
    end = std::max(end, until);
  }
  ASSERT_LT(begin, end);
  const auto [first, last] = sim::wave_cycles(path("w.fst"));
  EXPECT_LE(first, begin);
  EXPECT_GE(last + 1, end);
  EXPECT_LT(last - first, (run_end - run_begin) / 2);
  EXPECT_GT(std::filesystem::file_size(path("w.fst")), 10'000u);
  if (std::system("command -v fst2vcd >/dev/null 2>&1") != 0) return;  // of the package gtkwave
  ASSERT_EQ(std::system(("fst2vcd " + path("w.fst") + " >" + path("w.vcd")).c_str()), 0);
  const std::string vcd = read_text(path("w.vcd"));
  EXPECT_THAT(vcd, testing::HasSubstr("$scope module u_gemm $end"));
  const std::size_t at = vcd.find("\n#");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(std::stoull(vcd.substr(at + 2)) / 2, first);
}

TEST_F(Waves, WhatIsNotThereIsRefused) {
  const std::string rtl = "run " + path("d.vdla") + " --engine rtl --random-input 1 --waves " + path("w.fst");
  expect_error(rtl + " --waves-layer conv9", {"'conv9'", "needs one of", "conv1.conv"});
  expect_error(rtl + " --waves-insns 7", {"'7'", "FIRST:END"});
  expect_error(rtl + " --waves-insns 5:4", {"'5:4'", "FIRST below END"});
  expect_error(rtl + " --waves-insns 0:100000", {"END at most"});
  expect_error("run " + path("d.vdla") + " --engine systemc --random-input 1 --waves " + path("w.fst"),
               {"systemc", "--engine rtl"});
}

}  // namespace
}  // namespace vdla::tools
