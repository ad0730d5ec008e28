// SPDX-License-Identifier: Apache-2.0
// The network that the operators of a TFLite file are translated into.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/import/refusals.h"
#include "compiler/import/tensor/network.h"
#include "compiler/import/tflite/cut.h"
#include "compiler/import/tflite/model.h"
#include "compiler/import/tflite/variables.h"
#include "support/error.h"

namespace vdla::import::tflite {

using tensor::Value;

/// Constant weights, each block of which along the last dimension has a scale of its own.
struct Blocks {
  Value steps;   ///< int32, [outputs, depth]
  Value scales;  ///< float32, [outputs, depth / size]
  std::int64_t size = 1;
};

/// Translates tensors on demand. 8-bit integers with a scale are int8 tensors of the graph; of uint8 the zero
/// point is moved by 128. Others have their own type.
// Long: a method for each kind of thing that operators ask of a file, over the network that is built.
class Builder {
 public:
  Builder(const Model& model, const SubGraph& function, std::string file, const ImportOptions& options = {});

  tensor::Network& network() { return network_; }
  graph::Graph& graph() { return network_.graph(); }
  const SubGraph& subgraph() const { return *subgraph_; }
  const std::string& file() const { return file_; }
  bool has_real_weights() const { return real_weights_; }
  const Tensor& file_tensor(int index) const;
  OperatorRef operator_ref(int index) const;
  /// "TFLite model 'net.tflite': CONV_2D at node 'conv_2d_3' "
  std::string where(const OperatorRef& op) const;

  /// `as` is the accessor of the union member that the operator needs.
  template <class Options>
  const Options& options(const OperatorRef& op, const Options* (Operator::*as)() const) const {
    const auto* o = (op.op->*as)();
    VDLA_CHECK_USER(o != nullptr) << where(op) << "lacks its options (corrupt)";
    return *o;
  }

  /// The graph tensor of a file tensor that has been produced, or its constant.
  graph::TensorId tensor(int index);
  /// This tensor as a value, whose constants are known while the model is imported.
  Value value(int index);
  /// Input i of the operator; kNone where it is absent.
  graph::TensorId input(const OperatorRef& op, unsigned i);
  /// -1 where the operator leaves it out.
  static int input_index(const OperatorRef& op, unsigned i);
  static int output_index(const OperatorRef& op);
  /// Elements of a constant int32 input (axes, paddings, a permutation).
  std::vector<std::int32_t> constant_ints(const OperatorRef& op, unsigned i) const;

  /// Whether the tensor holds integers with a scale.
  bool has_scale(int index) const;
  /// Whether they have 8 or 16 bits, as activations have.
  bool is_quantised(int index) const;
  /// Whether they have 16 bits.
  bool is_wide(int index) const;
  /// Whether it is a constant of 4-bit integers with a scale, which become 8-bit ones.
  bool is_packed(int index) const;
  /// The tensor as weights in blocks; nothing: it has no scales by block.
  std::optional<Blocks> blocks(int index);
  /// Quantisation of a file tensor as the graph has it; UserError where it has none.
  graph::Quantization quantization(int index) const;
  bool is_uint8(int index) const { return file_tensor(index).type() == TensorType::UINT8; }
  /// The shape that the file states for a tensor.
  graph::Shape shape(int index) const;
  /// The shape of its value, which the file may not state.
  graph::Shape shape_of_value(int index) const;
  graph::DataType data_type(int index) const;

  /// Appends the node and binds its output to the operator's output tensor.
  void add(const OperatorRef& op, graph::Op node, std::vector<graph::TensorId> inputs);

  /// Makes `made` the operator's output tensor i; UserError where the file states another type or shape. An
  /// extent that the file leaves free is any, and so is the shape of a tensor without one.
  void bind(const OperatorRef& op, Value made, unsigned i = 0);
  void bind(const OperatorRef& op, graph::TensorId made) { bind(op, network_.value_of(made)); }
  /// Complex tensors are float32 here, with a last dimension of two components. What has no row for them
  /// does not read them.
  bool is_complex(int index) const { return complex_.contains(index); }
  const Value& complex(int index) const { return complex_.at(index); }
  void bind_complex(const OperatorRef& op, Value made);
  /// Names of resources; what has no row for them does not read them.
  void bind_resource(const OperatorRef& op, VariableKey key);
  /// The resource that input i names.
  const VariableKey& resource(const OperatorRef& op, unsigned i) const;
  /// The value of a resource, of the type that the file states for the operator's output.
  Value read_resource(const OperatorRef& op);
  void assign_resource(const OperatorRef& op, Value value);
  /// The value of input i, a tensor that the operator keeps.
  Value state(const OperatorRef& op, unsigned i);
  void set_state(const OperatorRef& op, unsigned i, Value value);
  /// Translates the operators of a subgraph that assigns first values.
  void call_once(const OperatorRef& op, std::int64_t subgraph);

