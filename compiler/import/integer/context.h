// SPDX-License-Identifier: Apache-2.0
// A node of an ONNX model as the rules see it that make integer layers of float operators between
// DequantizeLinear and QuantizeLinear.
//
// A rule makes int8 tensors of the graph, or a deferred value that becomes one once a QuantizeLinear gives
// its scale. A rule that cannot, declines: then the node has its one meaning, in floats
// (compiler/import/tensor). Layout is tracked, not moved: images are stored as NHWC from the first
// QuantizeLinear on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/import/tensor/node.h"

namespace vdla::import::integer {

using tensor::Affine;
using tensor::Bias;
using tensor::DataType;
using tensor::Deferred;
using tensor::Integers;
using tensor::Network;
using tensor::Passing;
using tensor::Quantized;
using tensor::QuantizedConstant;
using tensor::Request;
using tensor::Rounded;
using tensor::Shape;
using tensor::UnreadInput;
using tensor::Value;

/// Thrown by a rule whose integer form does not cover a node; `reason` completes "Conv 'x' stays in floats:
/// it ...".
struct Declined {
  tensor::ModelNode node;
  std::string reason;
};

/// Index of the scale of element i of a value of `shape`.
std::size_t scale_index(const graph::Quantization& q, const Shape& shape, std::size_t i);
/// scale * (element - zero point) in double, for scales that the compiler computes with.
std::vector<double> reals_of(const QuantizedConstant& constant);

/// int8 elements of a quantised constant; those of uint8 are moved to int8, zero point included.
struct Int8Constant {
  std::vector<std::int8_t> values;
  graph::Quantization quantization;
  Shape shape;
  Origins origins;
};

class Context : public tensor::Node {
 public:
  /// `in_floats` is what the node means where no integer form does.
  Context(const tensor::Node& node, tensor::Import in_floats) : Node(node), in_floats_(in_floats) {}

  graph::Graph& graph() const { return network().graph(); }
  /// Declines unless `ok`; `reason` has the value seen, and the value needed.
  void require(bool ok, const std::string& reason) const {
    if (!ok) throw Declined{model_node(), reason};
  }

  /// The form of input i if it has the form T, else null.
  template <class T>
  const T* form(int i) const {
    const Value& v = as_it_is(i);
    return v.pending == nullptr ? nullptr : std::get_if<T>(&v.pending->form);
  }
  const Shape& shape(int i) const { return as_it_is(i).shape; }
  bool is_constant(int i) const { return as_it_is(i).constant() || form<QuantizedConstant>(i) != nullptr; }
  /// Elements of input i, a constant: reals as they are meant, or whole numbers. `what` says what they are:
  /// "shape".
  std::vector<double> reals(int i) const;
  using Node::integers;
  Integers integers(int i, const char* what) const;
  Bias bias(int i) const;
  /// Input i by its place and name, "input 1 ('w')"; no name where the node lacks it.
  std::string input_text(int i) const;
  /// Input i, a constant behind a DequantizeLinear of int8 or uint8.
  Int8Constant int8_constant(int i) const;
  /// Input i as an int8 tensor.
  Quantized quantized(int i) const;
  const graph::Quantization& quantization(const Quantized& v) const {
    return graph().tensor(v.id).quantization;
  }

  /// Adds a node of that name, or of that with a number after it where the name is taken.
  Quantized add(const std::string& name, graph::Op op, std::vector<graph::TensorId> inputs,
                graph::Quantization q, std::vector<int> perm) const;
  /// The value stored as `perm` says, by a Transpose, a Reshape where only dimensions of extent 1 move, or
  /// nothing.
  Quantized stored_as(const Quantized& v, const std::vector<int>& perm, const std::string& name) const;
  Shape model_shape(const Quantized& v) const;

  /// The node's meaning in the model's own types.
  tensor::Import in_floats() const { return in_floats_; }

  /// Gives output `i` of the node a form, an int8 tensor's where that is not the first. Its type is input 0's
  /// unless `type` is given.
  void set_output(int i, tensor::Form form, Shape shape, std::optional<DataType> type = std::nullopt) const;
  void set(tensor::Form form, Shape shape, std::optional<DataType> type = std::nullopt) const {
    set_output(0, std::move(form), std::move(shape), type);
  }
  void set(Quantized v, std::optional<DataType> type = std::nullopt) const { set(v, model_shape(v), type); }
  /// An operator after the deferred value that is input 0. `channels`: dimension of the layer's channels in
  /// the result, where an affine function of them may still join the layer; nothing: none may. `function`:
  /// what the result is, if that is one.
  void pass_on(Shape shape, Passing passing, std::optional<std::size_t> channels = {},
               std::shared_ptr<const tensor::ElementFunction> function = nullptr) const;
  /// Input 0 under the name of the node's output.
  void hand_on() const;
  using Node::set;

 private:
  /// Says what input i is, for a rule that needs a constant with a scale.
  std::string form_text(int i) const;
  Origins output_origins(int output, const tensor::Form& form) const;
  std::function<Value()> maker(int output, const tensor::Form& form, DataType type) const;

  tensor::Import in_floats_;
};

/// Clamp and zero point of a request.
graph::OutputStage stage(const Request& request, std::vector<graph::Multiplier> multiplier);
/// Clamp and zero point for accumulators of at most `bounds` (one, or one per multiplier), which give the
/// multiplier guard bits: float arithmetic rounds once, so the stage does where it can.
graph::OutputStage stage(const Request& request, std::vector<graph::Multiplier> multiplier,
                         const std::vector<std::int64_t>& bounds);

std::vector<int> identity_perm(std::size_t rank);
/// {0, 2, 3, 1} for rank 4.
std::vector<int> nhwc_perm();
/// Whether storing dimensions in another order leaves the order of elements: all dimensions that move have
/// extent 1.
bool only_ones_move(const Shape& model_shape, const std::vector<int>& from, const std::vector<int>& to);
Shape permuted(const Shape& shape, const std::vector<int>& perm);

}  // namespace vdla::import::integer
