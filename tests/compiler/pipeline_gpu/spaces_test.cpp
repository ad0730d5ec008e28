// SPDX-License-Identifier: Apache-2.0
// The spaces of the templates for machines with a grid: defaults are legal points, drawn points are functions
// whose kernels a machine can have, text says a point and reads back.
#include <gmock/gmock.h>

#include <map>

#include "compiler/grid/kernels.h"
#include "compiler/passes/target.h"
#include "compiler/pipeline/gpu/grid_kernel.h"
#include "compiler/pipeline/rewrite/graph_passes.h"
#include "support/error.h"
#include "tests/compiler/pipeline_gpu/layers.h"
#include "tests/compiler/user_error.h"

namespace vdla::pipeline {
namespace {

graph::Graph prepared() { return run_passes(gpu::layers(1)); }

class Spaces : public ::testing::TestWithParam<std::size_t> {
 protected:
  const gpu::Machine& machine() const { return gpu::machines()[GetParam()]; }
};

TEST_P(Spaces, DrawnPointsAreKernelsThatAMachineCanHave) {
  const graph::Graph graph = prepared();
  Random random(5);
  for (const auto& group : grid_groups(graph)) {
    const GridKernel standard = grid_kernel(graph, group, machine());
    SCOPED_TRACE(graph.node(group.back()).name);
    ASSERT_TRUE(standard.by.space);
    const KnobSpace& space = *standard.by.space;
    EXPECT_TRUE(space.legal(standard.point)) << space.text(standard.point);
    EXPECT_EQ(space.parse(space.text(standard.point)), standard.point);
    for (int i = 0; i < 8; ++i) {
      const auto point = space.sample(random);
      ASSERT_TRUE(point);
      EXPECT_GT(space.estimate(*point), 0);
      SCOPED_TRACE(space.text(*point));
      const loop::Func func = grid_kernel(graph, group, machine(), {}, &*point).kernel.func;
      const auto launches =
          grid::split_launches(passes::lower(passes::opencl_target(), func, passes::Verify::Yes));
      for (const grid::Kernel& kernel : launches.kernels) {
        EXPECT_LE(kernel.threads[0] * kernel.threads[1] * kernel.threads[2], machine().most_threads);
        EXPECT_LE(kernel.shared_bytes, machine().shared_bytes);
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Machines, Spaces, ::testing::Range(std::size_t{0}, gpu::machines().size()));

TEST(Spaces, EachTemplateTakesItsLayers) {
  const graph::Graph graph = prepared();
  std::map<std::string, std::string> by;
  for (const auto& group : grid_groups(graph))
    by[graph.node(group.back()).name] = grid_kernel(graph, group, gpu::machines()[0]).by.name;
  EXPECT_EQ(by["conv"], "tiles");
  EXPECT_EQ(by["sum"], "tiles") << "the depthwise convolution in front of it";
  EXPECT_EQ(by["product"], "tiles");
  EXPECT_EQ(by["dense"], "shared sums");
  EXPECT_EQ(by["mean"], "shared sums");
  EXPECT_EQ(by["softmax"], "rows");
  EXPECT_EQ(by["probabilities"], "rows");
  EXPECT_EQ(by["pool"], "sums");
  EXPECT_EQ(by["rows"], "elementwise");
  EXPECT_EQ(by["best"], "kernels");
}

TEST(Spaces, KnobsOfAnotherSpaceAreRefused) {
  const graph::Graph graph = prepared();
  for (const auto& group : grid_groups(graph)) {
    if (graph.node(group.back()).name != "conv") continue;
    Point point = grid_kernel(graph, group, gpu::machines()[0]).point;
    point[0] = 7;
    point[5] = 7;  // 64 x 64 threads
    EXPECT_THAT(user_error([&] { grid_kernel(graph, group, gpu::machines()[0], {}, &point); }),
                ::testing::HasSubstr("are none that 'conv' can have on a machine 'desktop'"));
  }
  EXPECT_THAT(user_error([] { gpu::machine_named("desktp"); }),
              ::testing::HasSubstr("no machine with a grid is called 'desktp', did you mean 'desktop'"));
}

}  // namespace
}  // namespace vdla::pipeline
