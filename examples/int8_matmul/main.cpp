// SPDX-License-Identifier: Apache-2.0
// An int8 matrix product on the device, written and scheduled by hand: C = clamp((A * B + bias) * scale) as
// tensor expressions; tiles, virtual threads, buffers and instructions by a schedule; run on the engines and
// compared with plain loops.
#include <cstdio>
#include <cstdlib>
#include <random>

#include "compiler/expr/dsl.h"
#include "compiler/intrinsics/table.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/script.h"
#include "kit/device_function.h"
#include "kit/kit.h"
#include "kit/rtl.h"
#include "kit/systemc.h"
#include "support/fixed_point.h"

using namespace vdla;
using namespace vdla::expr;

namespace {

constexpr std::int64_t kRows = 128, kInner = 128, kColumns = 96;
/// Sizes of C's tile on chip: rows, blocks of columns; and of the sum, blocks of terms.
constexpr std::int64_t kTileRows = 64, kTileColumns = 1, kTileInner = 4;
/// Tiles of columns that are computed side by side.
constexpr std::int64_t kThreads = 2;
/// The scale 2^-9 as the device has it: a factor of 2^-31 units, and a shift to the right.
constexpr std::int32_t kFactor = 1 << 30, kRight = 8;

Value i32(std::int64_t value) { return Value(int_imm(value, DType::I32)); }

/// A, B and C in blocks of the array's lanes: A [rows][inner / K][K], B [columns / N][inner / K][N][K],
/// C [rows][columns / N][N]. One row of the array at a time.
loop::Func matmul(const isa::Geometry& g) {
  const std::int64_t K = g.block_in, N = g.block_out;

  // The computation.
  const Tensor a = placeholder("A", {kRows, kInner / K, K}, DType::I8);
  const Tensor b = placeholder("B", {kColumns / N, kInner / K, N, K}, DType::I8);
  const Tensor params = placeholder("params", {kColumns / N, 3, N}, DType::I32);  // bias, factor, shifts
  const IterVar block = reduce_axis(kInner / K, "block"), k = reduce_axis(K, "k");
  const Tensor sums = compute("sums", {kRows, kColumns / N, N}, [&](Value i, Value j, Value n) {
    return sum(cast(DType::I32, a(i, block, k)) * cast(DType::I32, b(j, block, n, k)), {block, k});
  });
  const Tensor c = compute("C", {kRows, kColumns / N, N}, [&](Value i, Value j, Value n) {
    const auto row = [&](std::int64_t r) { return params(j, r, n).expr(); };
    const ExprPtr scaled = intrinsics::scale_value(sums(i, j, n).expr(), row(0), row(1), row(2));
    return Value(intrinsics::int8_result(scaled, i32(0).expr(), i32(-128).expr(), i32(127).expr()));
  });

  // How: which buffer holds what, in tiles, and which loops are steps of the device.
  schedule::Schedule s({c});
  const Tensor out = s.cache_write(c, "out");
  const Tensor inp = s.cache_read(a, "inp", {sums}), wgt = s.cache_read(b, "wgt", {sums});
  const Tensor par = s.cache_read(params, "par", {out});
  s[sums].set_scope("acc");
  schedule::Stage& result = s[c];
  const auto [row_tile, row] = result.split(result.axis(0), kTileRows);
  const auto [column_tiles, column] = result.split(result.axis(1), kTileColumns);
  const auto [column_tile, thread] = result.split(column_tiles, kThreads);
  result.reorder({row_tile, thread, column_tile, row, column, result.axis(2)}).tensorize(row, "store");
  result.bind(thread, ForKind::VThread);  // interleaved; here the device overlaps the tiles without it, too
  s[out].compute_at(result, column_tile).tensorize(s[out].axis(2), "scale");
  s[par].compute_at(result, column_tile).tensorize(s[par].axis(0), "load");
  schedule::Stage& products = s[sums];
  const auto [outer, inner] = products.compute_at(result, column_tile).split(block, kTileInner);
  products.reorder({outer, products.axis(0), products.axis(1), inner, products.axis(2), k});
  products.tensorize(products.axis(2), "gemm");
  s[inp].compute_at(result, row_tile).tensorize(s[inp].axis(0), "load");
  s[wgt].compute_at(products, outer).tensorize(s[wgt].axis(0), "load");
  std::printf("%s\n", schedule::to_script(s).c_str());
  return lower::lower(s, {a, b, params, c}, "matmul");
}

template <class T>
runtime::Bytes bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

struct Operands {
  std::vector<std::int8_t> a, b;
  std::vector<std::int32_t> params;
};

Operands draw(const isa::Geometry& g) {
  std::mt19937 random(1);
  Operands o;
  for (std::int64_t i = 0; i < kRows * kInner; ++i) o.a.push_back(static_cast<std::int8_t>(random()));
  for (std::int64_t i = 0; i < kColumns * kInner; ++i) o.b.push_back(static_cast<std::int8_t>(random()));
  for (std::int64_t j = 0; j < kColumns / g.block_out; ++j)
    for (const std::int32_t value : {1000, kFactor, kRight << 8})
      o.params.insert(o.params.end(), g.block_out, value);
  return o;
}

/// C by three loops over the blocked operands.
runtime::Bytes plain_loops(const Operands& o, const isa::Geometry& g) {
  const std::int64_t K = g.block_in, N = g.block_out;
  std::vector<std::int8_t> c;
  for (std::int64_t i = 0; i < kRows; ++i)
    for (std::int64_t j = 0; j < kColumns; ++j) {
      std::int32_t sum = 1000;
      for (std::int64_t k = 0; k < kInner; ++k)
        sum += o.a[static_cast<std::size_t>(i * kInner + k)] *
               o.b[static_cast<std::size_t>(((j / N * (kInner / K) + k / K) * N + j % N) * K + k % K)];
      const std::int32_t scaled = round_shift_right(srdh_mul(sum, kFactor), kRight);
      c.push_back(static_cast<std::int8_t>(std::clamp(scaled, -128, 127)));
    }
  return bytes_of(c);
}

}  // namespace

int main() {
  const isa::Variant variant = isa::load_variant("paper");
  const Operands o = draw(variant.geometry);
  const runtime::Bytes needed = plain_loops(o, variant.geometry);
  const runtime::Module module = kit::device_module(matmul(variant.geometry), variant);
  std::vector<std::string> engines{"functional"};
  if (kit::have_systemc()) engines.push_back("systemc");
  if (kit::rtl_engine_built(variant)) engines.push_back("rtl");
  for (const std::string& engine : engines) {
    kit::Session session(module, engine);
    const runtime::Result result = session.run({bytes_of(o.a), bytes_of(o.b), bytes_of(o.params)});
    if (result.outputs.at(0) != needed) {
      std::printf("%s: C is not that of plain loops\n", engine.c_str());
      return EXIT_FAILURE;
    }
    const auto cycles = static_cast<unsigned long long>(result.cycles);
    const auto least = static_cast<unsigned long long>(
        kRows * kInner * kColumns / (variant.geometry.block_in * variant.geometry.block_out));
    if (session.has_time())
      std::printf("%s: %llu cycles, the array alone needs %llu\n", engine.c_str(), cycles, least);
  }
  std::printf("%lld elements are right on %zu engines\n", static_cast<long long>(needed.size()),
              engines.size());
  return EXIT_SUCCESS;
}
