// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/import.h"

#include <cstring>

#include "compiler/import/file.h"
#include "support/file_kind.h"

namespace vdla::import {

namespace {

/// Names that exporters give to every graph.
bool says_nothing(const std::string& name) {
  return name.empty() || name == "main" || name == "main_graph" || name == "torch_jit" ||
         name == "torch-jit-export" || name == "tf2onnx";
}

}  // namespace

graph::Graph import_model(const std::filesystem::path& path, const ImportOptions& options) {
  return import_model(read_file(path), path, options);
}

graph::Graph import_model(std::span<const std::byte> bytes, const std::filesystem::path& path,
                          const ImportOptions& options) {
  // An ONNX model has no mark, so what has one, or is text, is none; what is called .tflite is refused below.
  const FileKind kind = file_kind(bytes);
  VDLA_CHECK_USER(kind == FileKind::TfLite || kind == FileKind::Unknown || kind == FileKind::Text)
      << "'" << path.string() << "' " << wrong_kind(kind, "a TFLite or ONNX model");
  const bool tflite =
      (bytes.size() >= 8 && std::memcmp(bytes.data() + 4, "TFL3", 4) == 0) || path.extension() == ".tflite";
  VDLA_CHECK_USER(!tflite || options.bound.empty())
      << "TFLite model '" << path.string() << "': binds input '" << options.bound.begin()->first
      << "' to a constant, which needs an ONNX model; leave it out";
  VDLA_CHECK_USER(!tflite || options.shapes.empty())
      << "TFLite model '" << path.string() << "': gives input '" << options.shapes.begin()->first
      << "' a shape, which needs an ONNX model: convert the network with that shape";
  VDLA_CHECK_USER(tflite || options.signature.empty())
      << "ONNX model '" << path.string() << "': names signature '" << options.signature
      << "', which needs a TFLite model; leave it out";
  graph::Graph graph =
      tflite ? import_tflite(bytes, path.string(), options) : import_onnx(bytes, path.string(), options);
  if (says_nothing(graph.name)) graph.name = path.stem().string();
  return graph;
}

}  // namespace vdla::import
