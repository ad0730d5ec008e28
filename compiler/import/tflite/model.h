// SPDX-License-Identifier: Apache-2.0
// A verified TFLite file.
#pragma once

#include <span>
#include <string>

#include "compiler/import/schema/tflite_generated.h"

namespace vdla::import::tflite {

/// Checks the flatbuffer; throws UserError.
const Model& checked_model(std::span<const std::byte> bytes, const std::string& file);

/// The subgraph that a signature names; empty: the only function of the model. Every index in it that the
/// importer follows is checked. UserError lists the signatures.
const SubGraph& function_of(const Model& model, const std::string& signature, const std::string& file);

/// The subgraph of that number, checked in the same way; `where` begins the message about a number that the
/// model lacks.
const SubGraph& checked_subgraph(const Model& model, std::int64_t number, const std::string& where,
                                 const std::string& file);

/// "INT8", or "of type 30" for one that is not in the schema.
std::string type_name(TensorType type);
/// 0 where the format gives no size.
std::size_t element_bits(TensorType type);
/// Empty where the file has none.
std::string tensor_name(const Tensor& t);

/// One operator with its place in the file: the source of names in messages.
struct OperatorRef {
  const Operator* op = nullptr;
  int code = 0;         ///< the format's number of the operator
  std::string op_name;  ///< "CONV_2D", or the custom name
  std::string node;     ///< name of the graph node
};

/// The format's number of operators that are not its own, which have any name.
constexpr int kCustom = 32;

/// The format's number of an operator; older files have it in another field.
int number_of(const OperatorCode& code);
/// "CONV_2D", or "OPERATOR_300" for one that is not in our table.
std::string operator_name(int code);

}  // namespace vdla::import::tflite
