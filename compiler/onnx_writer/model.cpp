// SPDX-License-Identifier: Apache-2.0
#include "compiler/onnx_writer/model.h"

#include <climits>

#include "compiler/graph/sources.h"
#include "compiler/import/tensor/network.h"
#include "compiler/import/tensor/node.h"
#include "support/error.h"

namespace vdla::onnx_writer {
namespace {

/// Operator set that the nodes are of: the first one with Gelu.
constexpr std::int64_t kSet = 20;
/// Version of the file format of its time.
constexpr std::int64_t kIrVersion = 9;

onnx::AttributeProto& add_attribute(onnx::NodeProto& node, const char* name,
                                    onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto& a = *node.add_attribute();
  a.set_name(name);
  a.set_type(type);
  return a;
}

/// The tensor of the model that the value is like; empty: none.
std::string source_name(const graph::Tensor& t, Likeness likeness) {
  for (const SourceTensor& s : graph::sources_of(t))
    if (s.likeness == likeness) return s.name;
  return "";
}

}  // namespace

void set_attribute(onnx::NodeProto& node, const char* name, std::int64_t value) {
  add_attribute(node, name, onnx::AttributeProto::INT).set_i(value);
}

void set_attribute(onnx::NodeProto& node, const char* name, double value) {
  add_attribute(node, name, onnx::AttributeProto::FLOAT).set_f(static_cast<float>(value));
}

void set_attribute(onnx::NodeProto& node, const char* name, const Extents& values) {
  onnx::AttributeProto& a = add_attribute(node, name, onnx::AttributeProto::INTS);
  for (const std::int64_t v : values) a.add_ints(v);
}

void set_attribute(onnx::NodeProto& node, const char* name, std::string_view value) {
  add_attribute(node, name, onnx::AttributeProto::STRING).set_s(std::string(value));
}

Model::Model(const graph::Graph& graph, std::string where) : graph_(graph), where_(std::move(where)) {
  model_.set_ir_version(kIrVersion);
  model_.set_producer_name("vdla");
  model_.add_opset_import()->set_version(kSet);
  model_.mutable_graph()->set_name(graph.name.empty() ? "network" : graph.name);
  name_tensors();
}

/// Ports have their names first, then what stands for a tensor of the model.
void Model::name_tensors() {
  names_.resize(graph_.tensors.size());
  const auto give = [&](TensorId id, const std::string& wanted) {
    std::string& name = names_[static_cast<std::size_t>(id)];
    if (name.empty() && !wanted.empty()) name = free_name(wanted);
  };
  for (const auto* ports : {&graph_.inputs, &graph_.outputs})
    for (const graph::Port& port : *ports) give(port.tensor, tensor(port.tensor).name);
  const auto count = static_cast<TensorId>(graph_.tensors.size());
  for (const Likeness likeness : {Likeness::Same, Likeness::Reordered}) {
    for (TensorId id = 0; id < count; ++id) {
      const std::string source = source_name(tensor(id), likeness);
      if (!taken_.contains(source)) give(id, source);
    }
  }
  for (TensorId id = 0; id < count; ++id) give(id, tensor(id).name.empty() ? "value" : tensor(id).name);
}

std::string Model::free_name(const std::string& wanted) {
  std::string name = wanted;
  while (!taken_.insert(name).second) name = wanted + "#" + std::to_string(++next_[wanted]);
  return name;
}

const std::string& Model::name(TensorId id) {
  const graph::Tensor& t = tensor(id);
  const std::string& name = names_[static_cast<std::size_t>(id)];
  if (t.constant() && written_.insert(id).second) add_initializer(name, t.type, t.shape, *t.data);
  return name;
}

void Model::add_initializer(const std::string& name, DataType type, const Shape& shape,
                            const graph::Bytes& elements) {
  onnx::TensorProto& t = *model_.mutable_graph()->add_initializer();
  t.set_name(name);
  t.set_data_type(import::tensor::code_of(type));
  for (const std::int64_t extent : shape) t.add_dims(extent);
  t.set_raw_data(elements.data(), elements.size());
}

std::string Model::constant(DataType type, const Shape& shape, const graph::Bytes& elements) {
  std::string name = new_name("constant");
  add_initializer(name, type, shape, elements);
  return name;
}

std::string Model::integers(const Extents& values) {
  return constant(DataType::Int64, {static_cast<std::int64_t>(values.size())}, *graph::to_bytes(values));
}

std::string Model::scalar(DataType type, double value) {
  return constant(type, {}, *import::tensor::make_constant(type, {}, std::vector<double>{value}).data);
}

std::string Model::scalar(DataType type, std::int64_t value) {
  return constant(type, {}, *import::tensor::make_constant(type, {}, Extents{value}).data);
}

std::string Model::reshaped(TensorId id, const Shape& shape) {
  const graph::Tensor& t = tensor(id);
  if (t.shape == shape) return name(id);
  std::string own = free_name(names_[static_cast<std::size_t>(id)] + "/reshaped");
  add_initializer(own, t.type, shape, *t.data);
  return own;
}

onnx::NodeProto& Model::add(const char* op, const Names& inputs, const std::string& output) {
  onnx::NodeProto& node = *model_.mutable_graph()->add_node();
  node.set_op_type(op);
  node.set_name(output);
  for (const std::string& input : inputs) node.add_input(input);
  node.add_output(output);
  return node;
}

std::string Model::step(const char* op, const Names& inputs) {
  std::string name = new_name(op);
  add(op, inputs, name);
  return name;
}

void Model::give_last_output() {
  last().set_name(output());
  last().set_output(0, output());
}

void Model::begin(TensorId output) { output_ = output; }

void Model::refuse(const graph::Node& node, const std::string& reason) const {
  throw UserError(where_ + "node '" + node.name + "' " + reason);
}

void Model::declare(onnx::ValueInfoProto& info, TensorId id) const {
  info.set_name(names_[static_cast<std::size_t>(id)]);
  auto& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(import::tensor::code_of(tensor(id).type));
  auto& shape = *type.mutable_shape();
  for (const std::int64_t extent : tensor(id).shape) shape.add_dim()->set_dim_value(extent);
}

graph::Bytes Model::bytes() {
  for (const graph::Port& port : graph_.inputs) declare(*model_.mutable_graph()->add_input(), port.tensor);
  for (const graph::Port& port : graph_.outputs) {
    declare(*model_.mutable_graph()->add_output(), port.tensor);
    (void)name(port.tensor);  // a constant becomes an initialiser
  }
  VDLA_CHECK_USER(model_.ByteSizeLong() <= INT_MAX)
      << where_ << "as ONNX would have " << model_.ByteSizeLong() << " bytes, protobuf writes at most "
      << INT_MAX;
  graph::Bytes result(model_.ByteSizeLong());
  VDLA_CHECK(model_.SerializeToArray(result.data(), static_cast<int>(result.size()))) << "protobuf refuses";
  return result;
}

}  // namespace vdla::onnx_writer
