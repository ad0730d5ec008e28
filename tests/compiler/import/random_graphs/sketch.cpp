// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/import/random_graphs/sketch.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace vdla::random_graphs {
namespace {

constexpr std::int64_t kMostElements = 600;

template <class T>
void append(graph::Bytes& bytes, T value) {
  const auto* raw = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), raw, raw + sizeof(T));
}

/// The ends of int64 are no doubles.
std::int64_t whole(double v) {
  if (v >= 0x1p63) return INT64_MAX;
  return v <= -0x1p63 ? INT64_MIN : static_cast<std::int64_t>(v);
}

bool is_float(DataType type) { return type == DataType::Float32; }

}  // namespace

std::int64_t product(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

double reach(const Piece& piece) { return std::max(std::fabs(piece.low), std::fabs(piece.high)); }

Piece moved(Written& node, const Piece& from, Shape shape) {
  return node.out(from.type, std::move(shape), from.low, from.high, true, from.typical);
}

std::int64_t Piece::count() const { return product(shape); }

std::pair<double, double> limits(DataType type) {
  switch (type) {
    case DataType::Int8:
      return {-128, 127};
    case DataType::UInt8:
      return {0, 255};
    case DataType::Int16:
      return {-32768, 32767};
    case DataType::UInt16:
      return {0, 65535};
    case DataType::Int32:
      return {-2147483648.0, 2147483647.0};
    case DataType::Int64:
      return {-9e15, 9e15};
    case DataType::UInt32:
      return {0, 4294967295.0};
    case DataType::UInt64:
      return {0, 9e15};
    case DataType::Bool:
      return {0, 1};
    default:
      return {-1e30, 1e30};
  }
}

int onnx_code(DataType type) {
  switch (type) {
    case DataType::Float32:
      return onnx::TensorProto::FLOAT;
    case DataType::UInt8:
      return onnx::TensorProto::UINT8;
    case DataType::Int8:
      return onnx::TensorProto::INT8;
    case DataType::UInt16:
      return onnx::TensorProto::UINT16;
    case DataType::Int16:
      return onnx::TensorProto::INT16;
    case DataType::Int32:
      return onnx::TensorProto::INT32;
    case DataType::Int64:
      return onnx::TensorProto::INT64;
    case DataType::UInt32:
      return onnx::TensorProto::UINT32;
    case DataType::UInt64:
      return onnx::TensorProto::UINT64;
    case DataType::Bool:
      return onnx::TensorProto::BOOL;
    default:
      return onnx::TensorProto::UNDEFINED;
  }
}

bool broadcast(const Shape& a, const Shape& b, Shape& result) {
  const std::size_t rank = std::max(a.size(), b.size());
  result.assign(rank, 1);
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t x = d < rank - a.size() ? 1 : a[d - (rank - a.size())];
    const std::int64_t y = d < rank - b.size() ? 1 : b[d - (rank - b.size())];
    if (x != y && x != 1 && y != 1) return false;
    result[d] = std::max(x, y);
  }
  return product(result) <= kMostElements;
}

import::Array array_of(DataType type, const Shape& shape, const std::vector<double>& elements) {
  graph::Bytes bytes;
  for (const double v : elements) {
    if (is_float(type)) {
      append(bytes, static_cast<float>(v));
      continue;
    }
    const std::int64_t number = whole(v);
    const auto* raw = reinterpret_cast<const std::byte*>(&number);
    bytes.insert(bytes.end(), raw, raw + graph::bytes_of(type));
  }
  return {type, shape, std::make_shared<const graph::Bytes>(std::move(bytes))};
}

Written& Written::in(const Piece& piece) {
  proto_.add_input(piece.name);
  exact_ = exact_ && piece.exact;
  constant_ = constant_ && piece.constant;
  return *this;
}

Written& Written::absent() {
  proto_.add_input("");
  return *this;
}

onnx::AttributeProto& Written::attribute(const std::string& name, onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto& a = *proto_.add_attribute();
  a.set_name(name);
  a.set_type(type);
  return a;
}

