// SPDX-License-Identifier: Apache-2.0
// One operator of a TFLite file whose elements are reals or integers without a scale, while it is translated,
// and the tables of these operators.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/import/known_operator.h"
#include "compiler/import/tflite/builder.h"

namespace vdla::import::tflite {

using tensor::DataType;
using tensor::Integers;
using tensor::Shape;

// Long: a method for each kind of thing that operators ask of their node, over one node.
class Operation : public tensor::Composer {
 public:
  /// `carried` is the scale of the integers that it moves; empty where it computes.
  Operation(Builder& builder, const OperatorRef& op, graph::Quantization carried);

  const std::string& op() const { return op_.op_name; }
  /// `as` is the accessor of the union member that the operator needs.
  template <class Options>
  const Options& options(const Options* (Operator::*as)() const) const {
    return builder_.options(op_, as);
  }

  /// Whether integer weights of float data stand for their reals.
  bool has_real_weights() const { return builder_.has_real_weights(); }
  /// Bytes of the options of a custom operator.
  std::span<const std::uint8_t> custom_options() const;

  int inputs() const { return static_cast<int>(op_.op->inputs()->size()); }
  int outputs() const { return static_cast<int>(op_.op->outputs()->size()); }
  bool has(int i) const { return builder_.input_index(op_, static_cast<unsigned>(i)) >= 0; }
  Value in(int i) const;
  /// Input i, which must be floats.
  Value floats(int i) const;
  /// Input i as float32: integers with a scale are dequantised.
  Value reals(int i) const;
  /// Input i, which must be of the type of `x`.
  Value like(const Value& x, int i) const;
  /// Input i, which must have at least `least` dimensions.
  Value ranked(int i, std::size_t least) const;
  /// Elements of input i, which must be known when the model is compiled. `what` is what it says: "axes".
  Integers integers(int i, const char* what) const;
  /// Input i, a constant of one element.
  std::int64_t number(int i, const char* what) const;
  /// Extents that the file states for output i.
  Shape stated(int i) const { return builder_.shape(output_index(i)); }
  DataType stated_type(int i) const { return builder_.data_type(output_index(i)); }
  bool quantised_input(int i) const;
  bool quantised_output(int i) const { return builder_.is_quantised(output_index(i)); }
  bool scaled_input(int i) const { return has(i) && builder_.has_scale(input_index(i)); }
  bool wide_input(int i) const { return has(i) && builder_.is_wide(input_index(i)); }
  bool wide_output(int i) const { return builder_.is_wide(output_index(i)); }
  /// Quantisation of input or output i, as the graph has it.
  graph::Quantization quantization(int i) const;
  graph::Quantization output_quantization(int i) const { return builder_.quantization(output_index(i)); }
  /// Refuses inputs of different scales, whose integers are put together as they are.
  void require_one_scale(int i, int j) const;
  /// Input i as weights in blocks; nothing: it has no scales by block.
  std::optional<Blocks> blocks(int i) const {
    return has(i) ? builder_.blocks(input_index(i)) : std::nullopt;
  }
  bool uint8_input(int i) const { return builder_.is_uint8(input_index(i)); }

  /// Each once, in order.
  Integers axes(const Integers& values, std::size_t rank) const;

