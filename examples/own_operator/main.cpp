// SPDX-License-Identifier: Apache-2.0
// An operator that the kit does not have: log-sum-exp of each row in one pass over it, whatever the size of
// its elements. Its reduction is the user's own: partial results are pairs (largest element, sum of
// exponentials relative to it), and two pairs combine to one. The interpreter says what it means, machine
// code must agree.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/loop/interpret.h"
#include "compiler/loop/print.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/schedule.h"
#include "compiler/targets/cpu/code/code.h"

using namespace vdla;
using namespace vdla::expr;

namespace {

/// Result for x, F32 [rows, columns]: F32 [rows]. `pairs` are the two tensors of its reduction.
Tensor log_sum_exp(const Tensor& x, std::vector<Tensor>& pairs) {
  const auto together = combiner("log_sum_exp", {Value(-1e30), Value(0.0)},
                                 [](const std::vector<Value>& a, const std::vector<Value>& b) {
                                   const Value top = maximum(a[0], b[0]);
                                   const auto rescaled = [&](const std::vector<Value>& part) {
                                     return part[1] * apply(Function::Exp, {part[0] - top});
                                   };
                                   return std::vector<Value>{top, rescaled(a) + rescaled(b)};
                                 });
  const IterVar j = reduce_axis(x.shape()[1], "j");
  pairs = compute_together({"top", "total"}, {x.shape()[0]}, [&](const std::vector<Value>& i) {
    return reduce(together, {x(i[0], j), Value(1.0)}, {j});
  });
  return compute("log_sum_exp", {x.shape()[0]},
                 [&](Value i) { return pairs[0](i) + apply(Function::Log, {pairs[1](i)}); });
}

}  // namespace

int main() {
  const std::int64_t rows = 7, columns = 50;
  const Tensor x = placeholder("x", {rows, columns}, DType::F32);
  std::vector<Tensor> pairs;
  const Tensor y = log_sum_exp(x, pairs);

  schedule::Schedule s({y});
  s[pairs[0]].compute_at(s[y], s[y].axis(0));  // no memory for the pairs of all rows
  const loop::Func func = lower::lower(s, {x, y}, "log_sum_exp");
  std::printf("%s", loop::to_string(func).c_str());

  std::mt19937 random(1);
  std::uniform_real_distribution<float> draw(80, 120);  // exp() of these overflows
  std::vector<float> in(rows * columns), interpreted(rows), compiled(rows);
  for (float& v : in) v = draw(random);
  const std::span<std::byte> memories[] = {std::as_writable_bytes(std::span(in)),
                                           std::as_writable_bytes(std::span(interpreted))};
  loop::Interpreter(func).run(memories);
  host::Jit jit;
  void* const arguments[] = {in.data(), compiled.data()};
  jit.add(func)(arguments);

  for (std::size_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < columns; ++j) sum += std::exp(static_cast<double>(in[i * columns + j]));
    std::printf("row %zu: %.5f interpreted, %.5f compiled, %.5f needed\n", i, interpreted[i], compiled[i],
                std::log(sum));
    if (!(std::abs(std::log(sum) - interpreted[i]) < 1e-3) || !(std::abs(std::log(sum) - compiled[i]) < 1e-3))
      return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
