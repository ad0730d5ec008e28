// SPDX-License-Identifier: Apache-2.0
#include "runtime/container/payload_read.h"

#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace vdla::runtime::payload {
namespace {

/// The count is where it may be, and numbers of eight bytes behind it are not (found by fuzzing).
TEST(PayloadRead, TakesNumbersOffTheirAlignment) {
  alignas(8) std::array<std::byte, 20> file{};
  const std::uint32_t count = 2;
  const std::array<std::uint64_t, 2> numbers_there{0x1122334455667788, 9};
  std::memcpy(file.data(), &count, sizeof count);
  std::memcpy(file.data() + sizeof count, numbers_there.data(), sizeof numbers_there);
  const auto* vector = reinterpret_cast<const flatbuffers::Vector<std::uint64_t>*>(file.data());
  EXPECT_THAT(numbers(vector), ::testing::ElementsAreArray(numbers_there));
  EXPECT_TRUE(numbers<std::uint64_t>(nullptr).empty());
}

}  // namespace
}  // namespace vdla::runtime::payload
