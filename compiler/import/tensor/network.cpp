// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tensor/network.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "compiler/evaluate/evaluate.h"
#include "compiler/expr/arith.h"
#include "compiler/graph/shape.h"
#include "compiler/graph/sources.h"
#include "compiler/import/refusals.h"
#include "support/error.h"
#include "support/float16.h"

namespace vdla::import::tensor {
namespace {

/// Larger constants are left to the pass that folds them.
constexpr std::int64_t kComputedAtOnce = 1 << 16;

/// The elements in memory, one behind the other: the first bytes of what `stored` gives for each.
template <class T, class Stored>
graph::Bytes bytes_of_each(DataType type, const std::vector<T>& elements, const Stored& stored) {
  const std::size_t size = graph::bytes_of(type);
  graph::Bytes bytes(elements.size() * size);
  std::byte* at = bytes.data();
  for (const T& element : elements) {
    const auto value = stored(element);
    std::memcpy(at, &value, size);  // little-endian
    at += size;
  }
  return bytes;
}

std::int64_t integer_at(const Value& v, std::size_t i) {
  const std::size_t size = graph::bytes_of(v.type);
  std::int64_t raw = 0;
  std::memcpy(&raw, v.data->data() + i * size, size);
  return expr::wrap(graph::dtype_of(v.type), raw);
}

double real_at(const Value& v, std::size_t i) {
  const std::size_t size = graph::bytes_of(v.type);
  std::uint64_t raw = 0;
  std::memcpy(&raw, v.data->data() + i * size, size);
  switch (v.type) {
    case DataType::Float32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(raw));
    case DataType::Float64:
      return std::bit_cast<double>(raw);
    case DataType::Float16:
      return half_value(static_cast<std::uint16_t>(raw));
    case DataType::BFloat16:
      return bfloat_value(static_cast<std::uint16_t>(raw));
    case DataType::UInt64:
      return static_cast<double>(raw);
    default:
      return static_cast<double>(integer_at(v, i));
  }
}

Value constant_of_bytes(DataType type, Shape shape, graph::Bytes bytes) {
  const std::int64_t count = graph::checked_count(shape, "a constant ");
  VDLA_CHECK(bytes.size() == static_cast<std::size_t>(count) * graph::bytes_of(type))
      << bytes.size() << " bytes for a constant of " << graph::to_string(shape);
  return {type, std::move(shape), std::make_shared<const graph::Bytes>(std::move(bytes))};
}

bool is_real(DataType type) { return expr::is_float(graph::dtype_of(type)); }

}  // namespace

Integers integers_of(const Value& value) {
  Integers result;
  for (std::size_t i = 0; i < static_cast<std::size_t>(value.count()); ++i)
    result.push_back(is_real(value.type) ? expr::float_to_int(real_at(value, i), expr::DType::I64)
                                         : integer_at(value, i));
  return result;
}

std::vector<double> reals_of(const Value& value) {
  std::vector<double> result;
  for (std::size_t i = 0; i < static_cast<std::size_t>(value.count()); ++i)
    result.push_back(real_at(value, i));
  return result;
}

Value make_constant(DataType type, Shape shape, const Integers& elements) {
  if (is_real(type))
    return make_constant(type, std::move(shape), std::vector<double>(elements.begin(), elements.end()));
  return constant_of_bytes(type, std::move(shape),
                           bytes_of_each(type, elements, [](std::int64_t v) { return v; }));
}

Value make_constant(DataType type, Shape shape, const std::vector<double>& elements) {
  const auto constant = [&](const auto& stored) {
    return constant_of_bytes(type, std::move(shape), bytes_of_each(type, elements, stored));
  };
  switch (type) {
    case DataType::Float32:
      return constant([](double v) { return static_cast<float>(v); });
    case DataType::Float64:
      return constant([](double v) { return v; });
    case DataType::Float16:
      return constant([](double v) { return half_bits(static_cast<float>(v)); });
    case DataType::BFloat16:
      return constant([](double v) { return bfloat_bits(static_cast<float>(v)); });
    default:
      return constant([&](double v) { return expr::float_to_int(v, graph::dtype_of(type)); });
  }
}

graph::TensorId Network::tensor(const Value& value, const std::string& name) {
  if (value.id != graph::kNone) return value.id;
  VDLA_CHECK_USER(value.count() > 0) << "node '" << name << "' computes with a tensor of no element ("
                                     << graph::to_string(value.shape) << "), needs at least one";
  const std::size_t hash =
      std::hash<std::string_view>()({reinterpret_cast<const char*>(value.data->data()), value.data->size()});
  for (auto [known, end] = constants_.equal_range(hash); known != end; ++known) {
    const graph::Tensor& t = graph_.tensor(known->second);
    if (t.type != value.type || t.shape != value.shape || *t.data != *value.data) continue;
    origins_[known->second].add(value.origins, Likeness::Same);
    return known->second;
  }
  const graph::TensorId id = graph_.add_constant(name + "/constant", value.type, value.shape, value.data);
  origins_[id] = value.origins;
  constants_.emplace(hash, id);
  return id;
}

Value Network::value_of(graph::TensorId id) const {
  const graph::Tensor& t = graph_.tensor(id);
  const auto known = origins_.find(id);
  return {t.type, t.shape, t.data, id, t.constant() && known != origins_.end() ? known->second : Origins{}};
}

Value Network::input(const std::string& name, DataType type, const Shape& shape) {
  const graph::TensorId id = graph_.add_tensor({name, type, shape, {}, nullptr});
  graph_.add_input(id);
  return value_of(id);
}

void Network::name(Value& value, const std::string& tensor) {
  if (value.constant()) value.origins.add(tensor);
  if (value.id != graph::kNone) origins_[value.id].add(tensor);
}

