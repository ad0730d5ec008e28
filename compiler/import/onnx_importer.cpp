// SPDX-License-Identifier: Apache-2.0
// Nodes in order; an operator that is not in the tables but that ONNX defines by others is replaced by those.
#include "compiler/import/onnx_importer.h"

#include <fmt/format.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_map>

#include "compiler/graph/shape.h"
#include "compiler/graph/sums.h"
#include "compiler/import/integer/ports.h"
#include "compiler/import/integer/rules.h"
#include "compiler/import/layer_macs.h"
#include "compiler/import/microsoft/operators.h"
#include "compiler/import/onnx_declared.h"
#include "compiler/import/onnx_inputs.h"
#include "compiler/import/onnx_loops.h"
#include "compiler/import/onnx_order.h"
#include "compiler/import/qonnx/definitions.h"
#include "compiler/import/qoperator/definitions.h"
#include "compiler/import/refusals.h"
#include "compiler/import/tensor/extents.h"
#include "compiler/import/tensor/narrow_nodes.h"
#include "compiler/import/tensor/node.h"
#include "support/error.h"
#include "support/extents_output.h"

namespace vdla::import {
namespace {

using tensor::DataType;
using tensor::Import;
using tensor::Integers;
using tensor::Level;
using tensor::Network;
using tensor::Node;
using tensor::Scope;
using tensor::Shape;
using tensor::Value;

using Imports = std::unordered_map<std::string_view, Import>;

const Imports& operators() {
  static const auto all = [] {
    Imports result;
    for (const auto& family :
         {tensor::elementwise_operators(), tensor::reduction_operators(), tensor::movement_operators(),
          tensor::index_operators(), tensor::layer_operators(), tensor::resize_operators(),
          tensor::quantized_operators(), tensor::recurrent_operators(), tensor::sampling_operators(),
          tensor::attention_operators(), tensor::region_operators(), tensor::bit_operators(),
          tensor::deformable_operators(), tensor::experimental_operators(),
          tensor::linear_attention_operators(), microsoft::runtime_operators()})
      for (const tensor::Operator& o : family) result.emplace(o.name, o.import);
    return result;
  }();
  return all;
}

/// The operator whose branches are graphs of nodes.
constexpr const char* kIf = "If";

/// Operators of the domain com.microsoft.
const Imports& microsoft_operators() {
  static const auto all = [] {
    Imports result;
    for (const auto& family :
         {microsoft::activation_operators(), microsoft::attention_operators(), microsoft::block_operators(),
          microsoft::group_query_operators(), microsoft::layer_operators(),
          microsoft::normalization_operators(), microsoft::quantized_operators()})
      for (const tensor::Operator& o : family) result.emplace(o.name, o.import);
    return result;
  }();
  return all;
}

/// The node's own name, or its operator and place.
std::string name_of_node(const onnx::NodeProto& node, int index) {
  return node.name().empty() ? node.op_type() + "_" + std::to_string(index) : node.name();
}

/// Why an operator is none of this kit's business; empty where it is.
std::string_view beyond(std::string_view op, std::string_view domain) {
  struct Row {
    std::string_view op, reason;
  };
  constexpr Row kRows[] = {
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
  if (domain == "ai.onnx.preview.training") return "training";
  for (const Row& row : kRows)
    if (row.op == op) return row.reason;
  return {};
}

/// The type as ONNX's schemas write it.
std::string schema_type(DataType type) {
  onnx::TypeProto proto;
  proto.mutable_tensor_type()->set_elem_type(tensor::code_of(type));
  return *onnx::Utils::DataTypeUtils::ToType(proto);
}

/// Types that operators have since versions of ONNX which the library does not know (it ends at operator set
/// 17); floats are not listed.
struct NewerType {
  std::string_view op;
  int input;
  DataType type;
};
constexpr NewerType kNewerTypes[] = {
    {"DequantizeLinear", 0, DataType::Int16}, {"DequantizeLinear", 0, DataType::UInt16},
    {"DequantizeLinear", 2, DataType::Int16}, {"DequantizeLinear", 2, DataType::UInt16},
    {"QuantizeLinear", 1, DataType::Int32},   {"QuantizeLinear", 2, DataType::Int16},
    {"QuantizeLinear", 2, DataType::UInt16},  {"ReduceMax", 0, DataType::Bool},
    {"ReduceMin", 0, DataType::Bool},
};

/// The last input stands for all further ones.
const onnx::OpSchema::FormalParameter& formal(const onnx::OpSchema& schema, int i) {
  return schema.inputs()[std::min<std::size_t>(static_cast<std::size_t>(i), schema.inputs().size() - 1)];
}

/// Whether the version takes the type, or some float where the type is one: what an older version lacks can
/// be computed all the same.
bool takes(const onnx::OpSchema* schema, int i, DataType type) {
  if (schema == nullptr || schema->inputs().empty()) return true;
  const bool is_float = expr::is_float(graph::dtype_of(type));
  return std::ranges::any_of(formal(*schema, i).GetTypes(), [&](const std::string* t) {
    return *t == schema_type(type) || (is_float && (*t == "tensor(float)" || *t == "tensor(float16)"));
  });
}

/// Refuses types for which neither the newest version of the operator is nor that of the node's set.
void require_types(const Node& c) {
  const auto* newest = onnx::OpSchemaRegistry::Schema(c.op(), "");
  for (int i = 0; i < c.inputs(); ++i) {
    if (!c.has(i)) continue;
    const DataType type = c.as_it_is(i).type;
    const auto newer = [&](const NewerType& n) { return n.op == c.op() && n.input == i && n.type == type; };
    if (takes(newest, i, type) || std::ranges::any_of(kNewerTypes, newer)) continue;
    const auto* own = onnx::OpSchemaRegistry::Schema(c.op(), static_cast<int>(c.opset()), "");
    c.require(own != nullptr && takes(own, i, type),
              fmt::format("has input {} ('{}') of {}, which ONNX does not have this operator for", i,
                          formal(*newest, i).GetName(), name_of(type)));
  }
}

// Long: one walk over a model, from its inputs through nodes, branches and bodies of functions to its
// outputs.
class Importer {
 public:
  Importer(const onnx::ModelProto& model, std::string where, const ImportOptions& options)
      : model_(model),
        where_(std::move(where)),
        at_{.opset = operator_set(model, where_)},
        inputs_(network_, model.graph(), options, where_),
        refusals_(where_) {
    for (const auto* list : {&model.graph().value_info(), &model.graph().output()})
      for (const onnx::ValueInfoProto& info : *list) stated_.emplace(info.name(), &info);
  }

  /// Names of the model and what they stand for, refused ones among them.
  Scope known() { return read(); }

  /// Names of the model and what they stand for. Throws what was refused.
  Scope values() {
    Scope scope = read();
    refusals_.require_none();
    return scope;
  }

  graph::Graph run() {
    const onnx::GraphProto& g = model_.graph();
    network_.graph().name = g.name();
    const Scope scope = read();
    VDLA_CHECK_USER(g.output_size() > 0 || !refusals_.none()) << where_ << "has no output";
    if (refusals_.none()) require_as_declared(scope);
    for (const onnx::ValueInfoProto& info : g.output())
      refusals_.attempt({.op = "output", .node = info.name(), .types = {}, .is_operator = false}, [&] {
        require_tensor(info, where_);
        output(scope, info);
      });
    for (const auto& [name, value] : extents_) output_extents(name, value);
    refusals_.require_none();
    graph::Graph graph = network_.take();
    inputs_.sort(graph);
    graph::limit_sums(graph, where_);
    graph::verify(graph);
    return graph;
  }

 private:
  /// Place of the node that is read, among nodes that stand for others.
  struct Place {
    std::int64_t opset = 0;  ///< set of the nodes that are read: the model's, or that of a function's body
    Level level = Level::Model;
    int depth = 0;     ///< bodies of functions around a node
    int branches = 0;  ///< branches around it
  };

  /// Reads constants, inputs and nodes: what each name of the model stands for.
  Scope read() {
    const onnx::GraphProto& g = model_.graph();
    VDLA_CHECK_USER(g.sparse_initializer_size() == 0) << where_ << "has sparse constants, needs dense ones";
    Scope scope;
    for (const onnx::TensorProto& t : g.initializer()) {
      const std::string where = where_ + "constant '" + t.name() + "' ";
      scope.insert_or_assign(t.name(), named(tensor::constant_of(t, where), t.name()));
    }
    for (const onnx::ValueInfoProto& info : g.input()) {
      if (scope.contains(info.name())) continue;
      const auto add = [&] { scope.insert_or_assign(info.name(), named(inputs_.read(info), info.name())); };
      if (!refusals_.attempt({.op = "input", .node = info.name(), .types = {}, .is_operator = false}, add))
        set_refused(scope, info.name());
    }
    inputs_.require_bound();
    for (const int i : order_of_nodes(g)) attempt(scope, g.node(i), i);
    return scope;
  }

  /// Reads a node of the model itself; where it is refused, its outputs are what the model states.
  void attempt(Scope& scope, const onnx::NodeProto& proto, int index) {
    const Place outer = at_;
    Attempted part{proto.op_type(), name_of_node(proto, index), {}};
    std::vector<Shape> shapes;
    for (const std::string& input : proto.input()) {
      const auto known = scope.find(input);
      const bool stated = known != scope.end() && !known->second.refused;
      shapes.push_back(stated ? known->second.shape : Shape{});
      if (input.empty()) continue;
      part.types.emplace_back(stated ? graph::name_of(known->second.type) : "?");
      if (!stated || !known->second.constant()) part.reads.push_back(input);
    }
    part.gives.assign(proto.output().begin(), proto.output().end());
    const std::string output = proto.output_size() > 0 ? proto.output(0) : "";
    if (const auto shape = stated_shape(output)) part.macs = layer_macs(part.op, shapes, *shape);
    const auto read = [&] {
      node(scope, proto, "", index);
      const auto made = scope.find(output);
      if (made != scope.end()) part.macs = layer_macs(part.op, shapes, made->second.shape);
    };
    if (refusals_.attempt(part, read)) return;
    at_ = outer;
    for (const std::string& name : proto.output())
      if (!name.empty()) set_refused(scope, name);
  }

  /// Extents that the model states of a value, all of them; some exporters write no extent for a shape that
  /// they do not know. A shape that no tensor of a graph may have is not believed.
  std::optional<Shape> stated_shape(const std::string& name) const {
    const auto found = stated_.find(name);
    if (found == stated_.end()) return std::nullopt;
    Shape shape;
    for (const auto& d : found->second->type().tensor_type().shape().dim()) {
      if (d.dim_value() <= 0) return std::nullopt;
      shape.push_back(d.dim_value());
    }
    return shape.empty() || !graph::product_within(shape) ? std::nullopt : std::optional(shape);
  }

  /// Gives the name the type and shape that the model states; without both, nothing that reads it is looked
  /// at.
  void set_refused(Scope& scope, const std::string& name) {
    Value value;
    value.refused = true;
    if (const auto shape = stated_shape(name)) {
      const int type = stated_.at(name)->type().tensor_type().elem_type();
      if (tensor::is_number(type)) value = network_.refused(name, tensor::type_of(type, where_), *shape);
    }
    scope.insert_or_assign(name, std::move(value));
  }

  void require_as_declared(const Scope& scope) const {
    for (const onnx::ValueInfoProto& info : model_.graph().value_info())
      if (const auto found = scope.find(info.name()); found != scope.end())
        require_declared(found->second, info, where_);
  }

  /// The graph's nodes, each after those whose results it reads.
  void nodes(Scope& scope, const onnx::GraphProto& g, const std::string& prefix) {
    for (const int i : order_of_nodes(g)) node(scope, g.node(i), prefix, i);
  }

  Value named(Value value, const std::string& name) {
    network_.name(value, name);
    return value;
  }

  void output(const Scope& scope, const onnx::ValueInfoProto& info) {
    const auto found = scope.find(info.name());
    VDLA_CHECK_USER(found != scope.end()) << where_ << "output '" << info.name() << "' is written by no node";
    if (found->second.refused) throw NotLookedAt();
    require_declared(found->second, info, where_);
    const bool none = found->second.constant() && found->second.count() == 0;
    if (found->second.extents || none) extents_.emplace_back(info.name(), found->second);
    if (none) return output_of_none(info.name(), found->second);
    graph::Graph& g = network_.graph();
    if (const auto port = integer::output_port(network_, found->second)) {
      g.outputs.push_back(under_name(*port, info.name()));
      return;
    }
    const graph::TensorId id = network_.tensor(network_.made(found->second), info.name());
    g.outputs.push_back(under_name({id, g.tensor(id).type, g.tensor(id).shape, {}}, info.name()));
  }

  /// An output of no element, as one whose extents are zero in each run.
  void output_of_none(const std::string& name, const Value& value) {
    Shape shape = value.shape;
    std::ranges::replace(shape, 0, 1);
    const tensor::Composer c(network_, name, where_ + "output '" + name + "' ");
    const graph::TensorId id = network_.tensor(c.broadcast(c.scalar(value.type, 0), shape), name);
    network_.graph().outputs.push_back(under_name({id, value.type, shape, {}}, name));
  }

  /// An output more, which has the extents that a run finds.
  void output_extents(const std::string& name, const Value& value) {
    const std::string own = extents_output(name);
    const tensor::Composer c(network_, own, where_ + "output '" + name + "' ");
    const graph::TensorId id = network_.tensor(tensor::extents_of(c, value), own);
    graph::Graph& g = network_.graph();
    g.outputs.push_back(under_name({id, g.tensor(id).type, g.tensor(id).shape, {}}, own));
  }

  /// The port under its name in the model. A tensor that another port has under another name is copied, since
  /// a port's name is that of its tensor.
  graph::Port under_name(graph::Port port, const std::string& name) {
    graph::Graph& g = network_.graph();
    const auto same = [&](const graph::Port& p) { return p.tensor == port.tensor; };
    if (std::ranges::any_of(g.inputs, same) || std::ranges::any_of(g.outputs, same)) {
      if (g.tensor(port.tensor).name == name) return port;
      const graph::Tensor& t = g.tensor(port.tensor);
      port.tensor = network_.add(name, graph::Reshape{t.shape}, {port.tensor}, t.quantization);
    }
    g.tensor(port.tensor).name = name;
    return port;
  }

  void node(Scope& scope, const onnx::NodeProto& proto, const std::string& prefix, int index) {
    const std::string name = prefix + name_of_node(proto, index);
    const Node c(network_, scope, proto, name, where_, at_.opset, at_.level);
    if (!prefix.empty()) network_.reasons().add_inner(name, prefix.substr(0, prefix.size() - 1));
    if (const auto reason = beyond(proto.op_type(), proto.domain()); !reason.empty())
      throw OutOfScope(c.where() + "is out of scope: " + std::string(reason), std::string(reason));
    c.require(c.outputs() > 0, "has no output, needs one");
    for (const std::string& output : proto.output())
      c.require(output.empty() || !scope.contains(output),
                "writes '" + output + "', which an input, a constant or another node gives already");
    const auto domain = onnx_schema::domain_of(proto);
    const bool standard = domain == onnx_schema::Domain::Onnx;
    if (standard && proto.op_type() == kIf) return branch(scope, c);
    if (standard && is_loop(c.op())) return loop(scope, c);
    const auto found = operators().find(proto.op_type());
    if (standard) onnx_schema::check(proto, at_.opset, c.where());
    if (standard && found != operators().end()) {
      require_types(c);
      if (const auto f = qoperator::definition(c)) return expand(c, *f, Level::Spelling);
      if (tensor::concerns_narrow(c)) return tensor::import_narrow(c, found->second);
      if (tensor::reads_extents(c)) return tensor::import_over_extents(c, found->second);
      if (!integer::import_node(c, found->second)) found->second(c);
      return;
    }
    tensor::require_wide(c);
    if (const auto f = qonnx::definition(c)) return expand(c, *f, Level::Spelling);
    integer::has_no_form(c);
    for (const onnx::FunctionProto& f : model_.functions())
      if (f.name() == proto.op_type() && f.domain() == proto.domain()) return expand(c, f, Level::Function);
    if (domain == onnx_schema::Domain::Microsoft) {
      onnx_schema::check(proto, at_.opset, c.where());
      if (const auto f = qoperator::definition(c)) return expand(c, *f, Level::Spelling);
      tensor::require_extents(c);
      return microsoft_operators().at(proto.op_type())(c);
    }
    c.require(standard, "is not supported: it belongs to domain '" + proto.domain() +
                            "', needs the operators of ai.onnx, com.microsoft or QONNX");
    if (const auto f = definition(c)) return expand(c, *f, Level::Function);
    c.require(false, "is not supported: this kit does not know the operator");
  }

  /// The operator as ONNX itself defines it by others.
  std::optional<onnx::FunctionProto> definition(const Node& c) const {
    const auto* schema = onnx::OpSchemaRegistry::Schema(c.op(), static_cast<int>(at_.opset), "");
    if (schema == nullptr) return std::nullopt;
    if (schema->HasFunction()) return *schema->GetFunction();
    if (!schema->HasContextDependentFunction()) return std::nullopt;
    std::vector<onnx::TypeProto> types;
    for (int i = 0; i < c.inputs(); ++i) {
      types.emplace_back();
      if (!c.has(i)) continue;
      auto& type = *types.back().mutable_tensor_type();
      type.set_elem_type(tensor::code_of(c.in(i).type));
      for (std::int64_t extent : c.in(i).shape) type.mutable_shape()->add_dim()->set_dim_value(extent);
    }
    const onnx::FunctionBodyBuildContextImpl context(c.proto(), types);
    onnx::FunctionProto body;
    if (!schema->BuildContextDependentFunction(context, body)) return std::nullopt;
    return body;
  }

  /// The branch of an If that its condition chooses, which must be known. A branch sees the names around it.
  void branch(Scope& scope, const Node& c) {
    c.require(++at_.branches < 32, "is within 32 others, needs fewer");
    const Value& condition = c.constant(0, "condition");
    c.require(condition.count() == 1,
              "has a condition of " + graph::to_string(condition.shape) + ", needs one element");
    const char* chosen = tensor::integers_of(condition)[0] != 0 ? "then_branch" : "else_branch";
    const auto* attribute = c.find(chosen);
    c.require(attribute != nullptr && attribute->has_g(), std::string("lacks its ") + chosen);
    const onnx::GraphProto& g = attribute->g();
    c.require(g.output_size() == c.outputs(), "has " + std::to_string(c.outputs()) + " outputs, its " +
                                                  chosen + " " + std::to_string(g.output_size()));
    const auto free = [&](const std::string& name) {
      c.require(!scope.contains(name),
                "has '" + name + "' in its " + chosen + ", which is given outside of it already");
    };
    for (const onnx::TensorProto& t : g.initializer()) {
      free(t.name());
      scope.emplace(t.name(),
                    named(tensor::constant_of(t, where_ + "constant '" + t.name() + "' "), t.name()));
    }
    nodes(scope, g, c.name() + "/");
    for (int i = 0; i < c.outputs(); ++i) {
      const auto found = scope.find(g.output(i).name());
      c.require(found != scope.end(), "lacks output '" + g.output(i).name() + "' in its " + chosen);
      if (c.wants(i)) c.set(i, found->second);
    }
    --at_.branches;
  }

  /// A trip of a loop is a scope of its own: values that are made later read it then.
  void loop(const Scope& scope, const Node& c) {
    c.require(++at_.branches < 32, "is within 32 others, needs fewer");
    const Place outer = at_;
    at_.level = std::max(at_.level, Level::Spelling);
    tensor::require_extents(c);
    tensor::require_wide(c);
    import_loop(c, scope,
                [&](const onnx::GraphProto& body, Scope names, const std::string& prefix, const auto& done) {
                  Scope& trip = scopes_.emplace_back(std::move(names));
                  nodes(trip, body, prefix);
                  done(trip);
                });
    at_ = outer;
    --at_.branches;
  }

  /// Outputs of a body that spells a node of the model are the model's: the body's node that makes them gives
  /// them their names, and is on the model's level.
  void give_names(onnx::NodeProto& inner, const onnx::FunctionProto& f, const Node& c) {
    for (int k = 0; k < inner.output_size(); ++k)
      for (int i = 0; i < f.output_size(); ++i) {
        if (inner.output(k) != f.output(i) || !c.wants(i)) continue;
        inner.set_output(k, c.proto().output(i));
        at_.level = Level::Model;
      }
  }

  /// A body has an operator set of its own.
  void expand(const Node& c, const onnx::FunctionProto& f, Level level) {
    c.require(++at_.depth < 32, "is defined by itself");
    const std::int64_t outer = at_.opset;
    const Level outer_level = at_.level;
    at_.level = std::max(at_.level, level);
    for (const auto& set : f.opset_import())
      if (set.domain().empty() || set.domain() == "ai.onnx") at_.opset = set.version();
    // Values that are made later read their nodes and scopes then.
    Scope& scope = scopes_.emplace_back();
    for (int i = 0; i < f.input_size(); ++i)
      if (c.has(i))
        scope.insert_or_assign(f.input(i), at_.level == Level::Function ? c.in(i) : c.as_it_is(i));
    for (int i = 0; i < f.node_size(); ++i) {
      onnx::NodeProto& inner = inner_nodes_.emplace_back(f.node(i));
      for (int n = inner.input_size(); n-- > 0;)  // an input of the function that the node lacks
        if (!scope.contains(inner.input(n))) inner.set_input(n, "");
      inner.clear_attribute();
      for (onnx::AttributeProto attribute : f.node(i).attribute()) {
        if (!attribute.ref_attr_name().empty()) {
          auto given = attribute_of(c, attribute.ref_attr_name());
          if (!given) continue;
          given->set_name(attribute.name());
          attribute = std::move(*given);
        }
        *inner.add_attribute() = std::move(attribute);
      }
      const Level inside = at_.level;
      if (at_.level == Level::Spelling && outer_level == Level::Model) give_names(inner, f, c);
      node(scope, inner, c.name() + "/", i);
      at_.level = inside;
    }
    for (int i = 0; i < f.output_size(); ++i) {
      if (!c.wants(i)) continue;
      const bool named = scope.contains(c.proto().output(i));  // give_names() did
      const auto found = scope.find(named ? c.proto().output(i) : f.output(i));
      c.require(found != scope.end(), "lacks output '" + f.output(i) + "' in its definition");
      c.set(i, found->second);
    }
    at_.opset = outer;
    at_.level = outer_level;
    --at_.depth;
  }

  /// The node's attribute, or the default of its operator; nothing where there is none.
  std::optional<onnx::AttributeProto> attribute_of(const Node& c, const std::string& name) const {
    if (const auto* own = c.find(name)) return *own;
    const auto domain = onnx_schema::domain_of(c.proto());
    const auto version = domain ? onnx_schema::find(c.op(), at_.opset, *domain) : std::nullopt;
    const auto* known = version ? onnx_schema::attribute(*version, name) : nullptr;
    return known ? onnx_schema::by_default(*known) : std::nullopt;
  }

  const onnx::ModelProto& model_;
  std::string where_;
  Place at_;
  Network network_;
  ModelInputs inputs_;
  Refusals refusals_;
  std::unordered_map<std::string_view, const onnx::ValueInfoProto*>
      stated_;  ///< declarations of values by their names
  /// Outputs whose extents a run finds, or that have no element.
  std::vector<std::pair<std::string, Value>> extents_;
  std::deque<Scope> scopes_;                 ///< names in bodies
  std::deque<onnx::NodeProto> inner_nodes_;  ///< nodes of bodies, as the model's nodes complete them
};

}  // namespace

graph::Graph import_network(const onnx::ModelProto& model, const std::string& where,
                            const ImportOptions& options) {
  return Importer(model, where, options).run();
}

std::vector<std::string_view> imported_operators(onnx_schema::Domain domain) {
  const bool standard = domain == onnx_schema::Domain::Onnx;
  std::vector<std::string_view> names;
  for (const auto& [name, import] : standard ? operators() : microsoft_operators()) names.push_back(name);
  if (standard) names.insert(names.end(), {kIf, kLoop, kScan});
  return names;
}

std::vector<std::string> defined_operators() {
  std::vector<std::string> names;
  for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas()) {
    const std::string& name = schema.Name();
    const bool defined = schema.HasFunction() || schema.HasContextDependentFunction();
    if (defined && schema.domain().empty() && !operators().contains(name) && beyond(name, "").empty())
      names.push_back(name);
  }
  return names;
}

std::map<std::string, Array> known_values(const onnx::ModelProto& model, const std::string& where,
                                          const ImportOptions& options) {
  std::map<std::string, Array> result;
  Importer importer(model, where, options);
  for (const auto& [name, value] : importer.known())
    if (!value.refused) result.emplace(name, Array{value.type, value.shape, nullptr});
  return result;
}

std::map<std::string, Array> values_of(const onnx::ModelProto& model, const std::string& where,
                                       const ImportOptions& options) {
  std::map<std::string, Array> result;
  Importer importer(model, where, options);
  for (const auto& [name, value] : importer.values())
    result.emplace(name, Array{value.type, value.shape, value.data});
  return result;
}

}  // namespace vdla::import
