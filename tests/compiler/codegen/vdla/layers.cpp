// SPDX-License-Identifier: Apache-2.0
// Tensor expressions and schedules of the layers.
#include "tests/compiler/codegen/vdla/layers.h"

#include <cstring>

#include <fmt/format.h>

#include "compiler/expr/dsl.h"
#include "compiler/intrinsics/table.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/schedule.h"
#include "isa/semantics/execute.h"

namespace vdla::codegen::testing {

using namespace vdla::expr;

namespace {

Value i32(std::int64_t value) { return Value(int_imm(value, DType::I32)); }

Value requantized(const Value& x, const Tensor& par, const Value& nb, const Value& n, std::int32_t zero,
                  std::int32_t low) {
  const auto row = [&](int r) { return at(par, {nb, Value(r), n}).expr(); };
  return Value(intrinsics::int8_result(intrinsics::scale_value(x.expr(), row(0), row(1), row(2)),
                                       i32(zero).expr(), i32(low).expr(), i32(127).expr()));
}

std::size_t bytes_of(const loop::Param& param) {
  return static_cast<std::size_t>(expr::storage_size(*param.buffer) * expr::bytes(param.buffer->dtype));
}

std::vector<std::byte> random_bytes(std::size_t size, std::mt19937& random) {
  std::vector<std::byte> bytes(size);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

/// bias, multiplier, shifts in ranges that keep results alive.
std::vector<std::byte> random_params(std::size_t size, std::int64_t lanes, std::mt19937& random) {
  std::vector<std::byte> bytes(size);
  const auto draw = [&](std::int32_t low, std::int32_t high) {
    return std::uniform_int_distribution<std::int32_t>(low, high)(random);
  };
  for (std::size_t i = 0; i < size / 4; ++i) {
    const auto row = (i / static_cast<std::size_t>(lanes)) % 3;
    const std::int32_t value =
        row == 0   ? draw(-20000, 20000)
        : row == 1 ? draw(1 << 30, INT32_MAX)
                   : isa::pack_shifts(static_cast<unsigned>(draw(0, 1)), static_cast<unsigned>(draw(4, 10)));
    std::memcpy(bytes.data() + 4 * i, &value, 4);
  }
  return bytes;
}

/// Virtual threads in turns over `tiles`: binds them outside of all other loops of the stage; what each of
/// them runs over.
IterVar with_threads(schedule::Stage& stage, const IterVar& tiles, std::int64_t threads) {
  if (threads == 1) return tiles;
  const auto [outer, thread] = stage.split(tiles, threads);
  std::vector<IterVar> order{thread};
  for (const IterVar& axis : stage.leaves())
    if (axis != thread) order.push_back(axis);
  stage.reorder(order).bind(thread, ForKind::VThread);
  return outer;
}

}  // namespace

std::string ConvCase::describe() const {
  return fmt::format(
      "{}x{} blocks {}->{} kernel {}x{} stride {} pad {} tile {}x{} out {} in {} threads {}x{}", h, w,
      in_blocks, out_blocks, kernel_h, kernel_w, stride, pad, tile_h, tile_w, tile_out, tile_in, row_threads,
      column_threads);
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
  const IterVar y = with_threads(r, yo, c.row_threads), x = with_threads(r, xo, c.column_threads);
  r.reorder({y, x, no, yi, xi, ni, r.axis(3)});
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
  const IterVar blocks = with_threads(r, no, c.threads);
  r.reorder({ro, blocks, rg, rb, ni, r.axis(2)});
  r.tensorize(rg, "store");
  s[out].compute_at(r, blocks).tensorize(s[out].axis(2), "scale");
  s[par].compute_at(r, blocks).tensorize(s[par].axis(0), "load");
  schedule::Stage& a = s[acc];
  a.compute_at(r, blocks);
  const auto [co, ci] = a.split(cb, c.tile_in);
  a.reorder({co, a.axis(0), a.axis(1), ci, a.axis(2), a.axis(3), k});
  a.tensorize(a.axis(2), "gemm");
  s[inp].compute_at(a, co).tensorize(s[inp].axis(0), "load");
  s[wgt].compute_at(a, co).tensorize(s[wgt].axis(0), "load");
  return lower::lower(s, {input, weights, params, result}, "matmul");
}

std::vector<std::vector<std::byte>> random_arguments(const loop::Func& func, const isa::Geometry& g,
                                                     std::mt19937& random) {
  std::vector<std::vector<std::byte>> arguments;
  for (std::size_t i = 0; i < func.params.size(); ++i) {
    const std::size_t size = bytes_of(func.params[i]);
    arguments.push_back(i == 2 ? random_params(size, g.block_out, random) : random_bytes(size, random));
  }
  return arguments;
}

}  // namespace vdla::codegen::testing
