// SPDX-License-Identifier: Apache-2.0
#include "kit/network.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "compiler/graph/text/text.h"
#include "kit/files.h"
#include "support/error.h"
#include "support/file_kind.h"

namespace vdla::kit {
namespace {

std::string beginning_of(const std::string& path) {
  std::string head(4096, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return head;
}

bool holds_graph_text(const std::string& path) {
  const std::string head = beginning_of(path);
  return file_kind(head) == FileKind::Text && graph::is_graph_text(head);
}

}  // namespace

InputKind input_kind(const std::string& path) {
  const std::string head = beginning_of(path);
  const FileKind kind = file_kind(head);
  if (kind == FileKind::Module || std::filesystem::path(path).extension() == ".vdla")
    return InputKind::Module;
  if (kind == FileKind::Text && graph::is_graph_text(head)) return InputKind::GraphText;
  VDLA_CHECK_USER(kind == FileKind::Empty || kind == FileKind::TfLite || kind == FileKind::Unknown ||
                  kind == FileKind::Text)
      << "'" << path << "' " << wrong_kind(kind, "a compiled module, or a TFLite or ONNX model");
  return InputKind::Model;
}

bool is_model(const std::string& path) {
  const auto extension = std::filesystem::path(path).extension();
  return extension == ".onnx" || extension == ".tflite" || file_kind(beginning_of(path)) == FileKind::TfLite;
}

bool is_network(const std::string& path) { return is_model(path) || holds_graph_text(path); }

graph::Graph parse_graph(const std::string& text, const std::string& origin,
                         const import::OnnxOptions& options) {
  VDLA_CHECK_USER(options.bound.empty()) << origin << ": binds input '" << options.bound.begin()->first
                                         << "' to a constant, which needs an ONNX model; leave it out";
  try {
    return graph::parse(text);
  } catch (const UserError& error) {
    throw UserError(origin + ": " + error.what());
  }
}

graph::Graph read_network(const std::string& path, const import::OnnxOptions& options) {
  if (!holds_graph_text(path)) return import::import_model(path, options);
  return parse_graph(read_text(path), path, options);
}

import::Metadata network_metadata(const std::string& path){
    return holds_graph_text(path) ? import::Metadata{} : import::read_metadata(path);
}  // namespace vdla::kit

}  // namespace vdla::kit
