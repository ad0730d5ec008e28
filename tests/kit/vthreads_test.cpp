// SPDX-License-Identifier: Apache-2.0
// Schedules that bind axes to virtual threads: on every engine they compute what the loops do.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "compiler/loop/interpret.h"
#include "compiler/loop/print.h"
#include "isa/variants/variants.h"
#include "kit/device_function.h"
#include "kit/rtl.h"
#include "kit/session.h"
#include "kit/systemc.h"
#include "tests/compiler/codegen/vdla/layers.h"

namespace vdla::kit {
namespace {

using codegen::testing::ConvCase;
using codegen::testing::MatmulCase;

const isa::Variant& tiny() {
  static const isa::Variant variant = isa::load_variant("tiny");
  return variant;
}

std::vector<std::string> engines() {
  std::vector<std::string> names{"functional"};
  if (have_systemc()) names.emplace_back("systemc");
  if (rtl_engine_built(tiny())) names.emplace_back("rtl");
  return names;
}

/// Parameters: input, weights, params, result.
void check(const loop::Func& func, unsigned seed) {
  const isa::Geometry& g = tiny().geometry;
  std::mt19937 random(seed);
  std::vector<runtime::Bytes> arguments = codegen::testing::random_arguments(func, g, random);
  std::vector<std::span<std::byte>> spans(arguments.begin(), arguments.end());
  loop::Interpreter(func, {}).run(spans);
  const runtime::Module module = device_module(func, tiny());
  for (const std::string& engine : engines())
    EXPECT_EQ(Session(module, engine).run({arguments[0], arguments[1], arguments[2]}).outputs.at(0),
              arguments[3])
        << engine << "\n"
        << loop::to_string(func);
}

struct Draw {
  std::mt19937& random;
  std::int64_t operator()(std::int64_t low, std::int64_t high) const {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  }
};

TEST(VirtualThreads, OfRandomConvolutionsComputeWhatTheLoopsDo) {
  std::mt19937 random(40);
  const Draw draw{random};
  for (unsigned i = 0; i < 12; ++i) {
    ConvCase c;
    c.kernel_h = draw(1, 3);
    c.kernel_w = draw(1, 3);
    c.stride = draw(1, 2);
    c.h = draw(4, 9);
    c.w = draw(4, 9);
    c.in_blocks = draw(1, 3);
    c.out_blocks = draw(1, 3);
    c.tile_h = draw(1, 2);
    c.tile_w = draw(2, 3);
    c.tile_in = draw(1, std::min<std::int64_t>(2, c.in_blocks));
    c.row_threads = draw(1, 2);
    c.column_threads = c.row_threads == 2 ? 1 : draw(2, 3);
    SCOPED_TRACE(c.describe());
    check(codegen::testing::conv2d(c, tiny().geometry), i);
    if (HasFailure()) return;
  }
}

TEST(VirtualThreads, OfRandomProductsComputeWhatTheLoopsDo) {
  std::mt19937 random(41);
  const Draw draw{random};
  for (unsigned i = 0; i < 12; ++i) {
    MatmulCase c;
    c.rows = draw(1, 12);
    c.in_blocks = draw(1, 4);
    c.out_blocks = draw(2, 5);
    c.tile_rows = draw(1, 4);
    c.tile_in = draw(1, c.in_blocks);
    c.threads = draw(2, 4);
    check(codegen::testing::matmul(c, tiny().geometry), i);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace vdla::kit
