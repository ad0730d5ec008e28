// SPDX-License-Identifier: Apache-2.0
// Nodes in order; an operator that is not in the tables but that ONNX defines by others is replaced by those.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "compiler/graph/shape.h"
#include "compiler/graph/sources.h"
#include "compiler/import/tensor/node.h"
#include "support/error.h"

namespace vdla::import::tensor {
namespace {

using Import = void (*)(const Node&);

const std::unordered_map<std::string_view, Import>& operators() {
  static const auto all = [] {
    std::unordered_map<std::string_view, Import> result;
    for (const auto& family : {elementwise_operators(), reduction_operators(), movement_operators(),
                               index_operators(), layer_operators(), resize_operators(),
                               quantized_operators(), recurrent_operators(), sampling_operators()})
      for (const Operator& o : family) result.emplace(o.name, o.import);
    return result;
  }();
  return all;
}

/// Why an operator is none of this kit's business; empty where it is.
std::string_view beyond(const onnx::NodeProto& node) {
  struct Row {
    std::string_view op, reason;
  };
  constexpr Row kRows[] = {
      {"If", "control flow"},
      {"Loop", "control flow"},
      {"Scan", "control flow"},
      {"SequenceAt", "sequences"},
      {"SequenceConstruct", "sequences"},
      {"SequenceEmpty", "sequences"},
      {"SequenceErase", "sequences"},
      {"SequenceInsert", "sequences"},
      {"SequenceLength", "sequences"},
      {"SequenceMap", "sequences"},
      {"SplitToSequence", "sequences"},
      {"ConcatFromSequence", "sequences"},
      {"Optional", "optional values"},
      {"OptionalGetElement", "optional values"},
      {"OptionalHasElement", "optional values"},
      {"StringNormalizer", "strings"},
  };
  if (node.domain() == "ai.onnx.preview.training") return "training";
  for (const Row& row : kRows)
    if (row.op == node.op_type()) return row.reason;
  return {};
}

/// The type as ONNX's schemas write it.
std::string schema_type(DataType type) {
  onnx::TypeProto proto;
  proto.mutable_tensor_type()->set_elem_type(code_of(type));
  return *onnx::Utils::DataTypeUtils::ToType(proto);
}

/// Refuses integers and bool where ONNX has the operator for others, and floats where it has none for any
/// float. Any version of ONNX counts: newer ones take more types, and what an older one lacks can be computed
/// all the same.
void require_types(const Node& c) {
  const auto* schema = onnx::OpSchemaRegistry::Schema(c.op(), "");
  if (schema == nullptr || schema->inputs().empty()) return;
  for (int i = 0; i < c.inputs(); ++i) {
    if (!c.has(i)) continue;
    const DataType type = c.in(i).type;
    const auto& formal =
        schema->inputs()[std::min<std::size_t>(static_cast<std::size_t>(i), schema->inputs().size() - 1)];
    const auto& allowed = formal.GetTypes();
    const std::string name = schema_type(type);
    const bool is_float = expr::is_float(graph::dtype_of(type));
    const auto takes = [&](const std::string* t) {
      return *t == name || (is_float && (*t == "tensor(float)" || *t == "tensor(float16)"));
    };
    c.require(std::any_of(allowed.begin(), allowed.end(), takes),
              fmt::format("has input {} ('{}') of {}, which ONNX does not have this operator for", i,
                          formal.GetName(), name_of(type)));
  }
}

class Importer {
 public:
  Importer(const onnx::ModelProto& model, std::string where, const OnnxOptions& options)
      : model_(model), where_(std::move(where)), options_(options), opset_(operator_set(model, where_)) {}

  graph::Graph run() {
    const onnx::GraphProto& g = model_.graph();
    network_.graph().name = g.name();
    VDLA_CHECK_USER(g.sparse_initializer_size() == 0) << where_ << "has sparse constants, needs dense ones";
    Scope scope;
    for (const onnx::TensorProto& t : g.initializer())
      scope.insert_or_assign(t.name(),
                             named(constant_of(t, where_ + "constant '" + t.name() + "' "), t.name()));
    for (const onnx::ValueInfoProto& info : g.input())
      if (!scope.contains(info.name())) scope.insert_or_assign(info.name(), named(input(info), info.name()));
    for (const auto& [name, value] : options_.bound)
      VDLA_CHECK_USER(std::count(inputs_.begin(), inputs_.end(), name) > 0)
          << where_ << "has no input '" << name
          << "' that could be bound, its inputs are: " << fmt::format("{}", fmt::join(inputs_, ", "));
    for (int i = 0; i < g.node_size(); ++i) node(scope, g.node(i), "", i);
    VDLA_CHECK_USER(g.output_size() > 0) << where_ << "has no output";
    for (const onnx::ValueInfoProto& info : g.output()) output(scope, info);
    graph::Graph graph = network_.take();
    graph::verify(graph);
    return graph;
  }

