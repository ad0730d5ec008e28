// SPDX-License-Identifier: Apache-2.0
// Geometries beyond those that come built with the kit: the hardware is built from the same sources, keeps
// its own assertions, and behaves as the functional engine on random programs. They are the small files of
// isa/variants and the extremes of single parameters; docs/verification.md has the campaigns on all files.
#include <gtest/gtest.h>

#include <functional>

#include "sim/rtl/library.h"
#include "tests/hw/compare.h"
#include "tests/hw/variant_files.h"

namespace vdla::sim {
namespace {

isa::Variant with(const char* name, const std::function<void(isa::Geometry&)>& change) {
  isa::Variant variant = isa::load_variant("tiny");
  variant.name = name;
  change(variant.geometry);
  return variant;
}

std::vector<isa::Variant> variants() {
  std::vector<isa::Variant> all = variant_files();
  // The larger ones take minutes of compiler time each.
  std::erase_if(all, [](const isa::Variant& v) {
    return v.geometry.batch * v.geometry.block_in * v.geometry.block_out > 256 || v.name.starts_with("paper");
  });
  all.push_back(with("narrow_out", [](isa::Geometry& g) { g.block_in = 16; }));
  all.push_back(with("tall_rows", [](isa::Geometry& g) {
    g.batch = 4;
    g.block_out = 32;
    g.queue_depth = g.token_depth = 4;
  }));
  all.push_back(with("smallest", [](isa::Geometry& g) {
    g.inp_depth = g.wgt_depth = g.acc_depth = g.out_depth = g.par_depth = g.uop_depth = 16;
    g.queue_depth = g.token_depth = 2;
  }));
  return all;
}

class RtlGeometry : public testing::TestWithParam<isa::Variant> {};

TEST_P(RtlGeometry, BuildsAndEqualsFunctional) {
  const isa::Variant& variant = GetParam();
  RtlBuildOptions options;
  options.source = VDLA_SOURCE_DIR;
  options.out_dir = std::filesystem::path(VDLA_BINARY_DIR) / "tests/rtl-geometries";
  options.build = RtlBuild::Check;
  ensure_rtl(variant, options);
  compare_random_programs(variant, {.build = options.build, .directory = options.out_dir}, 30);
}

INSTANTIATE_TEST_SUITE_P(Shapes, RtlGeometry, testing::ValuesIn(variants()),
                         [](const auto& info) { return test_name_of(info.param.name); });

}  // namespace
}  // namespace vdla::sim
