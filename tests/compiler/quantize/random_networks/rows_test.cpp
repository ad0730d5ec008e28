// SPDX-License-Identifier: Apache-2.0
// Each operator that the quantiser knows, between two convolutions: the network has no float operator,
// compiles and answers as in floats but for the noise of 8 bits.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "compiler/quantize/operators.h"
#include "tests/compiler/quantize/random_networks/quantised.h"

namespace vdla::random_networks {
namespace {

constexpr double kLeastDbOfRow = 22;

class Row : public ::testing::TestWithParam<OnnxRow> {};

TEST_P(Row, StaysInIntegersNearItsFloats) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Verdict v = quantised(draw_onnx(GetParam(), seed), in_float);
    EXPECT_EQ(v.refused, "") << "seed " << seed;
    EXPECT_EQ(v.left_in_float, std::vector<std::string>{}) << "seed " << seed;
    EXPECT_EQ(v.floats, std::vector<std::string>{}) << "seed " << seed;
    EXPECT_GE(v.snr_db, kLeastDbOfRow) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, Row, ::testing::ValuesIn(onnx_rows().begin(), onnx_rows().end()),
                         [](const auto& info) { return std::string(info.param.op); });

TEST(Rows, AreThoseOfTheQuantiser) {
  std::set<std::string_view> known, drawn;
  for (const auto& list : {quantize::computing_operators(), quantize::moving_operators()})
    known.insert(list.begin(), list.end());
  for (const OnnxRow& row : onnx_rows()) drawn.insert(row.op);
  EXPECT_EQ(drawn, known);
}

TEST(RandomNetworks, OfOnnxAreQuantisedCompiledAndNearTheirFloatResults) {
  constexpr std::uint64_t kCount = 12;
  for (std::uint64_t seed = 0; seed < kCount; ++seed) {
    const Verdict v = quantised(draw_onnx(seed), in_float);
    EXPECT_EQ(v.refused, "") << "seed " << seed;
    EXPECT_GE(v.snr_db, 15) << "seed " << seed;
  }
}

}  // namespace
}  // namespace vdla::random_networks
