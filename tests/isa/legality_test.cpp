// SPDX-License-Identifier: Apache-2.0
// Each rule alone: a legal instruction, one field changed, exactly this rule reported. A rule without a row
// fails the last test.
#include "isa/spec/legality.h"

#include <gtest/gtest.h>

#include <set>

#include "isa/codec/codec.h"
#include "support/bits.h"

namespace vdla::isa {
namespace {

struct Case {
  std::string_view rule;
  Opcode opcode;
  std::vector<std::pair<std::string_view, std::int64_t>> changes;
};

const Field& field_named(Opcode opcode, std::string_view name) {
  for (const Field& f : fields_of(opcode))
    if (f.name == name) return f;
  throw std::runtime_error("no field " + std::string(name));
}

InsnWords smallest(Opcode opcode) {
  switch (opcode) {
    case Opcode::Load:
      return encode(MemoryInsn{});
    case Opcode::Store: {
      MemoryInsn store;
      store.opcode = Opcode::Store;
      store.buffer = Buffer::Out;
      return encode(store);
    }
    case Opcode::Gemm:
      return encode(GemmInsn{});
    case Opcode::Vector:
      return encode(VectorInsn{});
    case Opcode::Finish:
      return encode(FinishInsn{});
  }
  return {};
}

InsnWords changed(const Case& c) {
  InsnWords words = smallest(c.opcode);
  for (auto [name, value] : c.changes) {
    const Field& f = field_named(c.opcode, name);
    words[f.word()] = set_bits(words[f.word()], f.shift(), f.width, static_cast<std::uint64_t>(value));
  }
  return words;
}

constexpr auto L = Opcode::Load, S = Opcode::Store, G = Opcode::Gemm, V = Opcode::Vector, F = Opcode::Finish;
constexpr int kAcc = 2, kOut = 3, kPar = 4, kUop = 5, kInp = 0, kWgt = 1;

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      {"opcode", L, {{"opcode", 0}}},
      {"opcode", L, {{"opcode", 6}}},
      {"load_own_pop", L, {{"pop", 1}}},
      {"load_own_push", L, {{"push", 1}}},
      {"store_own_pop", S, {{"pop", 8}}},
      {"store_own_push", S, {{"push", 8}}},
      {"gemm_own_pop", G, {{"pop", 2}}},
      {"gemm_own_push", G, {{"push", 2}}},
      {"vector_own_pop", V, {{"pop", 4}}},
      {"vector_own_push", V, {{"push", 4}}},
      {"finish_tokens", F, {{"pop", 1}}},
      {"finish_tokens", F, {{"push", 8}}},
      {"load_buffer", L, {{"buffer", kAcc}}},
      {"load_buffer", L, {{"buffer", 6}}},
      {"load_window_known", L, {{"window", 8}}},
      {"load_window", L, {{"window", 0}}},
      {"load_widen", L, {{"widen", 1}}},
      {"load_run", L, {{"run", 0}}},
      {"load_x", L, {{"x_count", 0}}},
      {"load_y", L, {{"y_count", 0}}},
      {"load_z", L, {{"z_count", 0}}},
      {"load_base_inp", L, {{"sram_base", 2048}}},
      {"load_base_wgt", L, {{"buffer", kWgt}, {"sram_base", 128}}},
      {"load_base_out", L, {{"buffer", kOut}, {"sram_base", 512}}},
      {"load_base_par", L, {{"buffer", kPar}, {"sram_base", 128}}},
      {"load_base_uop", L, {{"buffer", kUop}, {"sram_base", 4096}}},
      {"store_buffer", S, {{"buffer", kInp}}},
      {"store_window", S, {{"window", 2}}},
      {"store_window", S, {{"window", 9}}},
      {"store_plain", S, {{"widen", 1}}},
      {"store_plain", S, {{"pad_value", 5}}},
      {"store_x_pad", S, {{"x_pad_after", 1}}},
      {"store_y_pad", S, {{"y_pad_before", 1}}},
      {"store_run", S, {{"run", 0}}},
      {"store_x", S, {{"x_count", 0}}},
      {"store_y", S, {{"y_count", 0}}},
      {"store_z", S, {{"z_count", 0}}},
      {"store_base", S, {{"sram_base", 512}}},
      {"gemm_count0", G, {{"count0", 0}}},
      {"gemm_count1", G, {{"count1", 0}}},
      {"gemm_count2", G, {{"count2", 0}}},
      {"gemm_count3", G, {{"count3", 0}}},
      {"gemm_count4", G, {{"count4", 0}}},
      {"gemm_uop_count", G, {{"uop_count", 0}}},
      {"gemm_uops", G, {{"uop_begin", 4095}, {"uop_count", 2}}},
      {"gemm_acc_base", G, {{"acc_base", 2048}}},
      {"gemm_inp_base", G, {{"inp_base", 2048}}},
      {"gemm_wgt_base", G, {{"wgt_base", 128}}},
      {"vector_op", V, {{"op", 7}}},
      {"vector_dst", V, {{"dst_buffer", kWgt}}},
      {"vector_a", V, {{"a_buffer", kPar}}},
      {"vector_b", V, {{"b_kind", 3}}},
      {"vector_count0", V, {{"count0", 0}}},
      {"vector_count1", V, {{"count1", 0}}},
      {"vector_count2", V, {{"count2", 0}}},
      {"vector_count3", V, {{"count3", 0}}},
      {"vector_count4", V, {{"count4", 0}}},
      {"vector_int8_init", V, {{"dst_buffer", kOut}, {"init", 0}}},
      {"vector_int8_mask", V, {{"dst_buffer", kOut}, {"reduce_mask", 16}}},
      {"vector_clamp", V, {{"dst_buffer", kOut}, {"clamp_min", 1}, {"clamp_max", -1}}},
      {"vector_hsum_a", V, {{"op", 6}}},
      {"vector_scale_b", V, {{"op", 0}}},
      {"vector_avg_b", V, {{"op", 5}, {"b_kind", 2}}},
      {"vector_avg_only", V, {{"shift", 3}}},
      {"vector_avg_only", V, {{"half", 3}}},
      {"vector_dst_base_acc", V, {{"dst_base", 2048}}},
      {"vector_dst_base_inp", V, {{"dst_buffer", kInp}, {"dst_base", 2048}}},
      {"vector_dst_base_out", V, {{"dst_buffer", kOut}, {"dst_base", 512}}},
      {"vector_a_base_acc", V, {{"a_base", 2048}}},
      {"vector_a_base_inp", V, {{"a_buffer", kInp}, {"a_base", 2048}}},
      {"vector_a_base_out", V, {{"a_buffer", kOut}, {"a_base", 512}}},
      {"vector_b_base", V, {{"b_kind", 1}, {"b_base", 128}}},
      {"vector_scale_base", V, {{"op", 0}, {"b_kind", 1}, {"b_base", 126}}},
  };
  return kCases;
}

