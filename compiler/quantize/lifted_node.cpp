// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/lifted_node.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "compiler/import/onnx_schema/schema.h"
#include "compiler/import/tensor/node.h"
#include "support/error.h"

namespace vdla::quantize {
namespace {

namespace schema = import::onnx_schema;

}  // namespace

LiftedNode::LiftedNode(onnx::NodeProto node, std::int64_t set, Values& values, const Names& read,
                       onnx::GraphProto& graph, const std::string& where)
    : model_node_(std::move(node)),
      node_(model_node_),
      given_(model_node_, set),
      set_(set),
      values_(values),
      read_(read),
      graph_(graph),
      where_(where) {
  state_changed_defaults();
}

void LiftedNode::refuse(const std::string& reason) const {
  throw UserError(where_ + what(model_node_) + " of operator set " + std::to_string(set_) +
                  " cannot be lifted to set " + std::to_string(kQuantisedSet) +
                  ", which scales by channel need: it " + reason + "; export the network with operator set " +
                  std::to_string(kQuantisedSet) + " or later");
}

/// Writes out what the model leaves to a default that is another one in the newer set.
void LiftedNode::state_changed_defaults() {
  const auto older = schema::find(model_node_.op_type(), set_);
  const auto newer = schema::find(model_node_.op_type(), kQuantisedSet);
  if (!older || !newer) return;
  for (const schema::Attribute& a : older->attributes) {
    const schema::Attribute* same = schema::attribute(*newer, a.name);
    if (same == nullptr || given_.find(std::string(a.name)) != nullptr) continue;
    const auto state_if_changed = [&](const auto* value) {
      const auto* now = std::get_if<std::remove_cvref_t<decltype(*value)>>(&same->otherwise);
      if (value != nullptr && (now == nullptr || *now != *value)) state(std::string(a.name), *value);
    };
    state_if_changed(std::get_if<std::int64_t>(&a.otherwise));
    state_if_changed(std::get_if<float>(&a.otherwise));
  }
}

void LiftedNode::drop(std::initializer_list<std::string_view> attributes) {
  google::protobuf::RepeatedPtrField<onnx::AttributeProto> kept;
  for (const auto& a : node_.attribute())
    if (std::ranges::find(attributes, std::string_view(a.name())) == attributes.end()) *kept.Add() = a;
  node_.mutable_attribute()->Swap(&kept);
}

onnx::AttributeProto& LiftedNode::attribute(const std::string& name,
                                            onnx::AttributeProto::AttributeType type) {
  drop({name});
  onnx::AttributeProto& a = *node_.add_attribute();
  a.set_name(name);
  a.set_type(type);
  return a;
}

void LiftedNode::state(const std::string& name, std::int64_t value) {
  attribute(name, onnx::AttributeProto::INT).set_i(value);
}

void LiftedNode::state(const std::string& name, float value) {
  attribute(name, onnx::AttributeProto::FLOAT).set_f(value);
}

void LiftedNode::state(const std::string& name, const std::string& value) {
  attribute(name, onnx::AttributeProto::STRING).set_s(value);
}

void LiftedNode::set_input(int i, const std::string& name) {
  while (node_.input_size() <= i) node_.add_input();
  node_.set_input(i, name);
}

void LiftedNode::move_to_input(const std::string& name, int i) {
  const onnx::AttributeProto* list = given_.find(name);
  if (list == nullptr) return;
  drop({name});
  set_input(i, integers(name, {list->ints().begin(), list->ints().end()}));
}

/// "y/word" for a node that makes y, with more strokes where the model has that name.
std::string LiftedNode::free_name(const std::string& word) const {
  std::string mark = "/";
  while (values_.contains(model_node_.output(0) + mark + word)) mark += '/';
  return model_node_.output(0) + mark + word;
}

onnx::TensorProto& LiftedNode::add_constant(const std::string& word, graph::DataType type,
                                            const graph::Shape& shape) {
  onnx::TensorProto& t = *graph_.add_initializer();
  t.set_name(free_name(word));
  t.set_data_type(import::tensor::code_of(type));
  for (const std::int64_t extent : shape) t.add_dims(extent);
  values_.emplace(t.name(), import::Array{type, shape, nullptr});
  return t;
}

std::string LiftedNode::integers(const std::string& word, const std::vector<std::int64_t>& values) {
  onnx::TensorProto& t =
      add_constant(word, graph::DataType::Int64, {static_cast<std::int64_t>(values.size())});
  t.set_raw_data(values.data(), values.size() * sizeof values[0]);
  return t.name();
}

std::string LiftedNode::reals(const std::string& word, const std::vector<float>& values) {
  onnx::TensorProto& t =
      add_constant(word, graph::DataType::Float32, {static_cast<std::int64_t>(values.size())});
  t.set_raw_data(values.data(), values.size() * sizeof values[0]);
  return t.name();
}

std::string LiftedNode::number(const std::string& word, float value) {
  onnx::TensorProto& t = add_constant(word, graph::DataType::Float32, {});
  t.set_raw_data(&value, sizeof value);
  const graph::DataType type = this->value(0).type;
  if (type == graph::DataType::Float32) return t.name();
  onnx::NodeProto& cast = add_before("Cast", {t.name()}, word + "_cast", {type, {}, nullptr});
  onnx::AttributeProto& to = *cast.add_attribute();
  to.set_name("to");
  to.set_type(onnx::AttributeProto::INT);
  to.set_i(import::tensor::code_of(type));
  return cast.output(0);
}

onnx::NodeProto& LiftedNode::add_before(const std::string& op, const std::vector<std::string>& inputs,
                                        const std::string& word, const import::Array& like) {
  onnx::NodeProto& n = *graph_.add_node();
  n.set_op_type(op);
  for (const std::string& i : inputs) n.add_input(i);
  n.add_output(free_name(word));
  n.set_name(n.output(0));
  values_.emplace(n.output(0), import::Array{like.type, like.shape, nullptr});
  return n;
}

void LiftedNode::add_after(const std::string& op, const std::string& input, const import::Array& like) {
  const std::string made = free_name("before_" + op);
  values_.emplace(made, import::Array{like.type, like.shape, nullptr});
  after_.emplace();
  after_->set_op_type(op);
  after_->set_name(free_name(op));
  after_->add_input(made);
  after_->add_input(input);
  after_->add_output(node_.output(0));
  node_.set_output(0, made);
}

void LiftedNode::widen(int i, std::size_t dimensions) {
  if (dimensions == 0) return;
  const import::Array& old = value(i);
  import::Array wide{old.type, old.shape, nullptr};
  std::vector<std::int64_t> axes;
  for (std::size_t d = 0; d < dimensions; ++d) {
    axes.push_back(static_cast<std::int64_t>(wide.shape.size()));
    wide.shape.push_back(1);
  }
  const auto constant =
      std::ranges::find_if(graph_.initializer(), [&](const auto& t) { return t.name() == input(i); });
  if (constant == graph_.initializer().end()) {
    const std::string places = integers("axes", axes);
    return set_input(i, add_before("Unsqueeze", {input(i), places}, "wide", wide).output(0));
  }
  onnx::TensorProto copy = *constant;
  copy.set_name(free_name("wide"));
  for (std::size_t d = 0; d < dimensions; ++d) copy.add_dims(1);
  values_.emplace(copy.name(), wide);
  set_input(i, copy.name());
  *graph_.add_initializer() = std::move(copy);
}

void LiftedNode::finish() {
  try {
    schema::check(node_, kQuantisedSet, "");
  } catch (const UserError& e) {
    refuse(e.what());
  }
  *graph_.add_node() = std::move(node_);
  if (after_) *graph_.add_node() = std::move(*after_);
}

}  // namespace vdla::quantize
