// SPDX-License-Identifier: Apache-2.0
// An ONNX model that is being rewritten: constants by name, the node that makes and the nodes that read a
// tensor.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "compiler/graph/types.h"
#include "compiler/quantize/model.h"
#include "compiler/quantize/name_index.h"

namespace vdla::quantize {

/// A float32 constant. Elements in row-major order.
struct Weights {
  std::vector<std::int64_t> shape;
  std::vector<float> values;

  /// Elements of one index of dimension 0.
  std::size_t row() const { return shape.empty() ? 1 : values.size() / static_cast<std::size_t>(shape[0]); }
};

/// The word, which is one of those that the quantiser ends names of its own with.
const std::string& own_word(const std::string& word);

// Long: a method for each question about one model and for each change of it.
class Network {
 public:
  /// Constants are initialisers, operators of the set that scales by channel need (lift.h), Identity and
  /// Dropout are gone.
  Network(std::span<const std::byte> bytes, const std::string& name);

  const std::string& where() const { return where_; }
  onnx::GraphProto& graph() {
    index_ = nullptr;
    return *model_.mutable_graph();
  }
  const onnx::GraphProto& graph() const { return model_.graph(); }
  graph::Bytes bytes() const;
  /// The model with these tensors of float32 as its outputs.
  graph::Bytes showing(const std::vector<std::string>& tensors) const;
  /// The graph stays as it is: questions about names are answered by an index, until graph() lets it change.
  void freeze();

  /// Notes an activation that a rewrite adds.
  void add_activation(const std::string& tensor, const graph::Shape& shape) { activations_[tensor] = shape; }
  /// Adds a node behind all others, with the constants of another network that it reads.
  void take_node(onnx::NodeProto node, const Network& from);
  /// Leaves the nodes that make these tensors in float.
  void keep_in_float(const std::vector<std::string>& outputs);
  bool stays_in_float(const onnx::NodeProto& node) const {
    return node.output_size() > 0 && kept_.contains(node.output(0));
  }

  /// A property of the model's metadata, in the place of an old one of that key.
  void set_property(const std::string& key, const std::string& value);

  /// The model's inputs that are no constants.
  std::vector<std::string> inputs() const;
  std::vector<std::string> outputs() const;
  /// A float32 value that depends on the elements of an input: not one of shapes, and no constant.
  bool is_activation(const std::string& tensor) const { return activations_.contains(tensor); }
  /// Whether a node or the model's outputs read a tensor.
  bool is_needed(const std::string& tensor) const;
  /// Extents of an activation.
  const graph::Shape& shape(const std::string& activation) const { return activations_.at(activation); }
  bool is_float_constant(const std::string& tensor) const;
  bool is_output(const std::string& tensor) const;
  bool is_constant(const std::string& tensor) const { return find(tensor) != nullptr; }
  /// Extents of a constant.
  std::vector<std::int64_t> constant_shape(const std::string& tensor) const;
  /// Elements of a constant of type float32; UserError for another type.
  Weights weights(const std::string& tensor) const;
  void set_weights(const std::string& tensor, const Weights& weights);
  template <class T>
  void add_constant(const std::string& name, int type, const std::vector<std::int64_t>& shape,
                    const std::vector<T>& values) {
    onnx::TensorProto& t = *graph().add_initializer();
    t.set_name(name);
    t.set_data_type(type);
    for (std::int64_t extent : shape) t.add_dims(extent);
    t.set_raw_data(values.data(), values.size() * sizeof(T));
  }

  /// A new name for what is made for a tensor: "x/scale", or "x//scale" where the model has such names.
  std::string own(const std::string& tensor, const std::string& word) const {
    return tensor + mark_ + own_word(word);
  }

  /// Number of the node that makes a tensor, -1 for inputs and constants.
  int producer(const std::string& tensor) const;
  std::vector<int> consumers(const std::string& tensor) const;
  /// The only reader of a tensor that is no output of the model, or -1.
  int sole_consumer(const std::string& tensor) const;
  void remove_nodes(const std::vector<bool>& gone);
  void drop_unused_constants();

 private:
  const onnx::TensorProto* find(const std::string& tensor) const;
  void constants_to_initialisers(const Values& values);
  void drop_identities();
  void find_activations(const Values& values);

  std::string where_, mark_ = "/";
  onnx::ModelProto model_;
  std::map<std::string, graph::Shape> activations_;
  std::set<std::string> kept_;
  std::shared_ptr<const NameIndex> index_;
};

/// Attribute of a node, or what holds without it.
std::int64_t attribute(const onnx::NodeProto& node, const std::string& name, std::int64_t otherwise);
float attribute(const onnx::NodeProto& node, const std::string& name, float otherwise);
std::string attribute(const onnx::NodeProto& node, const std::string& name, const char* otherwise);

}  // namespace vdla::quantize
