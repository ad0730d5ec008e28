// SPDX-License-Identifier: Apache-2.0
// Values that stand in the graph only once something reads them, and the forms in which they can become int8.
//
// Between DequantizeLinear and QuantizeLinear a value is a real number for most operators and an int8 tensor
// for the layers of the integer contract (docs/numbers.md). Which of both is computed depends on what reads
// it, so a pending value has its integer form beside a function that makes it in the model's own type.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/import/tensor/reasons.h"
#include "compiler/import/tensor/value.h"

namespace vdla::import::tensor {

/// An int8 tensor of the graph. Stored dimension i is the model's dimension perm[i].
struct Quantized {
  graph::TensorId id = graph::kNone;
  std::vector<int> perm;
};

/// An input of the model that has no port yet. Dimension i is dimension perm[i] of the viewed shape.
struct UnreadInput {
  std::string name;
  DataType type = DataType::Float32;
  Shape model_shape, view_shape;
  std::vector<int> perm;
};

/// A constant of integers whose real value is scale * (element - zero point).
struct QuantizedConstant {
  Value integers;
  graph::Quantization quantization;
};

/// Steps of a quantisation to which a float value of the graph is rounded, before it is known whether they
/// are read as int8 or in the model's type.
struct Rounded {
  Value reals;
  graph::Quantization quantization;
  std::shared_ptr<Quantized> steps = std::make_shared<Quantized>();  ///< once they are read as int8
};

/// Output quantisation that a QuantizeLinear gives to the operator before it, and the limits of a clamp in
/// between.
struct Request {
  graph::Quantization quantization;
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

/// Makes the tensor that a request asks for. Copies share what the function holds, such as weights.
class Quantizer {
 public:
  Quantizer() = default;
  template <class F>
    requires std::is_invocable_r_v<Quantized, F, const Request&>
  Quantizer(F f)
      : function_(std::make_shared<const std::function<Quantized(const Request&)>>(std::move(f))) {}

  Quantized operator()(const Request& request) const { return (*function_)(request); }

 private:
  std::shared_ptr<const std::function<Quantized(const Request&)>> function_;
};

/// An operator after a layer: it changes the request on its way to the layer, and the tensor on its way back.
struct Passing {
  std::function<Request(const Request&)> request;  ///< may be empty
  std::function<Quantized(Quantized)> result;      ///< may be empty
  const Passing* before = nullptr;                 ///< the operator between this one and the layer
};

/// A function of each element of an int8 tensor: 256 numbers of float32, one for each element from -128 on.
struct ElementFunction {
  Quantized x;
  Value values;
};

struct Deferred;

/// Real numbers that are added to a layer's result: one, or one for each output channel.
struct Bias {
  std::vector<double> values;
  Origins origins;
};

/// y * factor + offset of a layer's result y: one number each, or one for each output channel.
struct Affine {
  std::vector<double> factor, offset;
  Origins origins;
};

/// A float operator on dequantised inputs, which becomes an integer layer once its output's scale is known.
struct Deferred {
  Quantizer quantize;
  std::function<graph::TensorId()> as_float;           ///< set: a float form that the graph has a node for
  std::function<Deferred(const Affine&)> with_affine;  ///< set: may join the layer; it may decline
  std::size_t channels = 0;                            ///< dimension of its output channels
  const Passing* last = nullptr;                       ///< last of the operators after the layer
  std::shared_ptr<const ElementFunction> function;  ///< set: what is computed, where that is such a function

  /// The tensor of the layer and of all operators after it.
  Quantized quantized(Request request) const;
};

using Form = std::variant<Quantized, UnreadInput, QuantizedConstant, Rounded, Deferred>;

/// A value that is not in the graph in the model's own type.
struct Pending {
  Form form;
  std::function<Value()> make;        ///< value in the model's type
  std::vector<const Pending*> reads;  ///< pending values that `make` reads
  ModelNode node = {};                ///< node that makes it; nothing for an input of the model
  mutable std::unique_ptr<const Value> made = nullptr;
};

}  // namespace vdla::import::tensor
