// SPDX-License-Identifier: Apache-2.0
#include "sim/contract.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "sim/memory.h"
#include "tests/compiler/user_error.h"

namespace vdla::sim {
namespace {

TEST(Describe, NamesUnitInstructionAndAwaitedPeer) {
  std::vector<UnitState> states = {{isa::Unit::Load, true, false, 12, 1u << 1, 0},
                                   {isa::Unit::Gemm, true, true, 7, 0, 1u << 2},
                                   {isa::Unit::Vector, false, false, 0, 0, 0},
                                   {isa::Unit::Fetch, true, false, 30, 0, 1u << 0}};
  EXPECT_EQ(describe(states),
            "load waits at instruction 12 for a token from gemm\n"
            "gemm waits at instruction 7 for space to push a token to vector\n"
            "fetch waits at instruction 30 for space in the queue of load");
}

TEST(Memory, RefusesAccessOutside) {
  Memory memory(4096);
  std::byte bytes[8] = {};
  EXPECT_NO_THROW(memory.write(kMemoryBase + 4088, bytes));
  EXPECT_THROW(memory.write(kMemoryBase + 4089, bytes), UserError);
  EXPECT_THROW(memory.read(kMemoryBase - 1, bytes), UserError);
  EXPECT_THROW(memory.read(~0ull, bytes), UserError);
}

TEST(Memory, OfSegmentsIsWhereTheyAre) {
  std::vector<std::byte> low(kSegmentBytes), high(2 * kSegmentBytes), apart(kSegmentBytes);
  constexpr std::uint64_t kTop = 0ull - kSegmentBytes;
  Memory memory({{kTop, apart}, {kSegmentBytes, high}, {0, low}});
  EXPECT_EQ(memory.base(), kSegmentBytes);
  EXPECT_EQ(memory.size(), 2 * kSegmentBytes);
  EXPECT_TRUE(memory.contains(0, 3 * kSegmentBytes));
  EXPECT_FALSE(memory.contains(0, 3 * kSegmentBytes + 1));
  EXPECT_TRUE(memory.contains(kTop, kSegmentBytes));
  EXPECT_FALSE(memory.contains(kTop, kSegmentBytes + 1));
  EXPECT_FALSE(memory.contains(kTop - 1, 1));
  EXPECT_EQ(memory.find(kSegmentBytes - 4, 4), &low[kSegmentBytes - 4]);
  EXPECT_EQ(memory.find(kSegmentBytes - 4, 8), nullptr);
  EXPECT_EQ(memory.find(kTop + 8, 8), &apart[8]);
  std::byte bytes[8] = {}, back[8] = {};
  for (unsigned i = 0; i < 8; ++i) bytes[i] = std::byte(i + 1);
  memory.write(kSegmentBytes - 4, bytes);
  EXPECT_EQ(low[kSegmentBytes - 1], std::byte{4});
  EXPECT_EQ(high[0], std::byte{5});
  memory.read(kSegmentBytes - 4, back);
  EXPECT_TRUE(std::ranges::equal(bytes, back));
  memory.write(~0ull - 7, bytes);
  EXPECT_EQ(apart.back(), std::byte{8});
  EXPECT_THROW(memory.write(3 * kSegmentBytes - 4, bytes), UserError);
}

TEST(Memory, RefusesSegmentsThatAreNoMemory) {
  std::vector<std::byte> page(kSegmentBytes), two(2 * kSegmentBytes), odd(kSegmentBytes + 1);
  using testing::HasSubstr;
  auto refusal = [](std::vector<MemorySegment> segments) {
    return user_error([&] { Memory memory(std::move(segments)); });
  };
  EXPECT_THAT(refusal({}), HasSubstr("needs one segment at least"));
  EXPECT_THAT(refusal({{0, {}}}), HasSubstr("[0x0, 0x0)"));
  EXPECT_THAT(refusal({{64, page}}), HasSubstr("[0x40, 0x1040)"));
  EXPECT_THAT(refusal({{0, odd}}), HasSubstr("whole pieces of 4096 bytes"));
  EXPECT_THAT(refusal({{0ull - kSegmentBytes, two}}), HasSubstr("below 2^64"));
  EXPECT_THAT(refusal({{kSegmentBytes, page}, {0, two}}),
              HasSubstr("[0x0, 0x2000) and [0x1000, 0x2000) of simulated memory overlap"));
}

TEST(Memory, IsZeroAtFirst) {
  Memory memory;
  std::byte byte{1};
  memory.read(kMemoryBase + kDefaultMemoryBytes - 1, {&byte, 1});
  EXPECT_EQ(byte, std::byte{0});
}

}  // namespace
}  // namespace vdla::sim