Written& Written::integer(const std::string& name, std::int64_t value) {
  attribute(name, onnx::AttributeProto::INT).set_i(value);
  return *this;
}
Written& Written::real(const std::string& name, double value) {
  attribute(name, onnx::AttributeProto::FLOAT).set_f(static_cast<float>(value));
  return *this;
}
Written& Written::text(const std::string& name, const std::string& value) {
  attribute(name, onnx::AttributeProto::STRING).set_s(value);
  return *this;
}
Written& Written::integers(const std::string& name, const Integers& values) {
  auto& a = attribute(name, onnx::AttributeProto::INTS);
  for (const std::int64_t v : values) a.add_ints(v);
  return *this;
}
Written& Written::reals(const std::string& name, const std::vector<double>& values) {
  auto& a = attribute(name, onnx::AttributeProto::FLOATS);
  for (const double v : values) a.add_floats(static_cast<float>(v));
  return *this;
}
Written& Written::texts(const std::string& name, const std::vector<std::string>& values) {
  auto& a = attribute(name, onnx::AttributeProto::STRINGS);
  for (const std::string& v : values) a.add_strings(v);
  return *this;
}

std::int64_t Written::some(const std::string& name, std::int64_t otherwise, std::int64_t value) {
  if (sketch_.random().chance(0.4)) return otherwise;
  integer(name, value);
  return value;
}
double Written::some(const std::string& name, double otherwise, double value) {
  if (sketch_.random().chance(0.4)) return otherwise;
  real(name, value);
  return static_cast<double>(static_cast<float>(value));
}

Piece Written::out(DataType type, Shape shape, double low, double high, bool exact) {
  return out(type, std::move(shape), low, high, exact, std::max(std::fabs(low), std::fabs(high)));
}

Piece Written::out(DataType type, Shape shape, double low, double high, bool exact, double typical) {
  const std::string name = sketch_.new_name();
  proto_.add_output(name);
  Piece piece{name, type, std::move(shape), low, high, typical, constant_, exact && exact_};
  sketch_.add(piece);
  return piece;
}

void Written::no_out() { proto_.add_output(""); }

Sketch::Sketch(std::uint64_t seed)
    : random_(seed),
      opset_(random_.between(std::int64_t{7}, std::int64_t{21})),
      quantises_(opset_ >= 10 && random_.chance(0.4)),
      old_inputs_(opset_ < 9 && random_.chance(0.3)) {
  drawn_.model.set_ir_version(old_inputs_ ? 3 : 8);
  drawn_.model.add_opset_import()->set_version(opset_);
  drawn_.model.mutable_graph()->set_name("drawn");
}

Written Sketch::node(const std::string& op) {
  onnx::NodeProto& proto = *drawn_.model.mutable_graph()->add_node();
  proto.set_op_type(op);
  if (random_.chance(0.7)) proto.set_name("n" + std::to_string(nodes()));
  return {*this, proto};
}

Shape Sketch::shape(std::int64_t least_rank, std::int64_t most_rank, std::int64_t most_extent) {
  Shape result(static_cast<std::size_t>(random_.between(least_rank, most_rank)));
  for (auto& extent : result)
    extent = random_.chance(0.2) ? 1 : random_.between(std::int64_t{1}, most_extent);
  while (product(result) > kMostElements) *std::ranges::max_element(result) /= 2;
  return result;
}

std::int64_t Sketch::written_axis(std::int64_t axis, std::int64_t rank) {
  return opset_ >= 11 && random_.chance(0.4) ? axis - rank : axis;
}

std::int64_t Sketch::axis(std::int64_t rank, std::int64_t& written) {
  const std::int64_t result = random_.below(rank);
  written = written_axis(result, rank);
  return result;
}

Integers Sketch::some_axes(std::int64_t rank, std::int64_t least) {
  Integers all(static_cast<std::size_t>(rank));
  std::iota(all.begin(), all.end(), 0);
  random_.shuffle(all);
  all.resize(static_cast<std::size_t>(random_.between(std::min(least, rank), rank)));
  return all;
}

