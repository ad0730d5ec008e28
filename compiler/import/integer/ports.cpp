// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/integer/ports.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/import/integer/context.h"

namespace vdla::import::integer {
namespace {

/// A node's input that reads a value.
struct Reader {
  const onnx::NodeProto* node;
  int input;
};

/// Operators that give their data a scale: those of ONNX, of QONNX, and of the format QOperator.
bool is_border(const Reader& r) {
  constexpr std::string_view kBorders[] = {
      "DequantizeLinear",         "IntQuant", "QGemm",         "QLinearConv", "QLinearMatMul",
      "QLinearGlobalAveragePool", "Quant",    "QuantizeLinear"};
  return r.input == 0 && std::ranges::find(kBorders, r.node->op_type()) != std::end(kBorders);
}

/// Operators that a port can say, or that are known without the elements.
bool moves(const Reader& r) {
  constexpr std::string_view kMoving[] = {"Flatten", "Identity",  "Reshape",
                                          "Squeeze", "Transpose", "Unsqueeze"};
  return r.input == 0 && std::ranges::find(kMoving, r.node->op_type()) != std::end(kMoving);
}

bool reads_extents(const Reader& r) { return r.node->op_type() == "Shape" || r.node->op_type() == "Size"; }

class Readers {
 public:
  explicit Readers(const onnx::GraphProto& g) {
    for (const onnx::NodeProto& node : g.node())
      for (int i = 0; i < node.input_size(); ++i) readers_[node.input(i)].push_back({&node, i});
    for (const onnx::ValueInfoProto& output : g.output()) outputs_.insert(output.name());
  }

  bool lead_to_one_border(std::string value) const {
    for (std::size_t steps = 0; steps <= readers_.size(); ++steps) {
      if (outputs_.contains(value)) return false;
      const Reader* only = nullptr;
      const auto found = readers_.find(value);
      if (found == readers_.end()) return false;
      for (const Reader& r : found->second) {
        if (reads_extents(r)) continue;
        if (only != nullptr) return false;
        only = &r;
      }
      if (only == nullptr) return false;
      if (is_border(*only)) return true;
      if (!moves(*only) || only->node->output_size() != 1) return false;
      value = only->node->output(0);
    }
    return false;
  }

 private:
  std::unordered_map<std::string, std::vector<Reader>> readers_;
  std::set<std::string> outputs_;
};

}  // namespace

std::set<std::string> inputs_for_one_border(const onnx::GraphProto& graph) {
  const Readers readers(graph);
  std::set<std::string> result;
  for (const onnx::ValueInfoProto& info : graph.input())
    if (readers.lead_to_one_border(info.name())) result.insert(info.name());
  return result;
}

Value unread_input(Network& network, const std::string& name, DataType type, const Shape& shape) {
  const auto make = [&network, name, type, shape] {
    Value v = network.input(name, type, shape);
    network.name(v, name);
    return v;
  };
  Value result{type, shape, nullptr, graph::kNone, Origins(name)};
  result.pending = network.keep(
      tensor::Pending{UnreadInput{name, type, shape, shape, identity_perm(shape.size())}, make, {}});
  return result;
}

std::optional<graph::Port> output_port(Network& network, const Value& value) {
  if (value.pending == nullptr) return std::nullopt;
  if (const auto* q = std::get_if<Quantized>(&value.pending->form)) {
    const bool plain = q->perm == identity_perm(q->perm.size());
    return graph::Port{q->id, value.type, value.shape, plain ? std::vector<int>{} : q->perm};
  }
  const auto* layer = std::get_if<Deferred>(&value.pending->form);
  if (layer == nullptr || !layer->as_float) return std::nullopt;
  const graph::TensorId id = layer->as_float();
  graph::Tensor& t = network.graph().tensor(id);
  t.sources = value.origins.list();
  return graph::Port{id, t.type, t.shape, {}};
}

}  // namespace vdla::import::integer
