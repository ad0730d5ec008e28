// SPDX-License-Identifier: Apache-2.0
// Encoder and decoder: round trip over every bit of every layout, each field on its own, misfits refused by
// name.
#include "isa/codec/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "isa/codec/members.h"
#include "support/bits.h"
#include "support/error.h"

namespace vdla::isa {
namespace {

InsnWords random_words(Opcode opcode, std::mt19937_64& random) {
  const InsnWords reserved = reserved_mask(opcode);
  InsnWords words{};
  for (unsigned w = 0; w < kInsnWords; ++w) words[w] = random() & ~reserved[w];
  words[0] =
      set_bits(words[0], kMemoryFields[0].offset, kMemoryFields[0].width, static_cast<unsigned>(opcode));
  return words;
}

TEST(Codec, RandomBitsInAllFieldsSurviveDecodeAndEncode) {
  std::mt19937_64 random(1);
  for (const NamedCode& row : kOpcodes) {
    for (int i = 0; i < 2000; ++i) {
      const InsnWords words = random_words(static_cast<Opcode>(row.code), random);
      const std::optional<Insn> insn = try_decode(words);
      ASSERT_TRUE(insn.has_value());
      ASSERT_EQ(encode(*insn), words) << row.text;
    }
  }
}

TEST(Codec, EachFieldReachesItsOwnBitsOnly) {
  for (const NamedCode& row : kOpcodes) {
    const auto opcode = static_cast<Opcode>(row.code);
    for (const Field& f : fields_of(opcode)) {
      if (f.width == 0 || f.name == "opcode") continue;
      InsnWords words{};
      words[0] = row.code;
      words[f.word()] |= low_mask(f.width) << f.shift();
      Insn insn = *try_decode(words);
      std::visit(
          [&](auto& i) {
            visit_fields(i, [&](const Field& g, auto& member) {
              const auto value = static_cast<std::int64_t>(member);
              if (g.name == f.name)
                EXPECT_EQ(value, f.is_signed() ? -1 : static_cast<std::int64_t>(low_mask(f.width))) << f.name;
              else
                EXPECT_EQ(value, 0) << f.name << " leaks into " << g.name;
            });
          },
          insn);
    }
  }
}

TEST(Codec, UnknownOpcodesDoNotDecode) {
  for (std::uint64_t code : {0u, 6u, 15u}) EXPECT_FALSE(try_decode({code}).has_value());
}

TEST(Codec, ValueThatDoesNotFitIsNamed) {
  GemmInsn gemm;
  gemm.reduce_mask = 64;
  EXPECT_THROW(
      {
        try {
          encode(gemm);
        } catch (const UserError& e) {
          EXPECT_STREQ(e.what(), "field reduce_mask is 64, needs to fit 6 bits");
          throw;
        }
      },
      UserError);
  MemoryInsn load;
  load.dram_offset = std::uint64_t{1} << 48;
  EXPECT_THROW(encode(load), UserError);
}

TEST(Codec, DecodeNamesTheBrokenRule) {
  MemoryInsn store;
  store.opcode = Opcode::Store;
  store.buffer = Buffer::Wgt;
  try {
    decode(encode(store), Geometry{});
    FAIL() << "accepted";
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("(store_buffer): store reads out"));
  }
}

TEST(Codec, StreamsAreLittleEndianBytes) {
  FinishInsn finish;
  finish.sequence = 0x01020304;
  const std::vector<Insn> insns = {GemmInsn{}, finish};
  const std::vector<std::byte> bytes = encode_stream(insns);
  ASSERT_EQ(bytes.size(), 128u);
  EXPECT_EQ(std::to_integer<int>(bytes[64]) & 0xf, 5);
  EXPECT_EQ(decode_stream(bytes, Geometry{}), insns);
  EXPECT_THROW(decode_stream(std::span(bytes).first(65), Geometry{}), UserError);
}

TEST(Codec, StreamErrorNamesTheInstruction) {
  const std::vector<Insn> insns = {GemmInsn{}, FinishInsn{}};
  std::vector<std::byte> bytes = encode_stream(insns);
  bytes[127] = std::byte{1};
  try {
    decode_stream(bytes, Geometry{});
    FAIL() << "accepted";
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("instruction 1 is illegal: rule 2 (reserved)"));
  }
}

TEST(Codec, MicroOpsRoundTrip) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t word = random() & low_mask(48);
    EXPECT_EQ(encode_uop(decode_uop(word)), word);
  }
  EXPECT_EQ(encode_uop({1, 2, 3}), 0x000300020001u);
}

}  // namespace
}  // namespace vdla::isa
