// SPDX-License-Identifier: Apache-2.0
// Models of area and energy, operations counted from programs.
#include <gmock/gmock.h>

#include <cstdio>
#include <map>

#include "isa/spec/operations.h"
#include "isa/variants/variants.h"
#include "support/error.h"
#include "tools/explore/area.h"
#include "tools/explore/energy.h"
#include "tools/explore/memory_map.h"
#include "tools/explore/operations.h"

namespace vdla::explore {
namespace {

using isa::Buffer;
using testing::HasSubstr;

/// Syntheses of a machine that follows the model's terms exactly.
std::vector<Synthesis> made_up() {
  std::vector<Synthesis> points;
  for (const unsigned in : {4u, 8u, 16u, 32u})
    for (const unsigned out : {4u, 16u, 32u}) {
      isa::Geometry g;
      g.block_in = in;
      g.block_out = out;
      const double macs = g.macs(), lanes = g.vector_lanes();
      points.push_back({std::to_string(in) + "x" + std::to_string(out),
                        g,
                        {.lut = 9000 + 20 * macs + 700 * lanes,
                         .ff = 5000 + 3 * macs + 300 * lanes,
                         .dsp = macs / 2 + 4 * lanes,
                         .bram = 20}});
    }
  return points;
}

TEST(AreaModel, FindsTheWeightsOfPointsThatFollowIt) {
  const AreaModel model(made_up());
  isa::Geometry g;
  g.block_in = 64;
  g.block_out = 8;
  const Area area = model.estimate(g);
  EXPECT_NEAR(area.dsp, 256 + 32, 1);
  EXPECT_NEAR(area.lut, 9000 + 20 * 512 + 700 * 8, 1);
  EXPECT_NEAR(area.ff, 5000 + 3 * 512 + 300 * 8, 1);
}

TEST(AreaModel, APointLeftOutIsPredictedFromTheOthers) {
  std::vector<Synthesis> points = made_up();
  points[5].area.lut *= 2;  // one that does not follow
  double wrong = 0, others = 0;
  for (const AreaModel::Error& e : AreaModel(points).leave_one_out())
    if (e.resource == "LUT") (e.point == points[5].name ? wrong : others) += std::abs(e.relative());
  EXPECT_NEAR(wrong, 0.5, 0.1);  // its true size is half of what was "measured"
  EXPECT_GT(others, 0);          // and it pulls the others' predictions
}

TEST(AreaModel, MemoriesOfFewEntriesTakeLutsInsteadOfBlocks) {
  const AreaModel model(made_up());
  isa::Geometry g;
  g.wgt_depth = 128;
  const Area deep = model.estimate(g);
  g.wgt_depth = 64;  // 2048 bits wide
  const Area shallow = model.estimate(g);
  EXPECT_NEAR(shallow.lut - deep.lut, 2048 * 4 / 3.0, 1);
  EXPECT_NEAR(shallow.ff - deep.ff, 2048, 1);
  EXPECT_LT(shallow.bram, deep.bram);
}

TEST(AreaModel, NoVariantHasANegativeArea) {
  const auto points = kept_syntheses();
  const AreaModel all({points.begin(), points.end()});
  const AreaModel one({points.front()});
  for (const unsigned batch : {1U, 16U})
    for (const unsigned in : {4U, 64U})
      for (const unsigned out : {4U, 64U})
        for (const unsigned depth : {16U, 64U, 65536U}) {
          isa::Geometry g;
          g.batch = batch, g.block_in = in, g.block_out = out;
          for (unsigned* d :
               {&g.inp_depth, &g.wgt_depth, &g.acc_depth, &g.out_depth, &g.par_depth, &g.uop_depth})
            *d = depth;
          for (const AreaModel* model : {&all, &one})
            for (const Resource& r : kResources)
              EXPECT_GE(model->estimate(g).*r.of, 0) << r.name << " " << depth;
        }
}

TEST(AreaModel, KnowsTheKitsSyntheses) {
  const auto points = kept_syntheses();
  const auto paper =
      std::find_if(points.begin(), points.end(), [](const auto& p) { return p.name == "paper"; });
  ASSERT_NE(paper, points.end());
  EXPECT_EQ(paper->geometry, isa::load_variant("paper").geometry);
  const AreaModel model({points.begin(), points.end()});
  // How far it may be off where it has seen the point, and where it has not.
  const std::map<std::string_view, std::pair<double, double>> bounds{
      {"LUT", {0.12, 0.25}}, {"FF", {0.08, 0.15}}, {"DSP", {0.001, 0.001}}, {"BRAM", {0.2, 0.3}}};
  for (const Synthesis& p : points)
    for (const Resource& r : kResources)
      EXPECT_NEAR(model.estimate(p.geometry).*r.of / p.area.*r.of, 1, bounds.at(r.name).first)
          << p.name << " " << r.name;
  for (const AreaModel::Error& e : model.leave_one_out()) {
    EXPECT_LT(std::abs(e.relative()), bounds.at(e.resource).second) << e.point << " " << e.resource;
    printf("%-14s %-5s %8.0f %8.0f %+.1f %%\n", e.point.c_str(), std::string(e.resource).c_str(), e.measured,
           e.predicted, 100 * e.relative());
  }
}

TEST(Part, TooSmallResourcesAreNamed) {
  const Part part = load_part("xc7z020");
  EXPECT_EQ(part.area.dsp, 220);
  const Fit fits = fit({.lut = 26600, .ff = 100, .dsp = 100, .bram = 35}, part);
  EXPECT_EQ(fits.over, "");
  EXPECT_DOUBLE_EQ(fits.share, 0.5);
  EXPECT_EQ(fit({.lut = 1, .ff = 1, .dsp = 320, .bram = 141}, part).over, "DSP 320 > 220, BRAM 141 > 140");
  try {
    load_part("xc7z999");
    FAIL();
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), testing::AllOf(HasSubstr("'xc7z999'"), HasSubstr("xc7z020")));
  }
}

