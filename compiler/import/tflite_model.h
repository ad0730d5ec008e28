// SPDX-License-Identifier: Apache-2.0
// A verified TFLite file, and the growing graph that its operators are translated into.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/import/schema/tflite_generated.h"

namespace vdla::import::tflite {

/// Checks the flatbuffer and every index in it that the importer follows; throws UserError.
const Model& checked_model(std::span<const std::byte> bytes, const std::string& file);

/// One operator with its place in the file: the source of names in messages.
struct OperatorRef {
  const Operator* op = nullptr;
  int code = 0;         ///< the format's number of the operator
  std::string op_name;  ///< "CONV_2D", or the custom name
  std::string node;     ///< name of the graph node
};

/// "CONV_2D", or "operator 117" for one that is not in our table.
std::string operator_name(int code);

/// Translates tensors on demand. uint8 becomes int8 with the zero point moved by 128.
// Long: a method for each kind of thing that operators ask of a file, over the graph that is built.
class TfliteBuilder {
 public:
  TfliteBuilder(const Model& model, std::string file);

  graph::Graph& graph() { return graph_; }
  const SubGraph& subgraph() const { return *subgraph_; }
  const std::string& file() const { return file_; }
  const Tensor& file_tensor(int index) const;
  OperatorRef operator_ref(int index) const;

  /// The graph tensor of a file tensor that has been produced, or its constant.
  graph::TensorId tensor(int index);
  /// Input i of the operator; kNone where it is absent.
  graph::TensorId input(const OperatorRef& op, unsigned i);
  int input_index(const OperatorRef& op, unsigned i) const;
  int output_index(const OperatorRef& op) const;
  /// Elements of a constant int32 input (axes, paddings, a permutation).
  std::vector<std::int32_t> constant_ints(const OperatorRef& op, unsigned i) const;

  /// Quantisation of a file tensor as int8; UserError where it has none.
  graph::Quantization quantization(int index) const;
  bool is_uint8(int index) const { return file_tensor(index).type() == TensorType::UINT8; }
  graph::Shape shape(int index) const;

  /// Appends the node and binds its output to the operator's output tensor.
  void add(const OperatorRef& op, graph::Op node, std::vector<graph::TensorId> inputs);

  /// Makes `made` the operator's output tensor; UserError where the file states another type or shape.
  void bind(const OperatorRef& op, graph::TensorId made);
  /// Notes that `made` holds the elements of the operator's output tensor, in other dimensions.
  void stands_for(const OperatorRef& op, graph::TensorId made);

  void add_inputs();
  void add_outputs();

 private:
  /// "TFLite model 'net.tflite': tensor 'x' ": the beginning of a message about a file tensor.
  std::string where(int index) const;
  graph::DataType data_type(int index) const;
  graph::TensorId add_constant(int index);
  /// A file tensor; one without a name is called by its number: "#3".
  Sources source(int index) const;
  std::span<const std::byte> data(int index) const;

  const Model& model_;
  const SubGraph* subgraph_;
  std::string file_;
  graph::Graph graph_;
  std::map<int, graph::TensorId> tensors_;
};

/// Translates one operator; throws UserError that names operator and node.
void import_operator(TfliteBuilder& builder, const OperatorRef& op);

}  // namespace vdla::import::tflite
