// SPDX-License-Identifier: Apache-2.0
// Differential tests: a layer's loop IR before tensorization, the same after it, the program in program
// order, and the program by units with tokens in random interleavings all give the same bytes.
#include <gtest/gtest.h>

#include <cstring>

#include "compiler/codegen/vdla/segment.h"
#include "compiler/intrinsics/table.h"
#include "compiler/loop/interpret.h"
#include "compiler/loop/print.h"
#include "compiler/targets/vdla/table.h"
#include "compiler/tensorize/interpret.h"
#include "compiler/tensorize/tensorize.h"
#include "isa/semantics/execute.h"
#include "isa/verify/verify.h"
#include "tests/compiler/codegen/vdla/geometries.h"
#include "tests/compiler/codegen/vdla/layers.h"
#include "tests/compiler/codegen/vdla/machine.h"

namespace vdla::codegen::testing {
namespace {

isa::Geometry tiny(unsigned batch = 1, unsigned block_in = 4, unsigned block_out = 4) {
  return small_geometry(batch, block_in, block_out);
}

/// With room for the tiles of many virtual threads.
isa::Geometry deep(isa::Geometry g) {
  for (std::uint32_t* depth : {&g.inp_depth, &g.wgt_depth, &g.acc_depth, &g.out_depth, &g.par_depth})
    *depth *= 8;
  return g;
}

Bytes interpreted(const loop::Func& func, std::vector<Bytes> arguments,
                  const loop::IntrinsicHandler& handler) {
  std::vector<std::span<std::byte>> spans(arguments.begin(), arguments.end());
  loop::Interpreter(func, handler).run(spans);
  return arguments.back();
}

/// Parameters: input, weights, params, result. `batch`: rows of the machine, of which the layer uses one.
void check_layer(const loop::Func& plain, const isa::Geometry& g, unsigned seed, unsigned batch = 0) {
  std::mt19937 random(seed);
  const auto table = intrinsics::device_intrinsics(g);
  const loop::Func func = tensorize::tensorize(plain, table);
  const std::vector<Bytes> arguments = random_arguments(plain, g, random);
  const Bytes expected = interpreted(plain, arguments, {});
  EXPECT_EQ(interpreted(func, arguments, tensorize::interpret_calls(table)), expected)
      << loop::to_string(func);

  isa::Geometry machine = g;
  if (batch != 0) machine.batch = batch;
  SegmentBuilder segment(machine, {}, Latency::Hidden, g.batch);
  const auto constant = [&](std::size_t i) {
    return segment.add_constants(
        {reinterpret_cast<const std::uint8_t*>(arguments[i].data()), arguments[i].size()});
  };
  const std::vector<Location> places{
      {isa::Window::Input, 8}, constant(1), constant(2), {isa::Window::Output, 16}};
  segment.add({plain.name, plain.name, ""}, passes::lower(target::device_table(table), plain), places);
  const isa::Program program = finish_verified(segment);
  EXPECT_EQ(isa::verify(program).text(), "") << to_text(program);
  const auto fresh = [&] {
    WindowData data = make_windows(program);
    std::memcpy(data[static_cast<std::size_t>(isa::Window::Input)].data() + 8, arguments[0].data(),
                arguments[0].size());
    return data;
  };
  const auto result = [&](const WindowData& data) {
    const Bytes& output = data[static_cast<std::size_t>(isa::Window::Output)];
    return Bytes(output.begin() + 16, output.end());
  };
  WindowData data = fresh();
  run_in_order(program, data);
  EXPECT_EQ(result(data), expected) << loop::to_string(func) << to_text(program);
  for (int i = 0; i < 3; ++i) {
    data = fresh();
    run_units(program, data, random);
    EXPECT_EQ(result(data), expected) << "in interleaving " << i << "\n" << to_text(program);
  }
}

TEST(Differential, OneConvolution) { check_layer(conv2d(ConvCase{}, tiny()), tiny(), 1); }

TEST(Differential, TilesThatDoNotDivide) {
  ConvCase c;
  c.h = c.w = 7;
  c.tile_h = 3;
  c.tile_w = 4;
  c.in_blocks = 3;
  c.tile_in = 2;
  c.out_blocks = 3;
  c.tile_out = 2;
  check_layer(conv2d(c, tiny()), tiny(), 2);
}

TEST(Differential, VirtualThreadsOverTilesThatTheyDoNotDivide) {
  ConvCase c;
  c.h = c.w = 7;
  c.tile_h = 3;
  c.tile_w = 4;
  c.row_threads = c.column_threads = 2;
  check_layer(conv2d(c, tiny()), tiny(), 2);
}

TEST(Differential, RandomConvolutions) {
  std::mt19937 random(20);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  for (unsigned i = 0; i < 60; ++i) {
    ConvCase c;
    c.kernel_h = draw(1, 3);
    c.kernel_w = draw(1, 4);
    c.stride = draw(1, 2);
    c.pad = draw(0, 2);
    c.h = draw(4, 9);
    c.w = draw(4, 9);
    c.in_blocks = draw(1, 3);
    c.out_blocks = draw(1, 3);
    c.tile_h = draw(1, 3);
    c.tile_w = draw(1, 6);
    c.tile_out = draw(1, std::min<std::int64_t>(2, c.out_blocks));
    c.tile_in = draw(1, std::min<std::int64_t>(2, c.in_blocks));
    c.row_threads = draw(1, 3);
    c.column_threads = draw(1, 2);
    const isa::Geometry g = deep(i % 3 == 2 ? tiny(1, 8, 4) : tiny());
    SCOPED_TRACE(c.describe());
    ASSERT_NO_THROW(check_layer(conv2d(c, g), g, i));
    ASSERT_NO_THROW(check_layer(conv2d(c, g), g, i, 4));
    if (HasFailure()) return;
  }
}

TEST(Differential, RandomMatmuls) {
  std::mt19937 random(30);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  for (unsigned i = 0; i < 60; ++i) {
    MatmulCase c;
    c.rows = draw(1, 12);
    c.in_blocks = draw(1, 4);
    c.out_blocks = draw(1, 4);
    c.tile_rows = draw(1, 4);
    c.tile_in = draw(1, c.in_blocks);
    c.tile_out = draw(1, c.out_blocks);
    c.threads = draw(1, 3);
    const isa::Geometry g = deep(tiny(1u << draw(0, 2), 4, 8));
    SCOPED_TRACE(::testing::Message() << "rows " << c.rows << " blocks " << c.in_blocks << "->"
                                      << c.out_blocks << " tiles " << c.tile_rows << " " << c.tile_in << " "
                                      << c.tile_out << " threads " << c.threads << " batch " << g.batch);
    ASSERT_NO_THROW(check_layer(matmul(c, g), g, i));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace vdla::codegen::testing
