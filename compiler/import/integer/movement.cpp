// SPDX-License-Identifier: Apache-2.0
// Operators that move elements: of int8 tensors, of layers before their scale is known, of constants and of
// inputs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/graph/compose.h"
#include "compiler/graph/requant.h"
#include "compiler/import/integer/permute.h"
#include "compiler/import/integer/rules.h"
#include "compiler/import/reshape.h"

namespace vdla::import::integer {
namespace {

Quantized reshaped(const Context& c, const Quantized& v, const Shape& shape) {
  const Quantized x = c.stored_as(v, identity_perm(v.perm.size()), c.name());
  if (c.graph().tensor(x.id).shape == shape) return {x.id, identity_perm(shape.size())};
  return c.add(c.name(), graph::Reshape{shape}, {x.id}, c.quantization(x), identity_perm(shape.size()));
}

void reshape_to(const Context& c, const Shape& shape) {
  if (const auto* input = c.form<UnreadInput>(0)) {
    c.require(
        input->perm == identity_perm(input->perm.size()),
        fmt::format("reshapes input '{}' of the model with its axes in order [{}], needs them in theirs",
                    input->name, fmt::join(input->perm, ", ")));
    return c.set(
        UnreadInput{input->name, input->type, input->model_shape, shape, identity_perm(shape.size())}, shape);
  }
  if (const auto* constant = c.form<QuantizedConstant>(0)) {
    c.require(!constant->quantization.per_channel() || shape == c.shape(0),
              fmt::format("reshapes a constant of {} with a scale for each channel to {}, needs one scale",
                          graph::to_string(c.shape(0)), graph::to_string(shape)));
    QuantizedConstant result = *constant;
    result.integers.shape = shape;
    return c.set(std::move(result), shape);
  }
  if (c.form<Deferred>(0))
    return c.pass_on(shape, {{}, [c, shape](const Quantized& v) { return reshaped(c, v, shape); }});
  c.set(reshaped(c, c.quantized(0), shape));
}

void reshape(const Context& c) { reshape_to(c, reshaped_to(c, c.shape(0))); }
void flatten(const Context& c) { reshape_to(c, flattened(c, c.shape(0))); }
void squeeze(const Context& c) { reshape_to(c, squeezed(c, c.shape(0))); }
void unsqueeze(const Context& c) { reshape_to(c, unsqueezed(c, c.shape(0))); }

/// Elements of T of a constant in another order.
template <class T>
graph::SharedBytes permuted_bytes(const Value& v, const std::vector<int>& perm) {
  std::vector<T> values(v.data->size() / sizeof(T));
  std::memcpy(values.data(), v.data->data(), v.data->size());
  return graph::to_bytes(permute(values, v.shape, perm));
}

void transpose_constant(const Context& c, QuantizedConstant constant, const std::vector<int>& perm) {
  Value& v = constant.integers;
  const std::size_t bytes = graph::bytes_of(v.type);
  c.require(bytes == 1 || bytes == 4,
            fmt::format("moves a constant of {}, needs 1 or 4 bytes an element", name_of(v.type)));
  v.data = bytes == 1 ? permuted_bytes<std::int8_t>(v, perm) : permuted_bytes<std::int32_t>(v, perm);
  v.shape = permuted(v.shape, perm);
  graph::Quantization& q = constant.quantization;
  if (q.per_channel()) q.axis = static_cast<int>(std::ranges::find(perm, q.axis) - perm.begin());
  const Shape shape = v.shape;
  c.set(std::move(constant), shape);
}

/// A Transpose of an int8 tensor moves nothing: it changes what the stored dimensions mean.
void transpose(const Context& c) {
  const std::vector<int> wanted = permutation_of(c, c.shape(0));
  const Shape shape = permuted(c.shape(0), wanted);
  if (const auto* input = c.form<UnreadInput>(0)) {
    UnreadInput result = *input;
    result.perm = {};
    for (int w : wanted) result.perm.push_back(input->perm[static_cast<std::size_t>(w)]);
    return c.set(std::move(result), shape);
  }
  if (const auto* constant = c.form<QuantizedConstant>(0)) return transpose_constant(c, *constant, wanted);
  const auto renamed = [wanted](Quantized v) {
    for (int& p : v.perm) p = static_cast<int>(std::ranges::find(wanted, p) - wanted.begin());
    return v;
  };
  if (const auto* layer = c.form<Deferred>(0)) {
    const auto channels = std::ranges::find(wanted, static_cast<int>(layer->channels)) - wanted.begin();
    return c.pass_on(shape, {{}, renamed}, static_cast<std::size_t>(channels));
  }
  c.set(renamed(c.quantized(0)), shape);
}

/// Constants in one quantisation, one after the other along their only dimension.
void concat_constants(const Context& c) {
  QuantizedConstant all = *c.form<QuantizedConstant>(0);
  c.require(all.integers.shape.size() == 1 && !all.quantization.per_channel(),
            fmt::format("joins constants of {} with {} scales, needs 1 dimension and one scale",
                        graph::to_string(all.integers.shape), all.quantization.scale.size()));
  graph::Bytes bytes = *all.integers.data;
  for (int i = 1; i < c.inputs(); ++i) {
    const auto* next = c.form<QuantizedConstant>(i);
    c.require(next != nullptr && next->integers.type == all.integers.type &&
                  next->integers.shape.size() == 1 && next->quantization.scale == all.quantization.scale &&
                  next->quantization.zero_point == all.quantization.zero_point,
              "joins " + c.input_text(0) + " and " + c.input_text(i) +
                  ", needs constants of one type, one dimension and one scale");
    bytes.insert(bytes.end(), next->integers.data->begin(), next->integers.data->end());
    all.integers.shape[0] += next->integers.shape[0];
  }
  all.integers.data = std::make_shared<const graph::Bytes>(std::move(bytes));
  const Shape shape = all.integers.shape;
  c.set(std::move(all), shape);
}

}  // namespace

Quantized in_scale(const Context& c, const Quantized& v, const Request& request) {
  const graph::Quantization from = c.quantization(v);
  const graph::Quantization& to = request.quantization;
  const bool clamped = std::isfinite(request.low) || std::isfinite(request.high);
  if (from.scale == to.scale && from.zero_point == to.zero_point && !clamped) return v;
  const auto m = graph::multiplier_of(from.scale[0] / to.scale[0]);
  return c.add(c.name() + "/scale", graph::Requantize{from.zero_point[0], stage(request, {m}, {255})}, {v.id},
               to, v.perm);
}

namespace {

/// The parts in one quantisation, joined along `axis` of the model.
Quantized joined(const Context& c, const std::vector<Quantized>& parts, std::size_t axis,
                 const Request& request) {
  const graph::Quantization& to = request.quantization;
  std::vector<graph::TensorId> ids;
  for (const Quantized& v : parts) ids.push_back(in_scale(c, v, request).id);
  const std::vector<int>& perm = parts[0].perm;
  const auto stored = static_cast<int>(std::ranges::find(perm, static_cast<int>(axis)) - perm.begin());
  const auto join = [&](std::vector<graph::TensorId> few) {
    return c.add(c.name(), graph::Concat{stored}, std::move(few), to, perm).id;
  };
  return {graph::joined_in_steps(std::move(ids), join), perm};
}

void concat(const Context& c) {
  Shape shape = c.shape(0);
  const std::size_t axis = c.axis(c.integer("axis", 1), shape.size());
  bool constant = true;
  for (int i = 0; i < c.inputs(); ++i) constant = constant && c.is_constant(i);
  c.require(!constant || c.form<QuantizedConstant>(0) != nullptr,
            fmt::format("joins {} of {} without a scale to quantised constants, needs a scale for it",
                        c.input_text(0), name_of(c.as_it_is(0).type)));
  if (constant) return concat_constants(c);
  std::vector<Quantized> parts;
  for (int i = 0; i < c.inputs(); ++i) {
    c.require(c.as_it_is(i).type == DataType::Float32,
              fmt::format("joins {} of {}, needs a DequantizeLinear before", c.input_text(i),
                          name_of(c.as_it_is(i).type)));
    c.require(c.shape(i).size() == shape.size(),
              fmt::format("joins {} and {}, needs as many dimensions", graph::to_string(c.shape(0)),
                          graph::to_string(c.shape(i))));
    parts.push_back(c.quantized(i));
    if (i > 0) parts.back() = c.stored_as(parts.back(), parts[0].perm, c.name());
    if (i > 0) shape[axis] += c.shape(i)[axis];
  }
  Deferred d;
  d.quantize = [c, parts, axis](const Request& request) { return joined(c, parts, axis, request); };
  c.set(std::move(d), shape);
}

void pad(const Context& c) {
  if (c.text("mode") != "constant") return move_elements(c);
  c.require(c.as_it_is(0).type == DataType::Float32,
            fmt::format("pads {}, needs a DequantizeLinear before", name_of(c.as_it_is(0).type)));
  c.require(!c.has(3), "has axes as input 3, needs amounts for all of them");
  const std::vector<double> value = c.has(2) ? c.reals(2) : std::vector<double>{c.real("value", 0)};
  c.require(value.size() == 1 && value[0] == 0,
            fmt::format("pads with [{}], needs 0", fmt::join(value, ", ")));
  const Integers amounts = listed(c, "pads");
  for (const std::int64_t a : amounts) c.require(a >= 0, fmt::format("pads by {}, needs none below 0", a));
  const Quantized x = c.quantized(0);
  const std::size_t rank = x.perm.size();
  c.require(amounts.size() == 2 * rank, fmt::format("has {} amounts, needs {}", amounts.size(), 2 * rank));
  graph::Pad op;
  op.value = c.quantization(x).zero_point[0];
  for (int p : x.perm) {
    op.before.push_back(amounts[static_cast<std::size_t>(p)]);
    op.after.push_back(amounts[static_cast<std::size_t>(p) + rank]);
  }
  c.set(c.add(c.name(), std::move(op), {x.id}, c.quantization(x), x.perm));
}

void slice(const Context& c) {
  if (c.is_constant(0)) return move_elements(c);
  const Quantized x = c.quantized(0);
  const SliceBounds b = slice_bounds(c, c.shape(0));
  c.require(graph::element_count(b.shape) > 0,
            "takes no element of " + graph::to_string(c.shape(0)) + ", needs one at least");
  graph::View view;
  for (std::size_t d = 0; d < x.perm.size(); ++d) {
    const auto of_model = static_cast<std::size_t>(x.perm[d]);
    view.shape.push_back(b.shape[of_model]);
    graph::Source source{b.start[of_model], graph::Extents(x.perm.size()), 1};
    source.step[d] = b.step[of_model];
    view.source.push_back(std::move(source));
  }
  c.set(c.add(c.name(), std::move(view), {x.id}, c.quantization(x), x.perm));
}

void identity(const Context& c) { c.hand_on(); }

void dropout(const Context& c) {
  c.require(!c.has(2), "has " + c.input_text(2) + ", with which it may train, needs none");
  c.hand_on();
}

constexpr Rule kMovementRules[] = {
    {"Concat", concat, true},       {"Dropout", dropout, true}, {"Flatten", flatten, true},
    {"Identity", identity, true},   {"Pad", pad, true},         {"Reshape", reshape, true},
    {"Slice", slice, true},         {"Squeeze", squeeze, true}, {"Transpose", transpose, true},
    {"Unsqueeze", unsqueeze, true},
};

}  // namespace

std::span<const Rule> movement_rules() { return kMovementRules; }

}  // namespace vdla::import::integer
