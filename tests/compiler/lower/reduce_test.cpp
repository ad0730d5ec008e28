// SPDX-License-Identifier: Apache-2.0
// Declared reductions, computes with several results, recurrences, and reductions in two steps (rfactor).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "compiler/expr/dsl.h"
#include "compiler/loop/interpret.h"
#include "compiler/loop/print.h"
#include "compiler/loop/verify.h"
#include "compiler/lower/lower.h"
#include "tests/compiler/user_error.h"

namespace vdla::lower {
namespace {

using namespace vdla::expr;
using expr::ForKind;
using schedule::Schedule;

template <class... Vectors>
void run(const loop::Func& func, Vectors&... arguments) {
  loop::verify(func);
  const std::span<std::byte> list[] = {std::as_writable_bytes(std::span(arguments))...};
  loop::Interpreter(func).run(list);
}

/// The largest value and the first place where it stands.
CombinerPtr argmax_combiner() {
  return combiner("argmax", {int_imm(INT32_MIN, DType::I32), int_imm(INT64_MAX)},
                  [](const std::vector<Value>& a, const std::vector<Value>& b) {
                    Value first = a[0] > b[0] || (a[0] == b[0] && a[1] < b[1]);
                    return std::vector<Value>{select(first, a[0], b[0]), select(first, a[1], b[1])};
                  });
}

struct ArgMax {
  Tensor x = placeholder("X", {5, 12}, DType::I32);
  IterVar k = reduce_axis(12, "k");
  std::vector<Tensor> both = compute_together({"value", "index"}, {5}, [&](const std::vector<Value>& i) {
    return reduce(argmax_combiner(), {x(i[0], k), k}, {k});
  });
  std::vector<std::int32_t> data, value = std::vector<std::int32_t>(5);
  std::vector<std::int64_t> index = std::vector<std::int64_t>(5);

