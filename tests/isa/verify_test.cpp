// SPDX-License-Identifier: Apache-2.0
// The verifier on small programs in text: a clean one, and each fault with its instruction, its partner and
// its resource.
#include "isa/verify/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <set>

#include "isa/semantics/nest.h"
#include "isa/verify/footprint.h"
#include "support/error.h"
#include "tests/isa/text_program.h"

namespace vdla::isa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kConvolution = R"(
  .uop 0, 0, 0
  load uop[0] = uop[0]
  load par[0] = const[0] run 3 push vector
  load wgt[0] = const[256] run 9
  load inp[16*y] = input[16*x + 224*y] for x<14 y<4 pad x 1 1 pad y 1 0 pad value -128 push gemm
  gemm acc[14*i1 + i2] = inp[16*i1 + i2 + 16*i3 + i4] * wgt[3*i3 + i4] for i1<3 i2<14 i3<3 i4<3 reduce i3 i4 pop load
  gemm acc[14*i1 + i2] += inp[16*i1 + i2] * wgt[0] for i1<3 i2<14 push vector
  vector out[i4] = scale(acc[i4], par[0]) for i4<42 pop load, gemm push store
  store act[16*x] = out[0] for x<42 run 1 pop vector
  finish 1
)";

std::vector<FindingKind> kinds(const Report& report) {
  std::vector<FindingKind> list;
  for (const Finding& f : report.findings) list.push_back(f.kind);
  return list;
}

Report check_text(std::string_view text, const Geometry& g = {}) { return verify(program_of(text, g)); }

/// kConvolution with one piece of text replaced.
Report check_changed(std::string_view from, std::string_view to) {
  std::string text(kConvolution);
  text.replace(text.find(from), from.size(), to);
  return check_text(text);
}

TEST(Verify, ACorrectProgramIsClean) {
  const Report report = check_text(kConvolution);
  EXPECT_TRUE(report.clean()) << report.text();
  require_verified(program_of(kConvolution));
}

TEST(Verify, MissingOrderIsNamedOnBothSides) {
  const Report report = check_changed("reduce i3 i4 pop load", "reduce i3 i4");
  EXPECT_THAT(report.text(), HasSubstr("instruction 4 (gemm) reads inp[0..79] that instruction 3 (load) "
                                       "writes, and no token orders them"));
  EXPECT_THAT(report.text(),
              HasSubstr("instruction 3 (load) pushes a token into load->gemm that no instruction takes"));
  EXPECT_THAT(kinds(report), testing::Contains(FindingKind::TokenLeft));
  const Report store = check_changed("pop vector\n", "\n");
  EXPECT_THAT(store.text(), HasSubstr("instruction 7 (store) reads out[0..41] that instruction 6 (vector) "
                                      "writes, and no token orders them"));
}

TEST(Verify, OverwritingWhatAnotherUnitReadsNeedsAToken) {
  constexpr std::string_view kText = R"(
    .uop 0, 0, 0
    load uop[0] = uop[0]
    load wgt[0] = const[0]
    load inp[0] = input[0] run 4 push gemm
    gemm acc[0] = inp[2] * wgt[0] pop load
    load inp[2] = input[64]
    finish 0)";
  const Report report = check_text(kText);
  ASSERT_EQ(report.total, 1u) << report.text();
  EXPECT_EQ(report.findings[0].kind, FindingKind::Unordered);
  EXPECT_EQ(report.findings[0].insn, 4u);
  EXPECT_EQ(report.findings[0].other, 3u);
  EXPECT_EQ(report.findings[0].resource, "inp[2]");
}

TEST(Verify, OrderIsTransitive) {
  EXPECT_TRUE(check_text(R"(
    load out[0] = input[0]
    load uop[0] = uop[0]
    load wgt[0] = const[0]
    load inp[0] = input[0] push gemm
    .uop 0, 0, 0
    gemm acc[1] = inp[0] * wgt[0] pop load
    gemm acc[1] += inp[0] * wgt[0] push store
    store act[0] = out[0] pop gemm
    finish 0)")
                  .clean());
  EXPECT_FALSE(check_text("load out[0] = input[0]\nstore act[0] = out[0]\nfinish 1").clean());
}

