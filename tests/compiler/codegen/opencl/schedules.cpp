// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/codegen/opencl/schedules.h"

#include "compiler/expr/dsl.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/schedule.h"

namespace vdla::grid {

using expr::DType;
using expr::ForKind;
using expr::IterVar;
using expr::Tensor;
using expr::Value;
using schedule::Schedule;

loop::Func sgemm(std::int64_t n, std::int64_t tile) {
  const std::int64_t threads = tile / 8;
  Tensor a = expr::placeholder("A", {n, n}, DType::F32), b = expr::placeholder("B", {n, n}, DType::F32);
  IterVar k = expr::reduce_axis(n, "k");
  Tensor c = expr::compute("C", {n, n}, [&](Value i, Value j) { return expr::sum(a(k, i) * b(k, j), {k}); },
                           {"i", "j"});
  Schedule s({c});
  Tensor acc = s.cache_write(c, "local");
  Tensor tile_a = s.cache_read(a, expr::kSharedScope, {acc}),
         tile_b = s.cache_read(b, expr::kSharedScope, {acc});
  auto& out = s[c];
  auto [by, yi] = out.split(out.axis(0), tile);
  auto [bx, xi] = out.split(out.axis(1), tile);
  auto [vy, y_of_v] = out.split(yi, tile / 2);
  auto [vx, x_of_v] = out.split(xi, tile / 2);
  auto [ty, y] = out.split(y_of_v, 4);
  auto [tx, x] = out.split(x_of_v, 4);
  out.reorder({by, bx, vy, vx, ty, tx, y, x});
  out.bind(vy, ForKind::VThread).bind(vx, ForKind::VThread);
  out.bind(by, ForKind::BlockY)
      .bind(bx, ForKind::BlockX)
      .bind(ty, ForKind::ThreadY)
      .bind(tx, ForKind::ThreadX);
  out.vectorize(x).unroll(y);
  auto& sum = s[acc];
  sum.compute_at(out, tx);
  auto [ko, ki] = sum.split(sum.reduce_axis(0), 8);
  IterVar sum_y = sum.axis(0), sum_x = sum.axis(1);
  sum.reorder({ko, ki, sum_y, sum_x});
  sum.unroll(sum_y).vectorize(sum_x);
  for (const Tensor& t : {tile_a, tile_b}) {
    auto& fetch = s[t];
    fetch.compute_at(sum, ko);
    IterVar all = fetch.fuse(fetch.axis(0), fetch.axis(1));
    auto [rest, v] = fetch.split(all, 4);
    auto [rows, fetch_x] = fetch.split(rest, threads);
    auto [o, fetch_y] = fetch.split(rows, threads);
    fetch.bind(fetch_y, ForKind::ThreadY).bind(fetch_x, ForKind::ThreadX).vectorize(v).unroll(o);
  }
  return lower::lower(s, {a, b, c}, "sgemm");
}

loop::Func convolution(std::int64_t channels, std::int64_t size, std::int64_t filters) {
  Tensor image = expr::placeholder("X", {channels, size, size}, DType::F32);
  Tensor weights = expr::placeholder("W", {channels, 3, 3, filters}, DType::F32);
  Tensor bias = expr::placeholder("Bias", {filters}, DType::F32);
  Tensor pad = expr::compute("pad", {channels, size + 2, size + 2},
                             [&](Value c, Value i, Value j) {
                               return expr::select(i >= 1 && i < size + 1 && j >= 1 && j < size + 1,
                                                   image(c, i - 1, j - 1), 0);
                             },
                             {"c", "i", "j"});
  IterVar rc = expr::reduce_axis(channels, "rc"), ry = expr::reduce_axis(3, "ry"),
          rx = expr::reduce_axis(3, "rx");
  Tensor sum =
      expr::compute("Y", {filters, size, size},
                    [&](Value f, Value i, Value j) {
                      return expr::sum(pad(rc, i + ry, j + rx) * weights(rc, ry, rx, f), {rc, ry, rx});
                    },
                    {"f", "i", "j"});
  Tensor out = expr::compute(
      "O", {filters, size, size},
      [&](Value f, Value i, Value j) { return expr::maximum(sum(f, i, j) + bias(f), 0); }, {"f", "i", "j"});
  Schedule s({out});
  s[pad].compute_inline();
  Tensor tile = s.cache_read(pad, expr::kSharedScope, {sum});
  Tensor taps = s.cache_read(weights, expr::kSharedScope, {sum});
  s[sum].set_scope("local");
  auto& o = s[out];
  auto [bf, f0] = o.split(o.axis(0), 64);
  auto [bi, i0] = o.split(o.axis(1), 4);
  auto [bj, j0] = o.split(o.axis(2), 28);
  auto [vf, f1] = o.split(f0, 32);
  auto [tf, fi] = o.split(f1, 4);
  auto [ti, ii] = o.split(i0, 2);
  auto [tj, ji] = o.split(j0, 2);
  o.reorder({bf, bi, bj, vf, tf, ti, tj, fi, ii, ji});
  IterVar t = o.fuse(ti, tj);
  o.bind(bf, ForKind::BlockZ).bind(bi, ForKind::BlockY).bind(bj, ForKind::BlockX).bind(vf, ForKind::VThread);
  o.bind(tf, ForKind::ThreadY).bind(t, ForKind::ThreadX).unroll(fi).unroll(ii).unroll(ji);
  auto& y = s[sum];
  y.compute_at(o, t);
  auto [ko, ki] = y.split(y.reduce_axis(0), 4);
  y.reorder({ko, ki, y.reduce_axis(1), y.reduce_axis(2), y.axis(0), y.axis(1), y.axis(2)});
  y.unroll(y.axis(0)).unroll(y.axis(1)).unroll(y.axis(2));
  for (const Tensor& c : {tile, taps}) {
    auto& fetch = s[c];
    fetch.compute_at(y, ko);
    IterVar all = fetch.axis(0);
    for (std::size_t d = 1; d < c.shape().size(); ++d) all = fetch.fuse(all, fetch.axis(d));
    auto [rest, fetch_x] = fetch.split(all, 28);
    auto [steps, fetch_y] = fetch.split(rest, 8);
    fetch.bind(fetch_y, ForKind::ThreadY).bind(fetch_x, ForKind::ThreadX);
  }
  return lower::lower(s, {image, weights, bias, out}, "conv");
}

}  // namespace vdla::grid
