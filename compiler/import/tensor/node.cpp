// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tensor/node.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/graph/windows.h"
#include "compiler/import/onnx_constant.h"
#include "compiler/import/onnx_packed.h"
#include "compiler/import/refusals.h"
#include "compiler/import/tensor/narrow.h"
#include "support/error.h"

namespace vdla::import::tensor {

namespace {

// ONNX's name of an element type, ours.
#define VDLA_ONNX_TYPES(X) \
  X(FLOAT, Float32)        \
  X(UINT8, UInt8)          \
  X(INT8, Int8)            \
  X(UINT16, UInt16)        \
  X(INT16, Int16)          \
  X(INT32, Int32)          \
  X(INT64, Int64)          \
  X(BOOL, Bool)            \
  X(FLOAT16, Float16)      \
  X(DOUBLE, Float64)       \
  X(UINT32, UInt32)        \
  X(UINT64, UInt64)        \
  X(BFLOAT16, BFloat16)

}  // namespace

DataType type_of(int code, const std::string& where) {
  switch (code) {
#define VDLA_CASE(theirs, ours)   \
  case onnx::TensorProto::theirs: \
    return DataType::ours;
    VDLA_ONNX_TYPES(VDLA_CASE)
#undef VDLA_CASE
    case onnx::TensorProto::STRING:
      throw OutOfScope(where + "has element type STRING, needs a number", "strings");
    default:
      break;
  }
  VDLA_CHECK_USER(false) << where << "has element type " << code
                         << " of ONNX, needs a float, an integer or bool";
  return DataType::Float32;
}

bool is_number(int code) {
  switch (code) {
#define VDLA_CASE(theirs, ours) case onnx::TensorProto::theirs:
    VDLA_ONNX_TYPES(VDLA_CASE)
#undef VDLA_CASE
    return true;
    default:
      return false;
  }
}

int code_of(DataType type) {
  switch (type) {
#define VDLA_CASE(theirs, ours) \
  case DataType::ours:          \
    return onnx::TensorProto::theirs;
    VDLA_ONNX_TYPES(VDLA_CASE)
#undef VDLA_CASE
  }
  return onnx::TensorProto::UNDEFINED;
}

Typed typed_of(int code, const std::string& where) {
  const Narrow narrow = narrow_of(code);
  return {narrow == Narrow::None ? type_of(code, where) : stored_type(narrow), narrow};
}

Value constant_of(const onnx::TensorProto& tensor, const std::string& where) {
  const auto [type, narrow] = typed_of(tensor.data_type(), where);
  graph::Bytes bytes = narrow == Narrow::None
                           ? constant_bytes(tensor, where)
                           : unpacked_bytes(tensor, bits_of(narrow), type == DataType::Int8, where);
  Value result{type,
               {tensor.dims().begin(), tensor.dims().end()},
               std::make_shared<const graph::Bytes>(std::move(bytes))};
  result.narrow = narrow;
  return result;
}

Node::Node(Network& network, Scope& scope, const onnx::NodeProto& proto, std::string name, std::string where,
           std::int64_t opset, Level level)
    : Composer(network, name, std::move(where) + proto.op_type() + " at node '" + name + "' "),
      OnnxAttributes(proto, opset),
      scope_(scope),
      opset_(opset),
      level_(level) {}

const Value& Node::in(int i) const {
  const Value& v = as_it_is(i);
  return v.pending == nullptr ? v : network().made(v, model_node().text());
}

const Value& Node::as_it_is(int i) const {
  require(has(i), "lacks input " + std::to_string(i));
  if (inputs_ != nullptr) return inputs_->at(static_cast<std::size_t>(i));
  const auto found = scope_.find(proto().input(i));
  require(found != scope_.end(), "lacks a value: '" + proto().input(i) +
                                     "' is read before any node writes it (nodes out of order, or corrupt)");
  if (found->second.refused) throw NotLookedAt();
  return found->second;
}

const Value& Node::constant(int i, const char* what) const {
  const Value& v = in(i);
  if (v.constant()) return v;
  network().require_looked_at(v);
  const auto origins = network().inputs_of(v);
  throw NeedsConstant(
      fmt::format("{}needs its {} (input {}) to be known when the model is compiled; it is computed from the "
                  "model's input {}: bind that to a constant (vdla compile --bind)",
                  where(), what, i, fmt::join(origins, ", ")),
      origins);
}

std::int64_t Node::number(int i, const char* what) const {
  const Value& v = constant(i, what);
  require(v.count() == 1,
          fmt::format("has a {} (input {}) of {}, needs one number", what, i, graph::to_string(v.shape)));
  return integers_of(v)[0];
}

double Node::real_number(int i, const char* what) const {
  const Value& v = constant(i, what);
  require(v.count() == 1,
          fmt::format("has a {} (input {}) of {}, needs one number", what, i, graph::to_string(v.shape)));
  return reals_of(v)[0];
}

const Value& Node::ranked(int i, std::size_t least) const {
  const Value& v = in(i);
  require(v.rank() >= least, fmt::format("has input {} of shape {}, needs at least {} dimensions", i,
                                         graph::to_string(v.shape), least));
  return v;
}

const Value& Node::float_in(int i) const {
  const Value& v = in(i);
  require(expr::is_float(graph::dtype_of(v.type)),
          fmt::format("has input {} ('{}') of {}, needs floats", i, proto().input(i), name_of(v.type)));
  return v;
}

void Node::require_broadcasts(int i, const Shape& shape) const {
  const Shape& own = in(i).shape;
  bool fits = own.size() <= shape.size();
  for (std::size_t d = 0; fits && d < own.size(); ++d)
    fits = own[d] == 1 || own[d] == shape[shape.size() - own.size() + d];
  require(fits, fmt::format("has input {} ('{}') of {}, needs a shape that broadcasts to {}", i,
                            proto().input(i), graph::to_string(own), graph::to_string(shape)));
}

Integers Node::positive(const std::string& what, Integers values, std::size_t count) const {
  require(values.size() == count && std::all_of(values.begin(), values.end(), [](auto v) { return v > 0; }),
          fmt::format("has {} [{}], needs {} positive number{}", what, fmt::join(values, ", "), count,
                      count == 1 ? "" : "s"));
  return values;
}

std::int64_t Node::positive(const std::string& attribute) const {
  return positive(attribute, Integers{integer(attribute)}, 1)[0];
}

std::string Node::word(const std::string& attribute, std::initializer_list<std::string_view> words,
                       const std::optional<std::string>& otherwise) const {
  std::string value = text(attribute, otherwise);
  const auto others = std::span(words.begin(), words.size() - 1);
  require(std::ranges::find(words, value) != words.end(),
          fmt::format("has {} '{}', needs {} or {}", attribute, value, fmt::join(others, ", "),
                      *(words.end() - 1)));
  return value;
}

Integers Node::of_window(const std::string& what, Integers values, std::size_t count) const {
  constexpr std::int64_t kMost = graph::kMostOfWindow;
  require(
      values.size() == count && std::ranges::all_of(values, [](auto v) { return v >= -kMost && v <= kMost; }),
      fmt::format("has {} [{}], needs {} number{} of at most {}", what, fmt::join(values, ", "), count,
                  count == 1 ? "" : "s", kMost));
  return values;
}

Integers Node::positive_of_window(const std::string& what, const Integers& values, std::size_t count) const {
  return of_window(what, positive(what, values, count), count);
}

Integers Node::pads(std::size_t rank) const {
  return of_window("pads", integers("pads", Integers(2 * rank, 0)), 2 * rank);
}

Value Node::made_by(Import import) const {
  std::vector<Value> result(static_cast<std::size_t>(outputs()));
  Node copy = *this;
  copy.outputs_ = &result;
  import(copy);
  return result.at(0);
}

std::vector<Value> Node::made_of(Import import, const std::vector<Value>& inputs,
                                 graph::Quantization carried) const {
  std::vector<Value> result(static_cast<std::size_t>(outputs()));
  Node copy = *this;
  copy.inputs_ = &inputs;
  copy.outputs_ = &result;
  copy.level_ = Level::Spelling;
  copy.carry(std::move(carried));
  import(copy);
  return result;
}

void Node::set(int i, Value value) const {
  if (!wants(i)) return;
  if (of_model()) network().name(value, proto().output(i));
  if (outputs_ != nullptr) {
    outputs_->at(static_cast<std::size_t>(i)) = std::move(value);
    return;
  }
  scope_.insert_or_assign(proto().output(i), std::move(value));
}

Integers Node::axes(const Integers& values, std::size_t rank) const {
  Integers result;
  for (std::int64_t v : values) {
    result.push_back(static_cast<std::int64_t>(axis(v, rank)));
    require(std::count(result.begin(), result.end(), result.back()) == 1,
            fmt::format("names axis {} twice", result.back()));
  }
  return result;
}

}  // namespace vdla::import::tensor
