// SPDX-License-Identifier: Apache-2.0
// vdla ops, and the page that it writes.
#include <nlohmann/json.hpp>

#include "tests/tools/cli.h"

namespace vdla::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class OpsCommand : public Cli {};

TEST_F(OpsCommand, ThePageOfOperatorsIsFresh) {
  EXPECT_EQ(run("ops --markdown").out, read_text(VDLA_SOURCE_DIR "/docs/operators.md"))
      << "vdla ops --markdown > docs/operators.md";
}

TEST_F(OpsCommand, AFormatIsListedAlone) {
  const Outcome outcome = run("ops --format tflite");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, AllOf(StartsWith("TFLite\n"), HasSubstr("\nCONV_2D "), Not(HasSubstr("ai.onnx"))));
}

TEST_F(OpsCommand, OneOperatorSaysWhatItNeeds) {
  EXPECT_THAT(run("ops CONV_2D").out,
              AllOf(StartsWith("CONV_2D (TFLite)\n  element types  floats, floats with 8-bit weights, 8-bit "
                               "integers with a scale, 16-bit integers with a scale\n"),
                    HasSubstr("\n  runs on        the CPU; as 8-bit integers the device, where it fits: "
                              "conv2d\n")));
  EXPECT_THAT(run("ops PRELU").out,
              HasSubstr(" or maximum + mul + requantize or minimum + mul + requantize\n"));
  EXPECT_THAT(run("ops SOFTMAX").out, HasSubstr("\n  runs on        the CPU\n"));
  EXPECT_THAT(run("ops Conv").out, AllOf(StartsWith("Conv (ONNX, domain ai.onnx)\n  operator sets  1, 11"),
                                         HasSubstr("\n  inputs         2 to 3\n"), HasSubstr("dilations")));
}

// Operators of com.microsoft that ONNX has under the same name were left out.
TEST_F(OpsCommand, OneNameMayBeAnOperatorOfTwoDomains) {
  EXPECT_THAT(run("ops Gelu").out, AllOf(HasSubstr("Gelu (ONNX, domain ai.onnx)"),
                                         HasSubstr("Gelu (ONNX Runtime, domain com.microsoft)")));
}

TEST_F(OpsCommand, OfAnUnknownOperatorTheNearestIsNamed) {
  expect_error("ops CONV2D", {"'CONV2D' is no operator that this kit takes", "did you mean 'CONV_2D'?"});
  expect_error("ops Conv --format tflite", {"'Conv' is no operator that this kit takes in tflite"});
}

TEST_F(OpsCommand, EachFormatIsInTheData) {
  const auto rows = nlohmann::json::parse(run("ops --json").out).at("operators");
  std::set<std::string> formats;
  for (const auto& row : rows) formats.insert(row.at("format"));
  EXPECT_EQ(formats, (std::set<std::string>{"tflite", "onnx", "com.microsoft", "qonnx", "qoperator"}));
}

}  // namespace
}  // namespace vdla::tools
