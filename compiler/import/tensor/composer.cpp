// SPDX-License-Identifier: Apache-2.0
// The parts that operators are composed of.
#include <algorithm>
#include <numeric>

#include "compiler/expr/visit.h"
#include "compiler/graph/compose.h"
#include "compiler/graph/shape.h"
#include "compiler/import/tensor/network.h"
#include "support/error.h"

namespace vdla::import::tensor {
namespace {

/// One source for each input dimension, none of which moves yet.
std::vector<graph::Source> sources(std::size_t inputs, std::size_t outputs) {
  return std::vector<graph::Source>(inputs, {0, Integers(outputs, 0), 1});
}

/// Result of a fold along axes where x has no element: the value that leaves others unchanged.
Value fold_of_none(const Composer& c, expr::Reducer reducer, const Value& x, const Integers& axes,
                   bool keep_dims) {
  Shape shape;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    const bool folded = std::ranges::binary_search(axes, static_cast<std::int64_t>(d));
    if (!folded || keep_dims) shape.push_back(folded ? 1 : x.shape[d]);
  }
  const expr::Value none = expr::identity(reducer, graph::dtype_of(x.type));
  return c.broadcast(c.map("Nothing", {c.scalar(x.type, 0)}, [&](const auto&) { return none; }), shape);
}

}  // namespace

void Composer::require(bool ok, const std::string& message) const {
  VDLA_CHECK_USER(ok) << where_ << message;
}

void Composer::require_constant(const Shape& shape) const {
  graph::require_extents(shape, where_ + "computes a constant that ", kLargestConstant);
}

std::size_t Composer::axis(std::int64_t value, std::size_t rank) const {
  const auto from_front = value + (value < 0 ? static_cast<std::int64_t>(rank) : 0);
  require(from_front >= 0 && from_front < static_cast<std::int64_t>(rank),
          "has axis " + std::to_string(value) + ", its input has " + std::to_string(rank) + " dimensions");
  return static_cast<std::size_t>(from_front);
}

Value Composer::iota(DataType type, std::size_t rank, std::size_t axis, std::int64_t count) const {
  Shape shape(rank, 1);
  if (rank > 0) shape[axis] = count;
  require_constant(shape);
  Integers numbers(rank > 0 ? static_cast<std::size_t>(count) : 1);
  std::iota(numbers.begin(), numbers.end(), 0);
  return make_constant(type, std::move(shape), numbers);
}

Value Composer::emit(graph::Op op, const std::vector<Value>& inputs, graph::Quantization output) const {
  const bool carries = output.empty() && !carried_.empty();
  Value made = network_.emit(name_, std::move(op), inputs, std::move(output));
  const bool steps = made.type == DataType::Int8 || made.type == DataType::Int16;
  if (carries && steps && made.id != graph::kNone) network_.graph().tensor(made.id).quantization = carried_;
  return made;
}

Shape Composer::common_shape(const std::vector<Value>& values) const {
  Shape shape;
  for (const Value& v : values) {
    try {
      shape = graph::broadcast(shape, v.shape);
    } catch (const UserError& e) {
      require(false, std::string("has inputs whose ") + e.what());
    }
  }
  for (const Value& v : values)  // an extent of 1 is repeated as often as another has elements: never
    for (std::size_t d = 0; d < v.rank(); ++d)
      if (v.shape[d] == 0) shape[shape.size() - v.rank() + d] = 0;
  return shape;
}

Value Composer::map(const std::string& function, const std::vector<Value>& inputs, const Body& body,
                    graph::Quantization output) const {
  std::vector<expr::VarPtr> variables;
  std::vector<expr::Value> arguments;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    variables.push_back(expr::make_var("x" + std::to_string(i), graph::dtype_of(inputs[i].type)));
    arguments.emplace_back(variables.back());
  }
  const Shape shape = common_shape(inputs);
  graph::Map op{function, {}, body(arguments).expr()};
  if (graph::element_count(shape) == 0)
    return make_constant(graph::data_type_of(op.body->dtype), shape, Integers{});
  // An argument that the body does not read says a shape at most.
  std::vector<Value> read;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!expr::uses(op.body, variables[i])) continue;
    op.arguments.push_back(variables[i]);
    read.push_back(inputs[i]);
  }
  if (read.empty()) {  // a constant; a Map has an argument
    op.arguments.push_back(variables[0]);
    read.push_back(make_constant(inputs[0].type, {}, Integers{0}));
  }
  return broadcast(emit(std::move(op), read, std::move(output)), shape);
}

Value Composer::cast(const Value& x, DataType type) const {
  if (x.type == type) return x;
  if (x.constant() && x.count() == 0) return make_constant(type, x.shape, Integers{});
  return map("Cast", {x}, [&](const auto& v) { return expr::cast(graph::dtype_of(type), v[0]); });
}

