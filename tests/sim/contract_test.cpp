// SPDX-License-Identifier: Apache-2.0
#include "sim/contract.h"

#include <gmock/gmock.h>

#include "sim/memory.h"
#include "support/error.h"

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

TEST(Memory, IsZeroAtFirst) {
  Memory memory;
  std::byte byte{1};
  memory.read(kMemoryBase + kDefaultMemoryBytes - 1, {&byte, 1});
  EXPECT_EQ(byte, std::byte{0});
}

}  // namespace
}  // namespace vdla::sim
