// SPDX-License-Identifier: Apache-2.0
// Functions of elements: an expression that is what the importer makes of one of ONNX's operators becomes
// this operator, and any other one its parts.
#include <map>
#include <unordered_map>

#include "compiler/expr/visit.h"
#include "compiler/import/tensor/functions.h"
#include "compiler/import/tensor/node.h"
#include "compiler/onnx_writer/writers.h"

namespace vdla::onnx_writer {
namespace {

using expr::BinaryOp;
using expr::Expr;
using expr::ExprPtr;
using expr::Function;
using expr::VarPtr;
using import::tensor::Scalar;

/// Variables of a pattern and what stands in their place.
using Bindings = std::map<VarPtr, ExprPtr>;

/// Whether both have one operator and one type, with any operands.
bool is_alike(const ExprPtr& a, const ExprPtr& b) {
  if (a->dtype != b->dtype || a->node.index() != b->node.index()) return false;
  const auto of_a = children(a), of_b = children(b);
  if (of_a.size() != of_b.size()) return false;
  for (std::size_t i = 0; i < of_a.size(); ++i)
    if (of_a[i]->dtype != of_b[i]->dtype) return false;
  return equal(with_children(a, of_b), b);
}

/// Whether the expression is the pattern with `bindings` in the place of its variables.
bool unify(const ExprPtr& pattern, const ExprPtr& e, Bindings& bindings) {
  if (const auto* variable = pattern->as<expr::VarRef>()) {
    if (pattern->dtype != e->dtype) return false;
    const auto [known, added] = bindings.emplace(variable->var, e);
    return added || equal(known->second, e);
  }
  if (!is_alike(pattern, e)) return false;
  const auto parts = children(pattern), of = children(e);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!unify(parts[i], of[i], bindings)) return false;
  return true;
}

/// One of ONNX's operators as the importer computes it.
struct Pattern {
  const char* op;
  ExprPtr body;
  std::vector<VarPtr> inputs;
  std::vector<VarPtr> limits;  ///< inputs that are numbers
  const char* attribute = nullptr;
  VarPtr number = nullptr;  ///< value of the attribute, a number
  const char* mode = nullptr;
};

std::vector<Pattern> make_patterns() {
  const auto variable = [](const char* name) { return expr::make_var(name, expr::DType::F32); };
  const VarPtr x = variable("x"), y = variable("y"), low = variable("low"), high = variable("high");
  const Scalar vx(x), vy(y), vlow(low), vhigh(high);
  using namespace import::tensor;
  const Scalar leaky = import::tensor::leaky_relu(vx, vy);
  const Scalar exponential = select(vx < 0, vy * (call(Function::Exp, vx) - real(1, vx)), vx);
  return {
      {"Relu", relu(vx).expr(), {x}, {}},
      {"Sigmoid", import::tensor::sigmoid(vx).expr(), {x}, {}},
      {"HardSwish", hard_swish(vx).expr(), {x}, {}},
      {"Gelu", gelu(vx, false).expr(), {x}, {}},
      {"Gelu", gelu(vx, true).expr(), {x}, {}, "approximate", nullptr, "tanh"},
      {"Neg", negative(vx).expr(), {x}, {}},
      {"Sign", sign(vx).expr(), {x}, {}},
      {"Clip", minimum(vhigh, maximum(vlow, vx)).expr(), {x}, {low, high}},
      {"Elu", exponential.expr(), {x}, {}, "alpha", y},
      {"LeakyRelu", leaky.expr(), {x}, {}, "alpha", y},
      {"PRelu", leaky.expr(), {x, y}, {}},
      // They differ in NaN alone.
      {"Max", select(vx > vy, vx, vy).expr(), {x, y}, {}},
      {"Min", select(vx < vy, vx, vy).expr(), {x, y}, {}},
  };
}

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all = make_patterns();
  return all;
}

struct OperatorName {
  const char* op = nullptr;
  const char* attribute = nullptr;
  std::int64_t value = 0;
};

/// ONNX's operator of numbers, which differs from that of bits.
OperatorName name_of(BinaryOp op, bool is_bool) {
  switch (op) {
    case BinaryOp::Add:
      return {"Add"};
    case BinaryOp::Sub:
      return {"Sub"};
    case BinaryOp::Mul:
      return {"Mul"};
    case BinaryOp::Div:
      return {"Div"};
    case BinaryOp::Rem:
      return {"Mod", "fmod", 1};
    case BinaryOp::FloorMod:
      return {"Mod"};
    case BinaryOp::Min:
      return {"Min"};
    case BinaryOp::Max:
      return {"Max"};
    case BinaryOp::And:
      return {is_bool ? "And" : "BitwiseAnd"};
    case BinaryOp::Or:
      return {is_bool ? "Or" : "BitwiseOr"};
    case BinaryOp::Xor:
      return {is_bool ? "Xor" : "BitwiseXor"};
    case BinaryOp::Eq:
      return {"Equal"};
    case BinaryOp::Lt:
      return {"Less"};
    case BinaryOp::Le:
      return {"LessOrEqual"};
    case BinaryOp::Gt:
      return {"Greater"};
    case BinaryOp::Ge:
      return {"GreaterOrEqual"};
    case BinaryOp::Ne:        // needs two nodes
    case BinaryOp::FloorDiv:  // needs several
    case BinaryOp::Shl:       // takes unsigned numbers alone
    case BinaryOp::Shr:
      break;
  }
  return {};
}

