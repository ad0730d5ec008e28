// SPDX-License-Identifier: Apache-2.0
// Stands in for the ONNX importer where the build found no ONNX library.
#include "compiler/import/cut.h"
#include "compiler/import/import.h"
#include "compiler/import/metadata.h"
#include "compiler/import/onnx_external.h"
#include "compiler/import/onnx_operators.h"
#include "support/error.h"

namespace vdla::import {

namespace {

void refuse(const std::string& name) {
  VDLA_CHECK_USER(false)
      << "cannot import '" << name
      << "': this build has no ONNX support; install libonnx-dev and libprotobuf-dev and configure again";
}

}  // namespace

graph::Graph import_onnx(std::span<const std::byte>, const std::string& name, const ImportOptions&) {
  refuse(name);
  return {};
}

graph::Bytes onnx_by_options(std::span<const std::byte>, const std::string& name, const ImportOptions&) {
  refuse(name);
  return {};
}

OnnxSummary summarise_onnx(std::span<const std::byte>, const std::string& name) {
  refuse(name);
  return {};
}

Array read_onnx_tensor(std::span<const std::byte>, const std::string& name) {
  refuse(name);
  return {};
}

graph::Bytes with_external_data(graph::Bytes model, const std::filesystem::path&) { return model; }

std::vector<KnownOperator> onnx_operators() { return {}; }

Metadata onnx_metadata(std::span<const std::byte>, const std::string& name) {
  refuse(name);
  return {};
}

}  // namespace vdla::import
