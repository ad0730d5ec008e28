// SPDX-License-Identifier: Apache-2.0
// Where stages end up: inlining, regions of several readers, several levels of compute_at, and what lowering
// refuses.
#include <gtest/gtest.h>

#include "compiler/expr/dsl.h"
#include "compiler/loop/print.h"
#include "compiler/lower/lower.h"
#include "tests/compiler/user_error.h"

namespace vdla::lower {
namespace {

using namespace vdla::expr;
using schedule::Schedule;

class PlaceTest : public testing::Test {
 protected:
  std::string text() const { return loop::to_string(lower(s, {a, c}, "f")); }
  std::string error() const {
    return user_error([&] { lower(s, {a, c}, "f"); });
  }

  Tensor a = placeholder("A", {34, 16}, DType::F32);
  Tensor p = compute("P", {34, 16}, [this](Value i, Value j) { return a(i, j) * 2; }, {"i", "j"});
  Tensor q = compute("Q", {34, 16}, [this](Value i, Value j) { return p(i, j) + 1; }, {"i", "j"});
  Tensor c = compute("C", {32, 16}, [this](Value i, Value j) { return q(i, j) + q(i + 2, j); }, {"i", "j"});
  Schedule s{{c}};
};

TEST_F(PlaceTest, RootStagesAreStoredInFull) {
  s[p].compute_inline();
  EXPECT_EQ(text(), R"(func f(in A: f32[34, 16], out C: f32[32, 16]) {
  alloc Q: f32[34, 16]
  for i_1 in 0..34 {
    for j_1 in 0..16 {
      Q[i_1, j_1] = A[i_1, j_1] * 2f32 + 1f32
    }
  }
  for i in 0..32 {
    for j in 0..16 {
      C[i, j] = Q[i, j] + Q[i + 2, j]
    }
  }
}
)");
}

TEST_F(PlaceTest, RegionCoversEveryRead) {
  auto [io, ii] = s[c].split(s[c].axis(0), 8);
  s[q].compute_at(s[c], io);
  s[p].compute_at(s[q], s[q].axis(0));
  s[c].parallel(io).vectorize(s[c].axis(1));
  EXPECT_EQ(text(), R"(func f(in A: f32[34, 16], out C: f32[32, 16]) {
  for i.o in 0..4 parallel {
    alloc Q: f32[10, 16]
    for i in 0..10 {
      alloc P: f32[1, 16]
      for j_2 in 0..16 {
        P[0, j_2] = A[i.o * 8 + i, j_2] * 2f32
      }
      for j_1 in 0..16 {
        Q[i, j_1] = P[0, j_1] + 1f32
      }
    }
    for i.i in 0..8 {
      for j in 0..16 vectorized {
        C[i.o * 8 + i.i, j] = Q[i.i, j] + Q[i.i + 2, j]
      }
    }
  }
}
)");
}

TEST_F(PlaceTest, WholeDimensionsAreComputedBeyondWhatIsRead) {
  auto [jo, ji] = s[c].split(s[c].axis(1), 4);
  s[c].reorder({jo, s[c].axis(0), ji});
  s[p].compute_inline();
  s[q].compute_at(s[c], s[c].axis(0));
  EXPECT_NE(text().find("alloc Q: f32[3, 4]"), std::string::npos) << text();
  s[q].compute_whole(s[q].axis(1));
  EXPECT_NE(text().find("alloc Q: f32[3, 16]"), std::string::npos) << text();
}

TEST_F(PlaceTest, FusedLoopsGiveTheirAxesBack) {
  s[p].compute_inline();
  s[q].compute_inline();
  IterVar fused = s[c].fuse(s[c].axis(0), s[c].axis(1));
  auto [outer, inner] = s[c].split(fused, 64);
  s[c].unroll(inner);
  EXPECT_EQ(text(), R"(func f(in A: f32[34, 16], out C: f32[32, 16]) {
  for i.j.o in 0..8 {
    for i.j.i in 0..64 unrolled {
      C[i.j.o * 4 + floor_div(i.j.i, 16), floor_mod(i.j.i, 16)] = A[i.j.o * 4 + floor_div(i.j.i, 16), floor_mod(i.j.i, 16)] * 2f32 + 1f32 + (A[i.j.o * 4 + floor_div(i.j.i, 16) + 2, floor_mod(i.j.i, 16)] * 2f32 + 1f32)
    }
  }
}
)");
}