  /// Notes that `made` holds the elements of the operator's output tensor, in other dimensions.
  void stands_for(const OperatorRef& op, graph::TensorId made);

  /// Notes that `last`, an image N H W C, is `first`, N C H W, in another order: what can reads `first`.
  void notes_order(graph::TensorId last, graph::TensorId first) { first_.emplace(last, first); }
  /// The image in channels first; kNone where it was not made so.
  graph::TensorId channels_first(graph::TensorId last) const;

  /// Translates the operators of another subgraph with these inputs; the values of its outputs. What it makes
  /// is called after `op`, and after `part` of that.
  std::vector<Value> call(const OperatorRef& op, std::int64_t subgraph, std::vector<Value> inputs,
                          const std::string& part = {});
  /// Operators of a subgraph that `op` calls.
  std::int64_t operators_of(const OperatorRef& op, std::int64_t subgraph);

  void add_inputs();
  void add_outputs();
  /// Translates the operators of the subgraph; refusals wait for take() unless an operator stands for it.
  void add_operators();
  /// The whole graph, without images that everything reads in channels first. Throws what was refused.
  graph::Graph take();

 private:
  /// "TFLite model 'net.tflite': tensor 'x' ": the beginning of a message about a file tensor.
  std::string where(int index) const;
  Value constant(int index);
  /// Attempts an operator of the model itself; where it is refused, its outputs are what the file states.
  void attempt(const OperatorRef& op);
  /// Calls `add` for an input or output of the model, `kind`.
  template <class Add>
  void attempt_port(const char* kind, int index, const Add& add);
  void add_input(int index);
  /// Whether the network was cut at the tensor and begins there, whatever else gives it.
  bool is_begun(int index) const;
  /// Notes that a refused operator or input would give the tensor.
  void set_refused(int index);
  /// "INT8 with a scale".
  std::string type_text(int index) const;
  /// Name of a file tensor; one without is called by its number: "#3".
  std::string source(int index) const;
  /// The bytes that the file has of a constant; empty: it is none, or sparse and has zeros alone.
  std::span<const std::byte> stored(int index) const;
  bool is_constant(int index) const;
  /// Bytes of all elements of a constant; empty: it is none.
  std::span<const std::byte> data(int index) const;
  /// The tensor under its name as a port; one that another port has under another name is copied.
  graph::TensorId port(int index);

  VariableType type_of_variable(int index, std::string name) const;

  /// Refuses an input of a subgraph that is of another type, shape or scale than its tensor.
  void require_like(const OperatorRef& op, int index, const Value& input);

  /// State of a subgraph, kept while the builder reads another one for which an operator stands.
  struct Caller {
    const SubGraph* subgraph;
    std::map<int, Value> values, complex;
    std::map<int, VariableKey> resources;
    std::string prefix;
  };
  /// Whether the value has type and shape of the tensor. What the file leaves free is any: extents, a shape.
  bool fits(int index, const Value& value) const;
  /// The subgraph of that number, checked.
  const SubGraph& called(const OperatorRef& op, std::int64_t subgraph);
  /// Makes the last caller's subgraph the one that is read.
  void go_back();

  const Model& model_;
  const SubGraph* subgraph_;
  std::string file_;
  bool real_weights_;  ///< ImportOptions::real_weights
  Cut cut_;
  tensor::Network network_;
  Refusals refusals_;
  mutable std::map<const Tensor*, graph::Bytes> dense_;  ///< bytes of sparse constants that were read
  std::map<int, Value> values_, complex_;                ///< values of the subgraph's tensors
  std::map<int, VariableKey> resources_;                 ///< resources that the subgraph's tensors name
  Variables variables_;
  bool is_first_ = false;        ///< translates what is run before the first run
  std::string prefix_;           ///< beginning of names within a subgraph that an operator stands for
  std::vector<Caller> callers_;  ///< subgraphs around this one, from outside
  std::map<const Tensor*, Value> constants_;          ///< constants that were read
  std::map<std::int64_t, const SubGraph*> called_;    ///< subgraphs by their numbers, checked
  std::int64_t operators_ = 0;                        ///< operators that were translated
  std::map<graph::TensorId, graph::TensorId> first_;  ///< images in channels last and first
  std::set<graph::TensorId> named_;  ///< tensors of the graph that have the name of one of the file
};

/// Translates one operator; throws UserError that names operator and node.
void import_operator(Builder& builder, const OperatorRef& op);

}  // namespace vdla::import::tflite