  ArgMax() {
    for (int i = 0; i < 60; ++i) data.push_back((i * 37) % 11 - 5);
  }
  void expect(const Schedule& s) {
    run(lower(s, {x, both[0], both[1]}, "f"), data, value, index);
    for (std::size_t i = 0; i < 5; ++i) {
      auto row = data.begin() + static_cast<std::ptrdiff_t>(i) * 12;
      auto best = std::max_element(row, row + 12);
      EXPECT_EQ(value[i], *best);
      EXPECT_EQ(index[i], best - row);
    }
  }
};

TEST(DeclaredReduction, PartsAreComputedTogether) {
  ArgMax p;
  Schedule s({p.both[0], p.both[1]});
  p.expect(s);
  auto [ko, ki] = s[p.both[0]].split(p.k, 5);
  s[p.both[1]].reorder({ki, ko, s[p.both[0]].axis(0)});
  p.expect(s);
}

TEST(DeclaredReduction, AnOutputThatNobodyAsksForIsAllocated) {
  ArgMax p;
  Schedule s({p.both[1]});
  run(lower(s, {p.x, p.both[1]}, "f"), p.data, p.index);
  EXPECT_EQ(p.index[0], std::max_element(p.data.begin(), p.data.begin() + 12) - p.data.begin());
}

TEST(DeclaredReduction, CacheWriteAndRfactorKeepAllParts) {
  ArgMax p;
  Schedule s({p.both[0], p.both[1]});
  Tensor acc = s.cache_write(p.both[0], "acc");
  auto [ko, ki] = s[acc].split(s[acc].reduce_axis(0), 5);
  Tensor partial = s.rfactor(acc, ki);
  EXPECT_EQ(partial.shape(), (std::vector<std::int64_t>{5, 5}));
  s[partial].parallel(s[partial].axis(0));
  s[acc].compute_at(s[p.both[0]], s[p.both[0]].axis(0));
  p.expect(s);
}

TEST(DeclaredReduction, OtherStagesReadAnyPart) {
  ArgMax p;
  Tensor twice =
      compute("twice", {5}, [&](Value i) { return p.both[1](i) * 2 + cast(DType::I64, p.both[0](i)); });
  Schedule s({twice});
  s[p.both[0]].compute_at(s[twice], s[twice].axis(0));
  run(lower(s, {p.x, twice}, "f"), p.data, p.index);
  auto best = std::max_element(p.data.begin(), p.data.begin() + 12);
  EXPECT_EQ(p.index[0], (best - p.data.begin()) * 2 + *best);
}

TEST(DeclaredReduction, WrongDeclarationsAreNamed) {
  auto declare = [](const Value& identity, const std::function<Value(const Value&, const Value&)>& f) {
    return user_error([&] {
      combiner("c", {identity}, [&](const std::vector<Value>& a, const std::vector<Value>& b) {
        return std::vector<Value>{f(a[0], b[0])};
      });
    });
  };
  const Value zero = int_imm(0, DType::I32), one = int_imm(1, DType::I32);
  EXPECT_EQ(declare(zero, [](const Value& a, const Value& b) { return a + b; }), "no error");
  EXPECT_EQ(declare(one, [](const Value& a, const Value& b) { return a * b; }), "no error");
  EXPECT_EQ(declare(zero, [](const Value& a, const Value& b) { return a - b; }),
            "combiner 'c': identity (0i32) and (1i32) give (-1i32), not the latter");
  EXPECT_EQ(declare(zero, [](const Value& a, const Value& b) { return a + b * b; }),
            "combiner 'c': identity (0i32) and (2i32) give (4i32), not the latter");
  EXPECT_EQ(declare(zero, [](const Value& a, const Value& b) { return maximum(a, b); }),
            "combiner 'c': identity (0i32) and (-1i32) give (0i32), not the latter");
  EXPECT_EQ(declare(zero, [](const Value& a, const Value& b) { return select(a == 0, b, a); }),
            "combiner 'c' is not commutative: (1i32) and (2i32) give (1i32), the other way round (2i32)");
  EXPECT_EQ(declare(zero, [](const Value& a, const Value& b) { return a + b + a * a * b * b; }),
            "combiner 'c' is not associative: (1i32), (1i32) and (2i32) give (41i32) from the left, (57i32) "
            "from the right");
  EXPECT_THAT(declare(zero, [](const Value& a, const Value& b) { return cast(DType::I64, a + b); }),
              testing::HasSubstr("need an expression of type i32, got i64"));
  // The index of a maximum without a rule for equal values hangs on the order.
  EXPECT_THAT(user_error([] {
                combiner("argmax", {int_imm(-1, DType::I32), int_imm(0)},
                         [](const std::vector<Value>& a, const std::vector<Value>& b) {
                           Value first = a[0] > b[0];
                           return std::vector<Value>{select(first, a[0], b[0]), select(first, a[1], b[1])};
                         });
              }),
              testing::HasSubstr("combiner 'argmax' is not commutative: (0i32, 0) and (0i32, 1) give"));
}

TEST(ComputeTogether, TensorsOfOneShapeShareTheirLoops) {
  Tensor x = placeholder("X", {6}, DType::I32);
  std::vector<Tensor> both = compute_together({"sum", "product"}, {6}, [&](const std::vector<Value>& i) {
    return std::vector<Value>{x(i[0]) + 1, cast(DType::I64, x(i[0])) * 3};
  });
  Schedule s(both);
  loop::Func func = lower(s, {x, both[0], both[1]}, "f");
  EXPECT_THAT(loop::to_string(func),
              testing::HasSubstr("product[ax0] = i64(X[ax0]) * 3\n    sum[ax0] = X[ax0] + 1i32\n  }\n}"));
  std::vector<std::int32_t> in(6, 7), sum(6);
  std::vector<std::int64_t> product(6);
  run(func, in, sum, product);
  EXPECT_EQ(sum[5], 8);
  EXPECT_EQ(product[5], 21);
  IterVar k = reduce_axis(3, "k");
  EXPECT_THAT(user_error([&] {
                compute_together({"a", "b"}, {6}, [&](const std::vector<Value>& i) {
                  return std::vector<Value>{vdla::expr::sum(x(i[0]), {k}), x(i[0])};
                });
              }),
              testing::HasSubstr("reduction 'sum' has 1 parts, and 2 tensors are computed"));
}

/// s[t, i] = sum over k of U[i, k] * s[t - 1, k] + X[t, i], as a recurrent network does.
struct Recurrent {
  Tensor x = placeholder("X", {6, 4}, DType::I32), u = placeholder("U", {4, 4}, DType::I32);
  Tensor state = placeholder("S", {6, 4}, DType::I32);
  Tensor init = compute("init", {1, 4}, [&](Value t, Value i) { return x(t, i); }, {"t", "i"});
  IterVar k = reduce_axis(4, "k");
  Tensor product = compute("product", {6, 4},
                           [&](Value t, Value i) { return sum(u(i, k) * state(t - 1, k), {k}); }, {"t", "i"});
  Tensor update =
      compute("update", {6, 4}, [&](Value t, Value i) { return product(t, i) + x(t, i); }, {"t", "i"});
  Tensor result = scan({"R"}, {state}, {init}, {update})[0];
  std::vector<std::int32_t> xs = std::vector<std::int32_t>(24), us = std::vector<std::int32_t>(16),
                            out = std::vector<std::int32_t>(24, -1);

