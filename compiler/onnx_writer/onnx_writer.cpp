// SPDX-License-Identifier: Apache-2.0
// The nodes of a graph in their order. Nodes that importers make of one operator together (a softmax, a mean,
// a bias) become this operator again: what quantises or optimises a model looks for it.
#include "compiler/onnx_writer/onnx_writer.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <variant>

#include "compiler/graph/sources.h"
#include "compiler/import/tensor/network.h"
#include "compiler/import/tensor/node.h"
#include "compiler/onnx_writer/writers.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::onnx_writer {
namespace {

using expr::BinaryOp;
using expr::Function;
using expr::Reducer;
using graph::Node;
using graph::NodeId;

const char* name_of(Reducer reducer) {
  switch (reducer) {
    case Reducer::Sum:
      return "ReduceSum";
    case Reducer::Max:
      return "ReduceMax";
    case Reducer::Min:
      return "ReduceMin";
    case Reducer::Prod:
      return "ReduceProd";
  }
  return "";
}

std::string_view reduction_of(graph::ScatterMode mode) {
  switch (mode) {
    case graph::ScatterMode::Replace:
      return "none";
    case graph::ScatterMode::Add:
      return "add";
    case graph::ScatterMode::Multiply:
      return "mul";
  }
  return "";
}

// Long: a method for each operator that one node becomes, and for each that several become.
class Writer {
 public:
  Writer(const graph::Graph& graph, const std::string& where)
      : graph_(graph),
        where_(where),
        model_(graph, where),
        makers_(graph::producers(graph)),
        readers_(graph::consumers(graph)) {
    for (const TensorId id : graph::leaving(graph)) leaving_.insert(id);
  }

  graph::Bytes write() {
    VDLA_CHECK_USER(graph_.states.empty())
        << where_ << "keeps values from one input to the next, which ONNX has no form for";
    for (const graph::Port& port : graph_.inputs) require_real(port.tensor);
    for (const Node& node : graph_.nodes) {
      for (const TensorId id : node.inputs) require_real(id);
      require_real(node.output);
    }
    VDLA_CHECK_USER(!graph_.nodes.empty()) << where_ << "computes nothing of its inputs";
    // Nodes are looked at from the last to the first, so that the largest group that ends in a node is found
    // first.
    for (auto n = static_cast<NodeId>(graph_.nodes.size()); n-- > 0;)
      if (!inside_.contains(n)) find_group(n);
    for (NodeId n = 0; n < static_cast<NodeId>(graph_.nodes.size()); ++n) {
      if (inside_.contains(n)) continue;
      model_.begin(graph_.node(n).output);
      const auto group = groups_.find(n);
      if (group != groups_.end())
        group->second();
      else
        write_node(graph_.node(n));
    }
    return model_.bytes();
  }

 private:
  /// The node that makes a tensor, if it is this operator.
  template <class Op>
  const Node* maker(TensorId id, const Op** op) const {
    const NodeId n = id == graph::kNone ? graph::kNone : makers_[static_cast<std::size_t>(id)];
    if (n == graph::kNone) return nullptr;
    *op = std::get_if<Op>(&graph_.node(n).op);
    return *op == nullptr ? nullptr : &graph_.node(n);
  }

  void require_real(TensorId id) const {
    const graph::Tensor& t = graph_.tensor(id);
    VDLA_CHECK_USER(t.quantization.empty())
        << where_ << "tensor '" << t.name
        << "' holds integers with a scale: the model is quantised already, needs a float one";
  }

  NodeId number_of(const Node& node) const { return makers_[static_cast<std::size_t>(node.output)]; }

