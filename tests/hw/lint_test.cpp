// SPDX-License-Identifier: Apache-2.0
// `verilator -Wall` has nothing to say about the hardware, whatever the geometry, but for the waivers of
// hw/lint.
#include <gtest/gtest.h>

#include "sim/rtl/library.h"
#include "tests/hw/command.h"
#include "tests/hw/variant_files.h"

namespace vdla {
namespace {

class Lint : public testing::TestWithParam<std::string> {};

TEST_P(Lint, IsClean) {
  const CommandResult r = run_command(
      "cd '" VDLA_SOURCE_DIR
      "' && verilator --lint-only -Wall --unroll-count 4096 --unroll-stmts 200000 -Ihw/rtl/common "
      "--top-module vdla_top hw/lint/waivers.vlt -f hw/files.f " +
      GetParam());
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_EQ(r.output, "");
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
        "+define+VDLA_ASSERTIONS --assert", "+define+VDLA_ASSERTIONS +define+VDLA_COVERAGE --assert"));

std::vector<std::string> parameters_of_variants() {
  std::vector<std::string> all;
  for (const isa::Variant& v : variant_files()) {
    std::string& flags = all.emplace_back();
    for (const std::string& parameter : sim::rtl_parameters(v.geometry)) flags += "-G" + parameter + " ";
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Variants, Lint, testing::ValuesIn(parameters_of_variants()),
                         [](const auto& info) { return test_name_of(variant_files()[info.index].name); });

}  // namespace
}  // namespace vdla