OperatorName name_of(Function function) {
  switch (function) {
    case Function::Abs:
      return {"Abs"};
    case Function::Exp:
      return {"Exp"};
    case Function::Log:
      return {"Log"};
    case Function::Sqrt:
      return {"Sqrt"};
    case Function::Tanh:
      return {"Tanh"};
    case Function::Erf:
      return {"Erf"};
    case Function::Sin:
      return {"Sin"};
    case Function::Cos:
      return {"Cos"};
    case Function::Tan:
      return {"Tan"};
    case Function::Asin:
      return {"Asin"};
    case Function::Acos:
      return {"Acos"};
    case Function::Atan:
      return {"Atan"};
    case Function::Sinh:
      return {"Sinh"};
    case Function::Cosh:
      return {"Cosh"};
    case Function::Asinh:
      return {"Asinh"};
    case Function::Acosh:
      return {"Acosh"};
    case Function::Atanh:
      return {"Atanh"};
    case Function::Pow:
      return {"Pow"};
    case Function::Fmod:
      return {"Mod", "fmod", 1};
    case Function::Floor:
      return {"Floor"};
    case Function::Ceil:
      return {"Ceil"};
    case Function::RoundEven:
      return {"Round"};
    case Function::Trunc:
    case Function::Round:
    case Function::RoundTf32:
    case Function::SrdhMul:
    case Function::RoundShiftRight:
    case Function::BytesDot:
    case Function::Clz:
    case Function::Popcount:
      break;
  }
  return {};
}

/// Writes the body of one function.
class Body {
 public:
  Body(Model& m, const graph::Node& node, const graph::Map& op) : m_(m), node_(node), op_(op) {
    for (std::size_t i = 0; i < op.arguments.size(); ++i) inputs_.emplace(op.arguments[i], node.inputs[i]);
  }

  void write() {
    if (!expr::variables_of(op_.body).empty() && op_.body->as<expr::VarRef>() == nullptr) {
      (void)value(op_.body, true);
      return;
    }
    // The argument itself, or a number in its shape.
    const Shape& shape = m_.tensor(node_.output).shape;
    m_.add("Expand", {value(op_.body), m_.integers(shape)}, m_.output());
  }

 private:
  std::string value(const ExprPtr& e, bool is_result = false) {
    if (const auto* variable = e->as<expr::VarRef>()) return m_.name(inputs_.at(variable->var));
    const DataType type = graph::data_type_of(e->dtype);
    if (const auto* number = e->as<expr::IntImm>()) return m_.scalar(type, number->value);
    if (const auto* number = e->as<expr::FloatImm>()) return m_.scalar(type, number->value);
    const auto [known, is_new] = values_.emplace(e.get(), "");
    if (!is_new) return known->second;
    const bool matched = with_pattern(e, is_result);
    if (!matched) of_parts(e, is_result);
    return values_[e.get()] = made_;
  }

  Names values(const std::vector<ExprPtr>& all) {
    Names names;
    for (const ExprPtr& e : all) names.push_back(value(e));
    return names;
  }

  /// Appends the node that gives a part of the function, or the whole.
  onnx::NodeProto& give(const char* op, const Names& inputs, bool is_result) {
    if (!is_result) {
      made_ = m_.step(op, inputs);
      return m_.last();
    }
    made_ = m_.output();
    return m_.add(op, inputs, made_);
  }

  /// Whether the expression is a number, or reads a constant of one element.
  bool is_number(const ExprPtr& e) const {
    if (e->as<expr::FloatImm>()) return true;
    const auto* variable = e->as<expr::VarRef>();
    if (variable == nullptr) return false;
    const graph::Tensor& t = m_.tensor(inputs_.at(variable->var));
    return t.constant() && graph::element_count(t.shape) == 1;
  }

  /// A scalar of what is_number().
  std::string number(const ExprPtr& e) {
    const auto* variable = e->as<expr::VarRef>();
    return variable == nullptr ? value(e) : m_.reshaped(inputs_.at(variable->var), {});
  }

