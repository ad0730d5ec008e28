// SPDX-License-Identifier: Apache-2.0
// Rules by operator. A node without a rule has the same meaning in both sets, or is refused because set 13
// has no such node.
#include "compiler/quantize/lift.h"

#include <algorithm>
#include <cmath>

#include "compiler/import/onnx_attributes.h"
#include "compiler/import/tensor/network.h"
#include "compiler/quantize/lifted_node.h"
#include "support/error.h"

namespace vdla::quantize {
namespace {

using graph::element_count;
using graph::Shape;

void require_no_more_dimensions(LiftedNode& n) {
  if (n.shape(1).size() > n.shape(0).size()) n.refuse("has an input 1 of more dimensions than input 0");
}

/// Input 1 of a broadcasting operator as the newer sets align it: by the last dimensions.
void align(LiftedNode& n) {
  n.drop({"axis", "broadcast"});
  const Shape &a = n.shape(0), &b = n.shape(1);
  if (n.given().integer("broadcast") == 0 || a == b) return;
  require_no_more_dimensions(n);
  if (element_count(b) == 1) return;
  const auto rank = static_cast<std::int64_t>(a.size()), last = rank - static_cast<std::int64_t>(b.size());
  std::int64_t first = n.given().integer("axis", last);
  if (first < 0) first += rank;
  n.widen(1, static_cast<std::size_t>(last - first));
}

/// A slope for each channel, which is dimension 1.
void align_slope(LiftedNode& n) {
  require_no_more_dimensions(n);
  if (n.shape(0) != n.shape(1) && element_count(n.shape(1)) != 1) n.widen(1, n.shape(0).size() - 2);
}

void normalise_batch(LiftedNode& n) {
  if (n.given().integer("spatial", 1) != 1) n.refuse("normalises each element, needs spatial = 1");
  if (n.set() < 7 && n.given().integer("is_test") == 0) n.refuse("trains");
  for (int i = 1; i < 5; ++i)
    if (n.is_read(i)) n.refuse("trains");
  n.drop({"is_test", "spatial"});
}

void cast(LiftedNode& n) {
  auto type = onnx::TensorProto::UNDEFINED;
  const std::string name = n.given().text("to");
  if (!onnx::TensorProto::DataType_Parse(name, &type)) n.refuse("casts to '" + name + "'");
  n.state("to", static_cast<std::int64_t>(type));
}

/// Limits of sets from 6 on have defaults.
void clip(LiftedNode& n) {
  n.drop({"max", "min"});
  const auto limit = [&](int i, const char* name) {
    if (n.set() < 6 && n.given().find(name) == nullptr) return;
    n.set_input(i, n.number(name, static_cast<float>(n.given().real(name))));
  };
  limit(1, "min");
  limit(2, "max");
}

void concat(LiftedNode& n) { n.state("axis", n.given().integer("axis", 1)); }

void dropout(LiftedNode& n) {
  if (n.set() < 7 && n.given().integer("is_test") == 0 && n.given().real("ratio") != 0) n.refuse("trains");
  if (n.set() < 10 && n.is_read(1)) n.refuse("has a mask of its input's type, needs one of bool");
  if (!n.is_read(1)) n.keep_outputs(1);
  n.drop({"is_test", "ratio"});
}

void gemm(LiftedNode& n) { n.drop({"broadcast"}); }

/// All dimensions from the axis on count as one in the older sets.
void along_last_axis(LiftedNode& n) {
  const Shape& x = n.shape(0);
  const auto rank = static_cast<std::int64_t>(x.size());
  std::int64_t axis = n.given().integer("axis");
  if (axis < 0) axis += rank;
  n.state("axis", std::int64_t{-1});
  if (axis + 1 >= rank || element_count(x) == 0) return;
  const import::Array rows{
      n.value(0).type,
      {element_count(Shape(x.begin(), x.begin() + axis)), element_count(Shape(x.begin() + axis, x.end()))},
      nullptr};
  const std::string shape =
      n.add_before("Shape", {n.input(0)}, "shape", {graph::DataType::Int64, {rank}, nullptr}).output(0);
  onnx::NodeProto& flatten = n.add_before("Flatten", {n.input(0)}, "rows", rows);
  onnx::AttributeProto& a = *flatten.add_attribute();
  a.set_name("axis");
  a.set_type(onnx::AttributeProto::INT);
  a.set_i(axis);
  n.set_input(0, flatten.output(0));
  n.add_after("Reshape", shape, rows);
}

/// The power of a norm is a whole number in the newer sets.
void norm(LiftedNode& n) {
  const double p = n.given().real("p");
  if (p != std::floor(p)) n.refuse("has a norm of power " + std::to_string(p) + ", needs a whole number");
  n.state("p", static_cast<std::int64_t>(p));
}

void one_hot(LiftedNode& n) {
  n.refuse("chooses nothing by a negative index, which counts from the end from set 11 on");
}

void pad(LiftedNode& n) {
  n.move_to_input(n.set() < 2 ? "paddings" : "pads", 1);
  n.drop({"value"});
  if (const auto value = static_cast<float>(n.given().real("value")); value != 0)
    n.set_input(2, n.number("value", value));
}

void recurrent(LiftedNode& n) { n.drop({"output_sequence"}); }

void reshape(LiftedNode& n) { n.move_to_input("shape", 1); }

/// Resize of these scales as sets before 11 do it: of the two nearest elements the one before, or the one
/// after where a dimension becomes smaller (compiler/import/tensor/resize.cpp).
void resize_by(LiftedNode& n, const std::string& scales, const std::vector<double>& values) {
  const std::string mode = n.given().text("mode");
  const bool grows = std::ranges::all_of(values, [](double s) { return s >= 1; });
  const bool shrinks = std::ranges::all_of(values, [](double s) { return s <= 1; });
  if (mode == "nearest" && !grows && !shrinks)
    n.refuse("makes some dimensions larger and some smaller by nearest elements");
  n.rename("Resize");
  n.drop({"height_scale", "scales", "width_scale"});
  n.state("mode", std::string(mode == "bilinear" ? "linear" : mode));
  n.state("coordinate_transformation_mode", std::string("asymmetric"));
  n.state("nearest_mode", std::string(grows ? "floor" : "ceil"));
  n.set_input(1, "");
  n.set_input(2, scales);
}

void resize(LiftedNode& n) {
  const import::Array& scales = n.value(1);
  resize_by(n, n.input(1), import::tensor::reals_of({scales.type, scales.shape, scales.data}));
}

/// Scales are an input from set 9 on, a list from 7 on, before one for the height, one for the width.
void upsample(LiftedNode& n) {
  if (n.set() >= 9) return resize(n);
  std::vector<float> scales = {1, 1};
  if (const auto* list = n.given().find("scales"))
    scales.assign(list->floats().begin(), list->floats().end());
  else
    for (const char* side : {"height_scale", "width_scale"})
      scales.push_back(static_cast<float>(n.given().real(side)));
  resize_by(n, n.reals("scales", scales), {scales.begin(), scales.end()});
}

void scatter(LiftedNode& n) { n.rename("ScatterElements"); }

void slice(LiftedNode& n) {
  n.move_to_input("starts", 1);
  n.move_to_input("ends", 2);
  n.move_to_input("axes", 3);
}

void split(LiftedNode& n) { n.move_to_input("split", 1); }

/// An empty list of axes is as none, but for Unsqueeze, which needs one.
void axes(LiftedNode& n) {
  const auto* list = n.given().find("axes");
  if (list != nullptr && list->ints_size() == 0) return n.drop({"axes"});
  n.move_to_input("axes", 1);
}

void unsqueeze(LiftedNode& n) { n.move_to_input("axes", 1); }

void tile(LiftedNode& n) {
  const auto whole = [&](int i) {
    const import::Array& a = n.value(i);
    return import::tensor::integers_of({a.type, a.shape, a.data}).at(0);
  };
  const auto rank = static_cast<std::int64_t>(n.shape(0).size());
  std::vector<std::int64_t> repeats(n.shape(0).size(), 1);
  const std::int64_t axis = whole(2);
  repeats.at(static_cast<std::size_t>(axis < 0 ? axis + rank : axis)) = whole(1);
  n.keep_inputs(1);
  n.set_input(1, n.integers("repeats", repeats));
}

void top_k(LiftedNode& n) {
  n.drop({"k"});
  n.set_input(1, n.integers("k", {n.given().integer("k")}));
}

struct Rule {
  std::string_view op;
  std::int64_t since;  ///< operator sets before this one need the rule
  void (*apply)(LiftedNode&);
};

constexpr Rule kRules[] = {
    {"Add", 7, align},
    {"And", 7, align},
    {"BatchNormalization", 9, normalise_batch},
    {"Cast", 6, cast},
    {"Clip", 11, clip},
    {"Concat", 4, concat},
    {"Div", 7, align},
    {"Dropout", 12, dropout},
    {"Equal", 7, align},
    {"GRU", 7, recurrent},
    {"Gemm", 7, gemm},
    {"Greater", 7, align},
    {"Hardmax", 13, along_last_axis},
    {"LSTM", 7, recurrent},
    {"Less", 7, align},
    {"LogSoftmax", 13, along_last_axis},
    {"LpPool", 2, norm},
    {"Mul", 7, align},
    {"OneHot", 11, one_hot},
    {"Or", 7, align},
    {"PRelu", 7, align_slope},
    {"Pad", 11, pad},
    {"Pow", 7, align},
    {"RNN", 7, recurrent},
    {"ReduceSum", 13, axes},
    {"Reshape", 5, reshape},
    {"Resize", 11, resize},
    {"Scatter", 11, scatter},
    {"Slice", 10, slice},
    {"Softmax", 13, along_last_axis},
    {"Split", 13, split},
    {"Squeeze", 13, axes},
    {"Sub", 7, align},
    {"Tile", 6, tile},
    {"TopK", 10, top_k},
    {"Unsqueeze", 13, unsqueeze},
    {"Upsample", 10, upsample},
    {"Xor", 7, align},
};
static_assert(std::ranges::is_sorted(kRules, {}, &Rule::op));

Names names_read(const onnx::GraphProto& graph) {
  Names names;
  for (const auto& output : graph.output()) names.insert(output.name());
  for (const auto& node : graph.node()) names.insert(node.input().begin(), node.input().end());
  return names;
}

bool is_standard(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

void set_operator_set(onnx::ModelProto& model, std::int64_t set) {
  bool stated = false;
  for (auto& known : *model.mutable_opset_import()) {
    if (!is_standard(known.domain())) continue;
    known.set_version(set);
    stated = true;
  }
  if (!stated) model.add_opset_import()->set_version(set);
}

}  // namespace

void lift(onnx::ModelProto& model, Values& values, const std::string& where) {
  const std::int64_t set = import::operator_set(model, where);
  if (set >= kQuantisedSet) return;
  onnx::GraphProto& graph = *model.mutable_graph();
  const Names read = names_read(graph);
  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
  nodes.Swap(graph.mutable_node());
  for (onnx::NodeProto& node : nodes) {
    if (!is_standard(node.domain())) {
      *graph.add_node() = std::move(node);
      continue;
    }
    VDLA_CHECK_USER(!has_body(node)) << where << what(node) << " has a body of operator set " << set
                                     << ", needs a model of set " << kQuantisedSet << " or a newer one";
    LiftedNode lifted(std::move(node), set, values, read, graph, where);
    lifted.drop({"consumed_inputs"});
    const auto rule = std::ranges::find(kRules, lifted.op(), &Rule::op);
    if (rule != std::end(kRules) && set < rule->since) rule->apply(lifted);
    lifted.finish();
  }
  set_operator_set(model, kQuantisedSet);
}

}  // namespace vdla::quantize
