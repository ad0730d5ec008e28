// SPDX-License-Identifier: Apache-2.0
// Softmax over the last dimension, in int8 as the reference kernels do it, and in float32.
#include "compiler/graph/fixed_elements.h"
#include "compiler/graph/ops_parts.h"
#include "compiler/graph/requant.h"

namespace vdla::graph::parts {
namespace {

constexpr int kSumIntegerBits = 12;  // the sum of exponentials is Q12.19

/// `i` without its last index, and with another one.
std::vector<Value> row(std::vector<Value> i) {
  i.pop_back();
  return i;
}
std::vector<Value> with_last(std::vector<Value> i, const Value& last) {
  i.push_back(last);
  return i;
}

}  // namespace

NodeExpr express(NodeBuilder& b, const Softmax& op) {
  const Tensor& in = b.input(0);
  const Shape& shape = b.output_shape();
  const Shape rows(shape.begin(), shape.end() - 1);
  // A single row still needs a dimension to be a tensor of.
  const Shape row_shape = rows.empty() ? Shape{1} : rows;
  const auto row_index = [&](const std::vector<Value>& i) {
    return rows.empty() ? std::vector<Value>{Value(0)} : row(i);
  };
  const auto element = [&](const std::vector<Value>& r, const IterVar& k) {
    return rows.empty() ? in(k) : at(in, with_last(r, k));
  };
  const auto exponentials = softmax_exponentials(op);
  const Tensor table =
      b.parameter("exponentials", std::vector<std::int32_t>(exponentials.begin(), exponentials.end()));
  const IterVar k = expr::reduce_axis(shape.back(), "k"), j = expr::reduce_axis(shape.back(), "j");
  const Tensor largest = expr::compute("largest", row_shape,
                                       [&](const std::vector<Value>& r) { return max(element(r, k), {k}); });
  const auto exponential = [&](const Value& x, const std::vector<Value>& r) {
    return table(cast(expr::kIndex, x) - cast(expr::kIndex, at(largest, r)) + 255);
  };
  const auto term = [&](const std::vector<Value>& r) {
    return round_shift_right(exponential(element(r, j), r), kSumIntegerBits);
  };
  // Sums that can pass Q12.19 end there: what is divided by as much is 0 in steps of 1/256 in any case.
  const bool passes = shape.back() >= std::int64_t{1} << kSumIntegerBits;
  Tensor total;
  if (passes) {
    const Tensor wide = expr::compute("wide_total", row_shape, [&](const std::vector<Value>& r) {
      return sum(cast(DType::I64, term(r)), {j});
    });
    total = expr::compute("total", row_shape, [&](const std::vector<Value>& r) {
      return cast(DType::I32, minimum(at(wide, r), expr::int_imm(INT32_MAX, DType::I64)));
    });
  } else {
    total = expr::compute("total", row_shape, [&](const std::vector<Value>& r) { return sum(term(r), {j}); });
  }
  const auto headroom = [&](const std::vector<Value>& r) {
    return Value(expr::call(expr::Function::Clz, {at(total, r).expr()}));
  };
  const Tensor reciprocal = expr::compute("reciprocal", row_shape, [&](const std::vector<Value>& r) {
    return reciprocal_of_one_plus((at(total, r) << headroom(r)) - int32(INT32_MIN));
  });
  return b.take(expr::compute("out", shape, [&](const std::vector<Value>& i) {
    const std::vector<Value> r = row_index(i);
    const Value right_shift = int32(kSumIntegerBits + 31 - 8) - headroom(r);
    const Value scaled = srdh_mul(at(reciprocal, r), exponential(at(in, i), r));
    // An int32 shifted further has nothing left; round_shift_right() takes up to 31.
    const Value steps =
        select(right_shift > 31, int32(0), round_shift_right(scaled, minimum(right_shift, 31)));
    return narrow(clamp(steps - 128, -128, 127));
  }));
}

NodeExpr express(NodeBuilder& b, const SoftmaxFloat&) {
  const Tensor& in = b.input(0);
  const Shape& shape = b.output_shape();
  const Shape rows(shape.begin(), shape.end() - 1);
  const Shape row_shape = rows.empty() ? Shape{1} : rows;
  const auto row_index = [&](const std::vector<Value>& i) {
    return rows.empty() ? std::vector<Value>{Value(0)} : row(i);
  };
  const auto index = [&](const std::vector<Value>& r, const IterVar& k) {
    return rows.empty() ? std::vector<Value>{Value(k)} : with_last(r, k);
  };
  const IterVar k = expr::reduce_axis(shape.back(), "k"), j = expr::reduce_axis(shape.back(), "j");
  const Tensor largest = expr::compute(
      "largest", row_shape, [&](const std::vector<Value>& r) { return max(at(in, index(r, k)), {k}); });
  const Tensor power = expr::compute("power", shape, [&](const std::vector<Value>& i) {
    return Value(expr::call(expr::Function::Exp, {(at(in, i) - at(largest, row_index(i))).expr()}));
  });
  const Tensor total = expr::compute(
      "total", row_shape, [&](const std::vector<Value>& r) { return sum(at(power, index(r, j)), {j}); });
  return b.take(expr::compute(
      "out", shape, [&](const std::vector<Value>& i) { return at(power, i) / at(total, row_index(i)); }));
}

}  // namespace vdla::graph::parts
