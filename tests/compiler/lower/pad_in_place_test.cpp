// SPDX-License-Identifier: Apache-2.0
// Padding around a stage that lies in its middle, and rolling buffers: what they become, and what lowering
// refuses, each with its words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/loop/interpret.h"
#include "compiler/loop/print.h"
#include "compiler/lower/lower.h"
#include "tests/compiler/user_error.h"

namespace vdla::lower {
namespace {

using namespace vdla::expr;
using schedule::Schedule;
using testing::HasSubstr;

/// C = sums of three rows and three columns of P, which is T with a border of 7; T = 2 * A.
class PadInPlaceTest : public testing::Test {
 protected:
  std::string text() const { return loop::to_string(lower(s, {a, c}, "f")); }
  /// How often `line` stands in it.
  std::size_t count(const std::string& line) const {
    const std::string all = text();
    std::size_t found = 0;
    for (std::size_t at = all.find(line); at != std::string::npos; at = all.find(line, at + 1)) ++found;
    return found;
  }
  std::string error() const {
    return user_error([&] { lower(s, {a, c}, "f"); });
  }
  /// C is what it is with loops that nothing was done to.
  void expect_same() const {
    std::vector<std::int32_t> in(3 * 8 * 6);
    std::iota(in.begin(), in.end(), 1);
    const auto run = [&](const Schedule& schedule) {
      std::vector<std::int32_t> out(in.size(), -1);
      const std::vector<std::span<std::byte>> arguments{std::as_writable_bytes(std::span(in)),
                                                        std::as_writable_bytes(std::span(out))};
      loop::Interpreter(lower(schedule, {a, c}, "f")).run(arguments);
      return out;
    };
    EXPECT_EQ(run(s), run(Schedule({c})));
  }
  /// P and T at loop `axis` of C, T in the middle of P.
  void compute_both_at(const IterVar& axis) {
    for (const Tensor& tensor : {t, p}) s[tensor].compute_at(s[c], axis);
    s[p].pad_in_place(s[t]);
  }

