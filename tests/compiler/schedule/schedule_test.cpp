// SPDX-License-Identifier: Apache-2.0
// Schedules: what each primitive does to the loops of a stage, and which requests are refused with which
// words.
#include "compiler/schedule/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/expr/dsl.h"
#include "compiler/expr/print.h"
#include "tests/compiler/user_error.h"

namespace vdla::schedule {
namespace {

using namespace vdla::expr;
using testing::ElementsAre;

class ScheduleTest : public testing::Test {
 protected:
  std::vector<std::string> loops(const Tensor& tensor) {
    std::vector<std::string> names;
    for (const IterVar& leaf : s[tensor].leaves()) names.push_back(leaf.name());
    return names;
  }

  Tensor a = placeholder("A", {12, 10}, DType::F32), b = placeholder("B", {10, 8}, DType::F32);
  IterVar k = expr::reduce_axis(10, "k");
  Tensor p = compute("P", {12, 10}, [this](Value i, Value j) { return a(i, j) * 2; }, {"i", "j"});
  Tensor c =
      compute("C", {12, 8}, [this](Value i, Value j) { return sum(p(i, k) * b(k, j), {k}); }, {"i", "j"});
  Schedule s{{c}};
  Stage& stage = s[c];
  IterVar i = stage.axis(0), j = stage.axis(1);
};

TEST_F(ScheduleTest, SplitAndFuseReplaceLoopsInPlace) {
  auto [jo, ji] = stage.split(j, 3);
  EXPECT_THAT(loops(c), ElementsAre("i", "j.o", "j.i", "k"));
  EXPECT_EQ(jo.extent(), 3);
  EXPECT_EQ(ji.extent(), 3);
  IterVar fused = stage.fuse(i, jo);
  EXPECT_THAT(loops(c), ElementsAre("i.j.o", "j.i", "k"));
  EXPECT_EQ(fused.extent(), 36);
  auto [ko, ki] = stage.split_into(k, 5);
  EXPECT_EQ(ko.extent(), 5);
  EXPECT_EQ(ki.extent(), 2);
  EXPECT_TRUE(ko.is_reduce());
}

TEST_F(ScheduleTest, SplitIntoMakesAtMostThatManyParts) {
  auto [io, ii] = stage.split_into(i, 9);  // of 12
  EXPECT_EQ(io.extent(), 6);
  EXPECT_EQ(ii.extent(), 2);
  auto [jo, ji] = stage.split_into(j, INT64_MAX);
  EXPECT_EQ(jo.extent(), 8);
  EXPECT_EQ(ji.extent(), 1);
}

TEST_F(ScheduleTest, ARefusedCacheChangesNothing) {
  const std::string before = to_string(stage.compute().body);
  EXPECT_EQ(user_error([&] { s.cache_read(b, "", {c}); }),
            "cache_read of 'B' needs the name of a memory, got none");
  EXPECT_EQ(user_error([&] { s.cache_write(c, ""); }),
            "cache_write of 'C' needs the name of a memory, got none");
  EXPECT_EQ(to_string(stage.compute().body), before);
  EXPECT_EQ(to_script(s), "");
  EXPECT_EQ(s.stages().size(), 2u);
}

TEST_F(ScheduleTest, AnInlinedStageHasNoLoopsToChange) {
  s[p].compute_inline();
  const IterVar x = s[p].axis(0), y = s[p].axis(1);
  const auto refusal = [](const std::string& request) {
    return request +
           ": stage 'P' is computed inline, so it has no loops and no storage; compute_root it first";
  };
  EXPECT_EQ(user_error([&] { s[p].split(x, 2); }), refusal("split"));
  EXPECT_EQ(user_error([&] { s[p].split_into(x, 2); }), refusal("split"));
  EXPECT_EQ(user_error([&] { s[p].fuse(x, y); }), refusal("fuse"));
  EXPECT_EQ(user_error([&] { s[p].reorder({y, x}); }), refusal("reorder"));
  EXPECT_EQ(user_error([&] { s[p].vectorize(x); }), refusal("vectorize"));
  EXPECT_EQ(user_error([&] { s[p].bind(x, ForKind::ThreadX); }), refusal("bind"));
  EXPECT_EQ(user_error([&] { s[p].tensorize(x, "gemm"); }), refusal("tensorize"));
  EXPECT_EQ(user_error([&] { s[p].double_buffer(); }), refusal("double_buffer"));
  s[p].compute_root().split(x, 2);
}

TEST_F(ScheduleTest, ReorderKeepsTheOtherLoopsWhereTheyAre) {
  stage.reorder({k, i});
  EXPECT_THAT(loops(c), ElementsAre("k", "j", "i"));
}

TEST_F(ScheduleTest, TileOrdersOuterBeforeInner) {
  stage.tile(i, j, 4, 4);
  EXPECT_THAT(loops(c), ElementsAre("i.o", "j.o", "i.i", "j.i", "k"));
}

TEST_F(ScheduleTest, CacheReadRedirectsOnlyTheGivenReaders) {
  Tensor cached = s.cache_read(b, "wgt", {c});
  EXPECT_EQ(to_string(s[c].compute().body), "sum(P[i, k] * B.wgt[k, j], [k])");
  EXPECT_EQ(to_string(s[cached].compute().body), "B[ax0, ax1]");
  EXPECT_EQ(s[cached].scope(), "wgt");
  ASSERT_EQ(s.stages().size(), 3u);
  EXPECT_EQ(s.stages().back()->tensor(), c);
}

TEST_F(ScheduleTest, CacheWriteMovesTheReduction) {
  Tensor cached = s.cache_write(c, "acc");
  EXPECT_EQ(to_string(s[c].compute().body), "C.acc[i, j]");
  EXPECT_THAT(loops(c), ElementsAre("i", "j"));
  EXPECT_THAT(loops(cached), ElementsAre("i", "j", "k"));
  EXPECT_EQ(s[cached].reduce_axis(0), k);
}

TEST_F(ScheduleTest, RefusesLoopRequestsThatBreakARule) {
  EXPECT_EQ(user_error([&] { stage.split(j, 0); }),
            "split of 'j' in stage 'C' needs a positive factor, got 0");
  auto [io, ii] = stage.split(i, 4);
  EXPECT_EQ(user_error([&] { stage.split(i, 2); }),
            "split: axis 'i' is not a loop of stage 'C', whose loops are i.o, i.i, j, k");
  EXPECT_EQ(
      user_error([&] { stage.fuse(io, j); }),
      "fuse in stage 'C' needs 'j' directly inside 'i.o', the loops are i.o, i.i, j, k; reorder them first");
  EXPECT_EQ(user_error([&] { stage.fuse(j, k); }),
            "fuse in stage 'C' cannot mix a spatial axis and a reduce axis: 'j', 'k'");
  EXPECT_EQ(user_error([&] { stage.reorder({j, j}); }), "reorder of stage 'C' names axis 'j' twice");
  EXPECT_EQ(user_error([&] { stage.tile(j, io, 2, 2); }),
            "tile of stage 'C' needs 'j' outside 'i.o'; reorder them first");
}

TEST_F(ScheduleTest, RefusesAnnotationsThatBreakARule) {
  EXPECT_EQ(user_error([&] { stage.parallel(k); }),
            "parallel: axis 'k' of stage 'C' is a reduce axis, whose iterations depend on each other; choose "
            "a spatial axis");
  stage.vectorize(j);
  EXPECT_EQ(user_error([&] { stage.unroll(j); }), "unroll: axis 'j' of stage 'C' is already vectorized");
  EXPECT_EQ(user_error([&] { stage.split(j, 2); }),
            "split: axis 'j' of stage 'C' is already vectorized; split first");
  stage.tensorize(j, "dot");
  EXPECT_EQ(user_error([&] { stage.tensorize(i, "dot"); }),
            "tensorize: stage 'C' is already tensorized at axis 'j'");
}

TEST_F(ScheduleTest, RefusesToReshapeATensorizedAxis) {
  stage.tensorize(j, "dot");
  EXPECT_EQ(user_error([&] { stage.split(j, 2); }),
            "split: axis 'j' of stage 'C' is tensorized already; split first");
  EXPECT_EQ(user_error([&] { stage.fuse(i, j); }),
            "fuse: axis 'j' of stage 'C' is tensorized already; fuse first");
}

TEST_F(ScheduleTest, RefusesPlacesThatBreakARule) {
  EXPECT_EQ(user_error([&] { stage.compute_inline(); }),
            "compute_inline: stage 'C' is an output and must be stored");
  EXPECT_EQ(user_error([&] { stage.compute_at(s[p], i); }),
            "compute_at: stage 'C' is an output and stays at the root");
  EXPECT_EQ(user_error([&] { s[p].compute_at(stage, s[p].axis(0)); }),
            "compute_at: axis 'i' is not a loop of stage 'C', whose loops are i, j, k");
  EXPECT_EQ(user_error([&] { s[a]; }), "tensor 'A' has no stage: it is a placeholder");
  EXPECT_EQ(user_error([&] { stage.set_scope("acc"); }),
            "set_scope: stage 'C' is an output and lives in 'global', got 'acc'; cache_write it");
  stage.split(i, 2);
  EXPECT_EQ(user_error([&] { s.cache_write(c, "acc"); }),
            "cache_write of 'C' must come before its loops are changed");
  EXPECT_EQ(user_error([&] { s.cache_read(a, "inp", {c}); }),
            "cache_read of 'A': stage 'C' does not read it");
}

TEST_F(ScheduleTest, SharesStorageWithAStageOfOneShape) {
  Tensor acc = s.cache_write(c, "acc"), copy = s.cache_read(acc, "acc", {c});
  s[copy].share_storage(s[acc]);
  EXPECT_EQ(s[copy].shares_with(), &s[acc]);
  EXPECT_EQ(s[acc].shares_with(), nullptr);
  EXPECT_EQ(to_script(s), "cache_write C acc\ncache_read C.acc acc C\nshare_storage C.acc.acc C.acc\n");
  Schedule again({c});
  replay(again, to_script(s));
  EXPECT_EQ(to_script(again), to_script(s));
  EXPECT_EQ(user_error([&] { s[copy].share_storage(s[acc]); }),
            "share_storage: stage 'C.acc.acc' shares the storage of 'C.acc' already, got 'C.acc'");
  EXPECT_EQ(user_error([&] { s[copy].compute_inline(); }),
            "compute_inline: stage 'C.acc.acc' shares the storage of 'C.acc', and would have none");
  EXPECT_EQ(user_error([&] { s[acc].share_storage(s[copy]); }),
            "share_storage: stage 'C.acc' cannot take its own place, which 'C.acc.acc' takes over");
}

TEST_F(ScheduleTest, RefusesSharedStorageThatBreaksARule) {
  EXPECT_EQ(user_error([&] { s[p].share_storage(stage); }),
            "share_storage: stage 'C' is an output, whose storage is the caller's; cache_write it");
  EXPECT_EQ(user_error([&] { s[p].share_storage(s[p]); }),
            "share_storage: stage 'P' cannot take its own place");
  Tensor acc = s.cache_write(c, "acc");
  EXPECT_EQ(
      user_error([&] { s[acc].share_storage(s[p]); }),
      "share_storage: stage 'C.acc' and 'P' differ in shape or type of elements; an element lies in the "
      "place of the same element");
  s[p].compute_inline();
  EXPECT_EQ(user_error([&] { s[acc].share_storage(s[p]); }),
            "share_storage: stage 'P' is computed inline, so it has no loops and no storage; compute_root it "
            "first");
}

TEST_F(ScheduleTest, PadsInPlaceInARollingBuffer) {
  Tensor inner = compute("inner", {12, 8}, [&](Value x, Value y) { return c(x, y) * 2; });
  Tensor padded = compute("padded", {14, 8},
                          [&](Value x, Value y) { return select(x >= 1 && x < 13, inner(x - 1, y), 0); });
  Tensor d = compute("D", {12, 8}, [&](Value x, Value y) { return padded(x + 1, y); });
  Schedule t({d});
  EXPECT_EQ(t[padded].pads(), nullptr);
  t[padded].pad_in_place(t[inner]).rolling_buffer(3);
  EXPECT_EQ(t[padded].pads(), &t[inner]);
  EXPECT_EQ(t[padded].places(), 3);
  EXPECT_EQ(to_script(t), "pad_in_place padded inner\nrolling_buffer padded 3\n");
  Schedule again({d});
  replay(again, to_script(t));
  EXPECT_EQ(to_script(again), to_script(t));
  EXPECT_EQ(again[padded].pads(), &again[inner]);
  EXPECT_EQ(again[padded].places(), 3);
  EXPECT_EQ(user_error([&] { t[padded].pad_in_place(t[inner]); }),
            "pad_in_place: stage 'padded' lies around 'inner' already, got 'inner'");
  EXPECT_EQ(user_error([&] { t[inner].pad_in_place(t[inner]); }),
            "pad_in_place: stage 'inner' cannot lie around itself");
  EXPECT_EQ(user_error([&] { t[d].pad_in_place(t[inner]); }),
            "pad_in_place: stage 'D' is an output, whose storage is the caller's; cache_write it");
  EXPECT_EQ(user_error([&] { t[inner].rolling_buffer(0); }),
            "rolling_buffer: stage 'inner' needs at least one place, got 0");
  EXPECT_EQ(user_error([&] { t[padded].compute_inline(); }),
            "compute_inline: stage 'padded' has a rolling buffer, and would have no storage");
  Schedule once({d});
  once[padded].pad_in_place(once[inner]);
  EXPECT_EQ(user_error([&] { once[padded].compute_inline(); }),
            "compute_inline: stage 'padded' stores padding around 'inner', and would have no storage");
  EXPECT_EQ(user_error([&] { again[d].rolling_buffer(2); }),
            "rolling_buffer: stage 'D' is an output, whose storage is the caller's; cache_write it");
}

TEST_F(ScheduleTest, PadsStrides) {
  Tensor twice = compute("twice", {12, 8}, [&](Value x, Value y) { return c(x, y) * 2; }, {"x", "y"});
  Tensor d = compute("D", {12, 8}, [&](Value x, Value y) { return twice(x, y) + 1; });
  Schedule t({d});
  t[twice].pad_stride(t[twice].axis(0), 3);
  EXPECT_EQ(t[twice].free_behind(0), 3);
  EXPECT_EQ(t[twice].free_behind(1), 0);
  EXPECT_EQ(to_script(t), "pad_stride twice 0 3\n");
  Schedule again({d});
  replay(again, to_script(t));
  EXPECT_EQ(to_script(again), to_script(t));
  EXPECT_EQ(user_error([&] { t[twice].pad_stride(t[twice].axis(0), 1); }),
            "pad_stride: dimension 'x' of stage 'twice' is padded already");
  EXPECT_EQ(user_error([&] { t[twice].pad_stride(t[twice].axis(1), 0); }),
            "pad_stride: dimension 'y' of stage 'twice' needs at least one element, got 0");
  EXPECT_EQ(user_error([&] { t[twice].pad_stride(t[d].axis(1), 1); }),
            "pad_stride: axis 'ax1' is no dimension of stage 'twice'");
  EXPECT_EQ(user_error([&] { t[d].pad_stride(t[d].axis(1), 1); }),
            "pad_stride: stage 'D' is an output, whose storage is the caller's; cache_write it");
  EXPECT_EQ(user_error([&] { t[twice].compute_inline(); }),
            "compute_inline: the strides of stage 'twice' are padded, and it would have no storage");
}

TEST_F(ScheduleTest, RefusesToInlineAReduction) {
  Tensor d = compute("D", {12, 8}, [&](Value x, Value y) { return c(x, y) + 1; });
  Schedule t({d});
  EXPECT_EQ(
      user_error([&] { t[c].compute_inline(); }),
      "compute_inline: stage 'C' is a reduction, which needs storage; compute it at a loop of its reader");
}

TEST_F(ScheduleTest, AScriptIsReadBackToTheSameSchedule) {
  Tensor acc = s.cache_write(c, "acc");
  auto [ko, ki] = s[acc].split(k, 4);
  Tensor partial = s.rfactor(acc, ki);
  Tensor copy = s.cache_read(b, "shared", {partial});
  auto [io, jo, ii, ji] = stage.tile(i, j, 4, 3);
  stage.bind(io, ForKind::BlockX).bind(jo, ForKind::VThread);
  stage.vectorize(ji);
  s[acc].compute_at(stage, ii);
  s[copy].compute_at(stage, jo).double_buffer();
  s[p].compute_inline();
  s[partial].set_scope("local").parallel(s[partial].axis(1));
  const std::string script = to_script(s);
  EXPECT_EQ(script, R"(cache_write C acc
split C.acc k 4
rfactor C.acc k.i
cache_read B shared C.acc.rf
split C i 4
split C j 3
reorder C i.o j.o i.i j.i
bind C i.o block.x
bind C j.o vthread
vectorize C j.i
compute_at C.acc C i.i
compute_at B.shared C j.o
double_buffer B.shared
compute_inline P
set_scope C.acc.rf local
parallel C.acc.rf i
)");
  Schedule again({c});
  replay(again, "# a comment\n\n" + script);
  EXPECT_EQ(to_script(again), script);
  EXPECT_EQ(again[c].annotation(again[c].leaves()[1]), ForKind::VThread);
  EXPECT_TRUE(again[again.stages()[0]->tensor()].is_pristine() || again.stages().size() == s.stages().size());
  EXPECT_EQ(again.stages().size(), s.stages().size());
}

TEST_F(ScheduleTest, AScriptSaysWhereATensorizedStageIsReset) {
  Schedule t({c});
  t[c].tensorize(j, "dot4", Reset::Before);
  EXPECT_EQ(to_script(t), "tensorize C j dot4 reset_before\n");
  Schedule again({c});
  replay(again, to_script(t));
  EXPECT_EQ(again[c].tensorization()->reset, Reset::Before);
  Schedule plain({c});
  replay(plain, "tensorize C j dot4\n");
  EXPECT_EQ(plain[c].tensorization()->reset, Reset::InStep);
  EXPECT_THAT(user_error([&] {
                Schedule wrong({c});
                replay(wrong, "tensorize C j dot4 later\n");
              }),
              testing::HasSubstr("'later' behind the intrinsic, needs reset_before or nothing"));
}

TEST_F(ScheduleTest, LoopsOfOneNameAreWrittenByTheirPlace) {
  Tensor twice = expr::compute(
      "T", {expr::IterVar("x", 4, expr::IterKind::Spatial), expr::IterVar("x", 6, expr::IterKind::Spatial)},
      expr::int_imm(1));
  Schedule t({twice});
  t[twice].split(t[twice].axis(1), 2);
  EXPECT_EQ(to_script(t), "split T @1 2\n");
  Schedule again({twice});
  replay(again, to_script(t));
  EXPECT_EQ(again[twice].leaves()[1].extent(), 3);
}

TEST_F(ScheduleTest, WrongScriptsAreRefusedWithTheLine) {
  auto error = [&](const std::string& script) {
    Schedule fresh({c});
    return user_error([&] { replay(fresh, script); });
  };
  EXPECT_EQ(error("split C i 4\nsplit C i 2"), "line 2: stage 'C' has no loop 'i'");
  EXPECT_EQ(error("splat C i 4"), "line 1: no primitive 'splat', did you mean 'split'?");
  EXPECT_EQ(error("split Dense i 4"), "line 1: no stage 'Dense'");
  EXPECT_EQ(error("split C i four"), "line 1: 'four' is no number");
  EXPECT_EQ(error("split C i"), "line 1: 'split' needs a number");
  EXPECT_EQ(error("split C i 4 4"), "line 1: 'split' does not take so many words");
  EXPECT_EQ(error("unroll C @7"), "line 1: stage 'C' has 3 loops, got '@7'");
  EXPECT_EQ(error("bind C i grid"), "line 1: 'grid' is no axis of a grid");
  EXPECT_EQ(error("cache_read Z inp C"), "line 1: no tensor 'Z'");
  EXPECT_EQ(error("\nparallel C k"),
            "line 2: parallel: axis 'k' of stage 'C' is a reduce axis, whose iterations depend on each "
            "other; choose a "
            "spatial axis");
}

}  // namespace
}  // namespace vdla::schedule
