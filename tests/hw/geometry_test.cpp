// SPDX-License-Identifier: Apache-2.0
// Geometries beyond those of the kit are built and behave: several rows, blocks that differ, the smallest
// queues.
#include <gtest/gtest.h>

#include "sim/rtl/library.h"
#include "tests/hw/compare.h"

namespace vdla::sim {
namespace {

struct Shape {
  const char* name;
  unsigned batch, block_in, block_out, queue_depth, token_depth;
};

class RtlGeometry : public testing::TestWithParam<Shape> {};

TEST_P(RtlGeometry, BuildsAndEqualsFunctional) {
  const Shape& s = GetParam();
  isa::Variant variant = isa::load_variant("tiny");
  variant.geometry.batch = s.batch;
  variant.geometry.block_in = s.block_in;
  variant.geometry.block_out = s.block_out;
  variant.geometry.queue_depth = s.queue_depth;
  variant.geometry.token_depth = s.token_depth;
  RtlBuildOptions options;
  options.source = VDLA_SOURCE_DIR;
  options.out_dir = std::filesystem::path(VDLA_BINARY_DIR) / "tests/rtl-geometries";
  options.build = RtlBuild::Check;
  ensure_rtl(variant.geometry, options);
  compare_random_programs(variant, {.build = options.build, .directory = options.out_dir}, 40);
}

INSTANTIATE_TEST_SUITE_P(Shapes, RtlGeometry,
                         testing::Values(Shape{"rows", 2, 8, 8, 16, 16}, Shape{"narrow", 1, 16, 4, 16, 16},
                                         Shape{"tall", 4, 4, 32, 4, 4},
                                         Shape{"smallest_queues", 1, 4, 4, 2, 2}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace vdla::sim
