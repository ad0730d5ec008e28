// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tensor/normalization.h"

#include <numeric>

#include "compiler/import/tensor/scalar.h"
#include "compiler/import/tensor/window.h"

namespace vdla::import::tensor {

using expr::Function;

std::pair<Value, Value> moments(const Composer& c, const Value& x, const Integers& axes) {
  const Value mean = mean_over(c, x, axes);
  const Value square = c.map("Deviation", {x, mean}, [](const auto& v) {
    const expr::Value d = v[0] - v[1];
    return d * d;
  });
  return {mean, mean_over(c, square, axes)};
}

Value normalised(const Composer& c, const std::string& function, const Value& x, const Value& mean,
                 const Value& variance, const Value* scale, const Value* bias, double epsilon) {
  std::vector<Value> inputs = {x, mean, variance};
  if (scale) inputs.push_back(*scale);
  if (bias) inputs.push_back(*bias);
  return c.map(function, inputs, [&](const auto& v) {
    const Scalar deviation = call(Function::Sqrt, v[2] + real(epsilon, v[2]));
    Scalar y = (v[0] - v[1]) / deviation;
    if (scale) y = y * v[3];
    if (bias) y = y + v.back();
    return y;
  });
}

Value inverse_deviation(const Composer& c, const Value& variance, double epsilon) {
  return c.map("InverseDeviation", {variance}, [&](const auto& v) {
    return real(1, v[0]) / call(Function::Sqrt, v[0] + real(epsilon, v[0]));
  });
}

Value mean_square(const Composer& c, const Value& x, const Integers& axes) {
  return mean_over(c, c.map("Square", {x}, [](const auto& v) { return v[0] * v[0]; }), axes);
}

Value divided_by_root(const Composer& c, const Value& x, const Value& mean_square, double epsilon) {
  return c.map("DivideByRoot", {x, mean_square},
               [&](const auto& v) { return v[0] / call(Function::Sqrt, v[1] + real(epsilon, v[1])); });
}

Integers axes_from(std::size_t first, std::size_t rank) {
  Integers axes(rank - first);
  std::iota(axes.begin(), axes.end(), static_cast<std::int64_t>(first));
  return axes;
}

DataType wide_type(DataType type) { return type == DataType::Float64 ? type : DataType::Float32; }

}  // namespace vdla::import::tensor
