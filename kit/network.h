// SPDX-License-Identifier: Apache-2.0
// Networks from files: TFLite and ONNX models, and graphs as text (compiler/graph/text/text.h).
#pragma once

#include <string>

#include "compiler/graph/graph.h"
#include "compiler/import/import.h"
#include "compiler/import/metadata.h"

namespace vdla::kit {

/// What the file is, by its beginning.
enum class InputKind : unsigned char { Module, Model, GraphText };
/// UserError for what is none of them. A file that is called .vdla is a module, whatever it holds.
InputKind input_kind(const std::string& path);

/// A .tflite or .onnx file, by name or by what it holds.
bool is_model(const std::string& path);
/// The same, or graph text: what read_network() takes.
bool is_network(const std::string& path);

/// The network of a model or of graph text. UserError names the file and what in it is wrong or not
/// supported. Options bind inputs of ONNX models to constants.
graph::Graph read_network(const std::string& path, const import::OnnxOptions& options = {});
/// Graph text; UserError begins with `origin`.
graph::Graph parse_graph(const std::string& text, const std::string& origin,
                         const import::OnnxOptions& options = {});
/// What a model file says beside its graph (names of classes, meaning of pixels); nothing of text.
import::Metadata network_metadata(const std::string& path);

}  // namespace vdla::kit
