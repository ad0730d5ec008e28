// SPDX-License-Identifier: Apache-2.0
// One ONNX node while it is translated, and the tables of operators.
#pragma once

#include <onnx/onnx_pb.h>

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/import/import.h"
#include "compiler/import/onnx_attributes.h"
#include "compiler/import/tensor/network.h"

namespace vdla::import::tensor {

/// Names of a graph or function body and what they stand for.
using Scope = std::map<std::string, Value>;

class Node;

/// Place of a node: one of the model's, one of the nodes that say an operator of the model by others, or one
/// of a function that defines an operator by what it computes.
enum class Level : std::uint8_t { Model, Spelling, Function };

using Import = void (*)(const Node&);
// Long: what each operator's import asks of its node, by one name.
class Node : public Composer, public OnnxAttributes {
 public:
  Node(Network& network, Scope& scope, const onnx::NodeProto& proto, std::string name, std::string where,
       std::int64_t opset, Level level);

  const std::string& op() const { return proto().op_type(); }
  /// Version of the operator set that the model is written in.
  std::int64_t opset() const { return opset_; }
  ModelNode model_node() const { return {op(), name()}; }

  int inputs() const { return proto().input_size(); }
  int outputs() const { return proto().output_size(); }
  bool wants(int i) const { return i < proto().output_size() && !proto().output(i).empty(); }
  /// Input i in the model's own type.
  const Value& in(int i) const;
  /// Input i as it stands, which may be pending.
  const Value& as_it_is(int i) const;
  /// Input i, which must be known when the model is compiled. `what` is what it says: "shape".
  const Value& constant(int i, const char* what) const;
  using OnnxAttributes::integers;
  Integers integers(int i, const char* what) const { return integers_of(constant(i, what)); }
  /// Input i, a constant of one element.
  std::int64_t number(int i, const char* what) const;
  double real_number(int i, const char* what) const;
  /// Input i, which must have at least `least` dimensions.
  const Value& ranked(int i, std::size_t least) const;
  /// Input i, which must have elements of a float type.
  const Value& float_in(int i) const;
  /// Refuses input i unless it broadcasts to `shape`, as it is.
  void require_broadcasts(int i, const Shape& shape) const;
  /// `values` if there are `count` of them, all above zero. `what` is what it says: "strides".
  Integers positive(const std::string& what, Integers values, std::size_t count) const;
  /// An attribute of one number above zero.
  std::int64_t positive(const std::string& attribute) const;
  /// A text attribute, which must be one of `words`. `otherwise` as in text().
  std::string word(const std::string& attribute, std::initializer_list<std::string_view> words,
                   const std::optional<std::string>& otherwise = {}) const;
  /// `values` if there are `count` of them, none beyond 2^20: numbers of windows, with which places are
  /// computed.
  Integers of_window(const std::string& what, Integers values, std::size_t count) const;
  Integers positive_of_window(const std::string& what, const Integers& values, std::size_t count) const;
  /// Attribute "pads": before and after each of `rank` dimensions; zeros where the node lacks it.
  Integers pads(std::size_t rank) const;
  void set(int i, Value value) const;
  void set(Value value) const { set(0, std::move(value)); }
  /// Output 0 of the node as `import` makes it; the scope keeps what it has.
  Value made_by(Import import) const;
  /// Outputs of the node, none of which has a name, as `import` makes them of other inputs than its own.
  /// Integers that it moves keep the scale `carried`.
  std::vector<Value> made_of(Import import, const std::vector<Value>& inputs,
                             graph::Quantization carried = {}) const;
  /// Whether the model has the node, and with it names of its outputs; nodes of a definition have none.
  bool of_model() const { return level_ == Level::Model; }
  /// Whether layers of integers are made of it; values inside of functions are made in their own types.
  bool has_integer_form() const { return level_ != Level::Function; }
  /// From 0; refuses one outside of `rank` dimensions, or named twice.
  Integers axes(const Integers& values, std::size_t rank) const;

 protected:
  /// Gives output i a value whose names are stated already.
  void bind(int i, Value value) const { scope_.insert_or_assign(proto().output(i), std::move(value)); }

 private:
  Scope& scope_;
  std::int64_t opset_;
  Level level_;                                 ///< names of values are the model's on its own level alone
  const std::vector<Value>* inputs_ = nullptr;  ///< set: read in place of the scope's
  std::vector<Value>* outputs_ = nullptr;       ///< set: takes the outputs in place of the scope
};

struct Operator {
  std::string_view name;
  Import import;
};

// The families, each in a file of its name.
std::span<const Operator> bit_operators();
std::span<const Operator> deformable_operators();
std::span<const Operator> elementwise_operators();
std::span<const Operator> experimental_operators();
std::span<const Operator> linear_attention_operators();
std::span<const Operator> reduction_operators();
std::span<const Operator> movement_operators();
std::span<const Operator> index_operators();
std::span<const Operator> layer_operators();
std::span<const Operator> resize_operators();
std::span<const Operator> quantized_operators();
std::span<const Operator> recurrent_operators();
std::span<const Operator> sampling_operators();
std::span<const Operator> attention_operators();
std::span<const Operator> region_operators();

/// A constant as the model file has it.
Value constant_of(const onnx::TensorProto& tensor, const std::string& where);
/// ONNX's code of an element type; refuses what is no number.
DataType type_of(int code, const std::string& where);
/// The type in which this kit keeps elements of a type that ONNX has under this code, and the type itself
/// where that is a narrow one (narrow.h).
struct Typed {
  DataType type;
  Narrow narrow;
};
Typed typed_of(int code, const std::string& where);
/// Whether type_of() takes the code.
bool is_number(int code);
int code_of(DataType type);

}  // namespace vdla::import::tensor
