// SPDX-License-Identifier: Apache-2.0
// A network while it is imported: values are tensors of the graph, constants or pending, and an operator on
// nothing but constants is computed at once, so that shapes which the model computes are known.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/graph/free_names.h"
#include "compiler/graph/graph.h"
#include "compiler/import/tensor/pending.h"

namespace vdla::import::tensor {

/// Elements of a constant as whole numbers, or as reals.
Integers integers_of(const Value& value);
std::vector<double> reals_of(const Value& value);
/// Elements of the largest constant that the import itself computes.
constexpr std::int64_t kLargestConstant = std::int64_t{1} << 26;
/// Elements of the largest tensor that a node makes of constants when the model runs, unless it reads as
/// many.
constexpr std::int64_t kLargestOfConstants = std::int64_t{1} << 28;

/// A constant whose elements, in normal form of the type or as reals, are given: as many as its shape says.
Value make_constant(DataType type, Shape shape, const Integers& elements);
Value make_constant(DataType type, Shape shape, const std::vector<double>& elements);

// Long: a method for each kind of value that an import makes, over one graph.
class Network {
 public:
  graph::Graph& graph() { return graph_; }

  /// An input of the model in its own type.
  Value input(const std::string& name, DataType type, const Shape& shape);
  /// The value that a refused operator would give, of the type and shape that the model states.
  Value refused(const std::string& name, DataType type, const Shape& shape, graph::Quantization stated = {});
  /// Throws NotLookedAt for a value that is computed from what a refused operator would give.
  void require_looked_at(const Value& value) const;
  /// A node, or its value where all inputs are constants of moderate size.
  Value emit(const std::string& name, graph::Op op, const std::vector<Value>& inputs,
             graph::Quantization output = {});
  /// A node of that name, or of that with a number after it where the name is taken; its output.
  graph::TensorId add(const std::string& name, graph::Op op, std::vector<graph::TensorId> inputs,
                      graph::Quantization output);
  /// Keeps a pending value, or an operator after a layer, as long as the network is imported.
  const Pending* keep(Pending pending) { return &pendings_.emplace_back(std::move(pending)); }
  const Passing* keep(Passing passing) { return &passings_.emplace_back(std::move(passing)); }
  /// The value in the model's own type; a pending one is made when it is asked for first. `reader` is the
  /// node that asks, "Sin 'x'"; empty: an output of the model.
  const Value& made(const Value& value, const std::string& reader = "");
  /// The value as a tensor of the graph; equal constants are one.
  graph::TensorId tensor(const Value& value, const std::string& name);
  Value value_of(graph::TensorId id) const;
  /// The value is the model's tensor of that name.
  void name(Value& value, const std::string& tensor);
  /// The graph's tensor holds the elements of the model's tensor of that name in another order.
  void name_reordered(graph::TensorId id, const std::string& tensor);
  /// The graph's inputs that a value is computed from.
  std::vector<std::string> inputs_of(const Value& value) const;
  /// Why quantised operators stay in floats; nodes that the graph gets for one from then on say so.
  Reasons& reasons() { return reasons_; }
  /// Whether the value is what such an operator gives.
  bool in_floats(const Value& value) const { return floats_.contains(value.id); }
  /// The whole graph, in which each tensor names its sources.
  graph::Graph take();

  /// Runs `action`, which adds to the graph. If it throws, what it added is removed and the exception goes
  /// on; it must not make pending values.
  template <class Action>
  auto attempt(const Action& action) {
    const Extent before = extent();
    added_.clear();
    try {
      return action();
    } catch (...) {
      remove_after(before);
      throw;
    }
  }

 private:
  /// Tensors of the graph that a value is computed from, itself included.
  std::vector<bool> read_by(const Value& value) const;

  struct Extent {
    std::size_t tensors, nodes, inputs;
  };
  Extent extent() const { return {graph_.tensors.size(), graph_.nodes.size(), graph_.inputs.size()}; }
  void remove_after(const Extent& before);