  Recurrent() {
    std::iota(xs.begin(), xs.end(), -7);
    for (int i = 0; i < 16; ++i) us[static_cast<std::size_t>(i)] = i * 5 % 7 - 3;
  }
  std::string expect(const Schedule& s) {
    loop::Func func = lower(s, {x, u, result}, "rnn");
    run(func, xs, us, out);
    std::vector<std::int32_t> wanted(xs.begin(), xs.begin() + 4);
    for (std::size_t t = 1; t < 6; ++t) {
      for (std::size_t i = 0; i < 4; ++i) {
        std::int32_t total = xs[t * 4 + i];
        for (std::size_t n = 0; n < 4; ++n) total += us[i * 4 + n] * wanted[(t - 1) * 4 + n];
        wanted.push_back(total);
      }
    }
    EXPECT_EQ(out, wanted) << loop::to_string(func);
    return loop::to_string(func);
  }
};

TEST(Scan, RunsOverTime) {
  Recurrent p;
  Schedule s({p.result});
  EXPECT_EQ(p.expect(s), R"(func rnn(in X: i32[6, 4], in U: i32[4, 4], out R: i32[6, 4]) {
  alloc init: i32[1, 4]
  for i_1 in 0..4 {
    init[0, i_1] = X[0, i_1]
  }
  for i.0 in 0..4 {
    R[0, i.0] = init[0, i.0]
  }
  for t in 0..5 {
    alloc product: i32[1, 4]
    for i_3 in 0..4 {
      product[0, i_3] = 0i32
      for k in 0..4 {
        product[0, i_3] = product[0, i_3] + U[i_3, k] * R[t, k]
      }
    }
    alloc update: i32[1, 4]
    for i_2 in 0..4 {
      update[0, i_2] = product[0, i_2] + X[t + 1, i_2]
    }
    for i in 0..4 {
      R[t + 1, i] = update[0, i]
    }
  }
}
)");
}

TEST(Scan, ScheduleOfItsParts) {
  Recurrent p;
  Schedule s({p.result});
  s[p.update].compute_inline();
  s[p.init].compute_inline();
  auto& result = s[p.result];
  auto [io, ii] = result.split(result.axis(1), 3);
  s[p.product].compute_at(result, io);
  s[p.product].split(p.k, 3);
  result.vectorize(ii);
  p.expect(s);
  Tensor cached = s.cache_read(p.state, "acc", {p.product});
  s[cached].vectorize(s[cached].axis(1));
  p.expect(s);
}

TEST(Scan, SeveralStatesOfOneShape) {
  // Fibonacci numbers by two states, two given steps.
  Tensor a = placeholder("a", {10}, DType::I64), b = placeholder("b", {10}, DType::I64);
  Tensor a0 = compute("a0", {2}, [&](Value t) { return t; }),
         b0 = compute("b0", {2}, [&](Value t) { return t + 1; });
  Tensor a1 = compute("a1", {10}, [&](Value t) { return b(t - 1); });
  Tensor b1 = compute("b1", {10}, [&](Value t) { return a(t - 1) + a(t - 2) + a(t - 1); });
  std::vector<Tensor> both = scan({"fa", "fb"}, {a, b}, {a0, b0}, {a1, b1});
  Schedule s({both[0]});
  std::vector<std::int64_t> out(10);
  run(lower(s, {both[0]}, "f"), out);
  EXPECT_THAT(out, testing::ElementsAre(0, 1, 2, 2, 5, 6, 12, 17, 30, 46));
}

TEST(Scan, WhatIsWrongIsNamed) {
  Recurrent p;
  auto with_update = [&](const std::function<Value(Value, Value)>& f) {
    return user_error([&] { scan({"R"}, {p.state}, {p.init}, {compute("update", {6, 4}, f, {"t", "i"})}); });
  };
  EXPECT_EQ(with_update([&](Value t, Value i) { return p.state(t, i); }),
            "scan 'R': 'update' reads state 'S' at time 't', needs 't' minus 1 to 1");
  EXPECT_EQ(with_update([&](Value t, Value i) { return p.state(t - 2, i); }),
            "scan 'R': 'update' reads state 'S' at time 't - 2', needs 't' minus 1 to 1");
  EXPECT_THAT(with_update([&](Value t, Value i) { return p.product(t + 1, i); }),
              testing::HasSubstr("'update' reads 'product' at time 't + 1', needs 't' itself"));
  EXPECT_THAT(user_error([&] { scan({"R"}, {p.state}, {p.init}, {p.init}); }),
              testing::HasSubstr("update 'init' must be computed with shape and type of state 'S'"));
  Schedule s({p.result});
  auto& result = s[p.result];
  EXPECT_EQ(user_error([&] { result.parallel(result.axis(0)); }),
            "parallel: axis 't' of scan 'R' is time, whose steps depend on each other; choose another axis");
  EXPECT_THAT(user_error([&] { result.split(result.axis(0), 2); }),
              testing::HasSubstr("split: axis 't' of scan 'R' is time"));
  EXPECT_THAT(user_error([&] { result.reorder({result.axis(1), result.axis(0)}); }),
              testing::HasSubstr("stays outermost"));
  EXPECT_THAT(user_error([&] {
                result.compute_inline();
                s.cache_write(p.result, "acc");
              }),
              testing::HasSubstr("output"));
  EXPECT_THAT(user_error([&] { s.cache_write(p.result, "acc"); }), testing::HasSubstr("it is a scan"));
  s[p.init].compute_at(result, result.axis(0));
  EXPECT_THAT(user_error([&] { lower(s, {p.x, p.u, p.result}, "f"); }),
              testing::HasSubstr("stage 'init' gives the first steps of scan 'R', before any of its loops"));
}

TEST(Rfactor, SumsInTwoSteps) {
  Tensor x = placeholder("X", {3, 10}, DType::I32);
  IterVar k = reduce_axis(10, "k");
  Tensor y = compute("Y", {3}, [&](Value i) { return sum(x(i, k), {k}); }, {"i"});
  Schedule s({y});
  auto [ko, ki] = s[y].split(k, 4);  // uneven
  Tensor partial = s.rfactor(y, ki);
  EXPECT_EQ(to_string(s[partial].compute().body),
            "sum(select(k.o * 4 + k.i < 10, X[i, k.o * 4 + k.i], 0i32), [k.o])");
  EXPECT_EQ(to_string(s[y].compute().body), "sum(Y.rf[k.i, i], [k.i])");
  s[partial].vectorize(s[partial].axis(0));
  std::vector<std::int32_t> in(30), out(3);
  std::iota(in.begin(), in.end(), 1);
  run(lower(s, {x, y}, "f"), in, out);
  EXPECT_THAT(out, testing::ElementsAre(55, 155, 255));
}

TEST(Rfactor, RefusesWithTheReason) {
  Tensor x = placeholder("X", {3, 10}, DType::I32);
  IterVar k = reduce_axis(10, "k");
  Tensor y = compute("Y", {3}, [&](Value i) { return sum(x(i, k), {k}); }, {"i"});
  Schedule s({y});
  EXPECT_THAT(user_error([&] { s.rfactor(y, s[y].axis(0)); }),
              testing::HasSubstr("axis 'i' of stage 'Y' is a spatial axis"));
  auto [io, ii] = s[y].split(s[y].axis(0), 2);
  EXPECT_THAT(user_error([&] { s.rfactor(y, k); }), testing::HasSubstr("comes before anything but splits"));
  Tensor z = compute("Z", {3}, [&](Value i) { return x(i, i); });
  Schedule t({z});
  EXPECT_EQ(user_error([&] { t.rfactor(z, t[z].axis(0)); }), "rfactor: stage 'Z' has no reduction to factor");
}

/// C = A * 2 through a copy in memory `scope`, threads over both.
struct Threads {
  Tensor a = placeholder("A", {16}, DType::I32);
  Tensor c = compute("C", {16}, [&](Value i) { return a(i) * 2 + a(15 - i); }, {"i"});
  Schedule s{{c}};
  Tensor copy;
  Threads(const std::string& scope, std::int64_t factor, std::int64_t threads) {
    copy = s.cache_read(a, scope, {c});
    auto [block, thread] = s[c].split(s[c].axis(0), factor);
    s[c].bind(block, ForKind::BlockX).bind(thread, ForKind::ThreadX);
    s[copy].compute_at(s[c], thread);
    auto [outer, inner] = s[copy].split(s[copy].axis(0), threads);
    s[copy].bind(inner, ForKind::ThreadX);
  }
  loop::Func lowered() { return lower(s, {a, c}, "f"); }
};

TEST(Bind, ThreadsFillSharedMemoryTogether) {
  Threads p("shared", 4, 4);
  loop::Func func = p.lowered();
  // What all threads read, in each of them.
  EXPECT_THAT(loop::to_string(func), testing::AllOf(testing::HasSubstr("for i.o in 0..4 block.x {"),
                                                    testing::HasSubstr("for i.i in 0..4 thread.x {"),
                                                    testing::HasSubstr("alloc A.shared: i32[16] @shared")));
  std::vector<std::int32_t> in(16), out(16);
  std::iota(in.begin(), in.end(), 1);
  run(func, in, out);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], 2 * (i + 1) + 16 - i);
}

