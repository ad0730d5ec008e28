// SPDX-License-Identifier: Apache-2.0
#include "kit/network.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "compiler/graph/text/text.h"
#include "compiler/import/file.h"
#include "kit/files.h"
#include "support/error.h"
#include "support/file_kind.h"

namespace vdla::kit {
namespace {

/// Bytes that tell what a file is.
constexpr std::size_t kBeginning = 4096;

std::string beginning_of(const std::string& path) {
  std::string head(kBeginning, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return head;
}

bool is_called_module(const std::string& path) { return std::filesystem::path(path).extension() == ".vdla"; }

bool is_graph_text(std::string_view text) {
  return file_kind(text) == FileKind::Text && graph::is_graph_text(text);
}

bool holds_graph_text(const std::string& path) { return is_graph_text(beginning_of(path)); }

}  // namespace

InputKind input_kind(const std::string& path) {
  const std::string head = beginning_of(path);
  const FileKind kind = file_kind(head);
  if (kind == FileKind::Module || is_called_module(path)) return InputKind::Module;
  if (is_graph_text(head)) return InputKind::GraphText;
  VDLA_CHECK_USER(kind == FileKind::Empty || kind == FileKind::TfLite || kind == FileKind::Unknown ||
                  kind == FileKind::Text)
      << "'" << path << "' " << wrong_kind(kind, "a compiled module, or a TFLite or ONNX model");
  return InputKind::Model;
}

bool is_module(const std::string& path) {
  std::error_code none;
  return is_called_module(path) ||
         (std::filesystem::is_regular_file(path, none) && file_kind(beginning_of(path)) == FileKind::Module);
}

bool is_model(const std::string& path) {
  const auto extension = std::filesystem::path(path).extension();
  return extension == ".onnx" || extension == ".tflite" || file_kind(beginning_of(path)) == FileKind::TfLite;
}

bool is_network(const std::string& path) { return is_model(path) || holds_graph_text(path); }

graph::Graph parse_graph(const std::string& text, const std::string& origin,
                         const import::ImportOptions& options) {
  VDLA_CHECK_USER(options.bound.empty()) << origin << ": binds input '" << options.bound.begin()->first
                                         << "' to a constant, which needs an ONNX model; leave it out";
  VDLA_CHECK_USER(options.shapes.empty() && options.signature.empty())
      << origin
      << ": is a graph in text, whose shapes are fixed and which has one function; leave --shape and "
      << "--signature out";
  VDLA_CHECK_USER(options.from.empty() && options.until.empty())
      << origin << ": is a graph in text, which is not cut; leave --from and --until out";
  try {
    return graph::parse(text);
  } catch (const UserError& error) {
    throw UserError(origin + ": " + error.what());
  }
}

graph::Graph read_network(const std::string& path, const import::ImportOptions& options) {
  std::error_code none;
  VDLA_CHECK_USER(!std::filesystem::exists(path, none) || std::filesystem::is_regular_file(path, none))
      << "'" << path
      << "' is no file but a pipe, a device or a folder, and is read more than once here; write "
         "it to a file first (vdla compile reads pipes)";
  if (!holds_graph_text(path)) return import::import_model(path, options);
  return parse_graph(read_text(path), path, options);
}

NetworkFile read_network_file(const std::string& path, const import::ImportOptions& options) {
  const graph::Bytes bytes = import::read_file(path);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  NetworkFile file;
  if (is_graph_text(text.substr(0, kBeginning))) {
    file.graph = parse_graph(std::string(text), path, options);
  } else {
    file.graph = import::import_model(bytes, path, options);
    file.metadata = import::metadata_of(bytes, path);
    // They are of the model's own input and output.
    if (!options.from.empty()) file.metadata.pixels = {};
    if (!options.until.empty()) file.metadata.class_names.clear();
  }
  file.hash = runtime::Hash().add(bytes).finish();
  return file;
}

}  // namespace vdla::kit
