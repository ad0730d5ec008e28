// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/import/tensor/functions.h"
#include "compiler/import/tflite/integers.h"

namespace vdla::import::tflite {

namespace {

/// Scale of the first input that has one; the operator moves its elements if it takes any.
graph::Quantization carried(const Builder& builder, const OperatorRef& op) {
  for (unsigned i = 0; i < op.op->inputs()->size(); ++i)
    if (const int index = builder.input_index(op, i); index >= 0 && builder.is_quantised(index))
      return builder.quantization(index);
  return {};
}

}  // namespace

Operation::Operation(Builder& builder, const OperatorRef& op, graph::Quantization carried)
    : Composer(builder.network(), op.node, builder.where(op), std::move(carried)),
      builder_(builder),
      op_(op) {}

Value Operation::in(int i) const {
  const int index = input_index(i);
  require(index >= 0, fmt::format("lacks input {}", i));
  return builder_.value(index);
}

Value Operation::floats(int i) const {
  Value v = in(i);
  require(
      expr::is_float(graph::dtype_of(v.type)),
      fmt::format("has input {} of {}, needs floats, or integers with a scale", i, graph::name_of(v.type)));
  return v;
}

/// Integers have one scale, or one for each channel.
Value Operation::reals(int i) const {
  const Value x = in(i);
  if (!quantised_input(i)) return cast(floats(i), DataType::Float32);
  const graph::Quantization q = quantization(i);
  const auto axis = static_cast<std::size_t>(std::max(q.axis, 0));
  require(
      !q.per_channel() || (axis < x.rank() && x.shape[axis] == static_cast<std::int64_t>(q.scale.size())),
      fmt::format("has {} scales along dimension {} of {}", q.scale.size(), axis, graph::to_string(x.shape)));
  Shape shape(q.per_channel() ? x.rank() : 0, 1);
  if (q.per_channel()) shape[axis] = x.shape[axis];
  const Integers points(q.zero_point.begin(), q.zero_point.end());
  const Value scale = tensor::make_constant(DataType::Float32, shape, q.scale);
  const Value zero =
      tensor::make_constant(DataType::Int32, q.zero_point.size() > 1 ? shape : Shape{}, points);
  return map("Dequantize", {x, scale, zero}, [](const auto& v) {
    return expr::cast(expr::DType::F32, expr::cast(expr::DType::I32, v[0]) - v[2]) * v[1];
  });
}

Value Operation::complex(int i) const {
  require(is_complex(i), fmt::format("has input {} that is not complex, needs what RFFT2D makes", i));
  return builder_.complex(input_index(i));
}

Shape Operation::extents(int i) const {
  Shape shape = is_complex(i) ? complex(i).shape : in(i).shape;
  if (is_complex(i)) shape.pop_back();
  return shape;
}

std::span<const std::uint8_t> Operation::custom_options() const {
  const auto* bytes = op_.op->custom_options();
  if (bytes == nullptr) return {};
  return {bytes->data(), bytes->size()};
}

Value Operation::like(const Value& x, int i) const {
  Value v = in(i);
  require(v.type == x.type, fmt::format("has input {} of {} with data of {}, needs one type", i,
                                        graph::name_of(v.type), graph::name_of(x.type)));
  return v;
}

Value Operation::ranked(int i, std::size_t least) const {
  Value v = in(i);
  require(v.rank() >= least, fmt::format("has input {} of shape {}, needs at least {} dimensions", i,
                                         graph::to_string(v.shape), least));
  return v;
}

Integers Operation::integers(int i, const char* what) const {
  const Value v = in(i);
  network().require_looked_at(v);
  require(v.constant(), fmt::format("needs its {} (input {}) to be known when the model is compiled; it is "
                                    "computed from the model's inputs",
                                    what, i));
  return tensor::integers_of(v);
}

std::int64_t Operation::number(int i, const char* what) const {
  const Integers values = integers(i, what);
  require(values.size() == 1,
          fmt::format("has a {} (input {}) of {} elements, needs one", what, i, values.size()));
  return values[0];
}

bool Operation::quantised_input(int i) const { return has(i) && builder_.is_quantised(input_index(i)); }

graph::Quantization Operation::quantization(int i) const {
  require(has(i), fmt::format("lacks input {}", i));
  return builder_.quantization(input_index(i));
}

void Operation::require_one_scale(int i, int j) const {
  require(
      quantised_input(i) == quantised_input(j) && (!quantised_input(i) || quantization(i) == quantization(j)),
      fmt::format("has inputs {} and {} of different scales or zero points, needs equal ones", i, j));
}

Integers Operation::axes(const Integers& values, std::size_t rank) const {
  std::set<std::int64_t> each;
  for (std::int64_t v : values) each.insert(static_cast<std::int64_t>(axis(v, rank)));
  return {each.begin(), each.end()};
}

void Operation::set(int i, Value value) const {
  require(i < outputs(), fmt::format("lacks output {}", i));
  if (quantised_output(i)) {
    // The integers stay; where the file states another scale for them, that is a step of its own.
    const graph::Quantization stated = output_quantization(i);
    const graph::TensorId id = network().tensor(value, name());
    const graph::Tensor& t = network().graph().tensor(id);
    value = network().value_of(t.quantization == stated
                                   ? id
                                   : network().add(name() + "/scale", graph::Reshape{t.shape}, {id}, stated));
  }
  builder_.bind(op_, std::move(value), static_cast<unsigned>(i));
}

Value Operation::channels_first(const Value& x) const {
  const graph::TensorId first = builder_.channels_first(x.id);
  return first == graph::kNone ? turned(x, {0, 3, 1, 2}) : network().value_of(first);
}

Value Operation::turned(const Value& x, const std::vector<int>& perm) const {
  if (x.id == graph::kNone) return transpose(x, perm);
  return emit(graph::Transpose{perm}, {x}, network().graph().tensor(x.id).quantization);
}

Value Operation::channels_last(const Value& x) const {
  Value last = turned(x, {0, 2, 3, 1});
  if (!last.constant()) builder_.notes_order(last.id, x.id);
  return last;
}

std::vector<Value> Operation::all_first(const std::vector<Value>& values) const {
  std::vector<Value> result;
  bool some = false;
  for (const Value& v : values) {
    const bool was = builder_.channels_first(v.id) != graph::kNone;
    if ((!was && !v.constant()) || v.rank() > 4 || v.count() == 0) return {};
    some = some || was;
    Value image = v;
    if (v.rank() > 0 && v.rank() < 4) {
      Shape shape(4 - v.rank(), 1);
      shape.insert(shape.end(), v.shape.begin(), v.shape.end());
      image = reshape(v, shape);
    }
    result.push_back(v.rank() == 0 ? v : channels_first(image));
  }
  return some ? result : std::vector<Value>{};
}

Value Operation::map(const std::string& function, const std::vector<Value>& inputs, const tensor::Body& body,
                     const graph::Quantization& output) const {
  const std::vector<Value> first = all_first(inputs);
  return first.empty() ? Composer::map(function, inputs, body, output)
                       : channels_last(Composer::map(function, first, body, output));
}

Value Operation::activated(const Value& value, Activation activation) const {
  using tensor::real;
  using tensor::Scalar;
  const auto number = [](int x, const Scalar& like) {
    return expr::is_float(like.dtype()) ? real(x, like) : Scalar(expr::number(x, like.dtype()));
  };
  const auto limited = [&](int low, int high) {
    return map(EnumNameActivation(activation), {value}, [&](const auto& v) {
      return Scalar(
          minimum(number(high, v[0]), maximum(number(low, v[0]), v[0])));  // NaN stays in this order
    });
  };
  const bool of_reals = expr::is_float(graph::dtype_of(value.type));
  require(activation == Activation::NONE || of_reals ||
              (value.type != DataType::Bool && activation != Activation::TANH),
          fmt::format("has the activation {} on {}, needs floats", EnumNameActivation(activation),
                      graph::name_of(value.type)));
  switch (activation) {
    case Activation::NONE:
      return value;
    case Activation::RELU:
      return map("Relu", {value}, [&](const auto& v) {
        return of_reals ? tensor::relu(v[0]) : Scalar(maximum(number(0, v[0]), v[0]));
      });
    case Activation::RELU6:
      return limited(0, 6);
    case Activation::RELU_N1_TO_1:
      return limited(-1, 1);
    case Activation::TANH:
      return unary(expr::Function::Tanh, value);
    case Activation::SIGN_BIT:
      break;
  }
  require(false, fmt::format("has the activation {}, needs NONE, RELU, RELU6, RELU_N1_TO_1 or TANH",
                             EnumNameActivation(activation)));
  return value;
}

namespace {

using Rows = std::map<std::string_view, Row>;

Rows by_name(std::initializer_list<std::span<const Row>> families) {
  Rows result;
  for (const auto& family : families)
    for (const Row& row : family) result.emplace(row.name, row);
  return result;
}

const Rows& rows() {
  static const Rows all =
      by_name({elementwise_rows(), reduction_rows(), movement_rows(), index_rows(), layer_rows(),
               resize_rows(), complex_rows(), recurrent_rows(), variable_rows(), control_rows(),
               scatter_rows(), volume_rows(), suppression_rows()});
  return all;
}

const Rows& rows_of_custom() {
  static const Rows all = by_name({custom_rows()});
  return all;
}

void require_type(const Operation& c, Takes takes) {
  if (takes == Takes::Any || takes == Takes::Moved) return;
  if (takes == Takes::Floats || takes == Takes::Layer || takes == Takes::Layers)
    return static_cast<void>(c.floats(0));
  const DataType type = c.in(0).type;
  const bool truths = takes == Takes::Truths || takes == Takes::Choice;
  c.require((type == DataType::Bool) == truths,
            fmt::format("has input 0 of {}, needs {}", graph::name_of(type), truths ? "bool" : "numbers"));
}

/// Refuses integers with a scale where an operator computes with reals.
void require_reals(const Operation& c, const Builder& builder, const OperatorRef& op, Takes takes) {
  const auto refuse = [&](int index, const char* what, int i) {
    c.require(!builder.has_scale(index),
              fmt::format("has {} {} of {} with a scale ('{}'), which this kit computes as floats alone: "
                          "convert the network as float",
                          what, i, type_name(builder.file_tensor(index).type()),
                          tensor_name(builder.file_tensor(index))));
  };
  const auto is_weights = [&](int i) {
    return (takes == Takes::Layers && i > 0) || (takes == Takes::Layer && i == 1);
  };
  for (int i = 0; i < c.inputs(); ++i)
    if (c.has(i) && !(is_weights(i) && c.quantised_input(i) && !c.wide_input(i)))
      refuse(builder.input_index(op, static_cast<unsigned>(i)), "input", i);
  for (int i = 0; i < c.outputs(); ++i)
    refuse(op.op->outputs()->Get(static_cast<flatbuffers::uoffset_t>(i)), "output", i);
}

constexpr const char *kScaled = "8-bit integers with a scale", *kWide = "16-bit integers with a scale";

std::vector<std::string> types_of(Takes takes) {
  switch (takes) {
    case Takes::Floats:
      return {"floats"};
    case Takes::Layer:
    case Takes::Layers:
      return {"floats", "floats with 8-bit weights"};
    case Takes::Numbers:
      return {"floats", "integers"};
    case Takes::Truths:
      return {"bool"};
    case Takes::Any:
      return {"floats", "integers", "bool"};
    case Takes::Ordered:
      return {"floats", "integers", kScaled, kWide};
    case Takes::Choice:
    case Takes::Moved:
      return {"floats", "integers", "bool", kScaled, kWide};
  }
  return {};
}

}  // namespace

std::vector<KnownOperator> known_operators() {
  std::map<std::string, KnownOperator> all;
  const auto known = [&](std::string_view name) -> KnownOperator& {
    KnownOperator& o = all[std::string(name)];
    o.name = name;
    return o;
  };
  for (const auto* table : {&rows(), &rows_of_custom()})
    for (const auto& [name, row] : *table) known(name).types = types_of(row.takes);
  const auto also = [&](std::string_view name, const char* type) {
    std::vector<std::string>& types = known(name).types;
    if (std::ranges::find(types, type) == types.end()) types.emplace_back(type);
  };
  for (const IntegerRow& row : integer_rows()) also(row.name, kScaled);
  for (const std::string_view name : wide_operators()) also(name, kWide);
  std::vector<KnownOperator> result;
  for (auto& [name, o] : all) {
    o.has_integer_form = std::ranges::find(o.types, kScaled) != o.types.end();
    result.push_back(std::move(o));
  }
  return result;
}

void import_operator(Builder& builder, const OperatorRef& op) {
  const Operation c(builder, op, carried(builder, op));
  const bool custom = op.code == kCustom;
  if (!custom && (import_integers(builder, op) || import_integers16(builder, op))) return;
  const auto& known = custom ? rows_of_custom() : rows();
  const auto row = known.find(op.op_name);
  c.require(row != known.end(), "is not known to this kit");
  const Takes takes = row->second.takes;
  if (takes != Takes::Ordered && takes != Takes::Moved && takes != Takes::Choice)
    require_reals(c, builder, op, takes);
  require_type(c, takes);
  row->second.import(c);
}

}  // namespace vdla::import::tflite
