// SPDX-License-Identifier: Apache-2.0
// The spaces of the templates for machines with a grid: defaults are legal points, drawn points are functions
// whose kernels a machine can have, text says a point and reads back.
#include <gmock/gmock.h>

#include <map>

#include "compiler/grid/kernels.h"
#include "compiler/grid/thread.h"
#include "compiler/loop/visit.h"
#include "compiler/passes/target.h"
#include "compiler/pipeline/place/group.h"
#include "compiler/pipeline/rewrite/graph_passes.h"
#include "compiler/targets/gpu/templates/grid_kernel.h"
#include "support/error.h"
#include "tests/compiler/targets/gpu/layers.h"
#include "tests/compiler/user_error.h"
#include "tests/test_name.h"

namespace vdla::pipeline {
namespace {

graph::Graph prepared() { return run_passes(gpu::layers(1)); }

class Spaces : public ::testing::TestWithParam<std::size_t> {
 protected:
  const gpu::GpuProfile& profile() const { return gpu::profiles()[GetParam()]; }

  void expect_kernels(const graph::Graph& graph, int points);
};

void Spaces::expect_kernels(const graph::Graph& graph, int points) {
  Random random(5);
  for (const auto& group : functions_of(graph)) {
    const GridKernel standard = grid_kernel(graph, group, profile());
    SCOPED_TRACE(graph.node(group.back()).name);
    ASSERT_TRUE(standard.by.space);
    const KnobSpace& space = *standard.by.space;
    EXPECT_TRUE(space.legal(standard.point)) << space.text(standard.point);
    EXPECT_EQ(space.parse(space.text(standard.point)), standard.point);
    for (int i = 0; i < points; ++i) {
      const auto point = space.sample(random);
      ASSERT_TRUE(point);
      EXPECT_GT(space.estimate(*point), 0);
      SCOPED_TRACE(space.text(*point));
      const loop::Func func = grid_kernel(graph, group, profile(), {}, &*point).kernel.func;
      const auto launches =
          grid::split_launches(passes::lower(passes::opencl_target(), func, passes::Verify::Yes));
      for (const grid::Kernel& kernel : launches.kernels) {
        EXPECT_LE(kernel.threads[0] * kernel.threads[1] * kernel.threads[2], profile().most_threads);
        EXPECT_LE(kernel.shared_bytes, profile().shared_bytes);
      }
    }
  }
}

TEST_P(Spaces, DrawnPointsAreKernelsThatAMachineCanHave) {
  expect_kernels(prepared(), 8);
  expect_kernels(run_passes(gpu::even_layers(1)), 40);
  expect_kernels(run_passes(gpu::products(1)), 20);
  expect_kernels(run_passes(gpu::words(1)), 20);
  if (profile().winograd) expect_kernels(run_passes(gpu::odd_convolutions(1)), 20);
}
INSTANTIATE_TEST_SUITE_P(Machines, Spaces, ::testing::Range(std::size_t{0}, gpu::profiles().size()),
                         [](const auto& info) { return test_name(gpu::profiles()[info.param].name); });

/// What a large product has by default: vectors, the next step fetched early; of few outputs, parts.
TEST(Spaces, DefaultsOfTilesUseWhatAMachineHas) {
  const auto knobs_of = [](std::int64_t rows, std::int64_t columns, std::int64_t terms) {
    graph::Graph graph;
    const auto input = [&](const char* name, graph::Shape shape) {
      const graph::TensorId id = graph.add_tensor({name, graph::DataType::Float32, std::move(shape), {}, {}});
      graph.add_input(id);
      return id;
    };
    const graph::TensorId a = input("a", {rows, terms}), b = input("b", {terms, columns});
    graph.add_output(graph.add_node("product", graph::MatMul{false, false}, {a, b}));
    graph = run_passes(graph);
    const GridKernel kernel = grid_kernel(graph, functions_of(graph)[0], gpu::profile_named("server"));
    return kernel.by.space->text(kernel.point);
  };
  EXPECT_THAT(knobs_of(4096, 4096, 4096), ::testing::HasSubstr("fetch=both"));
  EXPECT_THAT(knobs_of(4096, 4096, 4096), ::testing::HasSubstr("vector=4 stages=2 parts=1"));
  EXPECT_THAT(knobs_of(196, 256, 2304), ::testing::ContainsRegex("vector=4 stages=2 parts=(4|8|16)"));
}

TEST(Spaces, EachTemplateTakesItsLayers) {
  const graph::Graph graph = prepared();
  std::map<std::string, std::string> by;
  for (const auto& group : functions_of(graph))
    by[graph.node(group.back()).name] = grid_kernel(graph, group, gpu::profiles()[0]).by.name;
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

/// Where a machine has tensor cores, types, sizes and zero points decide.
TEST(Spaces, TensorCoresTakeProductsThatTheyDivide) {
  const graph::Graph graph = run_passes(gpu::products(1));
  for (const char* profile : {"server", "desktop", "server-tf32"}) {
    std::map<std::string, std::string> by;
    for (const auto& group : functions_of(graph))
      by[graph.node(group.back()).name] = grid_kernel(graph, group, gpu::profile_named(profile)).by.name;
    const bool has_them = gpu::profile_named(profile).has_tensor_cores;
    for (const char* taken : {"halves", "sums", "scaled", "layer"})
      EXPECT_EQ(by[taken], has_them ? "mma" : "tiles") << taken << " on " << profile;
    for (const char* rounded : {"floats", "weighted"})
      EXPECT_EQ(by[rounded], gpu::profile_named(profile).has_tf32 ? "mma-tf32" : "tiles")
          << rounded << " on " << profile;
    for (const char* other : {"uneven", "from_zero"}) EXPECT_EQ(by[other], "tiles") << other;
  }
}

/// Of a function, as the schedule has it.
int dp4a_marks_of(const loop::Func& func) {
  int count = 0;
  loop::visit(func.body, [&](const loop::StmtPtr& s) {
    const auto* mark = s->as<loop::Tensorize>();
    count += mark && mark->intrinsic == grid::kDp4a;
  });
  return count;
}

/// Where a machine has dp4a, layout and zero points decide.
TEST(Spaces, WordsOfBytesAreTakenTogether) {
  const graph::Graph graph = run_passes(gpu::words(1));
  for (const gpu::GpuProfile& profile : gpu::profiles()) {
    std::map<std::string, int> marks;
    for (const auto& group : functions_of(graph))
      marks[graph.node(group.back()).name] = dp4a_marks_of(grid_kernel(graph, group, profile).kernel.func);
    for (const char* taken : {"border", "skips", "dense", "rows_dense", "uneven_sums"})
      EXPECT_EQ(marks[taken] > 0, profile.has_dp4a) << taken << " on " << profile.name;
    for (const char* other : {"several", "pool", "odd_dense"})
      EXPECT_EQ(marks[other], 0) << other << " on " << profile.name;
  }
}

/// Steps that are no whole words, and data with a border that is not fetched, are added up one by one.
TEST(Spaces, WhatIsNoWordIsAddedUpOneByOne) {
  const graph::Graph graph = run_passes(gpu::words(1));
  const auto marks_of = [&](std::string_view layer, const std::string& knobs) {
    for (const auto& group : functions_of(graph))
      if (graph.node(group.back()).name == layer)
        return dp4a_marks_of(grid_kernel_with(graph, group, gpu::profile_named("server"), knobs).kernel.func);
    return -1;
  };
  const auto knobs = [](const char* step, const char* fetch) {
    return std::string(
               "channel_threads=4 channel_each=1 channel_virtuals=1 row_threads=1 row_each=1 "
               "column_threads=4 column_each=1 column_virtuals=1 step=") +
           step + " fetch=" + fetch + " pad=no vector=1 stages=1 parts=1";
  };
  EXPECT_EQ(marks_of("border", knobs("8", "both")), 1);
  EXPECT_EQ(marks_of("border", knobs("6", "both")), 0);
  EXPECT_EQ(marks_of("border", knobs("12", "both")), 0) << "does not divide 16 terms";
  EXPECT_EQ(marks_of("border", knobs("1", "neither")), 0);
  EXPECT_EQ(marks_of("first", knobs("4", "both")), 1) << "its channels are filled up";
  EXPECT_EQ(marks_of("first", knobs("1", "neither")), 0);
  EXPECT_EQ(marks_of("skips", knobs("1", "neither")), 1) << "its data has no border";
}

TEST(Spaces, FewerProductsTakeConvolutionsWithoutAStride) {
  const graph::Graph graph = run_passes(gpu::odd_convolutions(1));
  for (const char* profile : {"server", "server-winograd"}) {
    std::map<std::string, std::string> by;
    for (const auto& group : functions_of(graph))
      by[graph.node(group.back()).name] = grid_kernel(graph, group, gpu::profile_named(profile)).by.name;
    for (const char* taken : {"odd_relu", "again"})
      EXPECT_EQ(by[taken], gpu::profile_named(profile).winograd ? "winograd" : "tiles")
          << taken << " on " << profile;
    EXPECT_EQ(by["strided"], "tiles");
  }
}

TEST(Spaces, KnobsOfAnotherSpaceAreRefused) {
  const graph::Graph graph = prepared();
  for (const auto& group : functions_of(graph)) {
    if (graph.node(group.back()).name != "conv") continue;
    Point point = grid_kernel(graph, group, gpu::profiles()[0]).point;
    point[0] = 7;
    point[5] = 7;  // 64 x 64 threads
    EXPECT_THAT(user_error([&] { grid_kernel(graph, group, gpu::profiles()[0], {}, &point); }),
                ::testing::HasSubstr("are none that 'conv' can have on a machine 'desktop'"));
  }
  EXPECT_THAT(user_error([] { gpu::profile_named("desktp"); }),
              ::testing::HasSubstr("no machine with a grid is called 'desktp', did you mean 'desktop'"));
}

}  // namespace
}  // namespace vdla::pipeline