TEST(Verify, DramIsAResourceToo) {
  constexpr std::string_view kText = R"(
    load out[0] = input[0] run 4 push store
    store act[0] = out[0] run 4 pop load push load
    load inp[0] = act[48] {}
    finish 0)";
  const auto with = [&](std::string_view clause) {
    std::string text(kText);
    text.replace(text.find("{}"), 2, clause);
    return check_text(text);
  };
  EXPECT_TRUE(with("pop store").clean()) << with("pop store").text();
  const Report report = with("");
  EXPECT_THAT(report.text(),
              HasSubstr("instruction 2 (load) reads act bytes 48 to 63 that instruction 1 (store) writes"));
  EXPECT_THAT(report.text(), HasSubstr("pushes a token into store->load that no instruction takes"));
}

TEST(Verify, DeadlocksNameUnitsAndChannels) {
  const Report missing = check_text("load inp[0] = act[0] pop gemm\nfinish 0");
  ASSERT_EQ(missing.total, 1u);
  EXPECT_EQ(missing.findings[0].kind, FindingKind::Deadlock);
  EXPECT_EQ(missing.findings[0].message, "instruction 0 (load) waits forever for a token of gemm->load");
  Geometry shallow;
  shallow.token_depth = 2;
  std::string text;
  for (int i = 0; i < 3; ++i) text += "load inp[0] = act[0] push vector\n";
  text += "load par[0] = const[0] push store\nstore act[0] = out[0] pop load push vector\n";
  text += "vector acc[0] = add(inp[0]) pop store\n";
  for (int i = 0; i < 3; ++i) text += "vector acc[0] = add(inp[0]) pop load\n";
  text += "finish 0\n";
  const Report full = check_text(text, shallow);
  EXPECT_THAT(full.text(), HasSubstr("instruction 2 (load) waits forever for room in load->vector"));
  EXPECT_THAT(full.text(), HasSubstr("instruction 5 (vector) waits forever for a token of store->vector"));
  EXPECT_EQ(kinds(check_text(text)),
            std::vector<FindingKind>{FindingKind::Unwritten});  // out is not written, nothing else
}

/// The next instruction takes its token while an older one of its unit still waits for room for its own.
TEST(Verify, WhoWaitsForRoomDoesNotHoldBackTheNext) {
  Geometry shallow;
  shallow.token_depth = 2;
  std::string text;
  const auto three = [&](const std::string& line) {
    for (int i = 0; i < 3; ++i) text += line + "\n";
  };
  three("load wgt[0] = const[0] push vector");
  three("vector acc[0] = add(acc[0], #1) push load");
  three("load wgt[0] = const[0] pop vector");
  three("vector acc[0] = add(acc[0], #1) pop load");
  EXPECT_THAT(kinds(check_text(text + "finish 0\n", shallow)),
              testing::Not(testing::Contains(FindingKind::Deadlock)));
  three("load wgt[0] = const[0] push vector");  // two tokens and one that finds no room
  EXPECT_THAT(kinds(check_text(text + "finish 0\n", shallow)), testing::Contains(FindingKind::Deadlock));
}

/// A full queue holds fetch back: what the unit waits for may be behind it.
TEST(Verify, QueueDepthCanDeadlock) {
  Geometry g;
  g.queue_depth = 2;
  std::string text = "load inp[0] = act[0] pop vector\nload inp[1] = act[0]\nload inp[2] = act[0]\n";
  text += "vector acc[0] = add(acc[0]) push load\nfinish 0\n";
  EXPECT_THAT(kinds(check_text(text, g)), testing::Contains(FindingKind::Deadlock));
  g.queue_depth = 4;
  EXPECT_THAT(kinds(check_text(text, g)), ElementsAre(FindingKind::Unwritten));
}

