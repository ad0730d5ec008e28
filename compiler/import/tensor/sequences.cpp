// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tensor/sequences.h"

#include "compiler/expr/dsl.h"

namespace vdla::import::tensor {

Value backwards(const Composer& c, const Value& x, const Value& lengths, std::size_t steps,
                std::size_t batch) {
  Shape shape(x.rank(), 1);
  shape[batch] = x.shape[batch];
  const Value counts = c.reshape(c.cast(lengths, DataType::Int64), shape);
  const Value numbers = c.iota(DataType::Int64, x.rank(), steps, x.shape[steps]);
  const Value places = c.map("Backwards", {counts, numbers},
                             [](const auto& v) { return select(v[1] < v[0], v[0] - 1 - v[1], v[1]); });
  return c.emit(graph::GatherElements{static_cast<int>(steps)}, {x, c.broadcast(places, x.shape)});
}

}  // namespace vdla::import::tensor
