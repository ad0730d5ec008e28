// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/integers16.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/graph/requant.h"
#include "compiler/import/tflite/integers.h"

namespace vdla::import::tflite {

Value wide(const Operation& c, int i) {
  const Value x = c.in(i);
  c.require(c.wide_input(i),
            fmt::format("has input {} of {}{}, needs int16 with a scale as its output has", i,
                        graph::name_of(x.type), c.quantised_input(i) ? " with a scale" : ""));
  return x;
}

tensor::Result16 result16(const Operation& c, Activation activation) {
  const graph::Quantization q = c.output_quantization(0);
  return {c.op(), limits(q, activation, tensor::kEnds16, c.where()), q};
}

void require_same_scale16(const Operation& c, int i) {
  c.require(c.quantization(i).scale == c.output_quantization(0).scale,
            fmt::format("has input {} and output of different scales, needs equal ones", i));
}

void require_room(const Operation& c, const graph::Multiplier& m, std::int64_t most) {
  c.require(
      most <= INT32_MAX >> m.left(),
      fmt::format("has integers of up to {}, which its scales multiply by {}: that can pass int32; needs "
                  "an output scale that is larger",
                  most, std::int64_t{1} << m.left()));
}

graph::Multiplier multiplier16(const Operation& c, double factor, std::int64_t most) {
  const graph::Multiplier m = graph::multiplier_of(factor);
  require_room(c, m, most);
  return m;
}

std::vector<std::string_view> wide_operators() {
  std::vector<std::string_view> names;
  for (const auto& rows : {layers16(), maps16()})
    for (const Row16& row : rows) names.push_back(row.name);
  return names;
}

bool import_integers16(Builder& builder, const OperatorRef& op) {
  bool some = op.op->outputs()->size() > 0 && builder.is_wide(builder.output_index(op));
  for (unsigned i = 0; !some && i < op.op->inputs()->size(); ++i) {
    const int index = builder.input_index(op, i);
    some = index >= 0 && builder.is_wide(index);
  }
  if (!some) return false;
  for (const auto& rows : {layers16(), maps16()}) {
    const auto row = std::ranges::find(rows, op.op_name, &Row16::name);
    if (row == rows.end()) continue;
    row->import(Operation(builder, op, {}));
    return true;
  }
  return false;
}

}  // namespace vdla::import::tflite
