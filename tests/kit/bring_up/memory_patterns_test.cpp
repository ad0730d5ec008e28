// SPDX-License-Identifier: Apache-2.0
// Patterns in DMA memory: each fault that a board's memory can have is found, and named where its trace says
// what it is.
#include "kit/bring_up/memory_patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "isa/variants/variants.h"
#include "tests/kit/bring_up/faulty_board.h"

namespace vdla::kit {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kBase = sim::kMemoryBase, kBytes = 1 << 16;

struct MemoryFault {
  std::string name, cause;
  std::function<void(Board&)> make;
  std::vector<vdla_memory_pattern> found_by;  ///< the first of those that are tried
};

/// What is read goes through `change` for each byte.
void reads_as(Board& b, std::function<std::uint8_t(std::uint64_t address, std::uint8_t byte)> change) {
  b.copy_out = [&b, change = std::move(change)](void* to, std::uint64_t address, std::uint64_t bytes) {
    const int failed = b.right.copy_out(b.right.context, to, address, bytes);
    auto* const byte = static_cast<std::uint8_t*>(to);
    for (std::uint64_t i = 0; i < bytes; ++i) byte[i] = change(address + i, byte[i]);
    return failed;
  };
}

const std::vector<MemoryFault>& memory_faults() {
  static const std::vector<MemoryFault> all{
      {"a_data_line_reads_1", "only bit 13 of each 64 is wrong, which reads 1",
       [](Board& b) {
         reads_as(b, [](std::uint64_t at, std::uint8_t v) { return at % 8 == 1 ? v | 0x20 : v; });
       },
       memory_patterns()},
      {"a_data_line_reads_0",
       "only bit 63 of each 64 is wrong, which reads 0",
       [](Board& b) {
         reads_as(b, [](std::uint64_t at, std::uint8_t v) { return at % 8 == 7 ? v & 0x7f : v; });
       },
       {VDLA_MEMORY_WALKING_ONES}},
      {"half_of_the_port",
       "only bytes 4 to 7 of each 8 are wrong",
       [](Board& b) {
         reads_as(b, [](std::uint64_t at, std::uint8_t v) { return at % 8 >= 4 ? v ^ 0x5a : v; });
       },
       {VDLA_MEMORY_CHECKER}},
      {"an_address_line",
       "are one place, as where the memory is smaller than is said, or address lines do nothing (bit 15)",
       [](Board& b) {
         b.copy_in = [&b](std::uint64_t address, const void* from, std::uint64_t bytes) {
           return b.right.copy_in(b.right.context, address & ~std::uint64_t{0x8000}, from, bytes);
         };
         b.copy_out = [&b](void* to, std::uint64_t address, std::uint64_t bytes) {
           return b.right.copy_out(b.right.context, to, address & ~std::uint64_t{0x8000}, bytes);
         };
       },
       {VDLA_MEMORY_INVERSE}},
      {"no_memory", "nothing keeps what is written",
       [](Board& b) { reads_as(b, [](std::uint64_t, std::uint8_t) { return 0xff; }); }, memory_patterns()},
      {"neighbours_that_touch",
       "",
       [](Board& b) {
         reads_as(b,
                  [](std::uint64_t, std::uint8_t v) { return static_cast<std::uint8_t>(v | (v & 1) << 1); });
       },
       {VDLA_MEMORY_WALKING_ONES}},
  };
  return all;
}

TEST(MemoryPatterns, PassOnMemoryThatIsRightAndCoverEachBit) {
  Board board(isa::load_variant("tiny"));
  const auto results = test_memory(board.right, kBase + 8, kBytes + 5, memory_patterns(), 3);
  EXPECT_EQ(results.size(), 3 * memory_patterns().size());
  for (const MemoryResult& r : results)
    EXPECT_EQ(r.difference.bytes, 0u) << vdla_memory_pattern_name(r.pattern);
}

TEST(MemoryPatterns, FindTheFaultAndNameIt) {
  for (const MemoryFault& fault : memory_faults()) {
    SCOPED_TRACE(fault.name);
    Board board(isa::load_variant("tiny"));
    fault.make(board);
    const auto results = test_memory(board.calls, kBase, kBytes, fault.found_by, 1);
    ASSERT_GT(results.back().difference.bytes, 0u);
    EXPECT_THAT(results.back().cause, HasSubstr(fault.cause));
    if (fault.cause.empty()) EXPECT_EQ(results.back().cause, "");
  }
}

TEST(MemoryPatterns, SayWhereTheFirstAndLastWrongByteAre) {
  Board board(isa::load_variant("tiny"));
  reads_as(board, [](std::uint64_t at, std::uint8_t v) {
    return at == kBase + 1003 || at == kBase + 5000 ? static_cast<std::uint8_t>(~v) : v;
  });
  const auto results = test_memory(board.calls, kBase, kBytes, memory_patterns(), 1);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].difference.bytes, 2u);
  EXPECT_EQ(results[0].difference.first, kBase + 1003);
  EXPECT_EQ(results[0].difference.last, kBase + 5000);
  EXPECT_EQ(results[0].difference.read[3], static_cast<std::uint8_t>(~results[0].difference.needed[3]));
}

}  // namespace
}  // namespace vdla::kit
