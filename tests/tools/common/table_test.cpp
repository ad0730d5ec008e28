// SPDX-License-Identifier: Apache-2.0
// Tables of commands: the text of JSON objects.
#include "tools/common/table.h"

#include <gtest/gtest.h>

namespace vdla::tools {
namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::string>;

TEST(Table, IsWrittenFromTheKeysOfItsRows) {
  const Json rows{{{"name", "conv"}, {"cycles", 12}, {"used", 0.5}, {"area", {{"lut", 7.25}}}},
                  {{"name", "a long name"}, {"cycles", 3}, {"used", 1}, {"area", {{"lut", -1}}}}};
  EXPECT_EQ(
      table_lines(rows, "layer|cycles|util.|LUT",
                  "  {name:<6+} {cycles:>7} {used*100:>6.1f}%   {area.lut:>+6.2f} of it"),
      (Lines{"  layer        cycles   util.            LUT", "  conv             12   50.0%    +7.25 of it",
             "  a long name       3  100.0%    -1.00 of it"}));
}

TEST(Table, CellsWithoutANumberTakeTheirColumnAndNoLineEndsWithBlanks) {
  const Json rows{{{"us", 1e-6}, {"best", true}, {"at", -5}, {"hash", 255u}},
                  {{"us", nullptr}, {"best", false}, {"hash", "none"}}};
  EXPECT_EQ(table_lines(rows, "us|best|at|hash|", "{us*1e6:>6.1f}us {best:>4} {at:>4} {hash:#06x} {last}"),
            (Lines{"      us best   at hash", "   1.0us    *   -5 0x00ff -", "       -         - none   -"}));
}

TEST(Table, NamesAreCutInTheMiddle) {
  EXPECT_EQ(cut_in_the_middle("conv2d_12/quantized", 19), "conv2d_12/quantized");
  EXPECT_EQ(cut_in_the_middle("conv2d_12/quantized", 12), "conv2...ized");
  EXPECT_EQ(cut_in_the_middle("\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4", 8), "\u00e4...\u00e4")
      << "letters stay whole";
  const Json rows = Json::array({{{"name", "layers.0.conv"}}});
  EXPECT_EQ(table_lines(rows, "name", "{name:<9.9}"), (Lines{"name", "lay...onv"}));
}

TEST(Table, ThatIsEmptyHasItsHeading) {
  EXPECT_EQ(table_lines(Json(), "name|cycles", "{name:<5+} {cycles:>6}"), Lines{"name  cycles"});
}

}  // namespace
}  // namespace vdla::tools
