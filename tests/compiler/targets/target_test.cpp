// SPDX-License-Identifier: Apache-2.0
// Targets as rows: each takes nodes or says why not, and programs are what a row's own table of lowering
// leaves.
#include "compiler/targets/target.h"

#include <gtest/gtest.h>

#include "compiler/graph/text/text.h"
#include "isa/variants/variants.h"
#include "tests/compiler/user_error.h"

namespace vdla::targets {
namespace {

/// The device has no softmax.
graph::Graph network() {
  return graph::parse(R"(graph "g"
input %x: int8[1, 8, 8, 16]
const %w: int8[16, 3, 3, 16] = splat 3
%conv = conv2d "conv"(%x, %w) {pads = [1, 1, 1, 1], out = {multiplier = [[1200000000, -9]]}}
%softmax = softmax "softmax"(%conv) {input = [1200000000, 20], diff_min = -100}
output %softmax
)");
}

TEST(Targets, EachTakesANodeOrSaysWhyNot) {
  const graph::Graph g = network();
  for (const Target* target : all_targets()) {
    pipeline::CompileOptions options;
    options.variant = isa::load_variant("tiny");
    if (target->program) options.gpu = gpu_options(std::string(target->name), "");
    for (graph::NodeId id = 0; id < 2; ++id) {
      const Answer answer = target->takes({.graph = g, .nodes = {&id, 1}, .options = options});
      if (target != &vdla()) {
        ASSERT_TRUE(std::holds_alternative<Function>(answer)) << target->name;
        EXPECT_EQ(std::get<Function>(answer).kernel.node, g.node(id).name);
      } else if (id == 0) {
        EXPECT_TRUE(std::get<Layer>(answer).op.has_value());
      } else {
        EXPECT_EQ(std::get<WhyNot>(answer).reason, "the device has no instruction for softmax");
      }
    }
  }
}

TEST(GpuCode, OfEachKindIsMadeByTheKindsOwnTable) {
  const auto table_of = [](const char* kind) { return gpu_target(kind).table({}, {}).name; };
  EXPECT_EQ(table_of("cuda"), passes::cuda_target().name);
  EXPECT_EQ(table_of("emulator"), passes::cuda_target().name);
  EXPECT_EQ(table_of("opencl"), passes::opencl_target().name);
}

TEST(GpuCode, OfAnUnknownKindListsTheKnownOnes) {
  for (const std::string& kind : gpu_kinds())
    EXPECT_EQ(gpu_options(kind, "").profile.name, gpu_target(kind).machine);
  EXPECT_EQ(user_error([] { gpu_options("cud", ""); }),
            "no kind of GPU is called 'cud'; there are cuda, opencl, emulator, did you mean 'cuda'?");
}

}  // namespace
}  // namespace vdla::targets