  bool with_pattern(const ExprPtr& e, bool is_result) {
    if (e->dtype != expr::DType::F32) return false;
    for (const Pattern& p : patterns()) {
      Bindings found;
      const auto is_limit = [&](const VarPtr& v) { return is_number(found.at(v)); };
      if (!unify(p.body, e, found)) continue;
      if (p.number && found.at(p.number)->as<expr::FloatImm>() == nullptr) continue;
      if (!std::ranges::all_of(p.limits, is_limit)) continue;
      Names inputs;
      for (const VarPtr& v : p.inputs) inputs.push_back(value(found.at(v)));
      for (const VarPtr& v : p.limits) inputs.push_back(number(found.at(v)));
      onnx::NodeProto& node = give(p.op, inputs, is_result);
      if (p.number) set_attribute(node, p.attribute, found.at(p.number)->as<expr::FloatImm>()->value);
      if (p.mode) set_attribute(node, p.attribute, std::string_view(p.mode));
      return true;
    }
    return false;
  }

  void of_parts(const ExprPtr& e, bool is_result) {
    const Names parts = values(children(e));
    if (const auto* select = e->as<expr::Select>(); select != nullptr) {
      give("Where", parts, is_result);
    } else if (e->as<expr::Cast>()) {
      const std::int64_t code = import::tensor::code_of(graph::data_type_of(e->dtype));
      set_attribute(give("Cast", parts, is_result), "to", code);
    } else if (e->as<expr::Not>()) {
      give(e->dtype == expr::DType::Bool ? "Not" : "BitwiseNot", parts, is_result);
    } else if (const auto* binary = e->as<expr::Binary>()) {
      of_two(*binary, parts, is_result);
    } else if (const auto* call = e->as<expr::Call>()) {
      const OperatorName name = onnx_writer::name_of(call->function);
      if (name.op == nullptr) refuse(expr::name(call->function));
      give_named(name, parts, is_result);
    } else {
      refuse("a part of this function");
    }
  }

  void of_two(const expr::Binary& e, const Names& parts, bool is_result) {
    if (e.op == BinaryOp::Ne) {
      give("Not", {m_.step("Equal", parts)}, is_result);
    } else if (e.op == BinaryOp::FloorDiv) {  // the remainder has the divisor's sign
      const std::string rest = m_.step("Mod", parts);
      give("Div", {m_.step("Sub", {parts[0], rest}), parts[1]}, is_result);
    } else {
      const OperatorName name = onnx_writer::name_of(e.op, e.a->dtype == expr::DType::Bool);
      if (name.op == nullptr) refuse(expr::name(e.op));
      give_named(name, parts, is_result);
    }
  }

  void give_named(const OperatorName& name, const Names& parts, bool is_result) {
    onnx::NodeProto& node = give(name.op, parts, is_result);
    if (name.attribute) set_attribute(node, name.attribute, name.value);
  }

  [[noreturn]] void refuse(std::string_view what) const {
    m_.refuse(node_,
              "(" + op_.function + ") computes '" + std::string(what) + "', which ONNX has no operator for");
  }

  Model& m_;
  const graph::Node& node_;
  const graph::Map& op_;
  std::map<VarPtr, TensorId> inputs_;
  std::unordered_map<const Expr*, std::string> values_;  ///< names of parts that are written
  std::string made_;                                     ///< name of the newest one
};

}  // namespace

void write_map(Model& m, const graph::Node& node, const graph::Map& op) { Body(m, node, op).write(); }

std::optional<BinaryOp> binary_of(const graph::Map& op) {
  const auto* binary = op.body->as<expr::Binary>();
  if (binary == nullptr || op.arguments.size() != 2) return std::nullopt;
  const auto is = [](const ExprPtr& e, const VarPtr& v) {
    const auto* read = e->as<expr::VarRef>();
    return read != nullptr && read->var == v;
  };
  if (!is(binary->a, op.arguments[0]) || !is(binary->b, op.arguments[1])) return std::nullopt;
  return binary->op;
}

bool is_function(const graph::Map& op, Function function) {
  return op.arguments.size() == 1 && expr::is_float(op.body->dtype) &&
         op.arguments[0]->dtype == op.body->dtype &&
         equal(op.body, import::tensor::call(function, Scalar(op.arguments[0])).expr());
}

bool is_less_logarithm(const graph::Map& op) {
  if (op.arguments.size() != 2 || !expr::is_float(op.body->dtype)) return false;
  const Scalar x(op.arguments[0]), total(op.arguments[1]);
  if (x.dtype() != op.body->dtype || total.dtype() != op.body->dtype) return false;
  return equal(op.body, (x - import::tensor::call(Function::Log, total)).expr());
}

}  // namespace vdla::onnx_writer