TEST(Verify, BoundsOfBuffersAndWindows) {
  const Report sram = check_text("load inp[2000] = input[0] run 49\nfinish 0");
  EXPECT_EQ(sram.findings.at(0).message,
            "instruction 0 (load) reaches inp[2048], the buffer has 2048 entries");
  const Report below = check_text("load inp[1 - y] = input[0] for y<3\nfinish 0");
  EXPECT_EQ(below.findings.at(0).resource, "inp[-1]");
  EXPECT_TRUE(check_text("load inp[2 - y] = input[0] for y<3\nfinish 0").clean());
  const Report window = check_text("load inp[0] = input[65521]\nfinish 0");
  EXPECT_EQ(window.findings.at(0).message,
            "instruction 0 (load) reaches byte 65536 of window input, which has 65536");
  EXPECT_TRUE(check_text("load inp[0] = input[65520]\nfinish 0").clean());
}

TEST(Verify, MicroOpsTakePartInBounds) {
  constexpr std::string_view kText = R"(
    .uop 0, 0, 0
    .uop 5, 3000, 0
    load uop[0] = uop[0] run 2
    load wgt[0] = const[0]
    load inp[0] = input[0] push gemm
    gemm acc[0] = inp[0] * wgt[0] uops[{}] pop load
    finish 0)";
  std::string good(kText), bad(kText), unknown(kText);
  good.replace(good.find("{}"), 2, "0, 1");
  bad.replace(bad.find("{}"), 2, "0, 2");
  unknown.replace(unknown.find("{}"), 2, "0, 3");
  EXPECT_TRUE(check_text(good).clean()) << check_text(good).text();
  EXPECT_THAT(check_text(bad).text(), HasSubstr("instruction 3 (gemm) reaches inp[3000]"));
  EXPECT_THAT(check_text(unknown).text(),
              HasSubstr("uses uop[2], which no load from window uop has written"));
}

TEST(Verify, ReadsOfUnwrittenEntries) {
  EXPECT_THAT(check_changed("load wgt[0] = const[256] run 9", "load wgt[0] = const[256] run 8").text(),
              HasSubstr("reads wgt[8], which nothing has written"));
  EXPECT_THAT(check_changed("gemm acc[14*i1 + i2] = ", "gemm acc[14*i1 + i2] += ").text(),
              HasSubstr("instruction 4 (gemm) reads acc[0..41], which nothing has written"));
  EXPECT_THAT(check_text("vector acc[0] += add(acc[0], #1)\nfinish 0").text(), HasSubstr("reads acc[0]"));
  // A chain through an entry that the instruction itself has written.
  EXPECT_TRUE(check_text("load inp[0] = input[0] push vector\nvector acc[0] = add(inp[0]) pop load\n"
                         "vector acc[1 + i4] = mac(acc[i4], #2) for i4<8\nfinish 0")
                  .clean());
  EXPECT_FALSE(check_text("vector acc[1 + i4] = mac(acc[i4], #2) for i4<8\nfinish 0").clean());
}

TEST(Verify, ReductionsThatMoveAlongTheAccumulators) {
  // Only the first of four entries is initialised: the others are read unwritten.
  const Report report = check_text(
      "load inp[0] = input[0] push vector\n"
      "vector acc[i4] = add(inp[0]) for i4<4 reduce i4 pop load\nfinish 0");
  EXPECT_THAT(report.text(), HasSubstr("reads acc[1..3], which nothing has written"));
}

