// SPDX-License-Identifier: Apache-2.0
// An operator that this kit takes from model files.
#pragma once

#include <string>
#include <vector>

namespace vdla::import {

/// Formats in the order of lists; the name is also the word of the command line.
#define VDLA_OPERATOR_FORMATS(X)                                        \
  X(TfLite, "tflite", "TFLite")                                         \
  X(Onnx, "onnx", "ONNX, domain ai.onnx")                               \
  X(Microsoft, "com.microsoft", "ONNX Runtime, domain com.microsoft")   \
  X(Qonnx, "qonnx", "QONNX, domains qonnx.custom_op and onnx.brevitas") \
  X(QOperator, "qoperator", "ONNX Runtime's format QOperator")

enum class OperatorFormat : unsigned char {
#define VDLA_ENUM(name, word, title) name,
  VDLA_OPERATOR_FORMATS(VDLA_ENUM)
#undef VDLA_ENUM
};

struct KnownOperator {
  OperatorFormat format = OperatorFormat::TfLite;
  std::string name{};
  std::vector<std::string> types{};  ///< types of the data, of TFLite: "floats"
  std::vector<int> since{};          ///< operator sets that define it anew, of ONNX
  bool has_integer_form = false;     ///< its form in 8-bit integers may be a layer of the device
  std::string stands_for{};          ///< operator that is imported in its place; empty: none
  bool by_definition = false;        ///< operators that ONNX itself defines it by are imported in its place
  std::string inputs{}, outputs{};   ///< numbers of them, of ONNX: "2 to 3"; empty: not known
  std::vector<std::string> attributes{};  ///< attributes of the newest version, of ONNX
};

}  // namespace vdla::import