std::vector<double> Sketch::elements(DataType type, const Shape& shape, double low, double high) {
  std::vector<double> result(static_cast<std::size_t>(product(shape)));
  const bool coarse = random_.chance(0.3);  // with equal elements, halves and zeros
  for (double& v : result) {
    v = random_.between(low, high);
    if (is_float(type) && coarse) v = std::clamp(std::round(v * 4) / 4, low, high);
    if (is_float(type)) v = static_cast<double>(static_cast<float>(v));
    if (!is_float(type)) v = std::clamp(std::floor(random_.between(low, high + 1)), low, high);
  }
  return result;
}

onnx::TensorProto Sketch::tensor(DataType type, const Shape& shape, const std::vector<double>& elements) {
  onnx::TensorProto t;
  t.set_data_type(onnx_code(type));
  for (const std::int64_t d : shape) t.add_dims(d);
  if (random_.chance(0.6)) {
    const import::Array array = array_of(type, shape, elements);
    t.set_raw_data(array.data->data(), array.data->size());
    return t;
  }
  for (const double v : elements) {
    if (is_float(type))
      t.add_float_data(static_cast<float>(v));
    else if (type == DataType::Int64)
      t.add_int64_data(whole(v));
    else if (type == DataType::UInt64 || type == DataType::UInt32)
      t.add_uint64_data(static_cast<std::uint64_t>(v));
    else
      t.add_int32_data(static_cast<std::int32_t>(v));
  }
  return t;
}

Piece Sketch::constant_of(DataType type, const Shape& shape, const std::vector<double>& elements) {
  const std::string name = new_name();
  onnx::TensorProto t = tensor(type, shape, elements);
  const auto [low, high] = std::ranges::minmax_element(elements);
  Piece piece{name, type, shape, 0, 0, 0, true, true};
  if (!elements.empty()) piece.low = *low, piece.high = *high;
  piece.typical = std::max(std::fabs(piece.low), std::fabs(piece.high));
  if (old_inputs_ || random_.chance(0.7)) {
    t.set_name(name);
    *drawn_.model.mutable_graph()->add_initializer() = t;
    if (!old_inputs_) return piece;
    auto& info = *drawn_.model.mutable_graph()->add_input();
    info.set_name(name);
    auto& described = *info.mutable_type()->mutable_tensor_type();
    described.set_elem_type(onnx_code(type));
    described.mutable_shape();
    for (const std::int64_t d : shape) described.mutable_shape()->add_dim()->set_dim_value(d);
    return piece;
  }
  onnx::NodeProto& proto = *drawn_.model.mutable_graph()->add_node();
  proto.set_op_type("Constant");
  proto.add_output(name);
  Written written(*this, proto);
  const bool list = shape.size() == 1 && random_.chance(0.5), scalar = shape.empty() && random_.chance(0.5);
  if (opset_ >= 12 && type == DataType::Float32 && (list || scalar)) {
    if (list) written.reals("value_floats", elements);
    if (scalar) written.real("value_float", elements[0]);
  } else if (opset_ >= 12 && type == DataType::Int64 && (list || scalar)) {
    Integers numbers;
    for (const double v : elements) numbers.push_back(whole(v));
    if (list) written.integers("value_ints", numbers);
    if (scalar) written.integer("value_int", numbers[0]);
  } else {
    *written.attribute("value", onnx::AttributeProto::TENSOR).mutable_t() = std::move(t);
  }
  return piece;
}

Piece Sketch::constant(DataType type, const Shape& shape, double low, double high) {
  Piece piece = constant_of(type, shape, elements(type, shape, low, high));
  add(piece);
  return piece;
}

Piece Sketch::integers(const Integers& values) {
  return constant_of(DataType::Int64, {static_cast<std::int64_t>(values.size())},
                     std::vector<double>(values.begin(), values.end()));
}

