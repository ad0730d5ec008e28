// SPDX-License-Identifier: Apache-2.0
// Cover points: each reachable one has an example that hits it, the rules alone exclude the others, and the
// directed programs are clean and hit all of them.
#include "isa/coverage/program.h"

#include <gmock/gmock.h>

#include "isa/coverage/breakers.h"
#include "isa/coverage/directed.h"
#include "isa/random/random.h"
#include "isa/variants/variants.h"
#include "isa/verify/verify.h"

namespace vdla::isa {
namespace {

Geometry oblong() {
  Geometry g = load_variant("tiny").geometry;
  g.batch = 4;
  g.block_in = 8;
  g.token_depth = 4;
  g.queue_depth = 4;
  return g;
}

std::vector<std::string> uncovered(const ProgramCoverage& cover) {
  std::vector<std::string> all;
  for (const CoverTable& table : cover.tables()) {
    if (table.name() == "rule" || table.name() == "error") continue;  // of a device's registers
    const CoverSummary summary = summarize(table);
    all.insert(all.end(), summary.uncovered.begin(), summary.uncovered.end());
    for (const std::string& point : summary.unexpected) all.push_back("unexpected " + point);
  }
  return all;
}

class Coverage : public testing::TestWithParam<std::string> {
 protected:
  static Geometry geometry() { return GetParam() == "oblong" ? oblong() : load_variant(GetParam()).geometry; }
  ProgramCoverage cover_{geometry()};
};

TEST_P(Coverage, EachExampleHitsItsPoint) {
  for (std::size_t k = 0; k < cover_.tables().size(); ++k) {
    const CoverTable& table = cover_.tables()[k];
    for (std::size_t p = 0; p < table.size(); ++p) {
      const auto example = cover_.example(static_cast<CoverKind>(k), p);
      if (!example) continue;
      cover_.note(example->insn, example->uops);
      EXPECT_NE(table.hits(p), 0u) << table.label(p);
    }
  }
  EXPECT_THAT(uncovered(cover_), testing::IsEmpty());
}

TEST_P(Coverage, DirectedProgramsAreCleanAndHitEveryPoint) {
  for (const DirectedProgram& directed : directed_programs(cover_)) {
    const Report report = verify(directed.program);
    ASSERT_TRUE(report.clean()) << directed.name << "\n" << report.text();
    cover_.note(directed.program);
  }
  EXPECT_THAT(uncovered(cover_), testing::IsEmpty());
}

TEST_P(Coverage, RandomProgramsHitNothingThatTheRulesExclude) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    RandomOptions options;
    options.seed = seed;
    cover_.note(random_program(geometry(), options).program);
  }
  for (const CoverTable& table : cover_.tables())
    EXPECT_THAT(summarize(table).unexpected, testing::IsEmpty());
}

TEST_P(Coverage, BreakersBreakTheirRuleAlone) {
  const auto breakers = rule_breakers(geometry());
  ASSERT_EQ(breakers.size(), rules().size());
  for (std::size_t r = 0; r < breakers.size(); ++r) {
    if (!breakers[r]) continue;
    const Rule* broken = find_broken_rule(*breakers[r], geometry());
    ASSERT_NE(broken, nullptr);
    EXPECT_EQ(number_of(*broken), r + 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, Coverage, testing::Values("tiny", "paper", "oblong"),
                         [](const auto& info) { return info.param; });

/// A rule is out of reach only where the shape of the array decides it; every rule is in reach of some
/// geometry.
TEST(CoverageRules, OnlyRulesAboutTheShapeAreOutOfReach) {
  const auto square = rule_breakers(load_variant("tiny").geometry);
  const auto wide = rule_breakers(oblong());
  for (std::size_t r = 0; r < rules().size(); ++r) {
    EXPECT_TRUE(square[r] || wide[r]) << rules()[r].name;
    const bool about_shape = rules()[r].name == "vector_dst_square" || rules()[r].name == "vector_a_square";
    EXPECT_EQ(square[r].has_value(), !about_shape) << rules()[r].name;
  }
}

TEST(CoverageFields, BoundsComeFromTheRules) {
  const ProgramCoverage cover(load_variant("tiny").geometry);
  std::vector<std::string> labels = cover[CoverKind::Field].axes()[0].labels;
  // buffers of 256 entries: a run of 256 pieces; 256 columns of padding with no column read; counts of what
  // stays in place: 65535
  EXPECT_THAT(labels,
              testing::IsSupersetOf({"load.run=1", "load.run=256", "load.x_count=0", "load.x_count=256",
                                     "load.x_pad_before=256", "load.y_count=65535", "store.run=64",
                                     "store.pad_value=0", "gemm.uop_count=256", "gemm.count0=1",
                                     "gemm.count0=65535", "gemm.reduce_mask=63", "vector.b_base=65535",
                                     "vector.shift=63", "vector.imm=-2147483648", "vector.a_offset=32767",
                                     "load.dram_offset=281474976710655", "finish.sequence=4294967295"}));
  EXPECT_THAT(labels, testing::Not(testing::Contains("store.x_count=0")));
}

TEST(CoverageTables, AddHitsOfTwoCollectors) {
  ProgramCoverage a(load_variant("tiny").geometry), b = a;
  a.note(MemoryInsn{});
  b.note(MemoryInsn{});
  add_hits(a.tables(), b.tables());
  EXPECT_EQ(a[CoverKind::Move].hits(a[CoverKind::Move].place({0, 0, static_cast<unsigned>(Window::Act), 0})),
            2u);
  EXPECT_EQ(a[CoverKind::Move].label(a[CoverKind::Move].place({0, 0, static_cast<unsigned>(Window::Act), 0})),
            "move: load inp act plain");
}

}  // namespace
}  // namespace vdla::isa
