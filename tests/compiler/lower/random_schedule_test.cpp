// SPDX-License-Identifier: Apache-2.0
// Property: whatever legal schedule is drawn, the lowered function computes the same values as plain loops in
// C++.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "compiler/expr/dsl.h"
#include "compiler/loop/interpret.h"
#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"
#include "compiler/loop/verify.h"
#include "compiler/lower/lower.h"
#include "support/error.h"

namespace vdla::lower {
namespace {

using namespace vdla::expr;
using schedule::Schedule;
using schedule::Stage;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int below(std::size_t n) { return static_cast<int>(engine_() % n); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[below(list.size())];
  }
  std::mt19937& engine() { return engine_; }

 private:
  std::mt19937 engine_;
};

void reshape_loops(Random& random, Stage& stage) {
  for (int n = random.below(5); n > 0; --n) {
    IterVar axis = random.pick(stage.leaves());
    if (random.chance(70)) {
      stage.split(axis, 1 + random.below(6));
    } else if (stage.leaves().size() > 1) {
      std::size_t i = random.below(stage.leaves().size() - 1);
      IterVar outer = stage.leaves()[i], inner = stage.leaves()[i + 1];
      if (outer.kind() == inner.kind()) stage.fuse(outer, inner);
    }
  }
  if (random.chance(60)) {
    std::vector<IterVar> order = stage.leaves();
    std::shuffle(order.begin(), order.end(), random.engine());
    stage.reorder(order);
  }
  IterVar axis = random.pick(stage.leaves());
  if (axis.is_reduce() || random.chance(30)) {
    stage.unroll(axis);
  } else {
    random.chance(50) ? stage.vectorize(axis) : stage.parallel(axis);
  }
  if (random.chance(20)) stage.tensorize(random.pick(stage.leaves()), "anything");
}

void place(Random& random, Schedule& s, Stage& stage) {
  if (stage.is_output()) return;
  bool untouched = stage.is_pristine() && !stage.has_reduction();
  if (untouched && random.chance(40)) {
    stage.compute_inline();
    return;
  }
  if (random.chance(30)) return;
  std::vector<const Stage*> consumers = s.readers_of(stage.tensor());
  if (random.chance(30)) consumers = s.stages();
  const Stage* consumer = random.pick(consumers);
  if (consumer != &stage) stage.compute_at(*consumer, random.pick(consumer->leaves()));
}

void draw(Random& random, Schedule& s, const std::vector<Tensor>& computed,
          const std::vector<Tensor>& inputs) {
  for (const Tensor& tensor : computed) {
    if (random.chance(40)) s.cache_write(tensor, "acc");
  }
  for (const Tensor& tensor : inputs) {
    std::vector<const Stage*> readers = s.readers_of(tensor);
    if (random.chance(50)) s.cache_read(tensor, "inp", {readers[0]->tensor()});
  }
  std::vector<const Stage*> stages = s.stages();
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
    Stage& target = s[(*stage)->tensor()];
    if (random.chance(70)) reshape_loops(random, target);
    place(random, s, target);
  }
}

struct Problem {
  std::vector<Tensor> args;  ///< inputs, then the output
  std::vector<Tensor> computed;
  std::vector<std::vector<std::int8_t>> inputs;
  std::vector<std::int32_t> expected;
};

std::vector<std::int8_t> random_bytes(std::size_t n, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<std::int8_t> data(n);
  for (auto& v : data) v = static_cast<std::int8_t>(engine());
  return data;
}

Value wide(const Value& v) { return cast(DType::I32, v); }

Problem matmul(std::int64_t m, std::int64_t n, std::int64_t l) {
  Tensor a = placeholder("A", {m, l}, DType::I8), b = placeholder("B", {l, n}, DType::I8);
  IterVar k = reduce_axis(l, "k");
  Tensor c = compute("C", {m, n}, [&](Value i, Value j) { return sum(wide(a(i, k)) * wide(b(k, j)), {k}); },
                     {"i", "j"});
  Tensor d = compute("D", {m, n}, [&](Value i, Value j) { return c(i, j) * 2; }, {"i", "j"});
  Problem p{{a, b, d}, {c, d}, {random_bytes(m * l, 1), random_bytes(l * n, 2)}, {}};
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      std::int32_t total = 0;
      for (std::int64_t x = 0; x < l; ++x) total += p.inputs[0][i * l + x] * p.inputs[1][x * n + j];
      p.expected.push_back(total * 2);
    }
  }
  return p;
}