Piece Sketch::input(DataType type, const Shape& shape, double low, double high) {
  const std::string name = new_name();
  auto& info = *drawn_.model.mutable_graph()->add_input();
  info.set_name(name);
  auto& described = *info.mutable_type()->mutable_tensor_type();
  described.set_elem_type(onnx_code(type));
  described.mutable_shape();
  for (const std::int64_t d : shape) described.mutable_shape()->add_dim()->set_dim_value(d);
  drawn_.inputs[name] = array_of(type, shape, elements(type, shape, low, high));
  Piece piece{name, type, shape, low, high, std::max(std::fabs(low), std::fabs(high)), false, true};
  add(piece);
  return piece;
}

bool Sketch::usable(const Piece& piece, const Want& want) {
  return std::ranges::find(want.types, piece.type) != want.types.end() && piece.rank() >= want.least_rank &&
         piece.rank() <= want.most_rank && piece.low >= want.low && piece.high <= want.high &&
         (!want.exact || piece.exact || random_.chance(0.1));
}

Piece Sketch::take(const Want& want) {
  std::vector<Piece> fit;
  for (const Piece& piece : pieces_)
    if (usable(piece, want) && (!piece.constant || random_.chance(0.1))) fit.push_back(piece);
  if (!fit.empty() && random_.chance(0.9)) {
    // Later ones more often, so that nodes follow each other.
    return random_.chance(0.6) ? fit.back() : random_.one_of(fit);
  }
  const DataType type = random_.one_of(want.types);
  return fresh(type, shape(want.least_rank, want.most_rank), want.low, want.high);
}

Piece Sketch::fresh(DataType type, const Shape& shape, double low, double high) {
  const auto [least, most] = limits(type);
  const double reach = is_float(type) ? random_.one_of({1.0, 2.0, 4.0})
                       : type == DataType::Int32 || type == DataType::Int64
                           ? (random_.chance(0.1) ? 1e6 : 10.0)
                           : 256;
  low = std::max(low, least), high = std::min(high, most);
  // The part of the interval that lies nearest to zero.
  if (low < -reach && high > -reach) low = std::min(-reach, high);
  if (high > reach && low < reach) high = std::max(reach, low);
  if (low > reach) high = std::min(high, low + 2 * reach);
  if (!is_float(type)) low = std::ceil(low), high = std::floor(high);
  if (random_.chance(0.8)) {
    const Piece x = input(type, shape, low, high);
    return is_float(type) && quantises_ && random_.chance(0.9) ? passed(x) : x;
  }
  if (is_float(type) && quantises_ && shape.size() > 0 && low < 0) return weights(shape, 0, high);
  return constant(type, shape, low, high);
}

Piece Sketch::mate(const Piece& x, DataType type, double low, double high, bool both) {
  const auto fits = [&](const Piece& piece) {
    Shape result;
    return piece.type == type && piece.low >= low && piece.high <= high &&
           broadcast(x.shape, piece.shape, result) && (both || result == x.shape);
  };
  std::vector<Piece> fit;
  for (const Piece& piece : pieces_)
    if (fits(piece)) fit.push_back(piece);
  if (!fit.empty() && random_.chance(0.4)) return random_.one_of(fit);
  Shape other = x.shape;
  const std::int64_t kept = random_.chance(0.5) ? x.rank() : random_.between(std::int64_t{0}, x.rank());
  other.erase(other.begin(), other.begin() + static_cast<std::ptrdiff_t>(x.rank() - kept));
  for (auto& extent : other) {
    if (random_.chance(0.3))
      extent = 1;
    else if (both && extent == 1 && random_.chance(0.5))
      extent = random_.between(std::int64_t{1}, std::int64_t{3});
  }
  if (both && other.size() < 5 && random_.chance(0.15)) other.insert(other.begin(), random_.one_of({1, 2}));
  Shape result;
  if (!broadcast(x.shape, other, result)) other.clear();
  return fresh(type, other, low, high);
}

}  // namespace vdla::random_graphs
