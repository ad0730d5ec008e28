// SPDX-License-Identifier: Apache-2.0
// Expression printer: the fewest parentheses that read back to the same tree.
#include "compiler/expr/print.h"

#include <fmt/format.h>

#include <cmath>

#include "compiler/expr/tensor_node.h"
#include "support/overloaded.h"

namespace vdla::expr {
namespace {

constexpr int kUnary = 100;

std::string list(const std::vector<ExprPtr>& items) {
  std::string text;
  for (const ExprPtr& item : items) text += (text.empty() ? "" : ", ") + to_string(item);
  return text;
}

std::string print_float(double value, DType dtype) {
  if (std::isnan(value)) return fmt::format("nan_{}", name(dtype));
  if (std::isinf(value)) return fmt::format("{}inf_{}", value < 0 ? "-" : "", name(dtype));
  if (dtype == DType::F64) return fmt::format("{}{}", value, name(dtype));
  return fmt::format("{}{}", static_cast<float>(value), name(dtype));
}

std::string print_int(std::int64_t value, DType dtype) {
  if (dtype == DType::Bool) return value ? "true" : "false";
  if (dtype == DType::U64) return fmt::format("{}u64", static_cast<std::uint64_t>(value));
  return fmt::format("{}{}", value, dtype == kIndex ? "" : name(dtype));
}

std::string print(const ExprPtr& e, int outer);

std::string print_binary(const Binary& n, int outer) {
  if (!is_infix(n.op)) return fmt::format("{}({}, {})", name(n.op), to_string(n.a), to_string(n.b));
  int own = precedence(n.op);
  // Left associative; the right operand needs parentheses at equal strength.
  std::string text = fmt::format("{} {} {}", print(n.a, own), name(n.op), print(n.b, own + 1));
  return own < outer ? "(" + text + ")" : text;
}

std::string print_reduce(const Reduce& n) {
  std::string axes;
  for (const IterVar& axis : n.axes) axes += fmt::format("{}{}", axes.empty() ? "" : ", ", axis.name());
  std::string text = fmt::format("{}({}, [{}])", name(n), list(n.sources), axes);
  return n.sources.size() > 1 ? fmt::format("{}.{}", text, n.part) : text;
}

std::string print(const ExprPtr& e, int outer) {
  return std::visit(
      overloaded{
          [&](const IntImm& n) { return print_int(n.value, e->dtype); },
          [&](const FloatImm& n) { return print_float(n.value, e->dtype); },
          [&](const VarRef& n) { return n.var->name; },
          [&](const Binary& n) { return print_binary(n, outer); },
          [&](const Not& n) { return "!" + print(n.a, kUnary); },
          [&](const Select& n) {
            return fmt::format("select({}, {}, {})", to_string(n.condition), to_string(n.on_true),
                               to_string(n.on_false));
          },
          [&](const Cast& n) { return fmt::format("{}({})", name(e->dtype), to_string(n.a)); },
          [&](const Read& n) { return fmt::format("{}[{}]", tensor_of(n).name(), list(n.indices)); },
          [&](const Load& n) { return fmt::format("{}[{}]", n.buffer->name, list(n.indices)); },
          [&](const Call& n) { return fmt::format("{}({})", name(n.function), list(n.arguments)); },
          [&](const Reduce& n) { return print_reduce(n); },
      },
      e->node);
}

}  // namespace

std::string to_string(const ExprPtr& e) { return print(e, 0); }

int precedence(BinaryOp op) {
  switch (op) {
    case BinaryOp::Eq:
    case BinaryOp::Ne:
    case BinaryOp::Lt:
    case BinaryOp::Le:
    case BinaryOp::Gt:
    case BinaryOp::Ge:
      return 4;
    case BinaryOp::Or:
      return 1;
    case BinaryOp::Xor:
      return 2;
    case BinaryOp::And:
      return 3;
    case BinaryOp::Shl:
    case BinaryOp::Shr:
      return 5;
    case BinaryOp::Add:
    case BinaryOp::Sub:
      return 6;
    case BinaryOp::Mul:
    case BinaryOp::Div:
      return 7;
    case BinaryOp::Rem:
    case BinaryOp::FloorDiv:
    case BinaryOp::FloorMod:
    case BinaryOp::Min:
    case BinaryOp::Max:
      return kUnary;
  }
  return 0;
}

}  // namespace vdla::expr
