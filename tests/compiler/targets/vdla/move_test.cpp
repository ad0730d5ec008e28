// SPDX-License-Identifier: Apache-2.0
// Images with borders and images beside each other, by DMA alone.
#include <gtest/gtest.h>

#include "tests/compiler/targets/vdla/harness.h"

namespace vdla::pipeline::device {
namespace {

std::vector<isa::Geometry> geometries() { return {tiny(), paper(), oblong(), pairs(), quads()}; }

TEST(Move, PutsABorderAroundImages) {
  std::mt19937 random(5);
  for (const isa::Geometry& g : geometries()) {
    for (std::int64_t pad : {0, 1, 3}) {
      Move op;
      op.name = "pad";
      op.in = {7, 9, 18};
      op.out = {7 + 2 * pad, 9 + pad + 2, 18};
      op.images = 2;
      op.pad_top = pad;
      op.pad_left = 2;
      op.value = -7;
      for (const Knobs& knobs : {Knobs(), Knobs(TileKnobs{2, 3, 1, 1})}) {
        const DeviceKernel kernel = lower(op, g, {}, knobs);
        EXPECT_EQ(kernel.constants.size(), 0u);
        Move one = op;
        one.images = 1;
        expect_exact(one, g, random, knobs);
      }
    }
  }
}

TEST(Move, UsesNoUnitButLoadAndStore) {
  Move op;
  op.name = "pad";
  op.in = {4, 4, 8};
  op.out = {6, 6, 8};
  op.pad_top = op.pad_left = 1;
  for (const isa::Insn& insn : program_of(op, lower(op, tiny(), {}), tiny()).insns)
    EXPECT_TRUE(std::holds_alternative<isa::MemoryInsn>(insn) ||
                std::holds_alternative<isa::FinishInsn>(insn));
}

TEST(Concat, JoinsChannelsAndRows) {
  std::mt19937 random(6);
  for (const isa::Geometry& g : geometries()) {
    const std::int64_t block = channel_block(g);
    expect_exact(Concat{"channels", {{5, 6, 2 * block}, {5, 6, block + 3}}, false}, g, random);
    expect_exact(Concat{"rows", {{2, 6, 7}, {4, 6, 7}}, true}, g, random);
  }
}

/// Each input that is left is read as itself and stored where it belongs.
TEST(Concat, CopiesWhatIsNotMadeInItsPlace) {
  const isa::Geometry g = paper();
  const std::int64_t block = channel_block(g);
  const Concat op{"joined", {{5, 6, block}, {5, 6, 2 * block}, {5, 6, block}}, false};
  const auto lowered = [&](std::vector<bool> in_place) {
    Residence residence;
    residence.in_place = std::move(in_place);
    return lower(op, g, {}, residence, g.inp_depth);
  };
  EXPECT_FALSE(lowered({true, true, true}).function);
  const DeviceKernel kernel = lowered({true, false, false});
  ASSERT_TRUE(kernel.function);
  const std::vector<DeviceParam>& params = kernel.function->params;
  ASSERT_EQ(params.size(), 4u);
  for (std::size_t i : {1u, 2u}) {
    EXPECT_EQ(params[2 * i - 2].role, Role::Input);
    EXPECT_EQ(params[2 * i - 2].input, i);
    EXPECT_EQ(params[2 * i - 1].role, Role::Output);
  }
  EXPECT_EQ(params[1].offset, block) << "behind the first input, in bytes of a pixel";
  EXPECT_EQ(params[3].offset, 3 * block);
}

TEST(Concat, OfChannelsThatEndWithinABlockSaysSo) {
  EXPECT_EQ(unsupported(Concat{"c", {{5, 6, 6}, {5, 6, 8}}, false}, tiny()),
            "its input 0 has 6 channels, no multiple of 4: the next one would not begin at a block");
  EXPECT_EQ(unsupported(Concat{"c", {{5, 6, 8}, {5, 6, 6}}, false}, tiny()), std::nullopt);
}

}  // namespace
}  // namespace vdla::pipeline::device
