// SPDX-License-Identifier: Apache-2.0
// A node while it is lifted to operator set 13, and the nodes and constants that are added for it.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "compiler/import/onnx_attributes.h"
#include "compiler/quantize/model.h"

namespace vdla::quantize {

using Names = std::unordered_set<std::string>;

/// Questions are answered by the model's node and its operator set, whatever a rule has changed since.
// Long: a method for each question and each change of a rule.
class LiftedNode {
 public:
  /// Nodes that are added go into `graph`. `read` has the names that nodes and the model's outputs read.
  LiftedNode(onnx::NodeProto node, std::int64_t set, Values& values, const Names& read,
             onnx::GraphProto& graph, const std::string& where);

  const std::string& op() const { return model_node_.op_type(); }
  std::int64_t set() const { return set_; }
  bool has(int i) const { return given_.has(i); }
  /// Whether output i is an input of a node, or an output of the model.
  bool is_read(int i) const { return i < model_node_.output_size() && read_.contains(model_node_.output(i)); }
  const std::string& input(int i) const { return model_node_.input(i); }
  /// The value that is input i.
  const import::Array& value(int i) const { return values_.at(input(i)); }
  const graph::Shape& shape(int i) const { return value(i).shape; }
  /// Attributes, with the defaults of the model's operator set.
  const import::OnnxAttributes& given() const { return given_; }
  /// Throws a UserError; `reason` completes "it ...".
  [[noreturn]] void refuse(const std::string& reason) const;

  void rename(const std::string& op) { node_.set_op_type(op); }
  void drop(std::initializer_list<std::string_view> attributes);
  /// Sets an attribute.
  void state(const std::string& name, std::int64_t value);
  void state(const std::string& name, float value);
  void state(const std::string& name, const std::string& value);
  /// Sets input i; inputs before it that the node lacks are left out.
  void set_input(int i, const std::string& name);
  /// Removes the inputs, or outputs, from number `count` on.
  void keep_inputs(int count) { node_.mutable_input()->DeleteSubrange(count, node_.input_size() - count); }
  void keep_outputs(int count) { node_.mutable_output()->DeleteSubrange(count, node_.output_size() - count); }
  /// Moves a list of whole numbers, where the node has it, from an attribute to input i.
  void move_to_input(const std::string& attribute, int i);

  /// Name of a new constant: whole numbers, float32 numbers, one number of input 0's type.
  std::string integers(const std::string& word, const std::vector<std::int64_t>& values);
  std::string reals(const std::string& word, const std::vector<float>& values);
  std::string number(const std::string& word, float value);

  /// A new node before this one, whose output has type and extents of `like`.
  onnx::NodeProto& add_before(const std::string& op, const std::vector<std::string>& inputs,
                              const std::string& word, const import::Array& like);
  /// Lets the node make a new value, and a new node `op` of that value and `input` what this node made.
  void add_after(const std::string& op, const std::string& input, const import::Array& like);
  /// Gives input i `dimensions` more dimensions of extent 1 at its end.
  void widen(int i, std::size_t dimensions);

  /// Moves the node into the graph, which must be one of operator set 13 by now.
  void finish();

 private:
  std::string free_name(const std::string& word) const;
  onnx::AttributeProto& attribute(const std::string& name, onnx::AttributeProto::AttributeType type);
  onnx::TensorProto& add_constant(const std::string& word, graph::DataType type, const graph::Shape& shape);
  void state_changed_defaults();

  const onnx::NodeProto model_node_;
  onnx::NodeProto node_;
  std::optional<onnx::NodeProto> after_;
  import::OnnxAttributes given_;
  std::int64_t set_;
  Values& values_;
  const Names& read_;
  onnx::GraphProto& graph_;
  const std::string& where_;
};

}  // namespace vdla::quantize
