// SPDX-License-Identifier: Apache-2.0
// The dynamic checker: each thing it must see, and that it sees nothing in programs that are right, in every
// order that their tokens allow.
#include "sim/check/explore.h"

#include <gmock/gmock.h>

#include "isa/random/random.h"
#include "isa/variants/variants.h"
#include "isa/verify/verify.h"
#include "tests/isa/mutate.h"
#include "tests/isa/text_program.h"

namespace vdla::sim {
namespace {

using isa::Window;
using testing::HasSubstr;

constexpr std::string_view kGood = R"(
  .uop 0, 0, 0
  load uop[0] = uop[0]
  load wgt[0] = const[0]
  load inp[0] = input[0] run 4 push gemm
  gemm acc[i1] = inp[i1] * wgt[0] for i1<4 pop load push vector
  vector out[i1] = add(acc[i1]) for i1<4 pop gemm push store
  store output[0] = out[0] run 4 pop vector
  finish 1
)";

Experiment experiment_of(std::string_view text, const isa::Geometry& geometry = {}) {
  Experiment e{isa::program_of(text, geometry), {}, {}};
  for (std::size_t i = 0; i < e.program.constants.size(); ++i)
    e.program.constants[i] = static_cast<std::byte>(i * 7 + 1);
  std::vector<std::byte> input(256);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<std::byte>(i * 3 + 5);
  e.inputs.push_back({Window::Input, 0, std::move(input)});
  e.outputs.push_back({Window::Output, 0, std::vector<std::byte>(64)});
  return e;
}

Exploration explore_text(std::string_view text, const isa::Geometry& geometry = {}) {
  return explore(experiment_of(text, geometry), {.systematic_orders = 500});
}

/// kGood with one piece of text replaced.
Exploration explore_changed(std::string_view from, std::string_view to) {
  std::string text(kGood);
  text.replace(text.find(from), from.size(), to);
  return explore_text(text);
}

std::string text_of(const Exploration& seen) {
  std::string text;
  for (const CheckFinding& f : seen.findings)
    text += std::string(to_string(f.kind)) + " " + std::to_string(f.insn) + " " +
            (f.other ? std::to_string(*f.other) : "-") + " " + f.resource + "\n";
  return text;
}

TEST(Checker, ARightProgramIsCleanInAllOrders) {
  const Exploration seen = explore_text(kGood);
  EXPECT_TRUE(seen.clean()) << text_of(seen);
  EXPECT_TRUE(seen.all_orders);
  EXPECT_EQ(seen.orders, 1u + 8u + 1u);  // tokens leave one order alone
}

TEST(Checker, AccessesThatNoTokenOrders) {
  const Exploration seen = explore_changed("pop gemm push store", "push store");
  EXPECT_THAT(text_of(seen), HasSubstr("unordered 4 3 acc[0]"));  // vector first, or
  EXPECT_THAT(text_of(seen), HasSubstr("unordered 3 4 acc[0]"));  // gemm first
  EXPECT_THAT(text_of(seen), HasSubstr("token_left 3 - channel gemm->vector"));
  EXPECT_FALSE(seen.outputs_agree);
}

TEST(Checker, OrdersThatMatterAreFoundOneByOne) {
  // Two loads into out race with a store between them: three orders are possible, and they do not agree.
  Experiment e = experiment_of(
      "load out[0] = input[0] push store\nload out[0] = input[16]\nstore output[0] = out[0] pop load\nfinish "
      "0");
  e.outputs[0].bytes.resize(16);
  const Exploration seen = explore(e, {.random_orders = 0, .systematic_orders = 100});
  EXPECT_TRUE(seen.all_orders);
  EXPECT_EQ(seen.orders, 1u + 2u);
  EXPECT_FALSE(seen.outputs_agree);
}

TEST(Checker, DramIsAResourceToo) {
  constexpr std::string_view kText =
      "load out[0] = input[0] run 4 push store\n"
      "store output[0] = out[0] run 4 pop load push load\n"
      "load inp[0] = output[48] {}\nfinish 0";
  const auto with = [&](std::string_view clause) {
    std::string text(kText);
    text.replace(text.find("{}"), 2, clause);
    return explore_text(text);
  };
  EXPECT_TRUE(with("pop store").clean()) << text_of(with("pop store"));
  const Exploration seen = with("");
  EXPECT_THAT(text_of(seen), HasSubstr("unordered 2 1 output byte 48"));
  EXPECT_THAT(text_of(seen), HasSubstr("unwritten 2 - output byte 48"));  // where the load comes first
}

TEST(Checker, ReadsOfWhatNothingHasWritten) {
  EXPECT_THAT(text_of(explore_changed("load wgt[0] = const[0]", "load wgt[1] = const[0]")),
              HasSubstr("unwritten 3 - wgt[0]"));
  EXPECT_THAT(text_of(explore_changed("gemm acc[i1] =", "gemm acc[i1] +=")),
              HasSubstr("unwritten 3 - acc[0]"));
  EXPECT_THAT(text_of(explore_changed("uop[0] = uop[0]", "uop[1] = uop[0]")),
              HasSubstr("unwritten 3 - uop[0]"));
  EXPECT_THAT(text_of(explore_changed("input[0] run 4", "act[0] run 4")),
              HasSubstr("unwritten 2 - act byte 0"));
  const Exploration half = explore_changed("run 4 pop vector", "run 3 pop vector");
  EXPECT_TRUE(half.findings.empty());
  EXPECT_FALSE(half.outputs_written);
}

TEST(Checker, RowsThatNothingWroteMayBeComputedWithButNotStored) {
  isa::Geometry g;
  g.batch = 2;
  const std::string good = isa::half_filled_entry(3), bad = isa::half_filled_entry(4);
  EXPECT_EQ(text_of(explore_text(good, g)), "");
  EXPECT_EQ(text_of(explore_text(bad, g)), "unwritten 5 - out[1]\n");
}

TEST(Checker, EndingsAndWhatStandsBehindAFinish) {
  const Exploration stuck = explore_changed("push vector", "");
  EXPECT_EQ(stuck.ending, Ending::Deadlock);
  EXPECT_THAT(stuck.why, HasSubstr("vector waits at instruction 4 for a token from gemm"));
  const Exploration outside = explore_changed("input[0] run 4", "input[65536] run 4");
  EXPECT_EQ(outside.ending, Ending::Error);
  EXPECT_EQ(outside.why, "window");
  EXPECT_THAT(text_of(explore_changed("  store output", "  finish 3\n  store output")),
              HasSubstr("unreachable 6 5"));
}

isa::Geometry geometry_of(const char* variant) { return isa::load_variant(variant).geometry; }

Experiment experiment_of(const isa::RandomProgram& random) {
  Experiment e{random.program, {}, {}};
  for (unsigned w = 0; w < isa::kWindowCount; ++w)
    if (!random.contents[w].empty()) {
      e.inputs.push_back({static_cast<Window>(w), 0, random.contents[w]});
      e.outputs.push_back({static_cast<Window>(w), 0, random.contents[w]});
    }
  return e;
}

TEST(Checker, RandomProgramsGiveTheSameResultsInAllOrders) {
  unsigned complete = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    isa::RandomOptions options;
    options.seed = seed;
    options.insns = 4 + static_cast<unsigned>(seed % 4);
    options.region = 12;
    const Experiment e = experiment_of(isa::random_program(geometry_of("tiny"), options));
    const Exploration seen = explore(e, {.seed = seed, .systematic_orders = 100});
    EXPECT_TRUE(seen.clean()) << "seed " << seed << "\n" << text_of(seen);
    complete += seen.all_orders ? 1 : 0;
  }
  EXPECT_GT(complete, 5u);
}