  /// Notes that the last node is written by `write`, with the nodes before it whose results nothing else
  /// reads and no tensor of the model stands for; false: one of them has to stay.
  template <class Write>
  bool make_group(NodeId last, const std::vector<const Node*>& before, const Write& write) {
    std::set<NodeId> all = {last};
    for (const Node* node : before) all.insert(number_of(*node));
    for (const Node* node : before) {
      const auto& readers = readers_[static_cast<std::size_t>(node->output)];
      const bool is_read = std::ranges::any_of(readers, [&](NodeId reader) { return !all.contains(reader); });
      if (is_read || leaving_.contains(node->output) || stands_for_one(*node)) return false;
    }
    all.erase(last);
    inside_.insert(all.begin(), all.end());
    groups_.emplace(last, write);
    return true;
  }

  bool stands_for_one(const Node& node) const {
    return vdla::stands_for_one(graph::sources_of(graph_.tensor(node.output)));
  }

  void find_group(NodeId n) {
    const Node& node = graph_.node(n);
    const auto* map = std::get_if<graph::Map>(&node.op);
    if (map == nullptr) return;
    const auto op = binary_of(*map);
    if (op == BinaryOp::Add)
      find_bias(n, node);
    else if (op == BinaryOp::Div)
      (void)(find_softmax(n, node) || find_mean(n, node));
    else if (is_less_logarithm(*map))
      find_log_softmax(n, node);
  }

  /// A constant with one number for each output channel, added to a layer.
  void find_bias(NodeId n, const Node& node) {
    const TensorId bias = node.inputs[1];
    const graph::Tensor &b = graph_.tensor(bias), &y = graph_.tensor(node.output);
    if (!b.constant() || y.shape != graph_.tensor(node.inputs[0]).shape) return;
    const auto is_along = [&](std::size_t axis) {
      const std::size_t lead = y.shape.size() - std::min(b.shape.size(), y.shape.size());
      for (std::size_t d = 0; d < b.shape.size(); ++d)
        if (b.shape[d] != 1 && lead + d != axis) return false;
      return graph::element_count(b.shape) == y.shape[axis];
    };
    const graph::Convolve* convolve = nullptr;
    const graph::MatMul* matmul = nullptr;
    if (const Node* layer = maker(node.inputs[0], &convolve); layer && is_along(1)) {
      make_group(n, {layer}, [=, this] { write_convolve(model_, *layer, *convolve, bias); });
    } else if (layer = maker(node.inputs[0], &matmul); layer && y.shape.size() == 2 && is_along(1)) {
      if (graph_.tensor(layer->inputs[1]).constant() && graph_.tensor(layer->inputs[1]).shape.size() == 2 &&
          graph_.tensor(layer->inputs[0]).shape.size() == 2 && !matmul->transpose_a)
        make_group(n, {layer}, [=, this] { write_matmul(model_, *layer, *matmul, bias); });
    }
  }

  /// x less its largest element along an axis, and the sum of the powers of that along the axis.
  struct Exponents {
    std::vector<const Node*> nodes;
    const Node* shifted = nullptr;
    const Node* powers = nullptr;
    TensorId x = graph::kNone;
    std::int64_t axis = 0;
  };

  std::optional<Exponents> exponents_of(TensorId sum) const {
    const graph::Fold *total = nullptr, *largest = nullptr;
    const graph::Map *power = nullptr, *shift = nullptr;
    const Node* t = maker(sum, &total);
    if (!t || total->reducer != Reducer::Sum || total->axes.size() != 1 || !total->keep_dims)
      return std::nullopt;
    const Node* p = maker(t->inputs[0], &power);
    if (!p || !is_function(*power, Function::Exp)) return std::nullopt;
    const Node* s = maker(p->inputs[0], &shift);
    if (!s || binary_of(*shift) != BinaryOp::Sub) return std::nullopt;
    const Node* l = maker(s->inputs[1], &largest);
    if (!l || largest->reducer != Reducer::Max || largest->axes != total->axes || !largest->keep_dims ||
        l->inputs[0] != s->inputs[0])
      return std::nullopt;
    return Exponents{{t, p, s, l}, s, p, s->inputs[0], total->axes[0]};
  }

