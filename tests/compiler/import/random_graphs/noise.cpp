// SPDX-License-Identifier: Apache-2.0
// How far the outputs of a graph may move: the graph with noise behind its nodes, on the oracle.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "tests/compiler/import/random_graphs/judge.h"

namespace vdla::random_graphs {
namespace {

constexpr int kRuns = 8;
constexpr double kOfSize = 1e-6;

/// Operators that every implementation computes to the same bits from the same bits.
bool exact(const std::string& op) {
  static const std::set<std::string_view> kExact = {"Abs",
                                                    "Add",
                                                    "Cast",
                                                    "CastLike",
                                                    "Ceil",
                                                    "Clip",
                                                    "Compress",
                                                    "Concat",
                                                    "Constant",
                                                    "ConstantOfShape",
                                                    "CumSum",
                                                    "DepthToSpace",
                                                    "DequantizeLinear",
                                                    "Div",
                                                    "Dropout",
                                                    "Expand",
                                                    "EyeLike",
                                                    "Flatten",
                                                    "Floor",
                                                    "Gather",
                                                    "GatherElements",
                                                    "GatherND",
                                                    "GlobalMaxPool",
                                                    "Hardmax",
                                                    "Identity",
                                                    "LeakyRelu",
                                                    "Max",
                                                    "MaxPool",
                                                    "MaxUnpool",
                                                    "Min",
                                                    "Mod",
                                                    "Mul",
                                                    "Neg",
                                                    "OneHot",
                                                    "PRelu",
                                                    "Pad",
                                                    "Range",
                                                    "ReduceMax",
                                                    "ReduceMin",
                                                    "Relu",
                                                    "Reshape",
                                                    "ReverseSequence",
                                                    "Round",
                                                    "Scatter",
                                                    "ScatterElements",
                                                    "ScatterND",
                                                    "Sign",
                                                    "Slice",
                                                    "SpaceToDepth",
                                                    "Split",
                                                    "Squeeze",
                                                    "Sub",
                                                    "ThresholdedRelu",
                                                    "Tile",
                                                    "TopK",
                                                    "Transpose",
                                                    "Trilu",
                                                    "Unsqueeze",
                                                    "Where"};
  return kExact.contains(op);
}

onnx::TensorProto floats(const std::string& name, const Shape& shape, const std::vector<float>& values) {
  onnx::TensorProto t;
  t.set_name(name);
  t.set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t d : shape) t.add_dims(d);
  t.set_raw_data(values.data(), values.size() * sizeof(float));
  return t;
}

class Noise {
 public:
  Noise(const Drawn& drawn, const Answer& revealed, Random& random)
      : from_(drawn.model.graph()), random_(random) {
    for (const auto& [name, array] : revealed.outputs) values_.emplace(name, &array);
    for (const auto& [name, array] : drawn.inputs) values_.emplace(name, &array);
    for (const onnx::TensorProto& t : from_.initializer()) {
      const std::string bytes = t.SerializeAsString();
      constants_.push_back(import::read_onnx_tensor(std::as_bytes(std::span(bytes)), t.name()));
      values_.emplace(t.name(), &constants_.back());
    }
    noisy_ = drawn;
    noisy_.model.mutable_graph()->clear_node();
  }

  Drawn made() {
    for (const auto& n : from_.node()) {
      *graph().add_node() = n;
      const bool steps = n.op_type() == "QuantizeLinear" || n.op_type() == "QLinearConv" ||
                         n.op_type() == "QLinearMatMul" || n.op_type() == "DynamicQuantizeLinear";
      if (!steps && exact(n.op_type())) continue;
      onnx::NodeProto& written = *graph().mutable_node(graph().node_size() - 1);
      for (int i = 0; i < (steps ? 1 : n.output_size()); ++i) disturb(written, i, steps);
    }
    return std::move(noisy_);
  }

 private:
  onnx::GraphProto& graph() { return *noisy_.model.mutable_graph(); }

  onnx::NodeProto& node(const char* op, const std::vector<std::string>& inputs, const std::string& output) {
    onnx::NodeProto& n = *graph().add_node();
    n.set_op_type(op);
    for (const std::string& i : inputs) n.add_input(i);
    n.add_output(output);
    return n;
  }

  std::string constant(const std::string& name, const Shape& shape, const std::vector<float>& values) {
    *graph().add_initializer() = floats(name, shape, values);
    return name;
  }