Value Composer::binary(expr::BinaryOp op, const Value& a, const Value& b) const {
  return map(std::string(expr::name(op)), {a, b},
             [&](const auto& v) { return expr::make_binary(op, v[0], v[1]); });
}

Value Composer::unary(expr::Function function, const Value& x) const {
  return map(std::string(expr::name(function)), {x},
             [&](const auto& v) { return expr::Value(expr::call(function, {v[0].expr()})); });
}

Value Composer::scalar(DataType type, double number) const {
  return make_constant(type, {}, std::vector<double>{number});
}

Value Composer::fold(expr::Reducer reducer, const Value& x, const Integers& axes, bool keep_dims) const {
  Integers sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty()) return x;
  if (x.count() == 0) return fold_of_none(*this, reducer, x, sorted, keep_dims);
  return emit(graph::Fold{reducer, {sorted.begin(), sorted.end()}, keep_dims}, {x});
}

Value Composer::reshape(const Value& x, Shape shape) const {
  if (x.shape == shape) return x;
  if (x.constant()) {
    require(graph::element_count(shape) == x.count() &&
                std::all_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent >= 0; }),
            "cannot reshape " + graph::to_string(x.shape) + " to " + graph::to_string(shape));
    Value result = x;
    result.shape = std::move(shape);
    result.id = graph::kNone;
    return result;
  }
  return emit(graph::Reshape{std::move(shape)}, {x});
}

Value Composer::transpose(const Value& x, const std::vector<int>& perm) const {
  std::vector<int> order(x.rank());
  std::iota(order.begin(), order.end(), 0);
  if (perm == order) return x;
  require(std::is_permutation(perm.begin(), perm.end(), order.begin(), order.end()),
          "has permutation " + graph::to_string(Shape(perm.begin(), perm.end())) + ", needs one of the " +
              std::to_string(x.rank()) + " dimensions of " + graph::to_string(x.shape));
  if (x.constant() && x.count() == 0) {
    Shape shape;
    for (int p : perm) shape.push_back(x.shape[static_cast<std::size_t>(p)]);
    return make_constant(x.type, shape, Integers{});
  }
  return emit(graph::Transpose{perm}, {x});
}

Value Composer::slice(const Value& x, const Integers& start, const Integers& step, const Shape& shape) const {
  const bool everything =
      shape == x.shape && std::all_of(start.begin(), start.end(), [](auto s) { return s == 0; });
  if (everything && std::all_of(step.begin(), step.end(), [](auto s) { return s >= 0; })) return x;
  if (graph::element_count(shape) == 0) return make_constant(x.type, shape, Integers{});
  graph::View view{shape, sources(x.rank(), x.rank()), graph::Outside::Never, nullptr};
  for (std::size_t d = 0; d < x.rank(); ++d) {
    view.source[d].offset = start[d];
    view.source[d].step[d] = step[d];
  }
  return emit(std::move(view), {x});
}

Value Composer::part(const Value& x, std::size_t axis, std::int64_t begin, std::int64_t end) const {
  require(axis < x.rank() && begin >= 0 && begin <= end && end <= x.shape[axis],
          "takes elements " + std::to_string(begin) + ".." + std::to_string(end - 1) + " along axis " +
              std::to_string(axis) + " of " + graph::to_string(x.shape));
  Integers start(x.rank(), 0);
  Shape shape = x.shape;
  start[axis] = begin;
  shape[axis] = end - begin;
  return slice(x, start, Integers(x.rank(), 1), shape);
}

Value Composer::broadcast(const Value& x, const Shape& shape) const {
  if (x.shape == shape) return x;
  bool fits = x.rank() <= shape.size();
  for (std::size_t d = 0; fits && d < x.rank(); ++d)
    fits = x.shape[d] == 1 || x.shape[d] == shape[shape.size() - x.rank() + d];
  require(fits, "cannot broadcast " + graph::to_string(x.shape) + " to " + graph::to_string(shape));
  if (graph::element_count(shape) == 0) return make_constant(x.type, shape, Integers{});
  graph::View view{shape, sources(x.rank(), shape.size()), graph::Outside::Never, nullptr};
  for (std::size_t d = 0; d < x.rank(); ++d)
    if (x.shape[d] != 1) view.source[d].step[shape.size() - x.rank() + d] = 1;
  return emit(std::move(view), {x});
}

