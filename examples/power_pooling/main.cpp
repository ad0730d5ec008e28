// SPDX-License-Identifier: Apache-2.0
// An operator of one's own on the device, made of the instructions that it has: the power of a signal in each
// window of time and channel, sum of x * x, scaled to int8. Products with a vector take one factor from inp
// and one from par, so the signal is loaded into both; sums stay in the accumulators.
#include <cstdio>
#include <cstdlib>
#include <random>

#include "compiler/expr/dsl.h"
#include "compiler/intrinsics/table.h"
#include "compiler/loop/print.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/schedule.h"
#include "compiler/tensorize/tensorize.h"
#include "kit/device_function.h"
#include "kit/kit.h"
#include "kit/rtl.h"
#include "kit/systemc.h"
#include "support/fixed_point.h"

using namespace vdla;
using namespace vdla::expr;

namespace {

constexpr std::int64_t kWindows = 40, kTime = 16, kTileWindows = 4;
/// The scale 2^-11 as the device has it: a factor of 2^-31 units, and a shift to the right.
constexpr std::int32_t kFactor = 1 << 30, kRight = 10;

Value i32(std::int64_t value) { return Value(int_imm(value, DType::I32)); }

loop::Func power_pooling(const isa::Geometry& g) {
  const std::int64_t lanes = g.block_out;
  const Tensor x = placeholder("x", {kWindows, kTime, lanes}, DType::I8);
  const Tensor params = placeholder("params", {3, lanes}, DType::I32);  // bias, factor, shifts
  const Tensor wide = compute("wide", {kWindows, kTime, lanes},
                              [&](Value w, Value t, Value n) { return cast(DType::I32, x(w, t, n)); });
  const IterVar t = reduce_axis(kTime, "t");
  const Tensor power = compute("power", {kWindows, lanes}, [&](Value w, Value n) {
    return sum(cast(DType::I32, x(w, t, n)) * wide(w, t, n), {t});
  });
  const Tensor y = compute("y", {kWindows, lanes}, [&](Value w, Value n) {
    const auto row = [&](std::int64_t r) { return params(r, n).expr(); };
    const ExprPtr scaled = intrinsics::scale_value(power(w, n).expr(), row(0), row(1), row(2));
    return Value(intrinsics::int8_result(scaled, i32(0).expr(), i32(-128).expr(), i32(127).expr()));
  });

  schedule::Schedule s({y});
  const Tensor out = s.cache_write(y, "out");
  const Tensor inp = s.cache_read(x, "inp", {power}), par = s.cache_read(params, "par", {out});
  s[wide].set_scope("par");
  s[power].set_scope("acc");
  const auto [tile, window] = s[y].split(s[y].axis(0), kTileWindows);
  s[y].tensorize(window, "store");
  s[out].compute_at(s[y], tile).tensorize(s[out].axis(1), "scale");
  s[par].compute_at(s[y], tile).tensorize(s[par].axis(0), "load");
  schedule::Stage& products = s[power];
  products.compute_at(s[y], tile);
  products.reorder({products.axis(0), t, products.axis(1)}).tensorize(products.axis(1), "mac");
  s[inp].compute_at(s[y], tile).tensorize(s[inp].axis(0), "load");
  s[wide].compute_at(s[y], tile).tensorize(s[wide].axis(0), "load");
  return tensorize::tensorize(lower::lower(s, {x, params, y}, "power_pooling"),
                              intrinsics::device_intrinsics(g));
}

template <class T>
runtime::Bytes bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

int main() {
  const isa::Variant variant = isa::load_variant("paper");
  const std::int64_t lanes = variant.geometry.block_out;
  const loop::Func func = power_pooling(variant.geometry);
  std::printf("%s\n", loop::to_string(func).c_str());
  const runtime::Module module = kit::device_module(func, variant);

  std::mt19937 random(1);
  std::vector<std::int8_t> x, needed;
  for (std::int64_t i = 0; i < kWindows * kTime * lanes; ++i) x.push_back(static_cast<std::int8_t>(random()));
  for (std::int64_t w = 0; w < kWindows; ++w)
    for (std::int64_t n = 0; n < lanes; ++n) {
      std::int32_t sum = 0;
      for (std::int64_t t = 0; t < kTime; ++t) {
        const int value = x[static_cast<std::size_t>((w * kTime + t) * lanes + n)];
        sum += value * value;
      }
      needed.push_back(
          static_cast<std::int8_t>(std::clamp(round_shift_right(srdh_mul(sum, kFactor), kRight), -128, 127)));
    }
  std::vector<std::int32_t> params;
  for (const std::int32_t value : {0, kFactor, kRight << 8})
    params.insert(params.end(), static_cast<std::size_t>(lanes), value);

  std::vector<std::string> engines{"functional"};
  if (kit::have_systemc()) engines.push_back("systemc");
  if (kit::rtl_engine_built(variant)) engines.push_back("rtl");
  for (const std::string& engine : engines) {
    kit::Session session(module, engine);
    if (session.run({bytes_of(x), bytes_of(params)}).outputs.at(0) != bytes_of(needed)) {
      std::printf("%s: the powers are not those of plain loops\n", engine.c_str());
      return EXIT_FAILURE;
    }
  }
  std::printf("%zu powers are right on %zu engines\n", needed.size(), engines.size());
  return EXIT_SUCCESS;
}
