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

graph::Bytes as_file(const onnx::ModelProto& model) {
  const std::string file = model.SerializeAsString();
  const auto bytes = std::as_bytes(std::span(file));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

graph::Graph import_onnx(std::span<const std::byte> bytes, const std::string& name,
                         const ImportOptions& options) {
  const std::string where = "ONNX model '" + name + "': ";
  return import_network(cut(parse(bytes, where), where, options), where, options);
}

graph::Bytes onnx_by_options(std::span<const std::byte> bytes, const std::string& name,
                             const ImportOptions& options) {
  const std::string where = "ONNX model '" + name + "': ";
  onnx::ModelProto model = cut(parse(bytes, where), where, options);
  const auto values = values_of(model, where, options);  // refuses constants and extents that do not fit
  onnx::GraphProto& graph = *model.mutable_graph();
  for (const auto& [input, given] : options.bound) {
    const Array& constant = values.at(input);
    onnx::TensorProto& t = *graph.add_initializer();
    t.set_name(input);
    t.set_data_type(tensor::code_of(constant.type));
    for (const std::int64_t extent : constant.shape) t.add_dims(extent);
    t.set_raw_data(constant.data->data(), constant.data->size());
  }
  auto& inputs = *graph.mutable_input();
  const auto is_bound = [&](const auto& info) { return options.bound.contains(info.name()); };
  inputs.erase(std::remove_if(inputs.begin(), inputs.end(), is_bound), inputs.end());
  for (onnx::ValueInfoProto& input : inputs) {
    const auto given = options.shapes.find(input.name());
    if (given == options.shapes.end()) continue;
    onnx::TensorShapeProto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
    shape.clear_dim();
    for (const std::int64_t extent : given->second) shape.add_dim()->set_dim_value(extent);
  }
  return as_file(model);
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
