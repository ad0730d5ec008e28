// SPDX-License-Identifier: Apache-2.0
#include "isa/program/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/codec/codec.h"
#include "support/error.h"

namespace vdla::isa {
namespace {

Program small_program() {
  Program p;
  p.insns = {GemmInsn{}, VectorInsn{}, FinishInsn{}};
  p.kernels = {{{1, 2, 3}, {}}, {{0, 0, 0}, {{2, 10, 0, 65535}, {3, 1, 2, 4}}}};
  p.constants.resize(40);
  p.data_window_sizes[static_cast<std::size_t>(Window::Act)] = 100;
  p.source_map.layers = {{"conv1", "conv2d", "tile 4x4"}};
  p.source_map.loops = {"y=2"};
  p.source_map.insns = {{0, 0}, {0, Source::kNone}, {}};
  return p;
}

std::string error_of(const Program& p) {
  try {
    check(p);
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(MicroKernel, ExpandsLastLoopFastest) {
  const std::vector<Uop> expected = {{0, 0, 0}, {1, 2, 4}, {2, 4, 8}, {10, 0, 65535}, {11, 2, 3}, {12, 4, 7}};
  EXPECT_EQ(expand(small_program().kernels[1]), expected);
  EXPECT_EQ(expand(small_program().kernels).size(), 7u);
}

TEST(MicroKernel, ExpansionEqualsTheNestedLoops) {
  const MicroKernel kernel{{5, 6, 7}, {{3, 100, 0, 1}, {1, 9, 9, 9}, {4, 0, 50, 20}, {2, 3, 3, 65530}}};
  std::vector<Uop> expected;
  for (unsigned a = 0; a < 3; ++a)
    for (unsigned c = 0; c < 4; ++c)
      for (unsigned d = 0; d < 2; ++d)
        expected.push_back({static_cast<std::uint16_t>(5 + 100 * a + 3 * d),
                            static_cast<std::uint16_t>(6 + 50 * c + 3 * d),
                            static_cast<std::uint16_t>(7 + a + 20 * c - 6 * d)});
  EXPECT_EQ(expand(kernel), expected);
}

TEST(MicroKernel, RefusesNoneAndTooMany) {
  EXPECT_THROW(expand(MicroKernel{{}, {{0, 0, 0, 0}}}), UserError);
  EXPECT_THROW(
      expand(MicroKernel{{}, {{65535, 0, 0, 0}, {65535, 0, 0, 0}, {65535, 0, 0, 0}, {65535, 0, 0, 0}}}),
      UserError);
  EXPECT_EQ(expand(MicroKernel{{}, {{32768, 1, 0, 0}, {2, 0, 0, 0}}}).size(), 65536u);
}

/// Messages and JSON had "conv_/ a_" for a layer that has another name.
TEST(SourceMap, NamesAreThoseOfTheModel) {
  Program p = small_program();
  p.source_map.layers[0].name = "conv*/ a->b\n";
  EXPECT_EQ(p.source_map.describe(1), "layer 'conv*/ a->b\n' (conv2d)");
}

TEST(Program, WindowsHaveTheSizesOfTheirImages) {
  const Program p = small_program();
  EXPECT_EQ(p.window_size(Window::Insn), insn_image(p).size());
  EXPECT_EQ(p.window_size(Window::Uop), uop_image(p).size());
  EXPECT_EQ(p.window_size(Window::Const), 40u);
  EXPECT_EQ(p.window_size(Window::Act), 100u);
  EXPECT_EQ(p.window_size(Window::Input), 0u);
}

TEST(Program, SourceMapLeadsToLayerAndLoop) {
  const SourceMap map = small_program().source_map;
  EXPECT_EQ(map.describe(0), "layer 'conv1' (conv2d), loop y=2");
  EXPECT_EQ(map.describe(1), "layer 'conv1' (conv2d)");
  EXPECT_EQ(map.describe(2), "");
  EXPECT_EQ(map.describe(99), "");
}

TEST(Program, CheckNamesTheFault) {
  using testing::HasSubstr;
  EXPECT_EQ(error_of(small_program()), "accepted");
  Program p = small_program();
  p.insns.pop_back();
  p.source_map = {};
  EXPECT_THAT(error_of(p), HasSubstr("the program ends with vector (instruction 1), needs finish"));
  p.insns.clear();
  EXPECT_THAT(error_of(p), HasSubstr("no instruction"));
  p = small_program();
  std::get<GemmInsn>(p.insns[0]).acc_base = 5000;
  EXPECT_THAT(error_of(p), HasSubstr("instruction 0 of layer 'conv1' (conv2d), loop y=2 is illegal: rule"));
  p = small_program();
  p.source_map.insns.pop_back();
  EXPECT_THAT(error_of(p), HasSubstr("the source map has 2 instructions, the program 3"));
  p = small_program();
  p.source_map.insns[1].layer = 7;
  EXPECT_THAT(error_of(p), HasSubstr("source map of instruction 1 names layer 7 of 1"));
  p = small_program();
  p.entries = {{"main", 0, 2}};
  EXPECT_THAT(error_of(p), HasSubstr("entry 'main' ends with vector (instruction 1), needs finish"));
  p.entries = {{"main", 0, 9}};
  EXPECT_THAT(error_of(p), HasSubstr("entry 'main' is instructions 0 to 9, the program has 3"));
  p = small_program();
  p.kernels[0].loops = {{0, 0, 0, 0}};
  EXPECT_THAT(error_of(p), HasSubstr("micro-kernel 0"));
  p = small_program();
  p.geometry.batch = 5;
  EXPECT_THAT(error_of(p), HasSubstr("batch is 5"));
}

TEST(Program, HashCoversWhatTheDeviceSees) {
  const std::uint64_t hash = content_hash(small_program());
  Program p = small_program();
  p.source_map = {};
  EXPECT_EQ(content_hash(p), hash);
  p.constants[3] = std::byte{1};
  EXPECT_NE(content_hash(p), hash);
  p = small_program();
  p.kernels[1].loops[0].acc = 11;
  EXPECT_NE(content_hash(p), hash);
  p = small_program();
  p.geometry.token_depth = 8;
  EXPECT_NE(content_hash(p), hash);
}

}  // namespace
}  // namespace vdla::isa