/// The rows of an array of four: the verifier and the checker must agree there too.
TEST(Checker, WhatTheVerifierProvesIsCleanOnOtherGeometries) {
  isa::Geometry rows;
  rows.batch = 4;
  rows.block_in = rows.block_out = 8;
  isa::Geometry shallow = geometry_of("tiny");
  shallow.queue_depth = shallow.token_depth = 2;
  unsigned proven = 0, faulty = 0;
  for (const isa::Geometry& g : {rows, shallow})
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      isa::RandomOptions options;
      options.seed = seed;
      options.insns = 20;
      options.max_steps = 60;
      Experiment e = experiment_of(isa::random_program(g, options));
      const isa::Program good = e.program;
      isa::Draw draw(seed);
      for (const isa::MutationKind kind : isa::kMutationKinds) {
        const auto mutant = isa::mutate(good, kind, draw);
        if (!mutant) continue;
        e.program = mutant->program;
        isa::VerifyOptions known;
        known.defined.emplace();
        for (const Stretch& s : e.inputs)
          known.defined->push_back({s.window, s.begin, s.begin + s.bytes.size()});
        const isa::Report report = isa::verify(e.program, known);
        const Exploration seen = explore(e, {.seed = seed, .random_orders = 2, .stop_at_fault = true});
        faulty += seen.clean() ? 0 : 1;
        proven += report.clean() ? 1 : 0;
        EXPECT_FALSE(report.clean() && !seen.clean())
            << "seed " << seed << " " << isa::to_string(kind) << " " << mutant->what << "\n"
            << text_of(seen) << to_string(seen.ending);
      }
    }
  EXPECT_GT(proven, 100u);
  EXPECT_GT(faulty, 200u);
}

}  // namespace
}  // namespace vdla::sim
