// SPDX-License-Identifier: Apache-2.0
// The committed generated files are what the generator writes now, and they agree with the codec.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "isa/codec/codec.h"
#include "isa/gen/emit.h"
#include "isa/spec/errors.h"
#include "isa/spec/registers.h"
#include "isa/spec/version.h"
#include "support/bits.h"
#include "support/error.h"
#include "tests/isa/c_header.h"

namespace vdla::isa {
namespace {

const std::filesystem::path kRoot = VDLA_SOURCE_DIR;

TEST(Generated, FilesAreFresh) {
  for (const gen::File& file : gen::all(kRoot)) {
    std::ifstream stream(kRoot / file.path, std::ios::binary);
    const std::string committed{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_TRUE(committed == file.text)
        << file.path << " is stale: run bin/vdla-isagen in the root of the source tree";
  }
}

/// Modules that exist hold the numbers by these ids.
TEST(Generated, ANumberOfTheGeometryKeepsItsIdInModules) {
  const std::string schema = gen::flatbuffers_schema();
  int id = 0;
  for (const char* name : {"batch", "block_in", "block_out", "inp_depth", "wgt_depth", "acc_depth",
                           "out_depth", "par_depth", "uop_depth", "queue_depth", "token_depth"})
    EXPECT_NE(schema.find("  " + std::string(name) + ":uint (id: " + std::to_string(id++) + ");\n"),
              std::string::npos)
        << name;
}

TEST(Generated, ManualRefusesUnknownAndUnclosedPassages) {
  EXPECT_THROW(gen::manual("<!-- isagen nonsense -->\n<!-- end isagen -->\n"), UserError);
  EXPECT_THROW(gen::manual("<!-- isagen rules -->\n"), UserError);
  EXPECT_EQ(gen::manual("a\n<!-- isagen version -->\nold\n<!-- end isagen -->\nb\n"),
            "a\n<!-- isagen version -->\nThis is version " + std::to_string(kIsaVersion) +
                " of the instruction set.\n<!-- end isagen -->\nb\n");
}

TEST(Generated, SourcesOfTheHardwareHaveTheListsOfNumbersThatTheyAskFor) {
  EXPECT_THROW(gen::sv_geometry("  // isagen nonsense\n  // end isagen\n"), UserError);
  EXPECT_THROW(gen::sv_geometry("  // isagen geometry parameters\n"), UserError);
  const std::string text =
      gen::sv_geometry("a\n    // isagen geometry registers\nold\n    // end isagen\nb\n");
  EXPECT_EQ(text.find("a\n    // isagen geometry registers\n    .GeometryBatch     (Batch),\n"), 0u) << text;
  EXPECT_TRUE(text.ends_with(",\n    // end isagen\nb\n")) << text;
}

/// "opcode field=value ... : hex"
InsnWords words_of_fields(std::istringstream& text) {
  std::string word;
  text >> word;
  Opcode opcode{};
  for (const NamedCode& row : kOpcodes)
    if (row.text == word) opcode = static_cast<Opcode>(row.code);
  InsnWords words{static_cast<std::uint64_t>(opcode)};
  while (text >> word && word != ":") {
    const std::size_t eq = word.find('=');
    for (const Field& f : fields_of(opcode))
      if (f.name == word.substr(0, eq))
        words[f.word()] = set_bits(words[f.word()], f.shift(), f.width,
                                   static_cast<std::uint64_t>(std::stoll(word.substr(eq + 1))));
  }
  return words;
}

TEST(Generated, GoldenVectorsDecodeAndEncode) {
  std::ifstream stream(kRoot / "isa/generated/vectors.txt");
  std::string line;
  int count = 0;
  while (std::getline(stream, line)) {
    if (line.starts_with('#')) continue;
    std::istringstream text(line);
    const InsnWords expected = words_of_fields(text);
    std::string hex;
    text >> hex;
    ASSERT_EQ(hex.size(), 128u) << line;
    InsnWords words{};
    for (unsigned w = 0; w < kInsnWords; ++w)
      words[kInsnWords - 1 - w] = std::stoull(hex.substr(16 * w, 16), nullptr, 16);
    EXPECT_EQ(words, expected) << line;
    EXPECT_EQ(encode(*try_decode(words)), words) << line;
    ++count;
  }
  EXPECT_GT(count, 100);
}

TEST(Generated, HeaderAgreesWithTheSpec) {
  const CHeaderFacts facts = vdla_c_header_facts();
  EXPECT_EQ(facts.magic, kMagic);
  EXPECT_EQ(facts.isa_version, kIsaVersion);
  EXPECT_EQ(facts.insn_bytes, kInsnBytes);
  EXPECT_EQ(facts.window3_size_hi, static_cast<std::uint32_t>(Register::WINDOW0_SIZE_HI) + 3 * kWindowStride);
  EXPECT_EQ(facts.error_addr_hi, static_cast<std::uint32_t>(Register::ERROR_ADDR_HI));
  EXPECT_EQ(facts.error_stall, static_cast<std::uint32_t>(ErrorCode::Stall));
  EXPECT_STREQ(facts.rule_text_1, std::string(rules()[0].doc).c_str());
  EXPECT_STREQ(facts.unit_text_2, "vector");
}

}  // namespace
}  // namespace vdla::isa
