// SPDX-License-Identifier: Apache-2.0
// An ONNX model while it is written.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <onnx/onnx_pb.h>

#include "compiler/graph/graph.h"

namespace vdla::onnx_writer {

using graph::DataType;
using graph::Extents;
using graph::Shape;
using graph::TensorId;
using Names = std::vector<std::string>;

void set_attribute(onnx::NodeProto& node, const char* name, std::int64_t value);
void set_attribute(onnx::NodeProto& node, const char* name, double value);
void set_attribute(onnx::NodeProto& node, const char* name, const Extents& values);
void set_attribute(onnx::NodeProto& node, const char* name, std::string_view value);

class Model {
 public:
  Model(const graph::Graph& graph, std::string where);

  const graph::Tensor& tensor(TensorId id) const { return graph_.tensor(id); }
  /// Name of a tensor, which becomes an initialiser where it is a constant.
  const std::string& name(TensorId id);
  /// Appends a node that gives `output`.
  onnx::NodeProto& add(const char* op, const Names& inputs, const std::string& output);
  /// Appends a node whose output gets a new name, which begins with the one that is written.
  std::string step(const char* op, const Names& inputs);
  /// Makes the newest node give output().
  void give_last_output();
  onnx::NodeProto& last() { return *model_.mutable_graph()->mutable_node()->rbegin(); }
  /// A new name that begins with the one that is written.
  std::string new_name(const std::string& what) { return free_name(output() + "/" + what); }
  /// An initialiser of new name.
  std::string constant(DataType type, const Shape& shape, const graph::Bytes& elements);
  std::string integers(const Extents& values);
  std::string scalar(DataType type, double value);
  std::string scalar(DataType type, std::int64_t value);
  /// An initialiser with the elements of a constant in another shape.
  std::string reshaped(TensorId constant, const Shape& shape);

  /// Begins the nodes that give this tensor; new names begin with its name.
  void begin(TensorId output);
  const std::string& output() const { return names_[static_cast<std::size_t>(output_)]; }
  [[noreturn]] void refuse(const graph::Node& node, const std::string& reason) const;

  /// The whole model with its inputs and outputs.
  graph::Bytes bytes();

 private:
  void name_tensors();
  std::string free_name(const std::string& wanted);
  void declare(onnx::ValueInfoProto& info, TensorId id) const;
  void add_initializer(const std::string& name, DataType type, const Shape& shape,
                       const graph::Bytes& elements);

  const graph::Graph& graph_;
  std::string where_;
  onnx::ModelProto model_;
  Names names_;  ///< one for each tensor
  std::set<std::string> taken_;
  std::map<std::string, int> next_;  ///< number that free_name() tries next, by the name that is wanted
  std::set<TensorId> written_;       ///< constants that are initialisers
  TensorId output_ = graph::kNone;
};

}  // namespace vdla::onnx_writer
