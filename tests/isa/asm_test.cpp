// SPDX-License-Identifier: Apache-2.0
// Assembler text: exact round trip over random fields, golden pairs (goldens/x.s, x.exp), errors with their
// place. VDLA_UPDATE_GOLDENS=1 in the environment rewrites the expectations.
#include "isa/asm/asm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "isa/codec/codec.h"
#include "isa/spec/operations.h"
#include "support/bits.h"
#include "support/error.h"

namespace vdla::isa {
namespace {

std::string error_of(std::string_view text) {
  try {
    assemble(text, "f.s");
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}

/// Random fields, most of them small or at their edges; codes by name where `named`.
InsnWords random_words(Opcode opcode, std::mt19937_64& random, bool named) {
  InsnWords words{static_cast<std::uint64_t>(opcode)};
  const auto codes = [&](std::string_view field) -> std::size_t {
    if (field == "buffer" || field.ends_with("_buffer")) return kBuffers.size();
    if (field == "window") return kWindows.size();
    if (field == "op") return kVectorOps.size();
    if (field == "b_kind") return kVectorBs.size();
    return 0;
  };
  for (const Field& f : fields_of(opcode)) {
    if (f.width == 0 || f.name == "opcode") continue;
    std::uint64_t value = random() >> (random() % 64);
    if (random() % 4 == 0) value = 1;
    if (named && codes(f.name) != 0) value %= codes(f.name);
    words[f.word()] = set_bits(words[f.word()], f.shift(), f.width, value);
  }
  return words;
}

TEST(Asm, RandomFieldsSurviveTextAndBack) {
  std::mt19937_64 random(1);
  for (const NamedCode& row : kOpcodes)
    for (int i = 0; i < 3000; ++i) {
      const InsnWords words = random_words(static_cast<Opcode>(row.code), random, true);
      const std::string text = to_text(words);
      ASSERT_TRUE(text.starts_with(row.text)) << text;
      const Assembly back = assemble(text);
      ASSERT_EQ(back.insns, std::vector<InsnWords>{words}) << text;
      ASSERT_EQ(disassemble(back.insns), text + "\n");
    }
}

TEST(Asm, WordsThatAreNoInstructionSurviveToo) {
  std::mt19937_64 random(2);
  std::vector<InsnWords> insns;
  for (int i = 0; i < 500; ++i) {
    InsnWords words = random_words(static_cast<Opcode>(i % 8), random, false);
    if (i % 3 == 0) words[7] = random();
    insns.push_back(words);
  }
  EXPECT_EQ(assemble(disassemble(insns)).insns, insns);
}

TEST(Asm, DefaultsNeedNoText) {
  EXPECT_EQ(to_text(Insn(MemoryInsn{})), "load inp[0] = act[0]");
  EXPECT_EQ(to_text(Insn(GemmInsn{})), "gemm acc[0] += inp[0] * wgt[0]");
  EXPECT_EQ(to_text(Insn(VectorInsn{})), "vector acc[0] = add(acc[0])");
  EXPECT_EQ(to_text(Insn(FinishInsn{})), "finish 0");
}

TEST(Asm, ClausesComeInAnyOrderAndCommentsAreIgnored) {
  const Assembly a = assemble(
      "; a comment\n\n  gemm acc[i1] = inp[2 + 3*i1 - i4] * wgt[0] push vector pop load reduce u for i1<4 // "
      "end\n");
  ASSERT_EQ(a.insns.size(), 1u);
  EXPECT_EQ(a.lines, std::vector<unsigned>{3});
  EXPECT_EQ(to_text(a.insns[0]),
            "gemm acc[i1] = inp[2 + 3*i1 - i4] * wgt[0] for i1<4 reduce u pop load push vector");
  const auto gemm = std::get<GemmInsn>(*try_decode(a.insns[0]));
  EXPECT_EQ(gemm.levels[4].inp_stride, 65535);
  EXPECT_EQ(gemm.reduce_mask, 32);
}

TEST(Asm, MicroOpsAreCollected) {
  const Assembly a = assemble(".uop 1, 0x10, 3\n.uop 0, 0, 65535\n");
  EXPECT_EQ(a.uops, (std::vector<Uop>{{1, 16, 3}, {0, 0, 65535}}));
  EXPECT_EQ(to_text(a.uops[0]), ".uop 1, 16, 3");
}

TEST(Asm, ErrorsNameLineColumnAndNeed) {
  EXPECT_EQ(error_of("finish 1\nlode inp[0]"),
            "f.s:2:1: 'lode' is no instruction, needs one of load, store, gemm, vector, finish");
  EXPECT_EQ(error_of("load imp[0] = act[0]"),
            "f.s:1:6: 'imp' is no buffer, needs one of inp, wgt, acc, out, par, uop");
  EXPECT_EQ(error_of("load inp[0] act[0]"), "f.s:1:13: found 'act', needs '='");
  EXPECT_EQ(error_of("load inp[0] ="),
            "f.s:1:14: '' is no window, needs one of insn, uop, const, act, input, output, spare0, spare1");
  EXPECT_EQ(error_of("load inp[x] = act[0]"),
            "f.s:1:11: positions along x follow each other in SRAM: there is no stride for x");
  EXPECT_EQ(error_of("load inp[0] = act[-y]"), "f.s:1:20: a stride of bytes is not negative");
  EXPECT_EQ(error_of("load inp[0] = act[0] run 65536"),
            "f.s:1:26: 65536 does not fit run, which has 16 bits");
  EXPECT_EQ(error_of("load inp[0] = act[0] pad value 200"),
            "f.s:1:32: 200 does not fit the pad value, which has signed 8 bits");
  EXPECT_EQ(error_of("load inp[0] = act[0] pad value -129"),
            "f.s:1:32: -129 does not fit the pad value, which has signed 8 bits");
  EXPECT_EQ(error_of("load inp[0] = act[0] for q<3"),
            "f.s:1:26: 'q' is no counter here, needs one of x, y, z");
  EXPECT_EQ(error_of("load inp[0] = act[0] run 1 run 2"), "f.s:1:28: 'run' occurs twice");
  EXPECT_EQ(error_of("load inp[0] = act[0] pop"),
            "f.s:1:25: '' is no unit with a queue, needs one of load, gemm, vector, store");
  EXPECT_EQ(error_of("gemm acc[0] = inp[i0 + i0] * wgt[0]"), "f.s:1:24: counter i0 occurs twice");
  EXPECT_EQ(error_of("gemm acc[70000] = inp[0] * wgt[0]"),
            "f.s:1:10: 70000 does not fit an index, which has 16 bits");
  EXPECT_EQ(error_of("gemm acc[0] = inp[0] * wgt[0] reduce"),
            "f.s:1:37: reduce needs counters i0 to i4 or u");
  EXPECT_EQ(error_of("vector acc[0] = mul(acc[0])"),
            "f.s:1:17: 'mul' is no vector operation, needs one of scale, mac, add, max, min, avg, hsum");
  EXPECT_EQ(error_of("vector acc[0] = add(acc[0]"), "f.s:1:27: found the end of the line, needs ')'");
  EXPECT_EQ(error_of("finish"), "f.s:1:7: found the end of the line, needs a number for the sequence number");
  EXPECT_EQ(error_of("finish 1z"), "f.s:1:8: '1z' is no number");
  EXPECT_EQ(error_of("finish 1 )"), "f.s:1:10: '' is no clause here, needs one of pop, push");
  EXPECT_EQ(error_of(".uop 1, 2, 3 4"), "f.s:1:14: more text than the line needs");
  EXPECT_EQ(error_of(".insn 12"), "f.s:1:7: found '12', needs 16 hex digits");
}

/// Assembled words in hex and the canonical text of each.
std::string expectation(const Assembly& a) {
  std::string text;
  for (const InsnWords& words : a.insns) {
    text += to_text(words) + "\n   ";
    for (unsigned w = 0; w < kInsnWords; ++w) {
      std::ostringstream hex;
      hex << std::hex << words[w];
      text += " " + hex.str();
    }
    text += "\n";
  }
  for (const Uop& uop : a.uops) text += to_text(uop) + "\n";
  return text;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Asm, GoldenPairs) {
  int count = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(VDLA_SOURCE_DIR) / "tests/isa/goldens")) {
    if (file.path().extension() != ".s") continue;
    const std::string actual = expectation(assemble(read_file(file.path()), file.path().filename().string()));
    std::filesystem::path expected = file.path();
    expected.replace_extension(".exp");
    if (std::getenv("VDLA_UPDATE_GOLDENS") != nullptr) std::ofstream(expected, std::ios::binary) << actual;
    EXPECT_EQ(actual, read_file(expected)) << file.path();
    ++count;
  }
  EXPECT_GE(count, 2);
}

}  // namespace
}  // namespace vdla::isa