  /// Magnitude that the rounding of a result is measured by: the result, or terms that cancel on the way to
  /// it.
  double size_of(const onnx::NodeProto& n, const import::Array& result) const {
    double inputs = 0, all = 1, most = 0;
    for (const std::string& name : n.input()) {
      const auto found = values_.find(name);
      if (found == values_.end() || found->second->type != DataType::Float32) continue;
      inputs = std::max(inputs, largest_of(*found->second));
      most = std::max(most, static_cast<double>(elements_of(*found->second)));
      all *= std::max(1.0, largest_of(*found->second));
    }
    // Equal elements have a variance of zero, and what rounding makes of their differences is divided by its
    // root.
    const bool divides =
        n.op_type() == "InstanceNormalization" || n.op_type() == "LayerNormalization" || n.op_type() == "Det";
    // Long sums of terms that cancel.
    const bool sums = n.op_type().starts_with("Reduce") || n.op_type() == "GlobalAveragePool";
    const double terms = sums ? most / std::max(1.0, static_cast<double>(elements_of(result))) : 0;
    return std::max(
        {largest_of(result), (divides ? 30 : 0.2) * std::min(all, 10 * inputs), 0.05 * terms * inputs});
  }

  void disturb(onnx::NodeProto& written, int output, bool steps) {
    const std::string name = written.output(output);
    const auto found = values_.find(name);
    if (name.empty() || found == values_.end()) return;
    const import::Array& array = *found->second;
    if (!steps && array.type != DataType::Float32) return;
    const double size = steps ? 1 : kOfSize * size_of(written, array);
    std::vector<float> noise(elements_of(array));
    for (float& v : noise)
      v = static_cast<float>(size) *
          static_cast<float>(steps ? random_.between(std::int64_t{-1}, std::int64_t{1}) * 1.0
                                   : random_.between(-1.0, 1.0));
    const std::string clean = name + "/clean", by = constant(name + "/noise", array.shape, noise);
    written.set_output(output, clean);
    if (!steps) {
      node("Add", {clean, by}, name);
      return;
    }
    const auto [low, high] = limits(array.type);
    const auto bound = [&](const char* what, double v) {
      return constant(name + what, {}, {static_cast<float>(v)});
    };
    const std::string least = bound("/least", low), most = bound("/most", high);
    const auto to = [](onnx::NodeProto& n, int code) {
      onnx::AttributeProto& a = *n.add_attribute();
      a.set_name("to");
      a.set_type(onnx::AttributeProto::INT);
      a.set_i(code);
    };
    to(node("Cast", {clean}, name + "/wide"), onnx::TensorProto::FLOAT);
    node("Add", {name + "/wide", by}, name + "/moved");
    node("Max", {name + "/moved", least}, name + "/above");
    node("Min", {name + "/above", most}, name + "/below");
    to(node("Cast", {name + "/below"}, name), onnx_code(array.type));
  }

  const onnx::GraphProto& from_;
  Random& random_;
  std::deque<import::Array> constants_;
  std::map<std::string, const import::Array*> values_;
  Drawn noisy_;
};

void widen(Allowed& allowed, const import::Array& noisy, const import::Array& clean) {
  std::size_t flipped = 0;
  if (noisy.shape != clean.shape) return;
  for (std::size_t i = 0; i < elements_of(clean); ++i) {
    const double a = element_of(noisy, i), b = element_of(clean, i);
    if (a == b) continue;
    ++flipped;
    if (std::isfinite(a - b)) allowed.amount = std::max(allowed.amount, std::fabs(a - b) * 1.1);
  }
  // Places and truths change by leaps.
  if (clean.type == DataType::Bool || clean.type == DataType::Int64 || clean.type == DataType::Int32)
    allowed.flipped += flipped;
}

}  // namespace

Answer reveal(Oracle& oracle, const Drawn& drawn) {
  Drawn open = drawn;
  onnx::GraphProto& g = *open.model.mutable_graph();
  std::set<std::string> shown;
  for (const auto& info : g.output()) shown.insert(info.name());
  for (const auto& n : drawn.model.graph().node())
    for (const std::string& name : n.output())
      if (!name.empty() && shown.insert(name).second) g.add_output()->set_name(name);
  return oracle.ask(open);
}

std::vector<Allowed> allowance(Oracle& oracle, const Drawn& drawn, const Answer& answer) {
  std::vector<Allowed> allowed(answer.outputs.size());
  const Answer revealed = reveal(oracle, drawn);
  Random random(1);
  for (int run = 0; run < kRuns; ++run) {
    const Answer noisy = oracle.ask(Noise(drawn, revealed, random).made());
    for (std::size_t i = 0; i < noisy.outputs.size() && i < allowed.size(); ++i)
      widen(allowed[i], noisy.outputs[i].second, answer.outputs[i].second);
  }
  return allowed;
}

}  // namespace vdla::random_graphs
