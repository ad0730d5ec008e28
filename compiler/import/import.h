// SPDX-License-Identifier: Apache-2.0
// Model files to graphs. Each throws UserError that names the file and the cause: missing, truncated,
// corrupt, an operator or a type that the kit does not know (with operator and node).
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "compiler/graph/graph.h"

namespace vdla::import {

/// TFLite or ONNX, told apart by content. A graph that has no name of its own gets the file's.
graph::Graph import_model(const std::filesystem::path& path);

/// int8 or uint8 TFLite; `name` stands in messages. uint8 tensors become int8 by moving the zero point.
graph::Graph import_tflite(std::span<const std::byte> bytes, const std::string& name);

/// ONNX with QuantizeLinear / DequantizeLinear around its float operators.
graph::Graph import_onnx(std::span<const std::byte> bytes, const std::string& name);

}  // namespace vdla::import