TEST_F(PlaceTest, UnevenSplitsAreGuarded) {
  s[p].compute_inline();
  s[q].compute_inline();
  s[c].split(s[c].axis(0), 5);
  EXPECT_EQ(text(), R"(func f(in A: f32[34, 16], out C: f32[32, 16]) {
  for i.o in 0..7 {
    for i.i in 0..5 {
      if i.o * 5 + i.i < 32 {
        for j in 0..16 {
          C[i.o * 5 + i.i, j] = A[i.o * 5 + i.i, j] * 2f32 + 1f32 + (A[i.o * 5 + i.i + 2, j] * 2f32 + 1f32)
        }
      }
    }
  }
}
)");
}

TEST_F(PlaceTest, RefusesReadsOutsideOfThePlace) {
  s[p].compute_at(s[c], s[c].axis(0));
  EXPECT_EQ(error(),
            "stage 'P' is computed at axis 'i' of 'C', but 'Q' reads it outside of that loop; compute it "
            "further out or compute the reader there too");
}

TEST_F(PlaceTest, RefusesPlacesThatAreGone) {
  s[q].compute_at(s[c], s[c].axis(0));
  s[c].split(s[c].axis(0), 4);
  EXPECT_EQ(error(),
            "stage 'Q' is computed at axis 'i' of 'C', which is no loop any more; use compute_at after the "
            "last split of the axis");
}

TEST_F(PlaceTest, RefusesInlinedAndEarlierStagesAsPlaces) {
  s[p].compute_at(s[q], s[q].axis(0));
  s[q].compute_inline();
  EXPECT_EQ(error(),
            "stage 'P' is computed at 'Q', which is inlined or does not come after it; compute it at a stage "
            "that reads it");
}

TEST_F(PlaceTest, RefusesPlacesInsideOfAnIntrinsic) {
  s[q].compute_at(s[c], s[c].axis(1));
  s[c].tensorize(s[c].axis(1), "add");
  EXPECT_EQ(
      error(),
      "stage 'Q' is computed at axis 'j' of 'C', inside its tensorized axis 'j'; compute it further out");
}

TEST_F(PlaceTest, RefusesArgumentsThatAreMissingOrNone) {
  auto error_with = [&](const std::vector<Tensor>& args) { return user_error([&] { lower(s, args, "f"); }); };
  EXPECT_EQ(error_with({c}), "lowering needs placeholder 'A' among the arguments");
  EXPECT_EQ(error_with({a}), "lowering needs output 'C' among the arguments of 'f'");
  EXPECT_EQ(error_with({a, p, c}), "argument 'P' of 'f' is neither a placeholder nor an output");
}

TEST(Lower, SeveralOutputsAndScalars) {
  Tensor a = placeholder("A", {8}, DType::I32);
  IterVar k = reduce_axis(8, "k");
  Tensor total = compute("total", {}, [&](const std::vector<Value>&) { return sum(a(k), {k}); });
  Tensor scaled = compute("scaled", {8}, [&](Value i) { return a(i) * total(); }, {"i"});
  Schedule s({total, scaled});
  EXPECT_EQ(loop::to_string(lower(s, {a, total, scaled}, "f")),
            R"(func f(in A: i32[8], out total: i32[], out scaled: i32[8]) {
  total[] = 0i32
  for k in 0..8 {
    total[] = total[] + A[k]
  }
  for i in 0..8 {
    scaled[i] = A[i] * total[]
  }
}
)");
}

}  // namespace
}  // namespace vdla::lower
