// SPDX-License-Identifier: Apache-2.0
// `verilator -Wall` has nothing to say about the hardware, whatever the geometry, but for the waivers of
// hw/lint.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "sim/rtl/library.h"
#include "sim/rtl/sources.h"
#include "tests/hw/command.h"
#include "tests/hw/variant_files.h"
#include "tests/test_name.h"

namespace vdla {
namespace {

namespace fs = std::filesystem;

class Lint : public testing::TestWithParam<std::string> {};

/// What Verilator says. Files .v are read as Verilog of 2001.
CommandResult lint(const std::string& top, const std::string& flags) {
  return run_command(
      "cd '" VDLA_SOURCE_DIR
      "' && verilator --lint-only -Wall --unroll-count 4096 --unroll-stmts 200000 -Ihw/rtl/common "
      "--top-module " +
      top + " hw/lint/waivers.vlt +1364-2001ext+v -f hw/files.f " + flags);
}

TEST_P(Lint, IsClean) {
  const CommandResult r = lint("vdla_top", GetParam());
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_EQ(r.output, "");
}

class LintOfTheWrapper : public testing::TestWithParam<std::string> {};

TEST_P(LintOfTheWrapper, IsClean) {
  const CommandResult r = lint("vdla_axi", GetParam());
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_EQ(r.output, "");
}

INSTANTIATE_TEST_SUITE_P(Buses, LintOfTheWrapper,
                         testing::Values("-GAxi3=0", "-GAxi3=1 -GIdWidth=6",
                                         "-GAxi3=1 +define+VDLA_ASSERTIONS --assert"),
                         kNamedByText);

/// Every tool says so when it elaborates, with or without assertions.
TEST(LintOfParameters, ThoseThatAreIllegalEndTheElaboration) {
  EXPECT_EQ(lint("vdla_top", "-GBurstBytes=128").output, "");
  const CommandResult r = lint("vdla_top", "-GBurstBytes=64");
  EXPECT_NE(r.status, 0);
  EXPECT_THAT(r.output, testing::HasSubstr("illegal parameters: BurstsOfAxi4OrAxi3"));
}

INSTANTIATE_TEST_SUITE_P(
    Geometries, Lint,
    testing::Values(
        "-GBatch=1",
        "-GBlockIn=4 -GBlockOut=4 -GInpDepth=256 -GWgtDepth=64 -GAccDepth=256 -GOutDepth=64 -GUopDepth=256",
        "-GBatch=2 -GBlockIn=8 -GBlockOut=16",
        "-GBatch=4 -GBlockIn=32 -GBlockOut=4 -GQueueDepth=2 -GTokenDepth=2",
        "-GBlockIn=32 -GBlockOut=32 -GWgtDepth=32", "-GBlockIn=64 -GBlockOut=64 -GWgtDepth=16",
        "-GBatch=16 -GUopDepth=65536 -GInpDepth=65536 -GAccDepth=65536 -GOutDepth=65536",
        "+define+VDLA_ASSERTIONS --assert", "+define+VDLA_ASSERTIONS +define+VDLA_COVERAGE --assert"),
    kNamedByText);

/// Somebody else's tool needs the folder and no parameters.
TEST(LintOfTheExport, IsCleanAndHasTheVariantsParameters) {
  isa::Variant variant = isa::load_variant("tiny");
  variant.timing.dram_burst_bytes = 128;
  const fs::path folder = fs::path(VDLA_BINARY_DIR) / "tests/export/tiny";
  fs::remove_all(folder);
  const std::vector<std::string> written = sim::export_rtl(variant, VDLA_SOURCE_DIR, folder);
  EXPECT_THAT(written, testing::IsSupersetOf({"vdla_assert.svh", "vdla_top.sv", "vdla_axi.v", "files.f"}));
  // Verilator takes no name with spaces of a list, so it begins above the folder.
  const CommandResult r = run_command(
      "cd '" + folder.parent_path().string() +
      "' && verilator --lint-only -Wall --unroll-count 4096 --unroll-stmts 200000 --top-module vdla_axi "
      "'" VDLA_SOURCE_DIR "/hw/lint/waivers.vlt' +1364-2001ext+v -Itiny -F tiny/files.f");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_EQ(r.output, "");
  std::ifstream in(folder / "vdla_axi.v");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  for (const char* line : {"Axi3 += 1,", "BlockIn += 4,", "InpDepth += 256,", "TokenDepth += 16,"})
    EXPECT_THAT(text, testing::ContainsRegex(std::string("parameter +") + line));
  EXPECT_THAT(text, testing::HasSubstr(
                        fmt::format("GeometryHash = 64'h{:016x},\n", isa::geometry_hash(variant.geometry))));
}

std::vector<std::string> parameters_of_variants() {
  std::vector<std::string> all;
  for (const isa::Variant& v : variant_files()) {
    std::string& flags = all.emplace_back();
    for (const std::string& parameter : sim::rtl_parameters(v)) flags += "-G" + parameter + " ";
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Variants, Lint, testing::ValuesIn(parameters_of_variants()),
                         [](const auto& info) { return test_name(variant_files()[info.index].name); });

}  // namespace
}  // namespace vdla