void Network::name_reordered(graph::TensorId id, const std::string& tensor) {
  origins_[id].add(Origins(tensor), Likeness::Reordered);
}

namespace {

/// Why a layer's result is made in floats, by the node that reads it; empty: none does.
std::string why_made(const std::string& reader) {
  if (reader.empty()) return "gives an output of the model, which no QuantizeLinear makes int8";
  return "gives its result to " + reader + ", which reads floats";
}

}  // namespace

/// Walks in a loop, since a chain of pending values can be longer than the stack is deep.
const Value& Network::made(const Value& value, const std::string& reader) {
  if (value.pending == nullptr) return value;
  struct Asked {
    const Pending* value;
    std::string reader;
  };
  std::vector<Asked> row = {{value.pending, reader}};
  while (!row.empty()) {
    const Pending& p = *row.back().value;
    const std::size_t waiting = row.size();
    for (const Pending* read : p.reads)
      if (!p.made && !read->made) row.push_back({read, p.node.text()});
    if (row.size() > waiting) continue;
    if (!p.made) {
      if (std::holds_alternative<Deferred>(p.form)) reasons_.add(p.node, why_made(row.back().reader));
      p.made = std::make_unique<const Value>(p.make());
    }
    row.pop_back();
  }
  return *value.pending->made;
}

graph::TensorId Network::add(const std::string& name, graph::Op op, std::vector<graph::TensorId> inputs,
                             graph::Quantization output) {
  std::string free = free_name_(name);
  added_.emplace_back(name, free);
  return graph_.add_node(std::move(free), std::move(op), std::move(inputs), std::move(output));
}

void Network::remove_after(const Extent& before) {
  for (; !added_.empty(); added_.pop_back()) free_name_.give_back(added_.back().first, added_.back().second);
  const auto cut = [](auto& list, std::size_t count) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(count), list.end());
  };
  cut(graph_.nodes, before.nodes);
  cut(graph_.tensors, before.tensors);
  cut(graph_.inputs, before.inputs);
  for (auto* ids : {&floats_, &known_})
    ids->erase(ids->lower_bound(static_cast<graph::TensorId>(before.tensors)), ids->end());
}

Value Network::emit(const std::string& name, graph::Op op, const std::vector<Value>& inputs,
                    graph::Quantization output) {
  std::vector<graph::TensorId> ids;
  bool constant = true, known = true;
  std::int64_t read = 0;
  for (const Value& v : inputs) {
    ids.push_back(tensor(v, name));
    constant = constant && v.constant();
    known = known && (v.constant() || known_.contains(v.id));
    read += v.count();
  }
  const graph::TensorId out =
      graph_.add_node(free_name_(name), std::move(op), std::move(ids), std::move(output));
  if (known) {
    graph::require_extents(graph_.tensor(out).shape, "node '" + name + "' computes a constant that ",
                           std::max(read, kLargestOfConstants));
    known_.insert(out);
  }
  if (constant && read <= kComputedAtOnce && value_of(out).count() <= kComputedAtOnce) {
    Value result{graph_.tensor(out).type, graph_.tensor(out).shape,
                 evaluate::evaluate(graph_, graph_.nodes.back())};
    for (const Value& v : inputs) result.origins.add(v.origins, Likeness::From);
    free_name_.give_back(name, graph_.nodes.back().name);
    graph_.nodes.pop_back();
    graph_.tensors.pop_back();
    known_.erase(out);
    return result;
  }
  graph_.nodes.back().in_floats = reasons_.of(name);
  if (!graph_.nodes.back().in_floats.empty()) floats_.insert(out);
  return value_of(out);
}

graph::Graph Network::take() {
  const std::vector<bool> lasting = lasting_tensors(graph_);
  for (const auto& [id, origins] : origins_)
    if (lasting[static_cast<std::size_t>(id)]) graph_.tensor(id).sources = origins.list();
  complete_sources(graph_);
  leave_out_kept(graph_);
  return std::move(graph_);
}

Value Network::refused(const std::string& name, DataType type, const Shape& shape,
                       graph::Quantization stated) {
  const graph::TensorId id = graph_.add_tensor({name, type, shape, std::move(stated), nullptr});
  refused_.insert(id);
  return value_of(id);
}

void Network::require_looked_at(const Value& value) const {
  if (value.refused) throw NotLookedAt();
  if (refused_.empty() || value.constant()) return;
  const std::vector<bool> read = read_by(value);
  for (const graph::TensorId id : refused_)
    if (read[static_cast<std::size_t>(id)]) throw NotLookedAt();
}

std::vector<bool> Network::read_by(const Value& value) const {
  const auto producer = graph::producers(graph_);
  std::vector<bool> seen(graph_.tensors.size());
  std::vector<graph::TensorId> pending = {value.id};
  while (!pending.empty()) {
    const graph::TensorId id = pending.back();
    pending.pop_back();
    if (id == graph::kNone || seen[static_cast<std::size_t>(id)]) continue;
    seen[static_cast<std::size_t>(id)] = true;
    const graph::NodeId node = producer[static_cast<std::size_t>(id)];
    if (node == graph::kNone) continue;
    const auto& inputs = graph_.node(node).inputs;
    pending.insert(pending.end(), inputs.begin(), inputs.end());
  }
  return seen;
}

std::vector<std::string> Network::inputs_of(const Value& value) const {
  const std::vector<bool> seen = read_by(value);
  std::vector<std::string> result;
  for (const graph::Port& port : graph_.inputs)
    if (seen[static_cast<std::size_t>(port.tensor)]) result.push_back(graph_.tensor(port.tensor).name);
  return result;
}

}  // namespace vdla::import::tensor
