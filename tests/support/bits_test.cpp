// SPDX-License-Identifier: Apache-2.0
#include "support/bits.h"

#include <array>

#include "gtest/gtest.h"

namespace vdla {
namespace {

TEST(Bits, GetReturnsWhatSetWrote) {
  for (unsigned shift = 0; shift < 64; ++shift) {
    for (unsigned width = 1; shift + width <= 64; ++width) {
      const std::uint64_t value = 0x9e3779b97f4a7c15ull & low_mask(width);
      const std::uint64_t word = set_bits(~std::uint64_t{0}, shift, width, value);
      EXPECT_EQ(get_bits(word, shift, width), value);
      EXPECT_EQ(word | (low_mask(width) << shift), ~std::uint64_t{0});
    }
  }
}

TEST(Bits, SetDropsBitsBeyondTheField) { EXPECT_EQ(set_bits(0, 4, 4, 0xabc), 0xc0u); }

TEST(Bits, SignExtends) {
  EXPECT_EQ(sign_extend(0x80, 8), -128);
  EXPECT_EQ(sign_extend(0x7f, 8), 127);
  EXPECT_EQ(sign_extend(0x1ff, 8), -1);
  EXPECT_EQ(sign_extend(~std::uint64_t{0}, 64), -1);
  EXPECT_EQ(sign_extend(1, 1), -1);
}

TEST(Bits, FitsAtTheEdges) {
  EXPECT_TRUE(fits_unsigned(65535, 16));
  EXPECT_FALSE(fits_unsigned(65536, 16));
  EXPECT_FALSE(fits_unsigned(-1, 16));
  EXPECT_TRUE(fits_signed(-32768, 16));
  EXPECT_FALSE(fits_signed(32768, 16));
}

TEST(Bits, BytesAreLittleEndian) {
  std::array<std::byte, 8> bytes{};
  store_le<std::uint32_t>(bytes, 0x44434241u);
  EXPECT_EQ(std::to_integer<int>(bytes[0]), 0x41);
  EXPECT_EQ(std::to_integer<int>(bytes[3]), 0x44);
  EXPECT_EQ(std::to_integer<int>(bytes[4]), 0);
  EXPECT_EQ(load_le<std::uint32_t>(bytes), 0x44434241u);
  store_le<std::int16_t>(bytes, -2);
  EXPECT_EQ(load_le<std::int16_t>(bytes), -2);
}

}  // namespace
}  // namespace vdla
