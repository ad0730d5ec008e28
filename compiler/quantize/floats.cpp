// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/floats.h"

#include <map>
#include <set>
#include <vector>

#include "compiler/import/onnx_constant.h"
#include "compiler/import/tensor/network.h"
#include "compiler/import/tensor/node.h"

namespace vdla::quantize {
namespace {

constexpr auto kFloat32 = onnx::TensorProto::FLOAT;

bool is_other_float(std::int64_t type) {
  return type == onnx::TensorProto::FLOAT16 || type == onnx::TensorProto::BFLOAT16 ||
         type == onnx::TensorProto::DOUBLE;
}

class Conversion {
 public:
  Conversion(onnx::GraphProto& graph, const std::string& where) : graph_(graph), where_(where) {
    for (const auto& node : graph.node())
      for (const auto* names : {&node.input(), &node.output()}) taken_.insert(names->begin(), names->end());
    for (const auto& t : graph.initializer()) taken_.insert(t.name());
    for (const auto& info : graph.input()) taken_.insert(info.name());
  }

  void apply() {
    std::set<std::string> constants;
    for (const auto& t : graph_.initializer()) constants.insert(t.name());
    std::vector<onnx::NodeProto> first, last;
    for (auto& info : *graph_.mutable_input()) {
      if (!is_other_float(type_of(info))) continue;
      if (constants.contains(info.name()))
        info.mutable_type()->mutable_tensor_type()->set_elem_type(kFloat32);
      else
        first.push_back(cast(info.name(), renamed(info.name()), kFloat32));
    }
    for (const auto& info : graph_.output())
      if (is_other_float(type_of(info)))
        last.push_back(cast(renamed(info.name()), info.name(), type_of(info)));
    convert(graph_);
    google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
    nodes.Swap(graph_.mutable_node());
    for (auto& node : first) *graph_.add_node() = std::move(node);
    for (auto& node : nodes) *graph_.add_node() = std::move(node);
    for (auto& node : last) *graph_.add_node() = std::move(node);
    if (!first.empty() || !last.empty()) graph_.clear_value_info();
  }

 private:
  static std::int64_t type_of(const onnx::ValueInfoProto& info) {
    return info.type().tensor_type().elem_type();
  }

  /// The name of a port's value inside of the network.
  const std::string& renamed(const std::string& port) {
    const auto [at, is_new] = names_.emplace(port, port + "/float32");
    while (is_new && !taken_.insert(at->second).second) at->second += '_';
    return at->second;
  }

  static onnx::NodeProto cast(const std::string& from, const std::string& to, std::int64_t type) {
    onnx::NodeProto node;
    node.set_op_type("Cast");
    node.set_name(to + "/Cast");
    node.add_input(from);
    node.add_output(to);
    auto& a = *node.add_attribute();
    a.set_name("to");
    a.set_type(onnx::AttributeProto::INT);
    a.set_i(type);
    return node;
  }

  void rename(std::string& name) const {
    if (const auto found = names_.find(name); found != names_.end()) name = found->second;
  }

  void convert(onnx::TensorProto& t) const {
    if (!is_other_float(t.data_type())) return;
    const import::Array a{import::tensor::type_of(t.data_type(), where_),
                          {t.dims().begin(), t.dims().end()},
                          std::make_shared<const graph::Bytes>(import::constant_bytes(t, where_))};
    const std::vector<double> reals = import::tensor::reals_of({a.type, a.shape, a.data});
    const std::vector<float> values(reals.begin(), reals.end());
    onnx::TensorProto result;
    result.set_name(t.name());
    result.set_data_type(kFloat32);
    *result.mutable_dims() = t.dims();
    result.set_raw_data(values.data(), values.size() * sizeof(float));
    t = std::move(result);
  }

  void convert(onnx::GraphProto& graph) {
    for (auto& t : *graph.mutable_initializer()) convert(t);
    for (auto& node : *graph.mutable_node()) {
      for (std::string& input : *node.mutable_input()) rename(input);
      for (std::string& output : *node.mutable_output()) rename(output);
      for (auto& a : *node.mutable_attribute()) {
        if ((a.name() == "to" || a.name() == "dtype") && is_other_float(a.i())) a.set_i(kFloat32);
        if (a.has_t()) convert(*a.mutable_t());
        if (!a.has_g()) continue;
        convert(*a.mutable_g());
        for (auto& output : *a.mutable_g()->mutable_output()) rename(*output.mutable_name());
        for (auto* infos : {a.mutable_g()->mutable_input(), a.mutable_g()->mutable_output()})
          for (auto& info : *infos)
            if (is_other_float(type_of(info)))
              info.mutable_type()->mutable_tensor_type()->set_elem_type(kFloat32);
        a.mutable_g()->clear_value_info();
      }
    }
  }

  onnx::GraphProto& graph_;
  const std::string& where_;
  std::set<std::string> taken_;
  std::map<std::string, std::string> names_;
};

}  // namespace

void compute_in_float32(onnx::ModelProto& model, const std::string& where) {
  Conversion(*model.mutable_graph(), where).apply();
}

}  // namespace vdla::quantize
