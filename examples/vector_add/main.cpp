// SPDX-License-Identifier: Apache-2.0
// The smallest program: C = A + B as a tensor expression, its loops, and machine code of this CPU.
#include <cstdio>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/loop/print.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/schedule.h"
#include "compiler/targets/cpu/code/code.h"

int main() {
  using namespace vdla;
  using namespace vdla::expr;
  const std::int64_t n = 1000;

  // The computation ...
  const Tensor a = placeholder("A", {n}, DType::F32), b = placeholder("B", {n}, DType::F32);
  const Tensor c = compute("C", {n}, [&](Value i) { return a(i) + b(i); });

  // ... and how: 16 elements at once. 16 does not divide 1000; the compiler puts the guard.
  schedule::Schedule s({c});
  const auto [outer, inner] = s[c].split(s[c].axis(0), 16);
  s[c].vectorize(inner);
  const loop::Func func = lower::lower(s, {a, b, c}, "vector_add");
  std::printf("%s", loop::to_string(func).c_str());

  host::Jit jit;
  const codegen::HostFunction add = jit.add(func);
  std::vector<float> x(n), y(n), z(n);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i);
    y[i] = 0.5f;
  }
  void* const arguments[] = {x.data(), y.data(), z.data()};
  add(arguments);
  for (std::size_t i = 0; i < z.size(); ++i) {
    if (z[i] != x[i] + y[i]) {
      std::printf("C[%zu] is %g, needs %g\n", i, z[i], x[i] + y[i]);
      return 1;
    }
  }
  std::printf("%lld sums are right\n", static_cast<long long>(n));
}