  graph::Graph graph_;
  graph::FreeNames free_name_;
  std::vector<std::pair<std::string, std::string>> added_;  ///< names wanted and given since the last attempt
  std::deque<Pending> pendings_;
  std::deque<Passing> passings_;
  std::unordered_multimap<std::size_t, graph::TensorId>
      constants_;                                         ///< constants of the graph by a hash of their bytes
  std::unordered_map<graph::TensorId, Origins> origins_;  ///< origins of the graph's tensors
  Reasons reasons_;
  std::set<graph::TensorId> floats_;   ///< results of nodes of the graph that say why
  std::set<graph::TensorId> known_;    ///< results of nodes that read nothing but constants
  std::set<graph::TensorId> refused_;  ///< results that refused operators would give
};

using Body = std::function<expr::Value(const std::vector<expr::Value>&)>;

/// Parts that operators are composed of. All nodes that it makes begin with `name`; `where` begins the
/// message of a UserError: "ONNX model 'x': Conv at node 'y' ". `carried` is the scale of integers of 8 or
/// 16 bits that the operator moves: what its nodes make of them keeps it.
// Long: a method for each thing that operators are composed of, over one network and one name.
class Composer {
 public:
  Composer(Network& network, std::string name, std::string where, graph::Quantization carried = {})
      : network_(network), name_(std::move(name)), where_(std::move(where)), carried_(std::move(carried)) {}

  const std::string& where() const { return where_; }
  void require(bool ok, const std::string& message) const;

  /// From 0; refuses one outside of `rank` dimensions.
  std::size_t axis(std::int64_t value, std::size_t rank) const;

  Value map(const std::string& function, const std::vector<Value>& inputs, const Body& body,
            graph::Quantization output = {}) const;
  Value cast(const Value& x, DataType type) const;
  /// +, -, * and the like of two values of one type.
  Value binary(expr::BinaryOp op, const Value& a, const Value& b) const;
  Value unary(expr::Function function, const Value& x) const;
  Value scalar(DataType type, double number) const;
  /// The numbers 0, 1, ... count - 1 along dimension `axis` of a shape that has extent 1 elsewhere.
  Value iota(DataType type, std::size_t rank, std::size_t axis, std::int64_t count) const;
  /// UserError unless a constant of this shape has elements, and not more than kLargestConstant.
  void require_constant(const Shape& shape) const;
  Value fold(expr::Reducer reducer, const Value& x, const Integers& axes, bool keep_dims) const;
  Value reshape(const Value& x, Shape shape) const;
  Value transpose(const Value& x, const std::vector<int>& perm) const;
  /// Elements start + i * step of each dimension, `shape` of them.
  Value slice(const Value& x, const Integers& start, const Integers& step, const Shape& shape) const;
  /// Elements [begin, end) of one dimension.
  Value part(const Value& x, std::size_t axis, std::int64_t begin, std::int64_t end) const;
  Value broadcast(const Value& x, const Shape& shape) const;
  /// Each dimension as often as `repeats` says, one number for each.
  Value tile(const Value& x, const Integers& repeats) const;
  /// Elements around each dimension (a negative number removes some), `spread` - 1 between neighbours.
  Value pad(const Value& x, const Integers& before, const Integers& after, double fill,
            graph::Outside outside = graph::Outside::Fill, const Integers& spread = {}) const;
  /// Parts of one type and of one shape but for `axis`, of which any may have no element.
  Value concat(const std::vector<Value>& parts, std::size_t axis) const;
  Value matmul(const Value& a, const Value& b, bool transpose_a = false, bool transpose_b = false) const;
  Value gather(const Value& data, const Value& indices, int axis) const;
  Value softmax(const Value& x, std::size_t axis, bool logarithm) const;
  Value emit(graph::Op op, const std::vector<Value>& inputs, graph::Quantization output = {}) const;

  const std::string& name() const { return name_; }
  Network& network() const { return network_; }

 protected:
  void carry(graph::Quantization scale) { carried_ = std::move(scale); }

 private:
  /// Shape of values that broadcast with one another.
  Shape common_shape(const std::vector<Value>& values) const;

  Network& network_;
  std::string name_, where_;
  graph::Quantization carried_;
};

}  // namespace vdla::import::tensor
