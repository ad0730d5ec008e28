// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/integers16.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

graph::Multiplier multiplier_of_product(const graph::Quantization& a, const graph::Quantization& b,
                                        double out) {
  const float product = static_cast<float>(a.scale[0]) * static_cast<float>(b.scale[0]);
  return graph::multiplier_of(double{product} / out);
}

/// int64 takes sums as far as the reference's multiplier does.
void require_sums(const Operation& c, const tensor::Layer16& layer) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 47) - 1;
  const std::int64_t room = layer.narrow ? INT32_MAX : kMost;
  c.require(layer.most <= room,
            fmt::format("has sums of up to {}, and {}, in which the reference adds them up, has room for {}; "
                        "needs fewer terms in a sum, or smaller weights{}",
                        layer.most, layer.narrow ? "int32" : "int64", room,
                        layer.narrow ? ", or a bias of int64" : ""));
}

void require_multipliers(const Operation& c, const tensor::Layer16& layer,
                         const std::vector<graph::Multiplier>& multipliers) {
  for (const graph::Multiplier& m : multipliers) {
    if (layer.narrow) {
      require_room(c, m, layer.most);
      continue;
    }
    constexpr int kMostLeft = 7;  // a contract of the reference's multiplier
    const double factor = std::ldexp(static_cast<double>(m.value), m.shift - 31);
    c.require(
        m.shift <= kMostLeft && factor * static_cast<double>(layer.most) <= INT32_MAX,
        fmt::format("has sums of up to {}, which its scales multiply by {}: that can pass int32; needs an "
                    "output scale that is larger",
                    layer.most, factor));
  }
}

std::vector<std::string_view> wide_operators() {
  std::vector<std::string_view> names;
  for (const auto& rows : {layers16(), maps16(), recurrent16()})
    for (const Row16& row : rows) names.push_back(row.name);
  return names;
}

namespace {

/// Refuses 16-bit tensors with a zero point.
void require_no_zero_points(const Builder& builder, const OperatorRef& op) {
  const auto require = [&](int index) {
    if (index < 0 || !builder.is_wide(index)) return;
    const std::int32_t z = builder.quantization(index).zero_point[0];
    VDLA_CHECK_USER(z == 0) << builder.where(op) << "has a tensor of INT16 with zero point " << z
                            << ", needs 0";
  };
  for (unsigned i = 0; i < op.op->inputs()->size(); ++i) require(builder.input_index(op, i));
  for (const std::int32_t index : *op.op->outputs()) require(index);
}

}  // namespace

bool quantises_int32(const Builder& builder, const OperatorRef& op) {
  const auto is = [&](int index) {
    return index >= 0 && builder.has_scale(index) && builder.data_type(index) == graph::DataType::Int32;
  };
  return op.op_name == "QUANTIZE" && (is(builder.input_index(op, 0)) || is(builder.output_index(op)));
}

bool import_integers16(Builder& builder, const OperatorRef& op) {
  const auto is_wide = [&](int index) { return index >= 0 && builder.is_wide(index); };
  bool some = std::ranges::any_of(*op.op->outputs(), is_wide) || quantises_int32(builder, op);
  for (unsigned i = 0; !some && i < op.op->inputs()->size(); ++i) some = is_wide(builder.input_index(op, i));
  if (!some) return false;
  for (const auto& rows : {layers16(), maps16(), recurrent16()}) {
    const auto row = std::ranges::find(rows, op.op_name, &Row16::name);
    if (row == rows.end()) continue;
    if (!row->zero_points) require_no_zero_points(builder, op);
    row->import(Operation(builder, op, {}));
    return true;
  }
  return false;
}

}  // namespace vdla::import::tflite