TEST(Bind, SomeThreadsMayHaveNoShareOfSharedMemory) {
  Threads p("shared", 4, 2);
  loop::Func func = p.lowered();
  EXPECT_THAT(loop::to_string(func), testing::HasSubstr("in 0..2 thread.x {"));
  std::vector<std::int32_t> in(16), out(16);
  std::iota(in.begin(), in.end(), 1);
  run(func, in, out);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], 2 * (i + 1) + 16 - i);
}

TEST(Bind, RefusesWithTheReason) {
  EXPECT_THAT(user_error([] { Threads("local", 4, 4).lowered(); }),
              testing::HasSubstr("'A.local' is in memory 'local'; threads share work only into 'shared'"));
  EXPECT_THAT(user_error([] { Threads("shared", 4, 8).lowered(); }), testing::HasSubstr("with extent 8"));
  Threads p("shared", 4, 4);
  auto& stage = p.s[p.c];
  EXPECT_THAT(user_error([&] { stage.bind(stage.leaves()[0], ForKind::ThreadY); }),
              testing::HasSubstr("is already block.x"));
  Tensor z = compute("Z", {3, 3}, [&](Value i, Value j) { return i + j; }, {"i", "j"});
  Schedule t({z});
  t[z].bind(t[z].axis(0), ForKind::ThreadX);
  EXPECT_EQ(user_error([&] { t[z].bind(t[z].axis(1), ForKind::ThreadX); }),
            "bind: thread.x of stage 'Z' is axis 'i' already, got 'j'; fuse the two first");
  EXPECT_THAT(user_error([&] { t[z].bind(t[z].axis(1), ForKind::Parallel); }),
              testing::HasSubstr("needs an axis of a grid, got 'parallel'"));
}

TEST(DoubleBuffer, NeedsALoop) {
  Tensor a = placeholder("A", {16}, DType::I32);
  Tensor c = compute("C", {16}, [&](Value i) { return a(i) * 2; }, {"i"});
  Schedule s({c});
  Tensor copy = s.cache_read(a, "shared", {c});
  EXPECT_THAT(user_error([&] { s[c].double_buffer(); }), testing::HasSubstr("is an output"));
  EXPECT_THAT(user_error([&] { s[copy].hold(); }),
              testing::HasSubstr("stage 'A.shared' is not double buffered, so nothing waits"));
  s[copy].double_buffer();
  EXPECT_THAT(user_error([&] { lower(s, {a, c}, "f"); }),
              testing::HasSubstr("stage 'A.shared' is computed at the root, once"));
  auto [io, ii] = s[c].split(s[c].axis(0), 4);
  s[copy].compute_at(s[c], io);
  EXPECT_THAT(loop::to_string(lower(s, {a, c}, "f")),
              testing::HasSubstr("alloc A.shared: i32[4] @shared double"));
}

}  // namespace
}  // namespace vdla::lower
