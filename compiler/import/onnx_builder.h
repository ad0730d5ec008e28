// SPDX-License-Identifier: Apache-2.0
// From float operators between QuantizeLinear and DequantizeLinear to integer operators.
//
// A float operator on dequantised inputs becomes a Deferred value: how to compute it once its output's scale
// is known. The QuantizeLinear behind it supplies the scale and emits the node; a Relu or Clip in between
// narrows the clamp, a Reshape is applied to the result. Layout is tracked, not moved: a value knows which
// model dimension each stored one is, and images are stored as NHWC from the first QuantizeLinear on.
#pragma once

#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "compiler/graph/free_names.h"
#include "compiler/graph/graph.h"
#include "compiler/import/onnx_attributes.h"
#include "compiler/import/onnx_constant.h"

namespace vdla::import::onnx_model {

/// An int8 tensor of the graph. Stored dimension i is the model's dimension perm[i].
struct Quantized {
  graph::TensorId id = graph::kNone;
  std::vector<int> perm;
};

/// A float input of the model before its first QuantizeLinear. Dimension i is dimension perm[i] of the viewed
/// shape.
struct FloatInput {
  std::string name;
  graph::Shape model_shape, view_shape;
  std::vector<int> perm;
  Origins origins = {};
};

/// A float tensor of the graph that nothing quantises: the end of the network.
struct FloatTensor {
  graph::TensorId id = graph::kNone;
};

/// What a QuantizeLinear asks of the operator in front of it.
struct Request {
  graph::Quantization quantization;
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

/// Makes the value that a request asks for. Copies share what the function holds: weights, for one.
class Quantizer {
 public:
  Quantizer() = default;
  template <class F>
  requires std::is_invocable_r_v<Quantized, F, const Request&> Quantizer(F f)
      : function_(std::make_shared<const std::function<Quantized(const Request&)>>(std::move(f))) {}

  Quantized operator()(const Request& request) const { return (*function_)(request); }

 private:
  std::shared_ptr<const std::function<Quantized(const Request&)>> function_;
};

/// An operator that passes a request on to the one in front, and makes something of what comes back.
struct Passing {
  std::function<Request(const Request&)> request;  ///< where set
  std::function<Quantized(Quantized)> result;      ///< where set
  const Passing* front = nullptr;                  ///< the one that this one stands behind
};

struct Deferred {
  graph::Shape shape;  ///< in the model's order
  std::string what;    ///< "Conv at node 'x'", for messages
  Quantizer quantize;
  std::function<graph::TensorId()> as_float;      ///< set where the operator exists in float32
  std::shared_ptr<std::vector<Constant>> biases;  ///< set where an Add of a constant may still join
  const Passing* last = nullptr;                  ///< of a row of operators behind `quantize`
  Origins origins = {};                           ///< its name, and those of what it was computed from

  Quantized quantized(Request request) const;
};

using Value = std::variant<Constant, Quantized, FloatInput, FloatTensor, Deferred>;

/// One ONNX node with access to its inputs and attributes; every error names model, operator and node.
class OnnxBuilder {
 public:
  explicit OnnxBuilder(std::string file) : where_("ONNX model '" + file + "': ") {}

  graph::Graph& graph() { return graph_; }
  const std::string& where() const { return where_; }

  bool has_value(const std::string& name) const { return values_.contains(name); }
  const Value& value(const std::string& name) const;
  void set(const std::string& name, Value value) { values_.insert_or_assign(name, std::move(value)); }

  /// Says that `v` stands for these tensors of the model, or was computed by way of them.
  void name(const Quantized& v, const Origins& origins);

  /// Kept as long as the builder is.
  const Passing* keep(Passing passing) { return &passings_.emplace_back(std::move(passing)); }

  /// Adds a node of that name, or of that with a number behind it where the name is taken.
  Quantized add(const std::string& name, graph::Op op, std::vector<graph::TensorId> inputs,
                graph::Quantization q, std::vector<int> perm);

  const graph::Quantization& quantization(const Quantized& v) const {
    return graph_.tensor(v.id).quantization;
  }
  graph::Shape model_shape(const Quantized& v) const;

  /// The same value stored in the model's order, or as NHWC (rank 4): a Transpose, or a Reshape where only
  /// dimensions of extent 1 move, or nothing.
  Quantized stored_as(const Quantized& v, const std::vector<int>& perm, const std::string& name);

  /// Input port of a float input that is quantised.
  Quantized quantize_input(const FloatInput& input, const graph::Quantization& q, graph::DataType);

 private:
  std::string where_;
  graph::Graph graph_;
  std::map<std::string, Value> values_;
  std::deque<Passing> passings_;
  graph::FreeNames free_name_;
};

class NodeContext : public OnnxAttributes {
 public:
  NodeContext(OnnxBuilder& builder, const onnx::NodeProto& node, int index);

  OnnxBuilder& builder() const { return builder_; }
  graph::Graph& graph() const { return builder_.graph(); }
  const std::string& name() const { return name_; }
  /// "Conv at node 'x'"
  std::string what() const { return proto().op_type() + " at node '" + name_ + "'"; }
  std::string where() const { return builder_.where() + what() + " "; }
  void require(bool ok, const std::string& message) const;

  const Value& input(int i) const;
  bool is_constant(int i) const { return std::holds_alternative<Constant>(input(i)); }
  const Constant& constant(int i) const;
  /// An int8 tensor; a constant becomes one; anything else is an error that says what is missing.
  Quantized quantized(int i) const;
  graph::Shape shape(int i) const;
  /// The value gets the name of the node's output, and of what was in front of it and is no value of its own.
  void set_output(Value value) const;

 private:
  Origins output_origins(const Value& value) const;

  OnnxBuilder& builder_;
  std::string name_;
};

/// Clamp and zero point of a request.
graph::OutputStage stage(const Request& request, std::vector<graph::Multiplier> multiplier);
/// The same for accumulators of at most `bounds` (one, or one per multiplier), which give the multiplier
/// guard bits: float arithmetic rounds once, so should we where we can.
graph::OutputStage stage(const Request& request, std::vector<graph::Multiplier> multiplier,
                         const std::vector<std::int64_t>& bounds);

/// What the node makes of a value that is not decided yet.
Deferred behind(const NodeContext& c, const Deferred& front, graph::Shape shape, Passing node);

std::vector<int> identity_perm(std::size_t rank);
/// {0, 2, 3, 1} for rank 4.
std::vector<int> nhwc_perm();

/// Translates one node; UserError names operator and node.
void import_node(const NodeContext& c);

// The families, in onnx_*.cpp; each returns false when the operator is not one of its own.
bool import_quantization(const NodeContext& c);
bool import_layer(const NodeContext& c);
bool import_elementwise(const NodeContext& c);
bool import_movement(const NodeContext& c);
bool fold_constant(const NodeContext& c);

}  // namespace vdla::import::onnx_model
