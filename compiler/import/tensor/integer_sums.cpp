// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tensor/integer_sums.h"

#include <algorithm>

#include "compiler/import/tensor/steps.h"

namespace vdla::import::tensor {

using expr::BinaryOp;
using expr::DType;
using expr::Function;
using expr::Reducer;

namespace {

/// Largest magnitude of an element less its zero point, whatever that is where the model computes it.
std::int64_t reach(const Value& x, const Value& zero) {
  const DType type = graph::dtype_of(x.type);
  const std::int64_t low = expr::min_value(type), high = expr::max_value(type);
  if (!zero.constant()) return high - low;
  std::int64_t most = 0;
  for (const std::int64_t z : integers_of(zero)) most = std::max({most, high - z, z - low});
  return most;
}

}  // namespace

Value along(const Composer& c, const Value& v, std::size_t rank, std::size_t axis) {
  if (v.count() == 1) return c.reshape(v, {});
  c.require(axis < rank, "has " + std::to_string(v.count()) + " scales or zero points for a value of " +
                             std::to_string(rank) + " dimensions, needs one");
  Shape shape(rank, 1);
  shape[axis] = v.count();
  return c.reshape(v, shape);
}

Value centred(const Composer& c, const Value& x, const Value* zero) {
  if (zero == nullptr) return c.cast(x, DataType::Int32);
  return c.map("Centre", {x, *zero},
               [](const auto& v) { return expr::cast(DType::I32, v[0]) - expr::cast(DType::I32, v[1]); });
}

std::int64_t largest_sum(const Composer& c, std::int64_t depth, const Value& x, const Value& x_zero,
                         const Value& w, const Value& w_zero, const Integers& kept) {
  const std::int64_t x_reach = reach(x, x_zero);
  std::int64_t most = 0;
  if (__builtin_mul_overflow(x_reach * reach(w, w_zero), depth, &most)) most = INT64_MAX / 2;
  if (w.constant() && w_zero.constant()) {
    Integers summed;
    for (std::size_t d = 0; d < w.rank(); ++d)
      if (std::ranges::find(kept, static_cast<std::int64_t>(d)) == kept.end())
        summed.push_back(static_cast<std::int64_t>(d));
    const Value magnitudes = c.map("Magnitude", {centred(c, w, &w_zero)}, [](const auto& v) {
      return expr::cast(DType::I64, expr::maximum(v[0], -v[0]));
    });
    const Value sums = c.fold(Reducer::Sum, magnitudes, summed, false);
    if (sums.constant()) {
      const Integers values = integers_of(sums);
      most = values.empty() ? 0 : *std::ranges::max_element(values) * x_reach;
    }
  }
  return most;
}

void check_sums(const Composer& c, std::int64_t depth, const Value& x, const Value& x_zero, const Value& w,
                const Value& w_zero, const Integers& kept, std::int64_t bias) {
  std::int64_t most = 0;
  const bool by_type = !__builtin_mul_overflow(reach(x, x_zero) * reach(w, w_zero), depth, &most);
  if (by_type && most + bias <= INT32_MAX) return;
  most = largest_sum(c, depth, x, x_zero, w, w_zero, kept);
  c.require(most + bias <= INT32_MAX,
            "has sums of up to " + std::to_string(most + bias) + " (" + std::to_string(depth) +
                " products each" + (bias > 0 ? " and a bias" : "") +
                "), and int32, in which they are defined, ends at " + std::to_string(INT32_MAX) +
                "; needs fewer terms in a sum, or smaller weights");
}

Value integer_product(const Composer& c, const Value& a, const Value& a_zero, const Value& b,
                      const Value& b_zero, std::int64_t bias) {
  // Every dimension of b but the one that is summed.
  Integers kept;
  for (std::size_t d = 0; d < b.rank(); ++d)
    if (d + 2 != b.rank()) kept.push_back(static_cast<std::int64_t>(d));
  check_sums(c, a.shape.back(), a, a_zero, b, b_zero, kept, bias);
  return c.matmul(centred(c, a, &a_zero), centred(c, b, &b_zero));
}

Value requantised(const Composer& c, const Value& acc, const Value& a_scale, const Value& b_scale,
                  const Value& y_scale, const Value& y_zero) {
  return c.map("Requantize", {acc, a_scale, b_scale, y_scale, y_zero}, [](const auto& v) {
    const auto real = [](const expr::Value& s) { return expr::cast(DType::F32, s); };
    return quantised(real(v[0]) * (real(v[1]) * real(v[2])), real(v[3]), v[4]);
  });
}

DynamicallyQuantised quantised_by_range(const Composer& c, const Value& x) {
  Integers all;
  for (std::size_t d = 0; d < x.rank(); ++d) all.push_back(static_cast<std::int64_t>(d));
  const auto zero_too = [&](Reducer r, BinaryOp op) {
    return c.binary(op, c.fold(r, x, all, false), c.scalar(x.type, 0));
  };
  const Value low = zero_too(Reducer::Min, BinaryOp::Min), high = zero_too(Reducer::Max, BinaryOp::Max);
  const Value scale = c.map("Scale", {low, high}, [](const auto& v) {
    const auto number = [&](double n) { return expr::Value(expr::float_imm(n, v[0].dtype())); };
    return select(v[0] == v[1], number(1), (v[1] - v[0]) / number(255));
  });
  const Value zero = c.map("ZeroPoint", {low, scale}, [](const auto& v) {
    const auto number = [&](double n) { return expr::Value(expr::float_imm(n, v[0].dtype())); };
    const expr::Value point = clamp((number(0) - v[0]) / v[1], number(0), number(255));
    return expr::cast(DType::U8, expr::Value(expr::call(Function::RoundEven, {point.expr()})));
  });
  const Value integers = c.map("DynamicQuantizeLinear", {x, scale, zero},
                               [](const auto& v) { return quantised(v[0], v[1], v[2]); });
  return {integers, scale, zero};
}

}  // namespace vdla::import::tensor
