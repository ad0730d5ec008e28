// SPDX-License-Identifier: Apache-2.0
// Speed of the compiler core: multiply-accumulates that the interpreter performs per second on an int8
// convolution, and how many scheduled convolutions are lowered per second, each distinct.
#include <fmt/format.h>

#include <time.h>

#include "compiler/expr/dsl.h"
#include "compiler/loop/interpret.h"
#include "compiler/lower/lower.h"
#include "tests/compiler/targets/cpu/single_layers.h"

namespace vdla {
namespace {

using namespace vdla::expr;

struct Convolution {
  std::int64_t size, channels;
  Tensor x = placeholder("x", {size, size, channels}, DType::I8);
  Tensor w = placeholder("w", {3, 3, channels, channels}, DType::I8);
  Tensor pad = compute("pad", {size + 2, size + 2, channels}, [this](Value h, Value v, Value c) {
    return select(h >= 1 && h < size + 1 && v >= 1 && v < size + 1, x(h - 1, v - 1, c), -3);
  });
  IterVar ky = reduce_axis(3, "ky"), kx = reduce_axis(3, "kx"), k = reduce_axis(channels, "k");
  Tensor acc = compute("acc", {size, size, channels}, [this](Value i, Value j, Value n) {
    return sum(cast(DType::I32, pad(i + ky, j + kx, k)) * cast(DType::I32, w(ky, kx, k, n)), {ky, kx, k});
  });
  Tensor q = compute("q", {size, size, channels}, [this](Value i, Value j, Value n) {
    return cast(DType::I8, clamp(round_shift_right(srdh_mul(acc(i, j, n), 1518500250), 6), -128, 127));
  });
};

/// Processor time of this thread alone.
template <class F>
double seconds(const F& f) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double start = now();
  f();
  return now() - start;
}

void bench_interpreter() {
  Convolution conv{32, 16};
  loop::Func func = lower::lower(schedule::Schedule({conv.q}), {conv.x, conv.w, conv.q}, "conv");
  loop::Interpreter interpreter(func);
  std::vector<std::byte> x(32 * 32 * 16), w(9 * 16 * 16), q(32 * 32 * 16);
  std::vector<std::span<std::byte>> arguments{x, w, q};
  constexpr int kRuns = 10;
  double time = seconds([&] {
    for (int i = 0; i < kRuns; ++i) interpreter.run(arguments);
  });
  fmt::print("interpreter: {:.1f} MMAC/s\n", kRuns * 32 * 32 * 16 * 144 / time / 1e6);
}

/// Each candidate is scheduled and lowered from scratch: nothing is kept from one to the next.
void bench_lowering() {
  Convolution conv{28, 128};
  int count = 0;
  double time = seconds([&] {
    for (std::int64_t height = 1; height <= 14; ++height) {
      for (std::int64_t columns = 1; columns <= 14; ++columns) {
        for (std::int64_t block : {8, 16, 32, 64}) {
          schedule::Schedule s({conv.q});
          auto [yo, yi] = s[conv.q].split(s[conv.q].axis(0), height);
          auto [xo, xi] = s[conv.q].split(s[conv.q].axis(1), columns);
          auto [no, ni] = s[conv.q].split(s[conv.q].axis(2), block);
          s[conv.q].reorder({no, yo, xo, yi, xi, ni}).vectorize(ni);
          s[conv.acc].compute_at(s[conv.q], xo);
          auto [ko, ki] = s[conv.acc].split(conv.k, 16);
          s[conv.acc].reorder({ko, conv.ky, conv.kx, ki});
          s[conv.pad].compute_at(s[conv.acc], ko);
          count += lower::lower(s, {conv.x, conv.w, conv.q}, "conv").params.size() == 3;
        }
      }
    }
  });
  fmt::print("lowering: {:.0f} scheduled convolutions per second\n", count / time);
}

/// The candidates of the CPU's template, in F32.
void bench_template() {
  pipeline::cpu::CpuProfile profile;
  profile.vector_bytes = 64;
  profile.vector_registers = 32;
  const pipeline::cpu::Conv2d conv{128, 28, 28, 128, 3, 3, 1, 1, 1, 1, 1, 1};
  const auto space = pipeline::cpu::conv2d_space(conv, profile);
  std::size_t count = 0;
  const double time = seconds([&] {
    for (const auto& knobs : space) count += pipeline::cpu::conv2d(conv, knobs, "conv").params.size() == 3;
  });
  fmt::print("template: {:.0f} candidates per second\n", static_cast<double>(count) / time);
}

}  // namespace
}  // namespace vdla

int main() {
  vdla::bench_interpreter();
  vdla::bench_lowering();
  vdla::bench_template();
}
