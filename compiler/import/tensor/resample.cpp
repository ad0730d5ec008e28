// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tensor/resample.h"

namespace vdla::import::tensor {

Value resampled(const Composer& c, const Value& x, std::size_t axis, const std::vector<Integers>& places,
                const std::vector<std::vector<double>>& weights) {
  const std::size_t taps = places.size();
  const auto extent = static_cast<std::int64_t>(places[0].size());
  std::vector<Value> inputs;
  inputs.reserve(2 * taps);
  Shape shape(x.rank(), 1);
  shape[axis] = extent;
  for (const Integers& p : places)
    inputs.push_back(c.gather(x, make_constant(DataType::Int64, {extent}, p), static_cast<int>(axis)));
  if (taps == 1) return inputs[0];
  const DataType type = expr::is_float(graph::dtype_of(x.type)) ? x.type : DataType::Float32;
  for (Value& v : inputs) v = c.cast(v, type);
  for (const auto& w : weights) inputs.push_back(make_constant(type, shape, w));
  return c.cast(c.map("Resize", inputs,
                      [&](const auto& v) {
                        expr::Value sum = v[0] * v[taps];
                        for (std::size_t t = 1; t < taps; ++t) sum = sum + v[t] * v[taps + t];
                        return sum;
                      }),
                x.type);
}

}  // namespace vdla::import::tensor
