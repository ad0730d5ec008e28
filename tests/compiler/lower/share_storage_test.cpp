// SPDX-License-Identifier: Apache-2.0
// Stages that lie where earlier ones lay: what they become, and what lowering refuses, each with its words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "compiler/expr/dsl.h"
#include "compiler/loop/print.h"
#include "compiler/lower/lower.h"
#include "tests/compiler/user_error.h"

namespace vdla::lower {
namespace {

using namespace vdla::expr;
using schedule::Schedule;
using testing::HasSubstr;

/// C = scaled sums of rows of A, over two more steps: acc, first, second.
class ShareStorageTest : public testing::Test {
 protected:
  std::string text() const { return loop::to_string(lower(s, {a, c}, "f")); }
  std::string error() const {
    return user_error([&] { lower(s, {a, c}, "f"); });
  }

  IterVar k = reduce_axis(3, "k");
  Tensor a = placeholder("A", {8, 16, 3}, DType::I32);
  Tensor acc = compute("acc", {8, 16}, [this](Value i, Value j) { return sum(a(i, j, k), {k}); }, {"i", "j"});
  Tensor first = compute("first", {8, 16}, [this](Value i, Value j) { return acc(i, j) * 2; }, {"i", "j"});
  Tensor second =
      compute("second", {8, 16}, [this](Value i, Value j) { return first(i, j) + 1; }, {"i", "j"});
  Tensor c = compute("C", {8, 16}, [this](Value i, Value j) { return second(i, j) * 5; }, {"i", "j"});
  Schedule s{{c}};
};

TEST_F(ShareStorageTest, AStageInThePlaceOfOneAtALoopFurtherOut) {
  auto [io, ii] = s[c].split(s[c].axis(0), 4);
  auto [jo, ji] = s[c].split(s[c].axis(1), 8);
  s[c].reorder({io, jo, ii, ji});
  s[acc].compute_at(s[c], io);
  s[first].compute_at(s[c], jo);
  s[second].compute_at(s[c], jo);
  s[second].share_storage(s[acc]);
  EXPECT_EQ(text(), R"(func f(in A: i32[8, 16, 3], out C: i32[8, 16]) {
  for i.o in 0..2 {
    alloc acc: i32[4, 16]
    for i_2 in 0..4 {
      for j_2 in 0..16 {
        acc[i_2, j_2] = 0i32
        for k in 0..3 {
          acc[i_2, j_2] = acc[i_2, j_2] + A[i.o * 4 + i_2, j_2, k]
        }
      }
    }
    for j.o in 0..2 {
      alloc first: i32[4, 8]
      for i_1 in 0..4 {
        for j_1 in 0..8 {
          first[i_1, j_1] = acc[i_1, j.o * 8 + j_1] * 2i32
        }
      }
      for i in 0..4 {
        for j in 0..8 {
          acc[i, j.o * 8 + j] = first[i, j] + 1i32
        }
      }
      for i.i in 0..4 {
        for j.i in 0..8 {
          C[i.o * 4 + i.i, j.o * 8 + j.i] = acc[i.i, j.o * 8 + j.i] * 5i32
        }
      }
    }
  }
}
)");
}

TEST_F(ShareStorageTest, EachInThePlaceOfTheOneBefore) {
  for (const Tensor& t : {acc, first, second}) s[t].compute_at(s[c], s[c].axis(0));
  s[first].share_storage(s[acc]);
  s[second].share_storage(s[first]);
  const std::string all = text();
  EXPECT_THAT(all, HasSubstr("alloc acc: i32[1, 16]"));
  EXPECT_THAT(all, HasSubstr("acc[0, j_2] = acc[0, j_2] * 2i32"));
  EXPECT_THAT(all, HasSubstr("acc[0, j_1] = acc[0, j_1] + 1i32"));
  EXPECT_THAT(all, testing::Not(HasSubstr("alloc first")));
  EXPECT_THAT(all, testing::Not(HasSubstr("alloc second")));
}

TEST_F(ShareStorageTest, RefusesAPlaceThatIsNotBehindTheOther) {
  s[acc].compute_at(s[c], s[c].axis(0));
  s[first].compute_at(s[c], s[c].axis(0));
  s[second].compute_at(s[c], s[c].axis(0));
  s[acc].share_storage(s[second]);
  EXPECT_EQ(
      error(),
      "share_storage: stage 'acc' takes the place of 'second', and must be computed behind it, inside of "
      "the loop that it is computed at; choose another place or another stage");
}

TEST_F(ShareStorageTest, RefusesAPlaceOutsideOfTheLoopOfTheOther) {
  s[acc].compute_at(s[first], s[first].axis(0));
  s[second].share_storage(s[acc]);
  EXPECT_THAT(error(), HasSubstr("stage 'second' takes the place of 'acc', and must be computed behind it, "
                                 "inside of the loop that it is computed at"));
}

TEST_F(ShareStorageTest, RefusesWhatTheTwoStagesDoNotHaveInCommon) {
  for (const Tensor& t : {acc, first, second}) s[t].compute_at(s[c], s[c].axis(0));
  s[first].share_storage(s[acc]);
  s[acc].set_scope("acc");
  EXPECT_EQ(error(),
            "share_storage: stage 'first' takes the place of 'acc', which is in memory 'acc', but is in "
            "'global'; set the same scope");
  s[first].set_scope("acc");
  s[second].set_scope("acc").share_storage(s[acc]);
  EXPECT_EQ(error(),
            "share_storage: stage 'first' takes the place of 'acc', which 'second' takes already; "
            "share the storage of that one");
}

TEST_F(ShareStorageTest, RefusesHalvesOfADoubleBuffer) {
  for (const Tensor& t : {acc, first}) s[t].compute_at(s[c], s[c].axis(0));
  s[second].compute_inline();
  s[acc].double_buffer();
  s[first].share_storage(s[acc]);
  EXPECT_EQ(error(),
            "share_storage: stage 'first' takes the place of 'acc', but 'acc' is double buffered, where "
            "an iteration has a half of its own; leave one of them out");
}

TEST_F(ShareStorageTest, RefusesAStageWithoutStorage) {
  s[second].share_storage(s[first]);
  s[first].compute_inline();
  EXPECT_EQ(error(),
            "share_storage: stage 'second' takes the place of 'first', which is computed inline and has no "
            "storage");
}

/// D reads acc and what the body makes of it.
class SharedWithReadersTest : public ShareStorageTest {
 protected:
  std::string error_of(const std::function<Value(Value, Value)>& body,
                       const std::function<void(Schedule&, const Tensor&, const Tensor&)>& schedule,
                       bool reads_acc = false) const {
    const Tensor later = compute("later", {8, 16}, body, {"i", "j"});
    const Tensor d = compute(
        "D", {8, 16}, [&](Value i, Value j) { return reads_acc ? later(i, j) + acc(i, j) : later(i, j); },
        {"i", "j"});
    Schedule t({d});
    schedule(t, later, d);
    return user_error([&] { lower(t, {a, d}, "f"); });
  }
};

TEST_F(SharedWithReadersTest, RefusesAReaderThatComesAfterwards) {
  EXPECT_EQ(
      error_of([&](Value i, Value j) { return acc(i, j) + 1; },
               [&](Schedule& t, const Tensor& later, const Tensor&) { t[later].share_storage(t[acc]); },
               true),
      "share_storage: stage 'later' takes the place of 'acc', which 'D' reads, and not before; compute that "
      "one before it, or give it storage of its own");
}

TEST_F(SharedWithReadersTest, RefusesAStageThatReadsOtherElementsThanItStoresOver) {
  EXPECT_EQ(
      error_of([&](Value i, Value j) { return acc(i, 15 - j); },
               [&](Schedule& t, const Tensor& later, const Tensor&) { t[later].share_storage(t[acc]); }),
      "share_storage: stage 'later' takes the place of 'acc', of which it reads other elements than the one "
      "that it stores over");
}

/// The last column is behind those that `later` stores over.
TEST_F(ShareStorageTest, TakesAStageThatAlsoReadsWhatItNeverStoresOver) {
  const auto refusal = [&](std::int64_t column) {
    const Tensor later = compute(
        "later", {8, 16}, [&](Value i, Value j) { return acc(i, j) + acc(i, Value(column)); }, {"i", "j"});
    const Tensor d = compute("D", {8, 15}, [&](Value i, Value j) { return later(i, j); }, {"i", "j"});
    Schedule t({d});
    for (const Tensor& tensor : {acc, later}) t[tensor].compute_at(t[d], t[d].axis(0));
    t[later].share_storage(t[acc]);
    return user_error([&] { lower(t, {a, d}, "f"); });
  };
  EXPECT_EQ(refusal(15), "no error");
  EXPECT_THAT(refusal(14), HasSubstr("of which it reads other elements than the one that it stores over"));
}

TEST_F(SharedWithReadersTest, RefusesAReductionOverWhatItStoresOver) {
  const IterVar r = reduce_axis(1, "r");
  EXPECT_EQ(
      error_of([&](Value i, Value j) { return sum(acc(i, j), {r}); },
               [&](Schedule& t, const Tensor& later, const Tensor&) { t[later].share_storage(t[acc]); }),
      "share_storage: stage 'later' takes the place of 'acc', which its reduction reads after the first step "
      "has stored; use another");
}

/// In the second iteration `first` would read the last element of the tile before, which `later` has stored
/// over.
TEST_F(SharedWithReadersTest, RefusesAReaderOfWhatAnotherIterationStoresOver) {
  EXPECT_EQ(
      error_of([&](Value i, Value j) { return first(i, j) + first(i, select(j > 0, j - 1, Value(0))); },
               [&](Schedule& t, const Tensor& later, const Tensor& d) {
                 auto [jo, ji] = t[d].split(t[d].axis(1), 8);
                 t[acc].compute_at(t[d], t[d].axis(0));
                 t[first].compute_at(t[d], jo);
                 t[later].compute_at(t[d], jo);
                 t[later].share_storage(t[acc]);
               }),
      "share_storage: stage 'later' takes the place of 'acc', of which 'first' may read in one iteration of "
      "loop 'j.o' what is stored over in another one; compute both stages at that loop");
}

/// D reads a tile of acc and all rows of `later`.
TEST_F(SharedWithReadersTest, RefusesARegionThatReachesFurther) {
  const Tensor later =
      compute("later", {8, 16}, [&](Value i, Value j) { return a(i, j, 1) * 2; }, {"i", "j"});
  const Tensor d =
      compute("D", {8, 16}, [&](Value i, Value j) { return first(i, j) + later(i, j); }, {"i", "j"});
  Schedule t({d});
  auto [io, ii] = t[d].split(t[d].axis(0), 2);
  for (const Tensor& stage : {acc, first, later}) t[stage].compute_at(t[d], io);
  t[later].share_storage(t[acc]);
  EXPECT_NO_THROW(lower(t, {a, d}, "f"));
  t[later].compute_whole(t[later].axis(0));
  EXPECT_EQ(user_error([&] { lower(t, {a, d}, "f"); }),
            "share_storage: stage 'later' takes the place of 'acc', which is computed over 2 elements of "
            "dimension 0, but needs others, too; compute both at the same loop");
}

}  // namespace
}  // namespace vdla::lower
