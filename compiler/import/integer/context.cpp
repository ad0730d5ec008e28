// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/integer/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/graph/requant.h"
#include "compiler/graph/shape.h"
#include "compiler/graph/sources.h"
#include "compiler/import/tensor/steps.h"
#include "support/overloaded.h"

namespace vdla::import::integer {

std::vector<int> identity_perm(std::size_t rank) {
  std::vector<int> perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  return perm;
}

std::vector<int> nhwc_perm() { return {0, 2, 3, 1}; }

graph::OutputStage stage(const Request& request, std::vector<graph::Multiplier> multiplier) {
  const double scale = request.quantization.scale[0];
  const std::int32_t zero_point = request.quantization.zero_point[0];
  return {std::move(multiplier), zero_point, graph::quantize_clamped(request.low, scale, zero_point),
          graph::quantize_clamped(request.high, scale, zero_point)};
}

graph::OutputStage stage(const Request& request, std::vector<graph::Multiplier> multiplier,
                         const std::vector<std::int64_t>& bounds) {
  graph::add_guard(multiplier, bounds);
  return stage(request, std::move(multiplier));
}

bool only_ones_move(const Shape& model_shape, const std::vector<int>& from, const std::vector<int>& to) {
  const auto real_dimensions = [&](const std::vector<int>& perm) {
    std::vector<int> result;
    for (int p : perm)
      if (model_shape[static_cast<std::size_t>(p)] != 1) result.push_back(p);
    return result;
  };
  return real_dimensions(from) == real_dimensions(to);
}

Shape permuted(const Shape& shape, const std::vector<int>& perm) {
  Shape result;
  for (int p : perm) result.push_back(shape[static_cast<std::size_t>(p)]);
  return result;
}

std::size_t scale_index(const graph::Quantization& q, const Shape& shape, std::size_t i) {
  if (!q.per_channel()) return 0;
  std::int64_t inner = 1;
  for (std::size_t d = static_cast<std::size_t>(q.axis) + 1; d < shape.size(); ++d) inner *= shape[d];
  return static_cast<std::size_t>(static_cast<std::int64_t>(i) / inner %
                                  shape[static_cast<std::size_t>(q.axis)]);
}

std::vector<double> reals_of(const QuantizedConstant& c) {
  std::vector<double> result = tensor::reals_of(c.integers);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t k = scale_index(c.quantization, c.integers.shape, i);
    result[i] = c.quantization.scale[k] * (result[i] - c.quantization.zero_point[k]);
  }
  return result;
}

namespace {

/// Says that the tensor stands for these tensors of the model, or was computed by way of them.
void name_tensor(graph::Graph& g, const Quantized& v, const Shape& model_shape, const Origins& origins) {
  const bool in_order = only_ones_move(model_shape, v.perm, identity_perm(v.perm.size()));
  graph::Tensor& t = g.tensor(v.id);
  if (!t.sources) t.sources.emplace();
  Sources named = graph::as(origins.list(), in_order ? Likeness::Same : Likeness::Reordered);
  if (!std::ranges::is_sorted(v.perm))
    for (SourceTensor& s : named)
      if (s.likeness <= Likeness::Reordered) s.order = v.perm;
  graph::add_sources(*t.sources, named);
}

/// Names a tensor that has the elements of one with these sources, whose dimension perm[i] is its dimension
/// i. What the value is to the node that reads it says nothing of the order of the model's tensors.
void name_moved(graph::Tensor& t, const Sources& sources, const std::vector<int>& perm) {
  for (SourceTensor s : sources) {
    if (s.likeness > Likeness::Reordered) continue;
    const std::vector<int> order = s.likeness == Likeness::Same ? identity_perm(perm.size()) : s.order;
    s.order.clear();
    if (order.size() == perm.size())
      for (const int p : perm) s.order.push_back(order[static_cast<std::size_t>(p)]);
    const bool in_order = !s.order.empty() && std::ranges::is_sorted(s.order);
    if (!std::ranges::is_sorted(perm)) s.likeness = in_order ? Likeness::Same : Likeness::Reordered;
    if (s.likeness == Likeness::Same) s.order.clear();
    if (!t.sources) t.sources.emplace();
    graph::add_sources(*t.sources, {s});
  }
}

/// Operators that change how a value is written, not the value; their other inputs are scales.
bool keeps_value(const std::string& op) {
  return op == "QuantizeLinear" || op == "DequantizeLinear" || op == "Identity" || op == "Dropout";
}

}  // namespace

std::vector<double> Context::reals(int i) const {
  if (const auto* c = form<QuantizedConstant>(i)) return reals_of(*c);
  require(as_it_is(i).constant(), "computes " + input_text(i) + ", needs a constant");
  return tensor::reals_of(as_it_is(i));
}

