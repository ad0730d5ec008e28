// SPDX-License-Identifier: Apache-2.0
// A matrix product with the schedule written out: tiles of C in registers, rows of B in packed panels, tiles
// shared out to threads; compiled by LLVM and compared with three plain loops.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/loop/print.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/script.h"
#include "compiler/targets/cpu/code/code.h"
#include "runtime/session/thread_pool.h"

using namespace vdla;
using namespace vdla::expr;

namespace {

constexpr std::int64_t kM = 120, kN = 192, kL = 256;
constexpr std::int64_t kTileRows = 6, kTileColumns = 32;

loop::Func tiled_matmul() {
  const Tensor a = placeholder("A", {kM, kL}, DType::F32), b = placeholder("B", {kL, kN}, DType::F32);
  // B in panels of kTileColumns columns, so that the inner loops read memory in order.
  const Tensor panels =
      compute("panels", {kN / kTileColumns, kL, kTileColumns},
              [&](Value panel, Value k, Value j) { return b(k, panel * kTileColumns + j); });
  const IterVar k = reduce_axis(kL, "k");
  const Tensor c = compute("C", {kM, kN}, [&](Value i, Value j) {
    return sum(a(i, k) * panels(floor_div(j, kTileColumns), k, floor_mod(j, kTileColumns)), {k});
  });

  schedule::Schedule s({c});
  const Tensor tile = s.cache_write(c, "registers");
  const auto [i, j, tile_i, tile_j] = s[c].tile(s[c].axis(0), s[c].axis(1), kTileRows, kTileColumns);
  s[c].reorder({j, i}).vectorize(tile_j).unroll(tile_i).parallel(j);
  schedule::Stage& t = s[tile];
  t.compute_at(s[c], i);
  t.reorder({t.reduce_axis(0), t.axis(0), t.axis(1)}).unroll(t.axis(0)).vectorize(t.axis(1));
  s[panels].vectorize(s[panels].axis(2));
  std::printf("the schedule as a script, which compiler/schedule/script.h reads back:\n%s\n",
              schedule::to_script(s).c_str());
  return lower::lower(s, {a, b, c}, "matmul");
}

}  // namespace

int main() {
  const loop::Func func = tiled_matmul();
  runtime::ThreadPool pool(2);
  host::Jit jit(pool.hook());
  const codegen::HostFunction matmul = jit.add(func);

  std::mt19937 random(1);
  std::uniform_real_distribution<float> draw(-1, 1);
  std::vector<float> a(kM * kL), b(kL * kN), c(kM * kN);
  for (float& x : a) x = draw(random);
  for (float& x : b) x = draw(random);
  void* const arguments[] = {a.data(), b.data(), c.data()};
  matmul(arguments);

  double worst = 0;
  for (std::size_t i = 0; i < kM; ++i) {
    for (std::size_t j = 0; j < kN; ++j) {
      double needed = 0;
      for (std::size_t k = 0; k < kL; ++k) needed += static_cast<double>(a[i * kL + k]) * b[k * kN + j];
      worst = std::max(worst, std::abs(needed - c[i * kN + j]));
    }
  }
  std::printf("largest difference from plain loops: %.2g\n", worst);
  return worst < 1e-4 ? EXIT_SUCCESS : EXIT_FAILURE;
}
