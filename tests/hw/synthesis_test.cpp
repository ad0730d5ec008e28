// SPDX-License-Identifier: Apache-2.0
// yosys reads and synthesises the whole machine for AMD 7 series without an error; memories and multipliers
// map on hard blocks.
#include <gmock/gmock.h>

#include "tests/hw/command.h"

namespace vdla {
namespace {

TEST(Synthesis, SmallMachineFor7Series) {
  const CommandResult r =
      run_command("bash " VDLA_SOURCE_DIR "/hw/synth/synth.sh --source " VDLA_SOURCE_DIR
                  " BlockIn=4 BlockOut=4 InpDepth=1024 WgtDepth=512 AccDepth=1024 OutDepth=512 ParDepth=64 "
                  "UopDepth=512 QueueDepth=4");
  ASSERT_EQ(r.status, 0) << r.output;
  EXPECT_THAT(r.output, testing::HasSubstr("DSP48E1"));
  EXPECT_THAT(r.output, testing::HasSubstr("RAMB36E1"));
}

}  // namespace
}  // namespace vdla
