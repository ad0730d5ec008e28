// SPDX-License-Identifier: Apache-2.0
// Convolutions whose taps the host packs into the lanes: the device's bytes are those of the convolution as
// it was.
#include "compiler/pipeline/reference.h"
#include "tests/compiler/pipeline/random_conv.h"
#include "tests/e2e/kit.h"

namespace vdla::e2e {
namespace {

class Packed : public ::testing::TestWithParam<std::string> {};

TEST_P(Packed, RandomConvolutionsEqualTheInterpreter) {
  std::mt19937 random(11);
  int packed = 0;
  for (unsigned trial = 0; trial < 40; ++trial) {
    const vdla::testing::ConvShape shape = vdla::testing::random_conv(random, 9);
    SCOPED_TRACE(vdla::testing::to_string(shape));
    const graph::Graph g = vdla::testing::conv_graph(shape, trial);
    const auto x = vdla::testing::conv_input(g, trial);
    const runtime::Module module = compile(g, GetParam());
    packed += module.nodes.front().op == "im2col";
    EXPECT_EQ(module.nodes.back().place, "vdla") << module.nodes.back().reason;
    EXPECT_EQ(EngineSession(module, "functional").run(x), pipeline::Reference(g).run(x));
  }
  EXPECT_GT(packed, 10);
}

INSTANTIATE_TEST_SUITE_P(For, Packed, ::testing::Values("tiny", "paper"), case_name);

}  // namespace
}  // namespace vdla::e2e
