// SPDX-License-Identifier: Apache-2.0
// Model files to graphs. Each throws UserError that names the file and the cause: missing, truncated,
// corrupt. Operators and types that the kit does not know are refused together (Refused), the first one by
// name of operator and node.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
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
  /// Layers of a TFLite model with integer weights and float data compute with the reals that the weights
  /// stand for, where the reference makes integers of the data, too.
  bool real_weights = false;
  /// Tensors of the model that become inputs in the place of what gives them, and outputs in the place of the
  /// model's; empty: the model's own. What the outputs do not need is not imported.
  std::vector<std::string> from, until;
};

/// Operators of a model that are refused for one reason.
struct Refusal {
  std::string op{};                  ///< operator as the format calls it; "input" or "output" for a port
  std::vector<std::string> nodes{};  ///< nodes in the order of the import
  std::vector<std::string> types{};  ///< element types of a node's inputs, "INT16, INT8"; each list once
  std::string reason{};              ///< "has input 0 of int16", of the first node
  std::string remedy{};              ///< need or action: "needs floats", "convert the network as float"
  std::vector<std::string> reads{}, gives{};  ///< tensors of the first node, constants left out
  std::uint64_t macs = 0;
  bool is_operator = true;  ///< false: an input or an output of the model
};

/// Verdict on each operator of a model of which some are refused. Operators within others are part of those.
/// Multiply-accumulates are those of layers whose shapes are known.
struct ModelReport {
  std::vector<Refusal> refusals;
  std::size_t operators = 0, taken = 0;
  std::size_t not_looked_at = 0;  ///< operators that read what a refused operator would give
  std::uint64_t macs = 0, macs_taken = 0;
};

/// Operators of a model are refused; the message is that of the first one.
class Refused : public UserError {
 public:
  explicit Refused(const std::string& message, std::shared_ptr<const ModelReport> of_all = nullptr)
      : UserError(message), report(std::move(of_all)) {}
  std::shared_ptr<const ModelReport> report;  ///< null: not all operators were attempted
};

/// An operator needs one of these inputs of the model in ImportOptions::bound.
class NeedsConstant : public Refused {
 public:
  NeedsConstant(const std::string& message, std::vector<std::string> names,
                std::shared_ptr<const ModelReport> of_all = nullptr)
      : Refused(message, std::move(of_all)), inputs(std::move(names)) {}
  std::vector<std::string> inputs;
};

/// The model asks for what this kit does not set out to do; `reason` is a word or two: "strings", "control
/// flow".
class OutOfScope : public Refused {
 public:
  OutOfScope(const std::string& message, std::string why, std::shared_ptr<const ModelReport> of_all = nullptr)
      : Refused(message, std::move(of_all)), reason(std::move(why)) {}
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
