// SPDX-License-Identifier: Apache-2.0
// Model files to graphs. Each throws UserError that names the file and the cause: missing, truncated,
// corrupt, an operator or a type that the kit does not know (with operator and node).
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "support/error.h"

namespace vdla::import {

/// An element type, a shape and elements, not of a graph.
struct Array {
  graph::DataType type = graph::DataType::Float32;
  graph::Shape shape;
  graph::SharedBytes data;
};

struct ImportOptions {
  /// Inputs of an ONNX model that become constants: shapes, axes and the like, which the compiler must know.
  std::map<std::string, Array> bound;
  /// Extents of inputs of an ONNX model that leave some free.
  std::map<std::string, graph::Shape> shapes;
  /// Function of a TFLite model that has several; empty: the only one.
  std::string signature;
};

/// An operator needs one of these inputs of the model in ImportOptions::bound.
class NeedsConstant : public UserError {
 public:
  NeedsConstant(const std::string& message, std::vector<std::string> names)
      : UserError(message), inputs(std::move(names)) {}
  std::vector<std::string> inputs;
};

/// The model asks for what this kit does not set out to do; `reason` is a word or two: "strings", "control
/// flow".
class OutOfScope : public UserError {
 public:
  OutOfScope(const std::string& message, std::string why) : UserError(message), reason(std::move(why)) {}
  std::string reason;
};

/// TFLite or ONNX, told apart by content. A graph that has no name of its own gets the file's.
graph::Graph import_model(const std::filesystem::path& path, const ImportOptions& options = {});
/// Imports the bytes that `path` was found to have.
graph::Graph import_model(std::span<const std::byte> bytes, const std::filesystem::path& path,
                          const ImportOptions& options = {});

/// TFLite of floats, or of 8-bit integers with scales, or of both; `name` stands in messages. uint8 with a
/// scale becomes int8 by moving the zero point.
graph::Graph import_tflite(std::span<const std::byte> bytes, const std::string& name,
                           const ImportOptions& options = {});

/// ONNX. With QuantizeLinear and DequantizeLinear around its float operators it becomes a network of
/// integers; without one of them it is computed in its own types.
graph::Graph import_onnx(std::span<const std::byte> bytes, const std::string& name,
                         const ImportOptions& options = {});

/// Facts that a model states about itself, whether this kit can import it or not.
struct OnnxSummary {
  std::vector<std::string> operators;  ///< operators of its nodes in order
  std::vector<std::string> inputs;     ///< names, without those that are constants
};
OnnxSummary summarise_onnx(std::span<const std::byte> bytes, const std::string& name);

/// One tensor as ONNX has it in a .pb file.
Array read_onnx_tensor(std::span<const std::byte> bytes, const std::string& name);

}  // namespace vdla::import