Integers Context::integers(int i, const char* what) const {
  require(as_it_is(i).constant(), fmt::format("computes its {} ({}), needs a constant", what, input_text(i)));
  return tensor::integers_of(as_it_is(i));
}

std::string Context::input_text(int i) const {
  return fmt::format("input {} ('{}')", i, has(i) ? proto().input(i) : "");
}

std::string Context::form_text(int i) const {
  if (form<Quantized>(i)) return "is computed, needs a constant";
  if (form<Deferred>(i)) return "has no scale yet, needs a QuantizeLinear before";
  if (form<UnreadInput>(i)) return "is an input of the model without a scale, needs a QuantizeLinear before";
  if (form<Rounded>(i)) return "is made int8 of floats, needs a DequantizeLinear before";
  return fmt::format("is {} without a scale, needs a QuantizeLinear before", name_of(as_it_is(i).type));
}

Bias Context::bias(int i) const { return {reals(i), as_it_is(i).origins}; }

Int8Constant Context::int8_constant(int i) const {
  const auto* c = form<QuantizedConstant>(i);
  const std::string input = "has " + input_text(i);
  require(c != nullptr, input + ", which " + form_text(i));
  require(c->integers.type == DataType::Int8 || c->integers.type == DataType::UInt8,
          fmt::format("{} of {} behind a DequantizeLinear, needs int8 or uint8", input,
                      name_of(c->integers.type)));
  const bool is_unsigned = c->integers.type == DataType::UInt8;
  const auto* values = reinterpret_cast<const std::int8_t*>(c->integers.data->data());
  Int8Constant result{
      {values, values + c->integers.data->size()}, c->quantization, c->integers.shape, as_it_is(i).origins};
  require(!result.values.empty(), input + " without elements, needs one at least");
  if (is_unsigned)
    for (std::int8_t& value : result.values) value = static_cast<std::int8_t>(value ^ 0x80);
  for (std::int32_t& z : result.quantization.zero_point) z -= is_unsigned ? 128 : 0;
  return result;
}

Quantized Context::quantized(int i) const {
  if (const auto* q = form<Quantized>(i)) return *q;
  const Int8Constant data = int8_constant(i);
  require(!data.quantization.per_channel(),
          fmt::format("has {} with {} scales, needs one", input_text(i), data.quantization.scale.size()));
  const graph::TensorId id =
      graph().add_constant(proto().input(i), DataType::Int8, data.shape, graph::to_bytes(data.values),
                           data.quantization, data.origins.list());
  return {id, identity_perm(data.shape.size())};
}

Shape Context::model_shape(const Quantized& v) const {
  const Shape& stored = graph().tensor(v.id).shape;
  Shape result(stored.size());
  for (std::size_t i = 0; i < stored.size(); ++i) result[static_cast<std::size_t>(v.perm[i])] = stored[i];
  return result;
}

Quantized Context::add(const std::string& name, graph::Op op, std::vector<graph::TensorId> inputs,
                       graph::Quantization q, std::vector<int> perm) const {
  return {network().add(name, std::move(op), std::move(inputs), std::move(q)), std::move(perm)};
}

Quantized Context::stored_as(const Quantized& v, const std::vector<int>& perm,
                             const std::string& name) const {
  if (v.perm == perm) return v;
  const Shape shape = model_shape(v);
  std::vector<int> moved;
  moved.reserve(perm.size());
  for (int p : perm) moved.push_back(static_cast<int>(std::ranges::find(v.perm, p) - v.perm.begin()));
  const bool same = only_ones_move(shape, v.perm, perm);
  graph::Op op = graph::Transpose{moved};
  if (same) op = graph::Reshape{permuted(shape, perm)};
  const Quantized result = add(name + "/layout", std::move(op), {v.id}, quantization(v), perm);
  if (const auto& sources = graph().tensor(v.id).sources)
    name_moved(graph().tensor(result.id), Sources(*sources), same ? identity_perm(moved.size()) : moved);
  return result;
}

/// A tensor of the model that has no value of its own, because what computes it is not decided yet or done
/// already, is named by the value that takes its place.
Origins Context::output_origins(int output, const tensor::Form& form) const {
  Origins result;
  if (of_model()) result.add(proto().output(output));
  const bool same = keeps_value(op());
  const bool constant = std::holds_alternative<QuantizedConstant>(form);
  for (int i = 0; i < (same ? 1 : proto().input_size()); ++i) {
    if (!has(i)) continue;
    const Value& v = as_it_is(i);
    if (v.constant() || this->form<QuantizedConstant>(i)) {
      if (constant) result.add(v.origins, same ? Likeness::Same : Likeness::From);
    } else if (this->form<UnreadInput>(i)) {
      result.add(v.origins, Likeness::Same);
    } else if (this->form<Deferred>(i)) {
      result.add(v.origins, same ? Likeness::Same : Likeness::Within);
    }
  }
  return result;
}