TEST(Verify, UnwrittenDramOnRequest) {
  Program p = program_of("load inp[0] = act[100] push store\nfinish 0");
  std::get<MemoryInsn>(p.insns[0]).push = 0;
  EXPECT_TRUE(verify(p).clean());
  VerifyOptions options;
  options.defined.emplace();
  EXPECT_THAT(verify(p, options).text(), HasSubstr("reads act bytes 100 to 115, which nothing has written"));
  options.defined->push_back({Window::Act, 0, 110});
  EXPECT_THAT(verify(p, options).text(), HasSubstr("reads act bytes 110 to 115"));
  options.defined->push_back({Window::Act, 110, 116});
  EXPECT_TRUE(verify(p, options).clean());
}

TEST(Verify, IllegalInstructionsAndMissingFinish) {
  Program p = program_of("gemm acc[0] = inp[0] * wgt[0] uops[5000, 1]\nfinish 0");
  EXPECT_THAT(verify(p).text(), HasSubstr("instruction 0 (gemm) is illegal: rule"));
  p = program_of("load inp[0] = act[0]");
  EXPECT_THAT(verify(p).text(), HasSubstr("is the last one, needs to be finish"));
  EXPECT_THROW(verify(Program{}), UserError);
}

TEST(Verify, MessagesNameTheLayerAndAreLimited) {
  Program p = program_of("store act[0] = out[0]\nstore act[0] = out[1]\nstore act[0] = out[2]\nfinish 0");
  p.source_map.layers = {{"conv1", "conv2d", ""}};
  p.source_map.insns.assign(4, {0, Source::kNone});
  VerifyOptions options;
  options.max_findings = 2;
  const Report report = verify(p, options);
  EXPECT_EQ(report.total, 3u);
  EXPECT_THAT(report.text(), HasSubstr("instruction 0 (store) of layer 'conv1' (conv2d) reads out[0]"));
  EXPECT_THAT(report.text(), HasSubstr("and 1 more"));
  EXPECT_THROW(require_verified(p), UserError);
}

TEST(Verify, SramIsUnwrittenAtEachEntryAndDramKeepsItsBytes) {
  Program p = program_of(
      "load out[0] = input[0] push store\nstore act[0] = out[0] pop load\nfinish 0\n"
      "store act[64] = out[0]\nload inp[0] = act[0]\nload inp[1] = act[16]\nfinish 1");
  p.entries = {{"a", 0, 3}, {"b", 3, 4}};
  VerifyOptions options;
  options.defined = {{Window::Input, 0, 64}};
  const Report report = verify(p, options);
  EXPECT_EQ(report.total, 2u) << report.text();
  EXPECT_THAT(report.text(), HasSubstr("instruction 3 (store) reads out[0], which nothing has written"));
  EXPECT_THAT(report.text(), HasSubstr("instruction 5 (load) reads act bytes 16 to 31"));
}

TEST(Verify, NothingRunsBehindAFinish) {
  const Report report = check_text("load out[0] = input[0]\nfinish 0\nstore act[0] = out[0]\nfinish 1");
  ASSERT_EQ(report.total, 1u) << report.text();
  EXPECT_EQ(report.findings[0].kind, FindingKind::Unreachable);
  EXPECT_EQ(report.findings[0].message,
            "instruction 2 (store) never runs: instruction 1 (finish) ends the run");
}

/// The load waits for a store that stands behind it in the text but not in time.
TEST(Verify, OrderIsThatOfTheTokensNotOfTheText) {
  EXPECT_TRUE(check_text("load out[0] = input[0] push store\n"
                         "load inp[0] = act[0] pop store\n"
                         "store act[0] = out[0] pop load push load\nfinish 0")
                  .clean());
  const Report report = check_text(
      "store act[0] = out[0] pop load\n"
      "load out[0] = input[0] push store\nfinish 0");
  EXPECT_TRUE(report.clean()) << report.text();
}