 private:
  Value named(Value value, const std::string& name) {
    network_.name(value, name);
    return value;
  }

  void require_tensor(const onnx::ValueInfoProto& info) const {
    const auto& type = info.type();
    const char* kind = type.has_sequence_type() || type.has_map_type() ? "sequences"
                       : type.has_optional_type()                      ? "optional values"
                                                                       : nullptr;
    if (kind != nullptr)
      throw OutOfScope(where_ + "'" + info.name() + "' is no tensor, needs tensors as inputs and outputs",
                       kind);
  }

  /// What the caller gives for an input, in the type and shape that the model declares.
  static Value constant_like(Value given, DataType type, const std::string& what, bool open,
                             const Shape& shape) {
    VDLA_CHECK_USER(open || given.count() == graph::element_count(shape))
        << what << "is bound to " << given.count() << " elements, needs " << graph::to_string(shape);
    if (!open) given.shape = shape;
    if (given.type == type) return given;
    const auto is_real = [](DataType t) { return expr::is_float(graph::dtype_of(t)); };
    if (!is_real(given.type)) return make_constant(type, given.shape, integers_of(given));
    const std::vector<double> reals = reals_of(given);
    for (double v : reals)
      VDLA_CHECK_USER(is_real(type) || v == std::floor(v))
          << what << "is bound to " << v << ", needs " << name_of(type);
    return make_constant(type, given.shape, reals);
  }

  Value input(const onnx::ValueInfoProto& info) {
    const std::string what = where_ + "input '" + info.name() + "' ";
    inputs_.push_back(info.name());
    require_tensor(info);
    const DataType type = type_of(info.type().tensor_type().elem_type(), what);
    VDLA_CHECK_USER(info.type().tensor_type().has_shape()) << what << "has no shape, needs one";
    const auto bound = options_.bound.find(info.name());
    const bool is_bound = bound != options_.bound.end();
    bool open = false;
    Shape shape;
    for (const auto& dimension : info.type().tensor_type().shape().dim()) {
      const bool fixed = dimension.has_dim_value() && dimension.dim_value() >= 0;
      VDLA_CHECK_USER(fixed || dimension.dim_value() >= -1)  // some write -1 for an extent that is free
          << what << "has extent " << dimension.dim_value() << " in dimension " << shape.size()
          << " (corrupt)";
      VDLA_CHECK_USER(fixed || shape.empty() || is_bound)
          << what << "has no fixed extent in dimension " << shape.size()
          << ", needs one (only the batch may be free)";
      open = open || !fixed;
      shape.push_back(fixed ? dimension.dim_value() : 1);
    }
    if (is_bound)
      return constant_like({bound->second.type, bound->second.shape, bound->second.data}, type, what, open,
                           shape);
    // A tensor of no element is known.
    if (std::find(shape.begin(), shape.end(), 0) != shape.end())
      return make_constant(type, shape, Integers{});
    graph::require_extents(shape, what);
    const graph::TensorId id = network_.graph().add_tensor({info.name(), type, shape, {}, nullptr});
    network_.graph().add_input(id);
    return network_.value_of(id);
  }

  void output(const Scope& scope, const onnx::ValueInfoProto& info) {
    require_tensor(info);
    const auto found = scope.find(info.name());
    VDLA_CHECK_USER(found != scope.end()) << where_ << "output '" << info.name() << "' is written by no node";
    const graph::TensorId id = network_.tensor(found->second, info.name());
    graph::Graph& g = network_.graph();
    const auto same = [&](const graph::Port& p) { return p.tensor == id; };
    const bool taken = std::any_of(g.inputs.begin(), g.inputs.end(), same) ||
                       std::any_of(g.outputs.begin(), g.outputs.end(), same);
    if (!taken) g.tensor(id).name = info.name();
    g.add_output(id);
  }

