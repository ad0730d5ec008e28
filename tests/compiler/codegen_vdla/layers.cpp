// SPDX-License-Identifier: Apache-2.0
// Tensor expressions and schedules of the layers.
#include "tests/compiler/codegen_vdla/layers.h"

#include <fmt/format.h>

#include "compiler/expr/dsl.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/schedule.h"
#include "compiler/tensorize/table.h"

namespace vdla::codegen::testing {

using namespace vdla::expr;

namespace {

Value i32(std::int64_t value) { return Value(int_imm(value, DType::I32)); }

Value requantized(const Value& x, const Tensor& par, const Value& nb, const Value& n, std::int32_t zero,
                  std::int32_t low) {
  const auto row = [&](int r) { return at(par, {nb, Value(r), n}).expr(); };
  return Value(tensorize::int8_result(tensorize::scale_value(x.expr(), row(0), row(1), row(2)),
                                      i32(zero).expr(), i32(low).expr(), i32(127).expr()));
}

}  // namespace

std::string ConvCase::describe() const {
  return fmt::format("{}x{} blocks {}->{} kernel {}x{} stride {} pad {} tile {}x{} out {} in {}", h, w,
                     in_blocks, out_blocks, kernel_h, kernel_w, stride, pad, tile_h, tile_w, tile_out,
                     tile_in);
}

loop::Func conv2d(const ConvCase& c, const isa::Geometry& g) {
  const std::int64_t K = g.block_in, N = g.block_out;
  const Tensor input = placeholder("input", {c.h, c.w, c.in_blocks, K}, DType::I8);
  const Tensor weights =
      placeholder("weights", {c.out_blocks, c.kernel_h, c.kernel_w, c.in_blocks, N, K}, DType::I8);
  const Tensor params = placeholder("params", {c.out_blocks, 3, N}, DType::I32);
  const Tensor padded = compute(
      "padded", {c.h + 2 * c.pad, c.w + 2 * c.pad, c.in_blocks, K}, [&](Value y, Value x, Value cb, Value k) {
        const Value inside = y >= c.pad && y < c.h + c.pad && x >= c.pad && x < c.w + c.pad;
        return select(inside, input(y - c.pad, x - c.pad, cb, k), Value(int_imm(c.input_zero, DType::I8)));
      });
  const IterVar ky = reduce_axis(c.kernel_h, "ky"), kx = reduce_axis(c.kernel_w, "kx"),
                cb = reduce_axis(c.in_blocks, "cb"), k = reduce_axis(K, "k");
  const Tensor acc =
      compute("acc", {c.out_h(), c.out_w(), c.out_blocks, N}, [&](Value y, Value x, Value nb, Value n) {
        return sum(cast(DType::I32, padded(y * c.stride + ky, x * c.stride + kx, cb, k)) *
                       cast(DType::I32, weights(nb, ky, kx, cb, n, k)),
                   {ky, kx, cb, k});
      });
  const Tensor result =
      compute("result", {c.out_h(), c.out_w(), c.out_blocks, N}, [&](Value y, Value x, Value nb, Value n) {
        return requantized(acc(y, x, nb, n), params, nb, n, c.out_zero, c.clamp_min);
      });

  schedule::Schedule s({result});
  const Tensor out = s.cache_write(result, "out");
  const Tensor wgt = s.cache_read(weights, "wgt", {acc});
  const Tensor par = s.cache_read(params, "par", {out});
  s[padded].set_scope("inp");
  s[acc].set_scope("acc");
  schedule::Stage& r = s[result];
  const auto [yo, yi] = r.split(r.axis(0), c.tile_h);
  const auto [xo, xi] = r.split(r.axis(1), c.tile_w);
  const auto [no, ni] = r.split(r.axis(2), c.tile_out);
  r.reorder({yo, xo, no, yi, xi, ni, r.axis(3)});
  r.tensorize(yi, "store");
  s[out].compute_at(r, no).tensorize(s[out].axis(3), "scale");
  s[par].compute_at(r, no).tensorize(s[par].axis(0), "load");
  schedule::Stage& a = s[acc];
  a.compute_at(r, no);
  const auto [co, ci] = a.split(cb, c.tile_in);
  a.reorder({co, a.axis(0), a.axis(1), a.axis(2), ky, kx, ci, a.axis(3), k});
  a.tensorize(a.axis(3), "gemm");
  s[padded].compute_at(a, co).tensorize(s[padded].axis(0), "load");
  s[wgt].compute_at(a, co).tensorize(s[wgt].axis(0), "load");
  return lower::lower(s, {input, weights, params, result}, "conv2d");
}

loop::Func matmul(const MatmulCase& c, const isa::Geometry& g) {
  const std::int64_t B = g.batch, K = g.block_in, N = g.block_out;
  const Tensor input = placeholder("input", {c.rows, c.in_blocks, K}, DType::I8);
  const Tensor weights = placeholder("weights", {c.out_blocks, c.in_blocks, N, K}, DType::I8);
  const Tensor params = placeholder("params", {c.out_blocks, 3, N}, DType::I32);
  const std::int64_t groups = (c.rows + B - 1) / B;
  const Tensor inp = compute("inp", {groups, c.in_blocks, B, K}, [&](Value m, Value cb, Value b, Value k) {
    return select(m * B + b < c.rows, input(m * B + b, cb, k), Value(int_imm(0, DType::I8)));
  });
  const IterVar cb = reduce_axis(c.in_blocks, "cb"), k = reduce_axis(K, "k");
  const Tensor acc = compute("acc", {groups, c.out_blocks, B, N}, [&](Value m, Value nb, Value b, Value n) {
    return sum(cast(DType::I32, inp(m, cb, b, k)) * cast(DType::I32, weights(nb, cb, n, k)), {cb, k});
  });
  const Tensor out = compute("out", {groups, c.out_blocks, B, N}, [&](Value m, Value nb, Value b, Value n) {
    return requantized(acc(m, nb, b, n), params, nb, n, 0, -128);
  });
  const Tensor result = compute("result", {groups * B, c.out_blocks, N}, [&](Value r, Value nb, Value n) {
    return out(floor_div(r, B), nb, floor_mod(r, B), n);
  });

  schedule::Schedule s({result});
  const Tensor wgt = s.cache_read(weights, "wgt", {acc});
  const Tensor par = s.cache_read(params, "par", {out});
  s[inp].set_scope("inp");
  s[acc].set_scope("acc");
  s[out].set_scope("out");
  schedule::Stage& r = s[result];
  const auto [ro, ri] = r.split(r.axis(0), c.tile_rows * B);
  const auto [no, ni] = r.split(r.axis(1), c.tile_out);
  const auto [rg, rb] = r.split(ri, B);
  r.reorder({ro, no, rg, rb, ni, r.axis(2)});
  r.tensorize(rg, "store");
  s[out].compute_at(r, no).tensorize(s[out].axis(2), "scale");
  s[par].compute_at(r, no).tensorize(s[par].axis(0), "load");
  schedule::Stage& a = s[acc];
  a.compute_at(r, no);
  const auto [co, ci] = a.split(cb, c.tile_in);
  a.reorder({co, a.axis(0), a.axis(1), ci, a.axis(2), a.axis(3), k});
  a.tensorize(a.axis(2), "gemm");
  s[inp].compute_at(a, co).tensorize(s[inp].axis(0), "load");
  s[wgt].compute_at(a, co).tensorize(s[wgt].axis(0), "load");
  return lower::lower(s, {input, weights, params, result}, "matmul");
}

}  // namespace vdla::codegen::testing
