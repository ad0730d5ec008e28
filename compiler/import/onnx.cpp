// SPDX-License-Identifier: Apache-2.0
// ONNX files: whole models, what they say about themselves, single tensors.
#include <algorithm>

#include "compiler/import/cut.h"
#include "compiler/import/import.h"
#include "compiler/import/onnx_cut.h"
#include "compiler/import/onnx_importer.h"
#include "compiler/import/tensor/node.h"
#include "support/error.h"

namespace vdla::import {
namespace {

onnx::ModelProto parse(std::span<const std::byte> bytes, const std::string& where) {
  onnx::ModelProto model;
  const bool parsed = bytes.size() < (std::size_t{1} << 31) &&
                      model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  VDLA_CHECK_USER(parsed) << where << "its " << bytes.size()
                          << " bytes do not parse as protobuf: truncated, corrupt, or no ONNX model";
  VDLA_CHECK_USER(model.has_graph() && model.graph().node_size() > 0)
      << where << "has no nodes: truncated, corrupt, or no ONNX model";
  return model;
}

}  // namespace

graph::Graph import_onnx(std::span<const std::byte> bytes, const std::string& name,
                         const ImportOptions& options) {
  const std::string where = "ONNX model '" + name + "': ";
  return import_network(cut(parse(bytes, where), where, options), where, options);
}

graph::Bytes cut_onnx(std::span<const std::byte> bytes, const std::string& name,
                      const ImportOptions& options) {
  const std::string where = "ONNX model '" + name + "': ";
  const std::string file = cut(parse(bytes, where), where, options).SerializeAsString();
  const auto part = std::as_bytes(std::span(file));
  return {part.begin(), part.end()};
}

OnnxSummary summarise_onnx(std::span<const std::byte> bytes, const std::string& name) {
  const onnx::ModelProto model = parse(bytes, "ONNX model '" + name + "': ");
  OnnxSummary result;
  for (const auto& node : model.graph().node()) result.operators.push_back(node.op_type());
  for (const auto& input : model.graph().input()) {
    const auto& constants = model.graph().initializer();
    if (std::none_of(constants.begin(), constants.end(),
                     [&](const auto& t) { return t.name() == input.name(); }))
      result.inputs.push_back(input.name());
  }
  return result;
}

Array read_onnx_tensor(std::span<const std::byte> bytes, const std::string& name) {
  onnx::TensorProto proto;
  VDLA_CHECK_USER(bytes.size() < (std::size_t{1} << 31) &&
                  proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
      << "'" << name << "' is no tensor of ONNX: its " << bytes.size() << " bytes do not parse";
  const tensor::Value value = tensor::constant_of(proto, "'" + name + "': ");
  return {value.type, value.shape, value.data};
}

}  // namespace vdla::import