namespace {

using expr::DType;

/// Scale and zero point as they broadcast over a value of `rank` dimensions.
Value along_axis(const graph::Quantization& q, std::size_t rank, DataType type,
                 const std::vector<double>& values) {
  Shape shape(q.per_channel() ? rank : 0, 1);
  if (q.per_channel()) shape[static_cast<std::size_t>(q.axis)] = static_cast<std::int64_t>(values.size());
  return tensor::make_constant(type, shape, values);
}

Value dequantised(const Context& c, const Value& x, const graph::Quantization& q) {
  const std::vector<double> zero(q.zero_point.begin(), q.zero_point.end());
  return c.map("DequantizeLinear",
               {x, along_axis(q, x.rank(), DataType::Float32, q.scale),
                along_axis(q, x.rank(), DataType::Int32, zero)},
               [](const auto& v) { return tensor::dequantised(v[0], v[1], v[2]); });
}

/// The tensor as a value in the model's order.
Value in_model_order(const Context& c, const Quantized& v) {
  return c.network().value_of(c.stored_as(v, identity_perm(v.perm.size()), c.name()).id);
}

Value dequantised(const Context& c, const QuantizedConstant& constant) {
  return dequantised(c, constant.integers, constant.quantization);
}

Value dequantised(const Context& c, const Quantized& v) {
  const graph::Quantization q = c.quantization(v);
  return c.map("DequantizeLinear", {in_model_order(c, v)}, [&](const auto& x) {
    return tensor::dequantised(x[0], expr::float_imm(q.scale[0], DType::F32),
                               expr::number(q.zero_point[0], DType::I32));
  });
}

Value model_integers(const Context& c, const Quantized& v, DataType type) {
  const Value x = in_model_order(c, v);
  if (type == DataType::Int8) return x;
  return c.map("UInt8", {x},
               [](const auto& e) { return expr::cast(DType::U8, expr::cast(DType::I32, e[0]) + 128); });
}

}  // namespace

std::function<Value()> Context::maker(int output, const tensor::Form& form, DataType type) const {
  const auto named = [self = *this, output](Value v) {
    if (self.of_model()) self.network().name(v, self.proto().output(output));
    return v;
  };
  return std::visit(
      overloaded{
          [&](const Quantized& q) -> std::function<Value()> {
            return [self = *this, q, type, named] {
              return named(type == DataType::Float32 ? dequantised(self, q) : model_integers(self, q, type));
            };
          },
          [&](const QuantizedConstant& c) -> std::function<Value()> {
            return [self = *this, c] { return dequantised(self, c); };
          },
          [&](const auto&) -> std::function<Value()> {
            return [self = *this] { return self.made_by(self.in_floats_); };
          },
      },
      form);
}

void Context::set_output(int i, tensor::Form form, Shape shape, std::optional<DataType> type) const {
  Origins origins = output_origins(i, form);
  if (const auto* q = std::get_if<Quantized>(&form)) name_tensor(graph(), *q, shape, origins);
  Value value{type.value_or(as_it_is(0).type), std::move(shape), nullptr, graph::kNone, std::move(origins)};
  tensor::Pending pending{form, maker(i, form, value.type), {}, model_node()};
  // Values made of a tensor of the graph, or of a constant, read no pending value.
  if (std::holds_alternative<Deferred>(form) || std::holds_alternative<UnreadInput>(form))
    for (int k = 0; k < inputs(); ++k)
      if (has(k) && as_it_is(k).pending != nullptr) pending.reads.push_back(as_it_is(k).pending);
  value.pending = network().keep(std::move(pending));
  bind(i, std::move(value));
}

namespace {

/// The layer of a deferred value with one more operator after it.
Deferred passed_on(Network& network, const Deferred& before, Passing passing,
                   std::optional<std::size_t> channels) {
  Deferred after;
  after.quantize = before.quantize;
  if (channels && before.with_affine) {
    after.with_affine = [&network, join = before.with_affine, passing, channels](const Affine& affine) {
      return passed_on(network, join(affine), passing, channels);
    };
    after.channels = *channels;
  }
  passing.before = before.last;
  after.last = network.keep(std::move(passing));
  return after;
}

}  // namespace

void Context::pass_on(Shape shape, Passing passing, std::optional<std::size_t> channels,
                      std::shared_ptr<const tensor::ElementFunction> function) const {
  Deferred after = passed_on(network(), *form<Deferred>(0), std::move(passing), channels);
  after.function = std::move(function);
  set(std::move(after), std::move(shape));
}

void Context::hand_on() const { set(as_it_is(0).pending->form, shape(0)); }

}  // namespace vdla::import::integer
