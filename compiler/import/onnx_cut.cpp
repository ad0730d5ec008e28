// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx_cut.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "compiler/import/cut.h"
#include "compiler/import/onnx_importer.h"
#include "compiler/import/onnx_order.h"
#include "compiler/import/tensor/node.h"
#include "support/error.h"

namespace vdla::import {
namespace {

class OnnxCutter {
 public:
  OnnxCutter(const onnx::ModelProto& model, std::string where, const ImportOptions& options)
      : model_(model), graph_(model.graph()), where_(std::move(where)), options_(options) {
    for (int i = 0; i < graph_.node_size(); ++i)
      for (const std::string& output : graph_.node(i).output())
        if (!output.empty()) writers_.emplace(output, i);
    for (const auto* list : {&graph_.input(), &graph_.output(), &graph_.value_info()})
      for (const onnx::ValueInfoProto& info : *list) stated_.emplace(info.name(), &info);
    for (const onnx::TensorProto& t : graph_.initializer()) constants_.insert(t.name());
    begun_.insert(options.from.begin(), options.from.end());
  }

  onnx::GraphProto cut() {
    for (const auto* list : {&options_.from, &options_.until})
      for (const std::string& name : *list) require_known(name);
    onnx::GraphProto result = graph_;
    if (!options_.until.empty()) {
      result.clear_output();
      for (const std::string& name : options_.until) *result.add_output() = stated(name);
    }
    for (const onnx::ValueInfoProto& output : result.output()) need(output.name());
    for (const std::string& name : options_.from)
      if (!needed_.contains(name)) refuse_idle_tensor(where_, name);
    add_inputs(result);
    keep(result.mutable_initializer());
    keep(result.mutable_value_info());
    result.clear_node();
    for (const int i : nodes_) {
      onnx::NodeProto& node = *result.add_node() = graph_.node(i);
      for (std::string& output : *node.mutable_output())
        if (begun_.contains(output)) output.clear();
    }
    return result;
  }

 private:
  void require_known(const std::string& name) const {
    if (writers_.contains(name) || stated_.contains(name) || constants_.contains(name)) return;
    std::vector<std::string> names;
    for (const auto& [writer, node] : writers_) names.emplace_back(writer);
    for (const auto& [value, info] : stated_) names.emplace_back(value);
    std::ranges::sort(names);
    refuse_unknown_tensor(where_, name, names);
  }

  onnx::ValueInfoProto stated(const std::string& name) const {
    if (const auto found = stated_.find(name); found != stated_.end()) return *found->second;
    onnx::ValueInfoProto info;
    info.set_name(name);
    return info;
  }

  /// Notes that the value is needed, with the nodes that it comes of.
  void need(const std::string& output) {
    std::vector<std::string_view> open{output};
    while (!open.empty()) {
      const std::string name(open.back());
      open.pop_back();
      if (!needed_.insert(name).second || begun_.contains(name)) continue;
      const auto writer = writers_.find(name);
      if (writer == writers_.end() || !nodes_.insert(writer->second).second) continue;
      add_reads(graph_.node(writer->second), open);
    }
  }

  /// Inputs where it begins, then those of the model that are still needed.
  void add_inputs(onnx::GraphProto& result) {
    result.clear_input();
    for (const std::string& name : options_.from) *result.add_input() = begin_at(name);
    for (const onnx::ValueInfoProto& input : graph_.input())
      if (needed_.contains(input.name()) && !begun_.contains(input.name())) *result.add_input() = input;
  }

  /// The tensor with its type and shape: stated, or as the model's import knows them.
  onnx::ValueInfoProto begin_at(const std::string& name) {
    onnx::ValueInfoProto info = stated(name);
    if (info.type().tensor_type().has_shape() && info.type().tensor_type().elem_type() != 0) return info;
    if (!known_) known_ = known_values(model_, where_, of_whole_model());
    const auto found = known_->find(name);
    VDLA_CHECK_USER(found != known_->end()) << where_ << "does not state type and shape of '" << name
                                            << "', and its own import does not reach it; cut it at another "
                                               "tensor, or infer shapes of the model first "
                                               "(onnx.shape_inference)";
    auto& type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(tensor::code_of(found->second.type));
    for (const std::int64_t extent : found->second.shape)
      type.mutable_shape()->add_dim()->set_dim_value(extent);
    return info;
  }

  /// The options for inputs that the model has itself.
  ImportOptions of_whole_model() const {
    ImportOptions whole = options_;
    const auto is_other = [&](const auto& entry) {
      return std::ranges::none_of(graph_.input(), [&](const auto& i) { return i.name() == entry.first; });
    };
    std::erase_if(whole.bound, is_other);
    std::erase_if(whole.shapes, is_other);
    return whole;
  }

  /// Leaves what is needed and not begun at.
  template <class List>
  void keep(List* list) const {
    const auto idle = [&](const auto& t) { return !needed_.contains(t.name()) || begun_.contains(t.name()); };
    list->erase(std::remove_if(list->begin(), list->end(), idle), list->end());
  }

  const onnx::ModelProto& model_;
  const onnx::GraphProto& graph_;
  std::string where_;
  const ImportOptions& options_;
  std::unordered_map<std::string_view, int> writers_;  ///< nodes that give a value
  std::unordered_map<std::string_view, const onnx::ValueInfoProto*> stated_;
  std::set<std::string_view> constants_;
  std::set<std::string, std::less<>> begun_, needed_;
  std::set<int> nodes_;
  std::optional<std::map<std::string, Array>> known_;  ///< types and shapes of the whole model's values
};

}  // namespace

onnx::ModelProto cut(onnx::ModelProto model, const std::string& where, const ImportOptions& options) {
  if (!is_cut(options)) return model;
  onnx::GraphProto graph = OnnxCutter(model, where, options).cut();
  *model.mutable_graph() = std::move(graph);
  return model;
}

}  // namespace vdla::import
