// SPDX-License-Identifier: Apache-2.0
// Mutants differ from their program in one place, by kind, and are the same for the same draw.
#include "tests/isa/mutate.h"

#include <gtest/gtest.h>

#include "isa/random/random.h"

namespace vdla::isa {
namespace {

Program program_of(std::uint64_t seed) {
  RandomOptions options;
  options.seed = seed;
  return random_program(Geometry{}, options).program;
}

TEST(Mutate, EachKindFindsAPlaceAndChangesTheProgram) {
  for (const MutationKind kind : kMutationKinds) {
    unsigned found = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Program good = program_of(seed);
      Draw draw(seed), again(seed);
      const auto mutant = mutate(good, kind, draw);
      if (!mutant) continue;
      ++found;
      EXPECT_NE(mutant->program, good) << to_string(kind);
      EXPECT_EQ(mutant->kind, kind);
      EXPECT_FALSE(mutant->what.empty());
      EXPECT_EQ(mutate(good, kind, again)->program, mutant->program);
    }
    EXPECT_GT(found, 15u) << to_string(kind);
    EXPECT_FALSE(describe(kind).empty());
  }
}

TEST(Mutate, OneInstructionMoreOrLessKeepsMapAndEntriesInStep) {
  Program good = program_of(3);
  good.source_map.layers = {{"a", "b", ""}};
  for (std::uint32_t i = 0; i < good.insns.size(); ++i) {
    good.source_map.loops.push_back(std::to_string(i));
    good.source_map.insns.push_back({0, i});
  }
  good.entries = {{"all", 0, static_cast<std::uint32_t>(good.insns.size())}};
  Draw draw(1);
  for (int i = 0; i < 50; ++i)
    for (const MutationKind kind :
         {MutationKind::RemoveInsn, MutationKind::DuplicateInsn, MutationKind::MoveInsn,
          MutationKind::SwapNeighbours, MutationKind::EarlyFinish}) {
      const auto mutant = mutate(good, kind, draw);
      ASSERT_TRUE(mutant);
      const Program& p = mutant->program;
      ASSERT_EQ(p.source_map.insns.size(), p.insns.size());
      ASSERT_EQ(p.entries[0].insn_count, p.insns.size());
      if (kind == MutationKind::EarlyFinish) continue;
      for (std::size_t at = 0; at < p.insns.size(); ++at)
        ASSERT_EQ(p.insns[at], good.insns[p.source_map.insns[at].loop]) << to_string(kind);
    }
}

}  // namespace
}  // namespace vdla::isa