TEST(Energy, SramRowsOfTheTableAreMetAndSizesBetweenLieBetween) {
  EXPECT_NEAR(sram_picojoules(8 << 10), 10, 1e-9);
  EXPECT_NEAR(sram_picojoules(32 << 10), 20, 1e-9);
  EXPECT_NEAR(sram_picojoules(1 << 20), 100, 1e-9);
  for (double bytes = 512; bytes < 1 << 21; bytes *= 2)
    EXPECT_LT(sram_picojoules(bytes), sram_picojoules(2 * bytes));
}

isa::GemmInsn gemm() {
  isa::GemmInsn insn;
  insn.init = true;
  insn.levels[0].count = 3;
  insn.levels[2].count = 5;  // reduces
  insn.levels[4].count = 2;
  insn.uop_count = 4;  // reduces
  insn.reduce_mask = 1 << 2 | 1 << isa::kReduceUopBit;
  return insn;
}

TEST(Operations, OfAGemmAreThoseOfItsLoops) {
  isa::Program program;
  program.insns = {gemm()};
  std::uint64_t steps = 0, first = 0;
  for (unsigned a = 0; a < 3; ++a)
    for (unsigned b = 0; b < 5; ++b)
      for (unsigned c = 0; c < 2; ++c)
        for (unsigned u = 0; u < 4; ++u) {
          ++steps;
          first += b == 0 && u == 0;
        }
  const Operations o = operations_of(program);
  const isa::Geometry& g = program.geometry;
  EXPECT_EQ(o.array_macs, steps * g.macs());
  EXPECT_EQ(o.sram[unsigned(Buffer::Wgt)].read_bytes, steps * 256);
  EXPECT_EQ(o.sram[unsigned(Buffer::Uop)].read_bytes, steps * 8);
  EXPECT_EQ(o.sram[unsigned(Buffer::Acc)].read_bytes, (steps - first) * 64);
  EXPECT_EQ(o.sram[unsigned(Buffer::Acc)].written_bytes, steps * 64);
}

TEST(Operations, OfScaleAndLoad) {
  isa::VectorInsn scale;
  scale.op = isa::VectorOp::Scale;
  scale.b_kind = isa::VectorB::Par;
  scale.dst_buffer = Buffer::Out;
  scale.levels[1] = {.count = 6, .dst_stride = 1, .a_stride = 1, .b_stride = 3};
  scale.levels[3] = {.count = 10, .dst_stride = 6, .a_stride = 6, .b_stride = 0};
  isa::MemoryInsn load;
  load.buffer = Buffer::Inp;
  load.run = 2;
  load.x_count = 7;
  load.y_count = 3;
  load.x_pad_before = 1;
  isa::Program program;
  program.insns = {scale, load};
  const Operations o = operations_of(program);
  EXPECT_EQ(o.lane_steps[unsigned(isa::VectorOp::Scale)], 60u * 16);
  EXPECT_EQ(o.sram[unsigned(Buffer::Par)].read_bytes, 6u * 3 * 64);  // b moves six times
  EXPECT_EQ(o.sram[unsigned(Buffer::Out)].written_bytes, 60u * 16);
  EXPECT_EQ(o.sram[unsigned(Buffer::Inp)].written_bytes, 2u * 8 * 3 * 16);  // padding is written too
}

TEST(MemoryMap, HoldsTheRangesOfEachLayer) {
  isa::MemoryInsn load;
  load.buffer = Buffer::Inp;
  load.window = isa::Window::Act;
  load.dram_offset = 1000;
  load.x_count = 4;
  load.x_dram_stride = 16;
  load.y_count = 3;
  load.y_dram_stride = 500;
  load.y_sram_stride = 20;
  load.sram_base = 5;
  isa::MemoryInsn other = load;
  other.dram_offset = 4000;
  isa::Program program;
  program.insns = {load, other, isa::FinishInsn{}};
  program.source_map.layers = {{"a", "conv2d", ""}, {"b", "conv2d", ""}};
  program.source_map.insns = {{0, 0}, {1, 0}, {}};
  const auto layers = memory_of_layers(program);
  ASSERT_EQ(layers.size(), 2u);
  const Range& range = layers[0].read[unsigned(isa::Window::Act)];
  EXPECT_EQ(range.begin, 1000u);
  EXPECT_EQ(range.end, 1000u + 2 * 500 + 4 * 16);
  EXPECT_EQ(layers[1].read[unsigned(isa::Window::Act)].begin, 4000u);
  EXPECT_EQ(layers[0].entries[unsigned(Buffer::Inp)], 5u + 2 * 20 + 4);
  EXPECT_EQ(layers[0].written[unsigned(isa::Window::Act)].end, 0u);
}

}  // namespace
}  // namespace vdla::explore
