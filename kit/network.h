// SPDX-License-Identifier: Apache-2.0
// Networks from files: TFLite and ONNX models, and graphs as text (compiler/graph/text/text.h).
#pragma once

#include <string>

#include "compiler/graph/graph.h"
#include "compiler/import/import.h"
#include "compiler/import/metadata.h"
#include "runtime/container/signature.h"

namespace vdla::kit {

/// Kind of the file, by its beginning.
enum class InputKind : unsigned char { Module, Model, GraphText };
/// UserError for what is none of them. A file that is called .vdla is a module, whatever it holds.
InputKind input_kind(const std::string& path);

/// Whether a file of any kind is one: called .vdla, or begins as a module does. Contents of a pipe are not
/// looked at.
bool is_module(const std::string& path);

/// A .tflite or .onnx file, by name or by what it holds.
bool is_model(const std::string& path);
/// Whether it is a model or graph text: a file that read_network() takes.
bool is_network(const std::string& path);

/// The network of a model or of graph text. UserError names the file and what in it is wrong or not
/// supported. Options bind inputs of ONNX models to constants.
graph::Graph read_network(const std::string& path, const import::ImportOptions& options = {});
/// Graph text; UserError begins with `origin`.
graph::Graph parse_graph(const std::string& text, const std::string& origin,
                         const import::ImportOptions& options = {});

/// A network with all else that its file says, of the same bytes: a file is read once, and may be a pipe.
struct NetworkFile {
  graph::Graph graph;
  import::Metadata metadata;  ///< names of classes, meaning of pixels; nothing of graph text
  runtime::Digest hash{};     ///< hash of the file
};
/// UserError as read_network() has it.
NetworkFile read_network_file(const std::string& path, const import::ImportOptions& options = {});

}  // namespace vdla::kit