  bool find_softmax(NodeId n, const Node& node) {
    const auto e = exponents_of(node.inputs[1]);
    if (!e || e->powers->output != node.inputs[0]) return false;
    return group_softmax(n, *e, "Softmax");
  }

  void find_log_softmax(NodeId n, const Node& node) {
    const auto e = exponents_of(node.inputs[1]);
    if (e && e->shifted->output == node.inputs[0]) group_softmax(n, *e, "LogSoftmax");
  }

  bool group_softmax(NodeId n, const Exponents& e, const char* op) {
    return make_group(n, e.nodes, [this, op, x = e.x, axis = e.axis] {
      set_attribute(model_.add(op, {model_.name(x)}, model_.output()), "axis", axis);
    });
  }

  /// A sum divided by the number of its elements: along axes, or of windows.
  bool find_mean(NodeId n, const Node& node) {
    const TensorId divisor = node.inputs[1];
    if (!graph_.tensor(divisor).constant()) return false;
    const graph::Fold* fold = nullptr;
    const graph::ReduceWindow* window = nullptr;
    if (const Node* sum = maker(node.inputs[0], &fold))
      return fold->reducer == Reducer::Sum && divides_by_count(*sum, *fold, divisor) &&
             make_group(n, {sum}, [=, this] { write_fold(*sum, *fold, "ReduceMean"); });
    if (const Node* sum = maker(node.inputs[0], &window))
      if (const auto padding = padding_of_average(model_, *sum, *window, divisor))
        return make_group(n, {sum}, [=, this] { write_average(model_, *sum, *window, *padding); });
    return false;
  }

  bool divides_by_count(const Node& sum, const graph::Fold& fold, TensorId divisor) const {
    const graph::Tensor& c = graph_.tensor(divisor);
    const Shape& x = graph_.tensor(sum.inputs[0]).shape;
    std::int64_t count = 1;
    for (const int axis : fold.axes) count *= x[static_cast<std::size_t>(axis)];
    return expr::is_float(graph::dtype_of(c.type)) && graph::element_count(c.shape) == 1 &&
           c.shape.size() <= graph_.tensor(sum.output).shape.size() &&
           import::tensor::reals_of({c.type, c.shape, c.data})[0] == static_cast<double>(count);
  }

  void write_fold(const Node& node, const graph::Fold& op, const char* name) {
    const Extents axes(op.axes.begin(), op.axes.end());
    onnx::NodeProto& made =
        model_.add(name, {model_.name(node.inputs[0]), model_.integers(axes)}, model_.output());
    set_attribute(made, "keepdims", std::int64_t{op.keep_dims ? 1 : 0});
  }

  Names inputs(const Node& node) {
    Names names;
    for (const TensorId id : node.inputs) names.push_back(model_.name(id));
    return names;
  }

  onnx::NodeProto& plain(const Node& node, const char* op) {
    return model_.add(op, inputs(node), model_.output());
  }
  onnx::NodeProto& along(const Node& node, const char* op, std::int64_t axis) {
    onnx::NodeProto& made = plain(node, op);
    set_attribute(made, "axis", axis);
    return made;
  }

  /// An operator whose indices, its second input, are of int64 alone.
  onnx::NodeProto& by_indices(const Node& node, const char* op) {
    Names names = inputs(node);
    if (graph_.tensor(node.inputs[1]).type != DataType::Int64) {
      names[1] = model_.step("Cast", {names[1]});
      set_attribute(model_.last(), "to", std::int64_t{import::tensor::code_of(DataType::Int64)});
    }
    return model_.add(op, names, model_.output());
  }

