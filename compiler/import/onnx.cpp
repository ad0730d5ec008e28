// SPDX-License-Identifier: Apache-2.0
// An ONNX file to a graph: parse, inputs and constants, nodes in order, outputs.
#include <algorithm>

#include "compiler/graph/shape.h"
#include "compiler/graph/sources.h"
#include "compiler/graph/sums.h"
#include "compiler/import/import.h"
#include "compiler/import/onnx_builder.h"
#include "compiler/import/tensor/node.h"
#include "support/error.h"

namespace vdla::import {

namespace onnx_model {
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

/// Extents of a declared input; a free batch dimension becomes 1.
graph::Shape shape_of(const onnx::ValueInfoProto& info, const std::string& where) {
  VDLA_CHECK_USER(info.type().has_tensor_type() && info.type().tensor_type().has_shape())
      << where << "input '" << info.name() << "' has no shape";
  graph::Shape shape;
  for (const auto& dimension : info.type().tensor_type().shape().dim()) {
    const bool fixed = dimension.has_dim_value() && dimension.dim_value() > 0;
    VDLA_CHECK_USER(fixed || shape.empty())
        << where << "input '" << info.name() << "' has no fixed extent in dimension " << shape.size()
        << ", needs one (only the batch may be free)";
    shape.push_back(fixed ? dimension.dim_value() : 1);
  }
  graph::require_extents(shape, where + "input '" + info.name() + "' ");
  return shape;
}

void add_input(OnnxBuilder& b, const onnx::ValueInfoProto& info) {
  const graph::Shape shape = shape_of(info, b.where());
  VDLA_CHECK_USER(info.type().tensor_type().elem_type() == onnx::TensorProto::FLOAT)
      << b.where() << "input '" << info.name() << "' has element type "
      << info.type().tensor_type().elem_type() << ", needs float with a QuantizeLinear behind it";
  b.set(info.name(),
        FloatInput{info.name(), shape, shape, identity_perm(shape.size()), Origins(info.name())});
}

void add_output(OnnxBuilder& b, const std::string& name) {
  const Value& v = b.value(name);
  if (const auto* q = std::get_if<Quantized>(&v)) {
    const graph::Shape model = b.model_shape(*q);
    const bool plain = q->perm == identity_perm(q->perm.size());
    std::vector<int> perm = q->perm;
    b.graph().outputs.push_back({q->id, graph::DataType::Float32, model, plain ? std::vector<int>{} : perm});
    return;
  }
  const auto* deferred = std::get_if<Deferred>(&v);
  VDLA_CHECK_USER(deferred && deferred->as_float)
      << b.where() << "output '" << name << "' comes from "
      << (deferred ? deferred->what : std::string("no operator"))
      << " without a QuantizeLinear, so its integer form has no scale; quantise the output too";
  const graph::TensorId id = deferred->as_float();
  b.graph().tensor(id).sources = deferred->origins.list();
  b.graph().add_output(id);
}

}  // namespace

void import_node(const NodeContext& c) {
  c.require(c.proto().output_size() > 0, "has no output");
  const bool known = fold_constant(c) || import_quantization(c) || import_layer(c) || import_elementwise(c) ||
                     import_movement(c);
  VDLA_CHECK_USER(known) << c.builder().where() << "operator " << c.proto().op_type() << " at node '"
                         << c.name() << "' is not known to this kit";
}

}  // namespace onnx_model

namespace {

/// Whether scales stand around the float operators: values are quantised and dequantised again.
bool is_quantised(const onnx::GraphProto& g) {
  const auto has = [&](const char* op) {
    return std::any_of(g.node().begin(), g.node().end(), [&](const auto& n) { return n.op_type() == op; });
  };
  return has("QuantizeLinear") && has("DequantizeLinear");
}

}  // namespace

graph::Graph import_onnx(std::span<const std::byte> bytes, const std::string& name,
                         const OnnxOptions& options) {
  using namespace onnx_model;
  OnnxBuilder builder(name);
  const onnx::ModelProto model = parse(bytes, builder.where());
  if (!is_quantised(model.graph())) return tensor::import_network(model, builder.where(), options);
  VDLA_CHECK_USER(options.bound.empty())
      << builder.where() << "binds input '" << options.bound.begin()->first
      << "' to a constant, which quantised networks have no use for; leave it out";
  operator_set(model, builder.where());
  const onnx::GraphProto& g = model.graph();
  builder.graph().name = g.name();
  for (const onnx::TensorProto& t : g.initializer()) {
    Constant constant = constant_of(t, builder.where());
    constant.origins = Origins(t.name());
    builder.set(t.name(), std::move(constant));
  }
  for (const onnx::ValueInfoProto& info : g.input())
    if (!builder.has_value(info.name())) add_input(builder, info);
  for (int i = 0; i < g.node_size(); ++i) import_node({builder, g.node(i), i});
  VDLA_CHECK_USER(g.output_size() > 0) << builder.where() << "has no output";
  for (const onnx::ValueInfoProto& info : g.output()) add_output(builder, info.name());
  VDLA_CHECK_USER(!builder.graph().inputs.empty()) << builder.where() << "has no quantised input";
  complete_sources(builder.graph());
  leave_out_kept(builder.graph());
  graph::limit_sums(builder.graph(), builder.where());
  verify(builder.graph());
  return std::move(builder.graph());
}

OnnxSummary summarise_onnx(std::span<const std::byte> bytes, const std::string& name) {
  const onnx::ModelProto model = onnx_model::parse(bytes, "ONNX model '" + name + "': ");
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