  void node(Scope& scope, const onnx::NodeProto& proto, const std::string& prefix, int index) {
    const std::string name =
        prefix + (proto.name().empty() ? proto.op_type() + "_" + std::to_string(index) : proto.name());
    const Node c(network_, scope, proto, name, where_, opset_, depth_ == 0);
    if (const auto reason = beyond(proto); !reason.empty())
      throw OutOfScope(c.where() + "is out of scope: " + std::string(reason), std::string(reason));
    c.require(c.outputs() > 0, "has no output, needs one");
    const bool standard = proto.domain().empty() || proto.domain() == "ai.onnx";
    const auto found = operators().find(proto.op_type());
    if (standard && found != operators().end()) {
      require_types(c);
      return found->second(c);
    }
    for (const onnx::FunctionProto& f : model_.functions())
      if (f.name() == proto.op_type() && f.domain() == proto.domain()) return expand(c, f);
    if (const auto f = definition(c)) return expand(c, *f);
    c.require(false, standard ? "is not supported: this kit does not know the operator"
                              : "is not supported: it belongs to domain '" + proto.domain() +
                                    "', needs the operators of ai.onnx");
  }

  /// The operator as ONNX itself defines it by others.
  std::optional<onnx::FunctionProto> definition(const Node& c) const {
    const auto* schema = onnx::OpSchemaRegistry::Schema(c.op(), static_cast<int>(opset_), "");
    if (schema == nullptr) return std::nullopt;
    if (schema->HasFunction()) return *schema->GetFunction();
    if (!schema->HasContextDependentFunction()) return std::nullopt;
    std::vector<onnx::TypeProto> types;
    for (int i = 0; i < c.inputs(); ++i) {
      types.emplace_back();
      if (!c.has(i)) continue;
      auto& tensor = *types.back().mutable_tensor_type();
      tensor.set_elem_type(code_of(c.in(i).type));
      for (std::int64_t extent : c.in(i).shape) tensor.mutable_shape()->add_dim()->set_dim_value(extent);
    }
    const onnx::FunctionBodyBuildContextImpl context(c.proto(), types);
    onnx::FunctionProto body;
    if (!schema->BuildContextDependentFunction(context, body)) return std::nullopt;
    return body;
  }

  void expand(const Node& c, const onnx::FunctionProto& f) {
    c.require(++depth_ < 32, "is defined by itself");
    Scope scope;
    for (int i = 0; i < f.input_size(); ++i)
      if (c.has(i)) scope.insert_or_assign(f.input(i), c.in(i));
    for (int i = 0; i < f.node_size(); ++i) {
      onnx::NodeProto inner = f.node(i);
      for (int n = inner.input_size(); n-- > 0;)  // an input of the function that the node lacks
        if (!scope.contains(inner.input(n))) inner.set_input(n, "");
      inner.clear_attribute();
      for (onnx::AttributeProto attribute : f.node(i).attribute()) {
        if (!attribute.ref_attr_name().empty()) {
          const auto* given = attribute_of(c, attribute.ref_attr_name());
          if (given == nullptr) continue;
          const std::string own = attribute.name();
          attribute = *given;
          attribute.set_name(own);
        }
        *inner.add_attribute() = std::move(attribute);
      }
      node(scope, inner, c.name() + "/", i);
    }
    for (int i = 0; i < f.output_size(); ++i) {
      if (!c.wants(i)) continue;
      const auto found = scope.find(f.output(i));
      c.require(found != scope.end(), "lacks output '" + f.output(i) + "' in its definition");
      c.set(i, found->second);
    }
    --depth_;
  }

  /// Of the node, or the default that its schema states.
  const onnx::AttributeProto* attribute_of(const Node& c, const std::string& name) const {
    if (const auto* own = c.find(name)) return own;
    const auto* schema = onnx::OpSchemaRegistry::Schema(c.op(), static_cast<int>(opset_), "");
    if (schema == nullptr) return nullptr;
    const auto found = schema->attributes().find(name);
    if (found == schema->attributes().end() ||
        found->second.default_value.type() == onnx::AttributeProto::UNDEFINED)
      return nullptr;
    return &found->second.default_value;
  }

  const onnx::ModelProto& model_;
  std::string where_;
  const OnnxOptions& options_;
  std::int64_t opset_;
  Network network_;
  std::vector<std::string> inputs_;  ///< those that are no constants of the model
  int depth_ = 0;
};

}  // namespace

graph::Graph import_network(const onnx::ModelProto& model, const std::string& where,
                            const OnnxOptions& options) {
  return Importer(model, where, options).run();
}

}  // namespace vdla::import::tensor
