// SPDX-License-Identifier: Apache-2.0
// Values that a TFLite network keeps from one run to the next, while it is imported: tensors that an operator
// keeps for itself ("variable"), and resources, which operators read and assign by a name.
#pragma once

#include <compare>
#include <map>
#include <string>

#include "compiler/import/tensor/network.h"
#include "compiler/import/tflite/model.h"

namespace vdla::import::tflite {

using tensor::Value;

struct VariableKey {
  const SubGraph* function = nullptr;     ///< has the tensor; null: a resource
  int tensor = -1;                        ///< index of the tensor
  std::string container = {}, name = {};  ///< names of the resource
  auto operator<=>(const VariableKey&) const = default;
};

/// Type and scale of a variable, as a tensor of the file states them.
struct VariableType {
  std::string name;  ///< name of the state, if the network gets one
  graph::DataType type = graph::DataType::Float32;
  graph::Shape shape;
  graph::Quantization quantization;
};

class Variables {
 public:
  explicit Variables(tensor::Network& network) : network_(network) {}

  /// The value at this place of the network. One that nothing has assigned by then is a state of the graph.
  Value read(const VariableKey& key, const VariableType& type, const std::string& where);
  /// `value` is what read() gives from now on.
  void assign(const VariableKey& key, Value value, const std::string& where);
  /// Assigns what the variable holds before the first run: a constant.
  void begin_with(const VariableKey& key, Value value, const std::string& where);
  /// Ends the graph's states with the last values that were assigned. One that nothing assigns is a constant.
  void finish();

 private:
  struct Variable {
    VariableType type;
    graph::TensorId begin = graph::kNone;  ///< begin of the graph's state
    graph::SharedBytes initial;            ///< null: zeros, or the zero point
    Value now;                             ///< value by the last read or assignment
    bool assigned = false;
  };
  /// Refuses a value of another type or shape.
  static void require_like(const Variable& variable, const Value& value, const std::string& where);

  tensor::Network& network_;
  std::map<VariableKey, Variable> all_;
};

}  // namespace vdla::import::tflite