TEST(Verify, ResultsMustBeWritten) {
  Program p =
      program_of("load out[0] = input[0] run 2 push store\nstore output[0] = out[0] pop load\nfinish 0");
  VerifyOptions options;
  options.results = {{Window::Output, 0, 16}};
  EXPECT_TRUE(verify(p, options).clean());
  options.results.push_back({Window::Output, 16, 32});
  const Report report = verify(p, options);
  ASSERT_EQ(report.total, 1u);
  EXPECT_EQ(report.findings[0].kind, FindingKind::ResultMissing);
  EXPECT_THAT(report.text(), HasSubstr("nothing has written its result in output bytes 16 to 31"));
}

/// An array of two rows: three positions fill the second entry by half.
TEST(Verify, RowsThatNothingWroteMayBeComputedWithButNotStored) {
  Geometry g;
  g.batch = 2;
  const std::string good = half_filled_entry(3), bad = half_filled_entry(4);
  EXPECT_TRUE(check_text(good, g).clean()) << check_text(good, g).text();
  const Report report = check_text(bad, g);
  ASSERT_EQ(report.total, 1u) << report.text();
  EXPECT_EQ(report.findings[0].message,
            "instruction 5 (store) reads out[1], some rows of which nothing has written");
}

/// Counts that no program needs: the answer must come all the same.
TEST(Verify, HugeNestsTakeNoTime) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(check_text("load inp[0] = input[17*x + 18*y] for x<1800 y<1800\nfinish 0").clean());
  check_text("load inp[0] = input[0] for x<1 y<65535 z<65535\nfinish 0");
  check_text("load uop[0] = uop[0] for x<1 y<65535 z<65535\n.uop 0, 0, 0\nfinish 0");
  check_text(
      "vector acc[2*i0 + 2*i1 + 2*i2 + 2*i3 + 2*i4] += add(acc[0]) for i0<200 i1<200 i2<200 i3<200 "
      "i4<200 reduce i0\nfinish 0");
  check_text("vector acc[i0] = add(acc[1]) for i0<2 i1<65535 i2<65535 i3<65535 i4<65535 reduce i0\nfinish 0");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(Footprint, BoxesAreTheirPoints) {
  const Box box{{100, 300}, 2, {{3, 10}, {4, -40}, {2, 1}}};
  std::set<std::uint64_t> points;
  for (std::int64_t base : {100, 300})
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 4; ++b)
        for (int c = 0; c < 2; ++c)
          for (int r = 0; r < 2; ++r)
            points.insert(static_cast<std::uint64_t>(base + 200 + 10 * a - 40 * b + c + r));
  Box shifted = box;
  for (auto& base : shifted.bases) base += 200;
  for (std::uint64_t limit : {std::uint64_t{1024}, UINT64_MAX}) {
    std::set<std::uint64_t> found;
    std::uint64_t last = 0;
    for (const Interval& i : intervals_of(shifted, limit)) {
      EXPECT_TRUE(found.empty() || i.begin > last);
      last = i.end;
      for (std::uint64_t p = i.begin; p < i.end; ++p) found.insert(p);
    }
    EXPECT_EQ(found, points);
  }
  EXPECT_EQ(static_cast<std::uint64_t>(shifted.lowest()), *points.begin());
  EXPECT_EQ(static_cast<std::uint64_t>(shifted.highest()), *points.rbegin());
}

