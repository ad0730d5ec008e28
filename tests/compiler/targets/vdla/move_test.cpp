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

TEST(Concat, JoinsChannelsRowsAndColumns) {
  std::mt19937 random(6);
  for (const isa::Geometry& g : geometries()) {
    const std::int64_t block = channel_block(g);
    expect_exact(Concat{"channels", {{5, 6, 2 * block}, {5, 6, block + 3}}, false}, g, random);
    expect_exact(Concat{"rows", {{2, 6, 7}, {4, 6, 7}}, true}, g, random);
    Concat columns{"columns", {{5, 6, block + 3}, {5, 1, block + 3}, {5, 2, block + 3}}, false};
    columns.columns = true;
    expect_exact(columns, g, random);
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

/// The last block of a part reaches into the next one, and behind the last channel.
TEST(Concat, JoinsChannelsThatEndWithinABlock) {
  std::mt19937 random(7);
  for (const isa::Geometry& g : geometries()) {
    const std::int64_t block = channel_block(g);
    EXPECT_EQ(pixel_bytes_of(Concat{"c", {{1, 1, block}, {1, 1, 1}}, false}, g), 2 * block);
    EXPECT_EQ(pixel_bytes_of(Concat{"c", {{1, 1, 1}, {1, 1, block}}, false}, g), 2 * block + 1)
        << "with what fills the last block";
    EXPECT_EQ(pixel_bytes_of(Concat{"c", {{1, 1, block - 1}, {1, 1, block}, {1, 1, 1}}, false}, g),
              3 * block - 1);
    for (int i = 0; i < 8; ++i) {
      Concat op{"joined", {}, false};
      const auto drawn = [&](std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(random);
      };
      const std::int64_t h = drawn(1, 5), w = drawn(1, 6);
      for (std::int64_t k = drawn(1, 4); k > 0; --k) op.inputs.push_back({h, w, drawn(1, 2 * block)});
      if (i % 2 == 1) {
        op.before = drawn(0, block + 1);
        op.after = drawn(0, block + 1);
        op.value = static_cast<std::int32_t>(drawn(-128, 127));
      }
      expect_exact(op, g, random);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace vdla::pipeline::device