/// A dimension of repeats in front of each, which a broadcast fills.
Value Composer::tile(const Value& x, const Integers& repeats) const {
  require(repeats.size() == x.rank(), "needs one number of repeats for each dimension");
  Shape apart, wide, out;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    const std::int64_t most = graph::kLargestTensor / std::max<std::int64_t>(x.shape[d], 1);
    require(repeats[d] >= 0 && repeats[d] <= most,
            "repeats dimension " + std::to_string(d) + " of " + graph::to_string(x.shape) + " " +
                std::to_string(repeats[d]) + " times, needs 0 to " + std::to_string(most));
    apart.insert(apart.end(), {1, x.shape[d]});
    wide.insert(wide.end(), {repeats[d], x.shape[d]});
    out.push_back(repeats[d] * x.shape[d]);
  }
  return reshape(broadcast(reshape(x, apart), wide), out);
}

Value Composer::pad(const Value& x, const Integers& before, const Integers& after, double fill,
                    graph::Outside outside, const Integers& spread) const {
  graph::View view{{}, sources(x.rank(), x.rank()), outside, nullptr};
  bool moves = false;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    const std::int64_t s = spread.empty() ? 1 : spread[d];
    std::int64_t extent = 0;
    require(!__builtin_mul_overflow(x.shape[d] - 1, s, &extent) &&
                !__builtin_add_overflow(extent, 1, &extent) &&
                !__builtin_add_overflow(extent, before[d], &extent) &&
                !__builtin_add_overflow(extent, after[d], &extent) && before[d] != INT64_MIN,
            "pads dimension " + std::to_string(d) + " of " + graph::to_string(x.shape) +
                " beyond what can be counted");
    view.shape.push_back(extent);
    view.source[d].offset = -before[d];
    view.source[d].step[d] = 1;
    view.source[d].spread = s;
    moves = moves || before[d] != 0 || after[d] != 0 || s != 1;
    require(view.shape.back() > 0,
            "pads dimension " + std::to_string(d) + " of " + graph::to_string(x.shape) + " to nothing");
  }
  if (!moves) return x;
  if (outside == graph::Outside::Fill) {
    const expr::DType type = graph::dtype_of(x.type);
    view.fill = expr::is_float(type)        ? expr::float_imm(fill, type)
                : type == expr::DType::Bool ? expr::bool_imm(fill != 0)
                                            : expr::number(static_cast<std::int64_t>(fill), type);
  }
  return emit(std::move(view), {x});
}

Value Composer::concat(const std::vector<Value>& parts, std::size_t axis) const {
  require(!parts.empty(), "joins no part, needs at least one");
  require(axis < parts[0].rank(), "joins scalars, needs dimensions");
  std::vector<Value> some;
  Shape all = parts[0].shape;
  all[axis] = 0;
  for (const Value& v : parts) {
    Shape other = v.shape;
    if (other.size() == all.size()) other[axis] = all[axis];
    require(v.type == parts[0].type && other == all,
            "joins " + graph::to_string(parts[0].shape) + " and " + graph::to_string(v.shape) +
                " along axis " + std::to_string(axis) + ", needs one type and the same other extents");
    all[axis] += v.shape[axis];
    if (v.count() > 0) some.push_back(v);
  }
  if (some.empty()) return make_constant(parts[0].type, all, Integers{});
  if (some.size() == 1) return some[0];
  return graph::joined_in_steps(std::move(some), [&](const std::vector<Value>& few) {
    return emit(graph::Concat{static_cast<int>(axis)}, few);
  });
}

Value Composer::matmul(const Value& a, const Value& b, bool transpose_a, bool transpose_b) const {
  return emit(graph::MatMul{transpose_a, transpose_b}, {a, b});
}

Value Composer::gather(const Value& data, const Value& indices, int axis) const {
  Shape shape = data.shape;
  const auto place = shape.erase(shape.begin() + axis);
  shape.insert(place, indices.shape.begin(), indices.shape.end());
  if (graph::element_count(shape) == 0) return make_constant(data.type, shape, Integers{});
  return emit(graph::Gather{axis}, {data, indices});
}

Value Composer::softmax(const Value& x, std::size_t axis, bool logarithm) const {
  const Integers axes = {static_cast<std::int64_t>(axis)};
  const Value largest = fold(expr::Reducer::Max, x, axes, true);
  const Value shifted = binary(expr::BinaryOp::Sub, x, largest);
  const Value powers = unary(expr::Function::Exp, shifted);
  const Value total = fold(expr::Reducer::Sum, powers, axes, true);
  if (!logarithm) return binary(expr::BinaryOp::Div, powers, total);
  return map("LogSoftmax", {shifted, total}, [](const auto& v) {
    return v[0] - expr::Value(expr::call(expr::Function::Log, {v[1].expr()}));
  });
}

}  // namespace vdla::import::tensor