  /// Gives output i its value. Moved integers get the scale that the file states for it.
  void set(int i, Value value) const;
  void set(Value value) const { set(0, std::move(value)); }
  /// Whether input i is a tensor that the operator keeps from one run to the next; it begins with zeros.
  bool is_variable(int i) const { return builder_.file_tensor(input_index(i)).is_variable(); }
  Value state(int i) const { return builder_.state(op_, static_cast<unsigned>(i)); }
  void set_state(int i, Value value) const {
    builder_.set_state(op_, static_cast<unsigned>(i), std::move(value));
  }
  /// Makes output 0 the name of a variable.
  void set_resource(const std::string& container, const std::string& name) const {
    builder_.bind_resource(op_, {nullptr, -1, container, name});
  }
  /// The value of the variable that input 0 names, in the type of output 0.
  Value read_resource() const { return builder_.read_resource(op_); }
  void assign_resource(Value value) const { builder_.assign_resource(op_, std::move(value)); }
  void call_once(std::int64_t subgraph) const { builder_.call_once(op_, subgraph); }
  /// Outputs of another subgraph with these inputs. Names of what it makes have `part` in them.
  std::vector<Value> call(std::int64_t subgraph, std::vector<Value> inputs,
                          const std::string& part = {}) const {
    return builder_.call(op_, subgraph, std::move(inputs), part);
  }
  /// Operators of another subgraph.
  std::int64_t operators_of(std::int64_t subgraph) const { return builder_.operators_of(op_, subgraph); }
  bool is_complex(int i) const { return has(i) && builder_.is_complex(input_index(i)); }
  /// Input i, which must be complex, with a last dimension of two components.
  Value complex(int i) const;
  /// Gives output 0 complex numbers, as complex() has them.
  void set_complex(Value value) const { builder_.bind_complex(op_, std::move(value)); }
  /// Shape of input i without the components of complex numbers.
  Shape extents(int i) const;

  /// Images: N H W C in the file, N C H W in what layers are composed of. Between two layers, and in what is
  /// computed by element, they stay as they are.
  Value channels_first(const Value& x) const;
  Value channels_last(const Value& x) const;
  /// The values in channels first, if one of them was made so and the others are constants or were, too;
  /// empty otherwise.
  std::vector<Value> all_first(const std::vector<Value>& values) const;
  /// Composer::map() in channels first where all_first().
  Value map(const std::string& function, const std::vector<Value>& inputs, const tensor::Body& body,
            const graph::Quantization& output = {}) const;

  /// The value after a fused activation.
  Value activated(const Value& value, Activation activation) const;

 private:
  /// A transposed image; its integers keep their scale.
  Value turned(const Value& x, const std::vector<int>& perm) const;
  int input_index(int i) const { return builder_.input_index(op_, static_cast<unsigned>(i)); }
  int output_index(int i) const { return op_.op->outputs()->Get(static_cast<flatbuffers::uoffset_t>(i)); }

  Builder& builder_;
  const OperatorRef& op_;
};

/// Types of input 0 that an operator takes; the format itself does not say. Integers with a scale, of 8 or 16
/// bits, stand for reals, so an operator takes them only where it moves or compares them.
enum class Takes : std::uint8_t {
  Floats,
  Layer,    ///< floats; weights (input 1) of 8-bit integers with scales, too
  Layers,   ///< floats; any weights of 8-bit integers with scales, too
  Numbers,  ///< floats and integers
  Truths,   ///< bool
  Choice,   ///< bool, which chooses of any, and of integers with a scale
  Any,
  Ordered,  ///< numbers, and integers with a scale, whose order is that of the reals
  Moved,    ///< any, and integers with a scale
};

struct Row {
  std::string_view name;
  void (*import)(const Operation&);
  Takes takes;
};

// The families, each in a file of its name.
std::span<const Row> elementwise_rows();
std::span<const Row> reduction_rows();
std::span<const Row> movement_rows();
std::span<const Row> index_rows();
std::span<const Row> layer_rows();
std::span<const Row> resize_rows();
std::span<const Row> complex_rows();
std::span<const Row> recurrent_rows();
std::span<const Row> variable_rows();
std::span<const Row> control_rows();
std::span<const Row> scatter_rows();
std::span<const Row> volume_rows();
std::span<const Row> suppression_rows();
/// Operators that TFLite calls by a name of their own.
std::span<const Row> custom_rows();

/// The rows, those of integers with scales included.
std::vector<KnownOperator> known_operators();

/// Translates an operator of 8-bit integers with scales by the integer contract (docs/numbers.md); false: its
/// operands are others, or it has no row.
bool import_integers(Builder& builder, const OperatorRef& op);
/// Translates an operator that computes with 16-bit integers with scales; false as above.
bool import_integers16(Builder& builder, const OperatorRef& op);
/// Names of the operators that do so.
std::vector<std::string_view> wide_operators();

}  // namespace vdla::import::tflite