std::string_view broken(const InsnWords& words, const Geometry& geometry) {
  const Rule* rule = find_broken_rule(words, geometry);
  return rule == nullptr ? "none" : rule->name;
}

TEST(Legality, SmallestInstructionsAreLegal) {
  for (Opcode op : {L, S, G, V, F}) EXPECT_EQ(broken(smallest(op), Geometry{}), "none") << to_string(op);
}

TEST(Legality, EachRuleIsReportedByName) {
  for (const Case& c : cases()) EXPECT_EQ(broken(changed(c), Geometry{}), c.rule);
}

TEST(Legality, EachReservedBitIsRefused) {
  for (Opcode op : {L, S, G, V, F}) {
    const InsnWords mask = reserved_mask(op);
    for (unsigned bit = 0; bit < 512; ++bit) {
      if (((mask[bit / 64] >> (bit % 64)) & 1) == 0) continue;
      InsnWords words = smallest(op);
      words[bit / 64] |= std::uint64_t{1} << (bit % 64);
      EXPECT_EQ(broken(words, Geometry{}), "reserved") << to_string(op) << " bit " << bit;
    }
  }
}

TEST(Legality, InpOfTheVectorUnitNeedsASquareArray) {
  Geometry oblong;
  oblong.block_out = 8;
  EXPECT_EQ(broken(changed({"", V, {{"dst_buffer", kInp}}}), oblong), "vector_dst_square");
  EXPECT_EQ(broken(changed({"", V, {{"a_buffer", kInp}}}), oblong), "vector_a_square");
  EXPECT_EQ(broken(changed({"", V, {{"a_buffer", kInp}, {"op", 6}}}), oblong), "none");
}

TEST(Legality, EveryRuleHasACase) {
  std::set<std::string_view> covered = {"reserved", "vector_dst_square", "vector_a_square"};
  for (const Case& c : cases()) covered.insert(c.rule);
  for (const Rule& rule : rules()) EXPECT_TRUE(covered.contains(rule.name)) << rule.name;
}

TEST(Legality, RulesDescribeThemselves) {
  EXPECT_EQ(describe_rule(1), "rule 1 (opcode): the opcode is one of the table");
  EXPECT_EQ(describe_rule(0), "");
  EXPECT_EQ(describe_rule(static_cast<unsigned>(rules().size()) + 1), "");
  for (const Rule& rule : rules()) EXPECT_EQ(&rules()[number_of(rule) - 1], &rule);
}

}  // namespace
}  // namespace vdla::isa