/// Some thousand instructions, as a whole network has, take well under a second.
TEST(Verify, IsFast) {
  std::string text =
      ".uop 0, 0, 0\nload uop[0] = uop[0]\nload par[0] = const[0] run 3\nload wgt[0] = const[0] run 9 push "
      "vector\n";
  text += "vector acc[0] = add(par[0]) pop load\n";
  text = ".uop 0, 0, 0\nload uop[0] = uop[0]\nload par[0] = const[0] run 3\nload wgt[0] = const[0] run 9\n";
  for (int i = 0; i < 1000; ++i) {
    const std::string half = i % 2 == 0 ? "" : "1024 + ", out = i % 2 == 0 ? "" : "256 + ",
                      out_base = i % 2 == 0 ? "0" : "256";
    const std::string again = i < 2 ? "" : " pop gemm", vector_again = i < 2 ? "" : ", store",
                      gemm_again = i < 2 ? "" : ", vector";
    text +=
        "load inp[" + half + "58*y] = input[16*x + 928*y] for x<56 y<4 pad x 1 1 push gemm" + again + "\n";
    text += "gemm acc[" + half + "56*i1 + i2] = inp[" + half +
            "58*i1 + i2 + 58*i3 + i4] * wgt[3*i3 + i4] for i1<2 i2<56 i3<3 i4<3 reduce i3 i4 pop load" +
            gemm_again + " push vector, load\n";
    text += "vector out[" + out + "i4] = scale(acc[" + half + "i4], par[0]) for i4<112 pop gemm" +
            vector_again + " push store, gemm\n";
    text += "store act[16*x] = out[" + out_base + "] for x<112 pop vector push vector\n";
  }
  text += "finish 0\n";
  const Program p = program_of(text);
  const auto begin = std::chrono::steady_clock::now();
  const Report report = verify(p);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (const Finding& f : report.findings) EXPECT_EQ(f.kind, FindingKind::TokenLeft) << f.message;
  EXPECT_LT(seconds, 1.0);
  RecordProperty("seconds", std::to_string(seconds));
}

/// What is needed of the entries that a nest of up to 3 x 3 x 3 x 3 x 3 steps touches, step by step.
Intervals needed_step_by_step(const VectorInsn& insn, bool reads_a) {
  std::set<std::uint16_t> written, needed;
  for_each_iteration(insn.levels, [&](const Counters& c) {
    const VectorStep step = vector_step_at(insn, c);
    if (reads_a && !written.contains(step.a)) needed.insert(step.a);
    if (!reads_a && !step.first && !written.contains(step.dst)) needed.insert(step.dst);
    written.insert(step.dst);
    return true;
  });
  Intervals intervals;
  for (const std::uint16_t entry : needed)
    if (!intervals.empty() && intervals.back().end == entry)
      ++intervals.back().end;
    else
      intervals.push_back({entry, entry + 1u});
  return intervals;
}

/// Levels that move along nothing are walked once (fuzz target words: 12 million steps of one entry).
TEST(Footprint, RepeatsNeedWhatOneIterationNeeds) {
  std::mt19937 random(1);
  int repeats = 0;
  for (int n = 0; n < 3000; ++n) {
    VectorInsn insn;
    insn.dst_buffer = insn.a_buffer = Buffer::Acc;
    insn.init = random() % 4 != 0;
    insn.reduce_mask = static_cast<std::uint8_t>(random() % 32);
    insn.dst_base = static_cast<std::uint16_t>(random() % 4);
    insn.a_base = static_cast<std::uint16_t>(random() % 4);
    for (VectorLevel& level : insn.levels) {
      level.count = static_cast<std::uint16_t>(1 + random() % 3);
      level.dst_stride = static_cast<std::uint16_t>(random() % 3);
      level.a_stride = static_cast<std::uint16_t>(random() % 3);
      repeats += level.count > 1 && level.dst_stride == 0 && level.a_stride == 0;
    }
    EXPECT_EQ(operand_entries(insn, {}), needed_step_by_step(insn, true)) << n;
    if (insn.init) EXPECT_EQ(accumulated_entries(insn, {}, {}), needed_step_by_step(insn, false)) << n;
  }
  EXPECT_GT(repeats, 500);
}

TEST(Footprint, AMillionRepeatsAreAsGoodAsOne) {
  for (const char* repeats : {"i3<1 i4<1", "i3<48384 i4<256"}) {
    const Report report =
        check_text(std::string("  vector acc[0] += mac(acc[1], #-3) for ") + repeats + "\n  finish 1\n");
    EXPECT_EQ(kinds(report), (std::vector{FindingKind::Unwritten, FindingKind::Unwritten})) << repeats;
  }
}

}  // namespace
}  // namespace vdla::isa