/// 3x3 convolution with padding 1 of value 5, then a maximum with 0.
Problem convolution(std::int64_t size, std::int64_t channels, std::int64_t out, std::int64_t stride) {
  std::int64_t os = (size - 1) / stride + 1;
  Tensor x = placeholder("X", {size, size, channels}, DType::I8);
  Tensor w = placeholder("W", {3, 3, channels, out}, DType::I8);
  Tensor pad = compute("pad", {size + 2, size + 2, channels},
                       [&](Value h, Value v, Value c) {
                         Value inside = h >= 1 && h < size + 1 && v >= 1 && v < size + 1;
                         return select(inside, x(h - 1, v - 1, c), 5);
                       },
                       {"h", "v", "c"});
  IterVar ky = reduce_axis(3, "ky"), kx = reduce_axis(3, "kx"), c = reduce_axis(channels, "ci");
  Tensor acc = compute("conv", {os, os, out},
                       [&](Value i, Value j, Value n) {
                         return sum(wide(pad(i * stride + ky, j * stride + kx, c)) * wide(w(ky, kx, c, n)),
                                    {ky, kx, c});
                       },
                       {"y", "x", "n"});
  Tensor relu = compute("relu", {os, os, out},
                        [&](Value i, Value j, Value n) { return maximum(acc(i, j, n), 0); }, {"y", "x", "n"});
  Problem p{{x, w, relu},
            {pad, acc, relu},
            {random_bytes(size * size * channels, 3), random_bytes(9 * channels * out, 4)},
            {}};
  auto at = [&](std::int64_t i, std::int64_t j, std::int64_t ch) -> std::int32_t {
    if (i < 0 || j < 0 || i >= size || j >= size) return 5;
    return p.inputs[0][(i * size + j) * channels + ch];
  };
  for (std::int64_t i = 0; i < os * os * out; ++i) {
    std::int64_t y = i / out / os, z = i / out % os, n = i % out;
    std::int32_t total = 0;
    for (std::int64_t r = 0; r < 9 * channels; ++r) {
      std::int64_t dy = r / channels / 3, dx = r / channels % 3, ch = r % channels;
      total += at(y * stride + dy - 1, z * stride + dx - 1, ch) * p.inputs[1][r * out + n];
    }
    p.expected.push_back(std::max(total, 0));
  }
  return p;
}

/// Returns how many of the drawn schedules were legal.
int check(Problem p, unsigned first_seed, int count) {
  int legal = 0;
  for (unsigned seed = first_seed; seed < first_seed + count; ++seed) {
    Random random(seed);
    Schedule s({p.args.back()});
    loop::Func func;
    try {
      draw(random, s, p.computed, {p.args[0], p.args[1]});
      func = lower(s, p.args, "f");
    } catch (const UserError&) {
      continue;  // an illegal request was refused
    }
    ++legal;
    std::vector<std::int32_t> out(p.expected.size(), -1);
    std::vector<std::span<std::byte>> arguments;
    for (auto& input : p.inputs) arguments.push_back(std::as_writable_bytes(std::span(input)));
    arguments.push_back(std::as_writable_bytes(std::span(out)));
    std::string failure;
    try {
      loop::verify(func);
      loop::Func read_back = loop::parse(loop::to_string(func));
      EXPECT_EQ(loop::to_string(read_back), loop::to_string(func)) << "seed " << seed;
      loop::Interpreter(seed % 2 ? func : read_back).run(arguments);
    } catch (const UserError& error) {
      failure = error.what();
    }
    EXPECT_EQ(failure, "") << "seed " << seed << "\n" << loop::to_string(func);
    EXPECT_EQ(out, p.expected) << "seed " << seed << "\n" << loop::to_string(func);
    if (testing::Test::HasFailure()) break;
  }
  return legal;
}

TEST(RandomSchedule, Matmul) { EXPECT_GE(check(matmul(7, 12, 10), 100000, 2000), 1000); }
TEST(RandomSchedule, MatmulOfPowersOfTwo) { EXPECT_GE(check(matmul(8, 16, 8), 500000, 2000), 1000); }
TEST(RandomSchedule, Convolution) { EXPECT_GE(check(convolution(7, 3, 5, 1), 200000, 2000), 800); }
TEST(RandomSchedule, StridedConvolution) { EXPECT_GE(check(convolution(8, 4, 4, 2), 300000, 2000), 800); }

}  // namespace
}  // namespace vdla::lower
