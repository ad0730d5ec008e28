// SPDX-License-Identifier: Apache-2.0
// Reductions along axes, and what is normalised by them.
#include <fmt/format.h>

#include <numeric>

#include "compiler/import/tensor/functions.h"
#include "compiler/import/tensor/window.h"
#include "compiler/import/tflite/operation.h"

namespace vdla::import::tflite {
namespace {

using expr::Function;
using expr::Reducer;
using tensor::real;

bool keeps(const Operation& c) { return c.options(&Operator::builtin_options_as_ReducerOptions).keep_dims(); }
Integers axes_of(const Operation& c) { return c.axes(c.integers(1, "axes"), c.in(0).rank()); }

template <Reducer R>
void reduce(const Operation& c) {
  c.set(c.fold(R, c.in(0), axes_of(c), keeps(c)));
}

/// Truth of any element, or of all.
template <Reducer R>
void of_bool(const Operation& c) {
  const Value numbers = c.cast(c.in(0), DataType::UInt8);
  c.set(c.cast(c.fold(R, numbers, axes_of(c), keeps(c)), DataType::Bool));
}

void mean(const Operation& c) {
  const Value x = c.in(0);
  const Integers axes = axes_of(c);
  const std::vector<Value> first = c.all_first({x});
  // Over whole pictures: the channels that are left have one order.
  if (!first.empty() && !keeps(c) && axes == Integers{1, 2})
    return c.set(tensor::mean_over(c, first[0], {2, 3}, false));
  c.set(tensor::mean_over(c, x, axes, keeps(c)));
}

/// Index of the first largest (smallest) element.
template <bool Smallest>
void locate(const Operation& c) {
  const Value x = c.in(0);
  graph::Locate op;
  op.smallest = Smallest;
  op.axis = static_cast<int>(c.axis(c.number(1, "axis"), x.rank()));
  c.set(c.cast(c.emit(op, {x}), c.stated_type(0)));
}

void softmax(const Operation& c) {
  const float beta = c.options(&Operator::builtin_options_as_SoftmaxOptions).beta();
  Value x = c.floats(0);
  c.require(x.rank() > 0, "has no dimension to normalise along");
  if (beta != 1) x = c.map("Scaled", {x}, [&](const auto& v) { return v[0] * real(beta, v[0]); });
  c.set(c.softmax(x, x.rank() - 1, false));
}
void log_softmax(const Operation& c) {
  const Value x = c.ranked(0, 1);
  c.set(c.softmax(x, x.rank() - 1, true));
}

/// x / the larger of the root of the sum of squares and 1e-6.
void l2_normalization(const Operation& c) {
  const Value x = c.ranked(0, 1);
  const Value squares = c.map("Square", {x}, [](const auto& v) { return v[0] * v[0]; });
  const Value total = c.fold(Reducer::Sum, squares, {static_cast<std::int64_t>(x.rank()) - 1}, true);
  c.set(c.map("L2Norm", {x, total}, [](const auto& v) {
    return v[0] / maximum(tensor::call(Function::Sqrt, v[1]), real(1e-6, v[1]));
  }));
}

/// x / (bias + alpha * sum of the squares of the channels within the radius)^beta.
void local_response(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_LocalResponseNormalizationOptions);
  const Value x = c.ranked(0, 1);
  c.require(o.radius() >= 0 && o.radius() < (1 << 20),
            fmt::format("has a radius of {}, needs 0 or more", o.radius()));
  const Value squares = c.map("Square", {x}, [](const auto& v) { return v[0] * v[0]; });
  const std::int64_t radius = o.radius();
  const Value total =
      tensor::pooled(c, squares, Reducer::Sum, {{2 * radius + 1}, {1}, {1}, {radius}, {radius}, {}});
  c.set(c.map("LRN", {x, total}, [&](const auto& v) {
    const auto base = real(o.bias(), v[0]) + real(o.alpha(), v[0]) * v[1];
    return v[0] * tensor::call(Function::Pow, base, real(-o.beta(), v[0]));
  }));
}

void cumsum(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_CumsumOptions);
  const Value x = c.in(0);
  graph::Cumulate op;
  op.axis = static_cast<int>(c.axis(c.number(1, "axis"), x.rank()));
  op.exclusive = o.exclusive();
  op.reverse = o.reverse();
  c.set(c.emit(op, {x}));
}

constexpr Row kReductionRows[] = {
    {"ARG_MAX", locate<false>, Takes::Ordered},
    {"ARG_MIN", locate<true>, Takes::Ordered},
    {"CUMSUM", cumsum, Takes::Numbers},
    {"L2_NORMALIZATION", l2_normalization, Takes::Floats},
    {"LOCAL_RESPONSE_NORMALIZATION", local_response, Takes::Floats},
    {"LOG_SOFTMAX", log_softmax, Takes::Floats},
    {"MEAN", mean, Takes::Floats},
    {"REDUCE_ALL", of_bool<Reducer::Min>, Takes::Truths},
    {"REDUCE_ANY", of_bool<Reducer::Max>, Takes::Truths},
    {"REDUCE_MAX", reduce<Reducer::Max>, Takes::Ordered},
    {"REDUCE_MIN", reduce<Reducer::Min>, Takes::Ordered},
    {"REDUCE_PROD", reduce<Reducer::Prod>, Takes::Numbers},
    {"SOFTMAX", softmax, Takes::Floats},
    {"SUM", reduce<Reducer::Sum>, Takes::Numbers},
};

}  // namespace

std::span<const Row> reduction_rows() { return kReductionRows; }

}  // namespace vdla::import::tflite