  void write_node(const Node& node) {
    std::visit(
        overloaded{
            [&](const graph::Map& op) { write_map(model_, node, op); },
            [&](const graph::Fold& op) { write_fold(node, op, name_of(op.reducer)); },
            [&](const graph::View& op) { write_view(model_, node, op); },
            [&](const graph::Convolve& op) { write_convolve(model_, node, op, graph::kNone); },
            [&](const graph::ReduceWindow& op) { write_window(model_, node, op); },
            [&](const graph::MatMul& op) { write_matmul(model_, node, op, graph::kNone); },
            [&](const graph::Gather& op) { along(node, "Gather", op.axis); },
            [&](const graph::GatherElements& op) { along(node, "GatherElements", op.axis); },
            [&](const graph::GatherNd& op) {
              set_attribute(by_indices(node, "GatherND"), "batch_dims", std::int64_t{op.batch});
            },
            [&](const graph::ScatterElements& op) {
              set_attribute(along(node, "ScatterElements", op.axis), "reduction", reduction_of(op.mode));
            },
            [&](const graph::ScatterNd& op) {
              set_attribute(by_indices(node, "ScatterND"), "reduction", reduction_of(op.mode));
            },
            [&](const graph::Locate& op) { locate(node, op); },
            [&](const graph::Cumulate& op) { cumulate(node, op); },
            [&](const graph::Sort& op) { sort(node, op); },
            [&](const graph::SoftmaxFloat&) { along(node, "Softmax", -1); },
            [&](const graph::Concat& op) { along(node, "Concat", op.axis); },
            [&](const graph::Reshape& op) {
              const Names names = {model_.name(node.inputs[0]), model_.integers(op.shape)};
              set_attribute(model_.add("Reshape", names, model_.output()), "allowzero", std::int64_t{1});
            },
            [&](const graph::Transpose& op) {
              set_attribute(plain(node, "Transpose"), "perm", Extents(op.perm.begin(), op.perm.end()));
            },
            [&](const auto& op) {
              model_.refuse(node, "is an operator (" + std::string(graph::name_of(graph::Op(op))) +
                                      ") of integers with a scale: the model is quantised already, needs a "
                                      "float one");
            },
        },
        node.op);
  }

  void locate(const Node& node, const graph::Locate& op) {
    onnx::NodeProto& made = along(node, op.smallest ? "ArgMin" : "ArgMax", op.axis);
    set_attribute(made, "keepdims", std::int64_t{op.keep_dims ? 1 : 0});
    set_attribute(made, "select_last_index", std::int64_t{op.last ? 1 : 0});
  }

  void cumulate(const Node& node, const graph::Cumulate& op) {
    const Names names = {model_.name(node.inputs[0]), model_.scalar(DataType::Int64, std::int64_t{op.axis})};
    onnx::NodeProto& made = model_.add("CumSum", names, model_.output());
    set_attribute(made, "exclusive", std::int64_t{op.exclusive ? 1 : 0});
    set_attribute(made, "reverse", std::int64_t{op.reverse ? 1 : 0});
  }

  /// The places of all elements in their order.
  void sort(const Node& node, const graph::Sort& op) {
    const Shape& x = graph_.tensor(node.inputs[0]).shape;
    const auto axis = static_cast<std::size_t>(op.axis < 0 ? op.axis + static_cast<int>(x.size()) : op.axis);
    const Names names = {model_.name(node.inputs[0]), model_.integers({x.at(axis)})};
    onnx::NodeProto& made = model_.add("TopK", names, model_.new_name("sorted"));
    made.add_output(model_.output());
    set_attribute(made, "axis", static_cast<std::int64_t>(axis));
    set_attribute(made, "largest", std::int64_t{op.descending ? 1 : 0});
  }

  const graph::Graph& graph_;
  const std::string& where_;
  Model model_;
  std::vector<NodeId> makers_;
  std::vector<std::vector<NodeId>> readers_;
  std::set<TensorId> leaving_;
  std::set<NodeId> inside_;  ///< nodes of a group but its last one
  std::map<NodeId, std::function<void()>> groups_;
};

}  // namespace

graph::Bytes to_onnx(const graph::Graph& graph, const std::string& where) {
  return Writer(graph, where).write();
}

}  // namespace vdla::onnx_writer