  IterVar ky = reduce_axis(3, "ky"), kx = reduce_axis(3, "kx");
  Tensor a = placeholder("A", {3, 8, 6}, DType::I32);
  Tensor t =
      compute("T", {3, 8, 6}, [this](Value b, Value y, Value x) { return a(b, y, x) * 2; }, {"b", "y", "x"});
  Tensor p = compute("P", {3, 10, 8},
                     [this](Value b, Value y, Value x) {
                       return select(y >= 1 && y < 9 && x >= 1 && x < 7, t(b, y - 1, x - 1),
                                     Value(int_imm(7, DType::I32)));
                     },
                     {"b", "y", "x"});
  Tensor c = compute("C", {3, 8, 6},
                     [this](Value b, Value y, Value x) { return sum(p(b, y + ky, x + kx), {ky, kx}); },
                     {"b", "y", "x"});
  Schedule s{{c}};
};

TEST_F(PadInPlaceTest, StoresASideAtATimeAroundWhatIsThere) {
  auto [yo, yi] = s[c].split(s[c].axis(1), 3);  // the last strip has two rows
  compute_both_at(yo);
  EXPECT_EQ(text(), R"(func f(in A: i32[3, 8, 6], out C: i32[3, 8, 6]) {
  for b in 0..3 {
    for y.o in 0..3 {
      alloc P: i32[1, 5, 8]
      for y_1 in 0..5 {
        if y.o * 3 + y_1 >= 1 & y.o * 3 + y_1 < 9 {
          for x_2 in 0..6 {
            P[0, y_1, x_2 + 1] = A[b, y.o * 3 + y_1 - 1, x_2] * 2i32
          }
        }
      }
      for y_2 in 0..5 {
        if y.o * 3 + y_2 < 10 & y.o * 3 + y_2 < 1 {
          for x_3 in 0..8 {
            P[0, y_2, x_3] = 7i32
          }
        }
      }
      for y_3 in 0..5 {
        if y.o * 3 + y_3 < 10 & y.o * 3 + y_3 >= 1 & y.o * 3 + y_3 >= 9 {
          for x_4 in 0..8 {
            P[0, y_3, x_4] = 7i32
          }
        }
      }
      for y_4 in 0..5 {
        if y.o * 3 + y_4 < 10 & y.o * 3 + y_4 >= 1 & y.o * 3 + y_4 < 9 {
          for x_5 in 0..8 {
            if x_5 < 1 {
              P[0, y_4, x_5] = 7i32
            }
          }
        }
      }
      for y_5 in 0..5 {
        if y.o * 3 + y_5 < 10 & y.o * 3 + y_5 >= 1 & y.o * 3 + y_5 < 9 {
          for x_6 in 0..8 {
            if x_6 >= 1 & x_6 >= 7 {
              P[0, y_5, x_6] = 7i32
            }
          }
        }
      }
      for y.i in 0..3 {
        for x in 0..6 {
          if y.o * 3 + y.i < 8 {
            C[b, y.o * 3 + y.i, x] = 0i32
          }
          if y.o * 3 + y.i < 8 {
            for ky in 0..3 {
              for kx in 0..3 {
                C[b, y.o * 3 + y.i, x] = C[b, y.o * 3 + y.i, x] + P[0, ky + y.i, kx + x]
              }
            }
          }
        }
      }
    }
  }
}
)");
  expect_same();
}

TEST_F(PadInPlaceTest, InARollingBufferWhatIsTheSameInAllIterationsStays) {
  auto [yo, yi] = s[c].split(s[c].axis(1), 3);
  compute_both_at(yo);
  s[p].rolling_buffer(2);
  const std::string all = text();
  EXPECT_THAT(all, testing::StartsWith(
                       "func f(in A: i32[3, 8, 6], out C: i32[3, 8, 6]) {\n  alloc P: i32[2, 1, 5, 8]\n"));
  EXPECT_THAT(
      all, HasSubstr("P[floor_mod(b * 3 + y.o, 2), 0, y_1, x_2 + 1] = A[b, y.o * 3 + y_1 - 1, x_2] * 2i32"));
  EXPECT_THAT(all, HasSubstr(R"(
      if b * 3 + y.o < 2 {
        for y_2 in 0..5 {
          for x_3 in 0..8 {
            if x_3 < 1 {
              P[floor_mod(b * 3 + y.o, 2), 0, y_2, x_3] = 7i32
            }
          }
        }
      }
)")) << "columns: rows beyond the image, too, in the first iteration of each place";
  EXPECT_THAT(all, HasSubstr(R"(
      for y_4 in 0..5 {
        if y.o * 3 + y_4 < 10 & y.o * 3 + y_4 < 1 {
          for x_5 in 0..8 {
            if x_5 >= 1 & x_5 < 7 {
              P[floor_mod(b * 3 + y.o, 2), 0, y_4, x_5] = 7i32
            }
          }
        }
      }
)")) << "rows, which lie elsewhere in each strip: between the columns";
  EXPECT_THAT(all, HasSubstr("+ P[floor_mod(b * 3 + y.o, 2), 0, ky + y.i, kx + x]"));
  expect_same();
}

TEST_F(PadInPlaceTest, InARollingBufferOfWholeImagesAllSidesStay) {
  compute_both_at(s[c].axis(0));
  s[p].rolling_buffer(2);
  const std::string all = text();
  for (const char* side : {"if y_3 < 1", "if y_4 >= 1 & y_4 >= 9", "if x_5 < 1", "if x_6 >= 1 & x_6 >= 7"})
    EXPECT_THAT(all, HasSubstr(side));
  EXPECT_EQ(count("if b < 2 {"), 4u) << all;
  expect_same();
}

/// Of two strips the first one always takes the first place, so its rows of padding stay there.
TEST_F(PadInPlaceTest, WhatIsTheSameInAllIterationsOfAPlaceStays) {
  auto [yo, yi] = s[c].split(s[c].axis(1), 4);
  compute_both_at(yo);
  s[p].rolling_buffer(2);
  EXPECT_EQ(count("if b * 2 + y.o < 2 {"), 4u) << text();
  expect_same();
}

/// The middle may be cut off: where nothing is inside, nothing of it is computed.
TEST_F(PadInPlaceTest, StripsBeyondTheMiddleArePaddingAlone) {
  Tensor far = compute("P", {3, 31, 8},
                       [this](Value b, Value y, Value x) {
                         return select(y >= 11 && y < 19 && x >= 1 && x < 7, t(b, y - 11, x - 1),
                                       Value(int_imm(7, DType::I32)));
                       },
                       {"b", "y", "x"});
  c = compute("C", {3, 8, 6},
              [&](Value b, Value y, Value x) { return sum(far(b, y * 4 + ky, x + kx), {ky, kx}); },
              {"b", "y", "x"});
  p = far;
  for (std::int64_t places : {0, 1, 2, 3}) {
    s = Schedule({c});
    auto [yo, yi] = s[c].split(s[c].axis(1), 2);
    compute_both_at(yo);
    if (places > 0) s[p].rolling_buffer(places);
    expect_same();
  }
}

TEST_F(PadInPlaceTest, RefusesWhatIsNoPadding) {
  for (const Tensor& tensor : {t, p}) s[tensor].compute_at(s[c], s[c].axis(0));
  s[t].pad_in_place(s[p]);
  EXPECT_EQ(
      error(),
      "pad_in_place: stage 'T' lies around 'P', and must be select(inside, an element of it at constant "
      "distances, a constant), where `inside` reads nothing, or that element alone");
}

TEST_F(PadInPlaceTest, RefusesAStageWithoutStorage) {
  s[p].pad_in_place(s[t]);
  s[t].compute_inline();
  EXPECT_EQ(error(), "pad_in_place: stage 'P' lies around 'T', which is computed inline and has no storage");
}

TEST_F(PadInPlaceTest, RefusesOtherMemoryAndOtherPlaces) {
  compute_both_at(s[c].axis(0));
  s[t].set_scope("out");
  EXPECT_EQ(
      error(),
      "pad_in_place: stage 'P' lies around 'T', which is in memory 'out', but is in 'global'; set the same "
      "scope");
  s[p].set_scope("out");
  s[t].compute_root();
  EXPECT_EQ(
      error(),
      "pad_in_place: stage 'P' lies around 'T', and is computed elsewhere; compute both at the same loop");
}

TEST_F(PadInPlaceTest, RefusesOtherReadersOfTheMiddle) {
  c = compute("C", {3, 8, 6}, [this](Value b, Value y, Value x) { return p(b, y, x) + t(b, y, x); },
              {"b", "y", "x"});
  s = Schedule({c});
  s[p].pad_in_place(s[t]);
  EXPECT_EQ(error(), "pad_in_place: stage 'P' lies around 'T', which 'C' reads, too; let it read 'P'");
}

TEST_F(PadInPlaceTest, RefusesAMiddleThatComputesMoreThanThePaddedStageHas) {
  auto [yo, yi] = s[c].split(s[c].axis(1), 2);
  compute_both_at(yo);
  s[t].compute_whole(s[t].axis(1));
  EXPECT_EQ(error(),
            "pad_in_place: stage 'P' lies around 'T', which computes more of dimension 1 than the 4 elements "
            "that it "
            "has there; compute all of it, or leave out what makes the other one whole");
}

TEST_F(PadInPlaceTest, RefusesOtherClaimsOnTheStorage) {
  compute_both_at(s[c].axis(0));
  s[t].rolling_buffer(2);
  EXPECT_EQ(
      error(),
      "pad_in_place: stage 'P' lies around 'T', whose storage it takes over; give the rolling buffer to 'P'");
  s = Schedule({c});
  compute_both_at(s[c].axis(0));
  s[p].double_buffer();
  EXPECT_EQ(error(),
            "pad_in_place: stage 'P' lies around 'T', but 'P' is double buffered; leave one of them out");
}

TEST_F(PadInPlaceTest, RefusesPaddingAroundPadding) {
  Tensor q = compute("Q", {3, 12, 10},
                     [this](Value b, Value y, Value x) {
                       return select(y >= 1 && y < 11 && x >= 1 && x < 9, p(b, y - 1, x - 1),
                                     Value(int_imm(7, DType::I32)));
                     },
                     {"b", "y", "x"});
  c = compute("C", {3, 8, 6}, [&](Value b, Value y, Value x) { return q(b, y + 1, x); }, {"b", "y", "x"});
  s = Schedule({c});
  s[p].pad_in_place(s[t]);
  s[q].pad_in_place(s[p]);
  EXPECT_EQ(error(),
            "pad_in_place: stage 'Q' lies around 'P', which lies around 'T' itself; leave one of them out");
}

/// U lies where T lies, or has places of its own.
TEST_F(PadInPlaceTest, RefusesStorageThatIsSharedWithOthers) {
  Tensor u = compute("U", {3, 8, 6}, [this](Value b, Value y, Value x) { return a(b, y, x) * 2; });
  t = compute("T", {3, 8, 6}, [&](Value b, Value y, Value x) { return u(b, y, x) + 1; });
  p = compute("P", {3, 10, 6}, [&](Value b, Value y, Value x) {
    return select(y >= 1 && y < 9, t(b, y - 1, x), Value(int_imm(7, DType::I32)));
  });
  c = compute("C", {3, 8, 6}, [&](Value b, Value y, Value x) { return p(b, y + 1, x); });
  s = Schedule({c});
  s[t].share_storage(s[u]);
  s[p].pad_in_place(s[t]);
  EXPECT_EQ(error(),
            "pad_in_place: stage 'P' lies around 'T', but 'T' shares storage with another stage; leave one "
            "of them out");
  s = Schedule({c});
  s[t].share_storage(s[u]);
  s[u].rolling_buffer(2);
  EXPECT_EQ(error(),
            "share_storage: stage 'T' takes the place of 'U', but 'U' has a rolling buffer, where an "
            "iteration has a place of its own; leave one of them out");
}

TEST_F(PadInPlaceTest, RollingBuffersAreRefusedWhereNothingTakesTurns) {
  s[p].rolling_buffer(2);
  EXPECT_EQ(error(),
            "rolling_buffer: stage 'P' is computed at the root, once; compute it at a loop of its reader");
  s[p].compute_at(s[c], s[c].axis(1));
  s[c].parallel(s[c].axis(0));
  EXPECT_EQ(error(),
            "rolling_buffer: stage 'P' is computed in loop 'b' of 'C', which is parallel; its iterations "
            "would use a "
            "place at the same time, leave one of them out");
  s = Schedule({c});
  s[p].compute_at(s[c], s[c].axis(1)).double_buffer().rolling_buffer(2);
  EXPECT_EQ(error(),
            "rolling_buffer: stage 'P' is double buffered, which is two places that take turns; leave one of "
            "them out");
}

}  // namespace
}  // namespace vdla::lower
