// SPDX-License-Identifier: Apache-2.0
// Expression parser: precedence climbing with the printer's table.
#include "compiler/loop/parse_expr.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "compiler/expr/print.h"
#include "support/error.h"

namespace vdla::loop {
namespace {

using expr::BinaryOp;
using expr::Function;

constexpr BinaryOp kBinaryOps[] = {
#define VDLA_ROW(name, text, infix) BinaryOp::name,
    VDLA_BINARY_OPS(VDLA_ROW)
#undef VDLA_ROW
};
constexpr Function kFunctions[] = {
#define VDLA_ROW(name, text, arity) Function::name,
    VDLA_FUNCTIONS(VDLA_ROW)
#undef VDLA_ROW
};

std::optional<BinaryOp> find_binary(std::string_view text, bool infix) {
  for (BinaryOp op : kBinaryOps) {
    if (expr::is_infix(op) == infix && expr::name(op) == text) return op;
  }
  return std::nullopt;
}

std::optional<Function> find_function(std::string_view text) {
  for (Function function : kFunctions) {
    if (expr::name(function) == text) return function;
  }
  return std::nullopt;
}

}  // namespace

bool ExprParser::is(std::string_view text) const {
  return peek().kind != TokenKind::End && peek().text == text;
}

bool ExprParser::accept(std::string_view text) {
  if (!is(text)) return false;
  ++at_;
  return true;
}

void ExprParser::expect(std::string_view text) {
  if (!accept(text)) fail("expected '" + std::string(text) + "', got '" + std::string(peek().text) + "'");
}

void ExprParser::fail(const std::string& message) const { throw UserError(position(peek()) + message); }

std::string ExprParser::name(const char* what) {
  if (peek().kind != TokenKind::Name) {
    fail("expected " + std::string(what) + ", got '" + std::string(peek().text) + "'");
  }
  return std::string(next().text);
}

std::int64_t ExprParser::integer() {
  bool negative = accept("-");
  std::string_view text = peek().text;
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (peek().kind != TokenKind::Number || error != std::errc{} || end != text.data() + text.size()) {
    fail("expected an integer, got '" + std::string(text) + "'");
  }
  ++at_;
  return negative ? -value : value;
}

BufferPtr ExprParser::buffer() {
  std::string wanted = name("a buffer");
  auto found = buffers.find(wanted);
  if (found == buffers.end()) {
    --at_;
    fail("no buffer '" + wanted + "' is in scope here");
  }
  return found->second;
}

DType ExprParser::dtype() {
  std::string text = name("a type");
  auto type = expr::parse_dtype(text);
  if (!type) {
    --at_;
    fail("'" + text + "' is no type");
  }
  return *type;
}

void ExprParser::check_depth(int depth) const {
  if (depth > kMaxNesting) {
    fail("nested more than " + std::to_string(kMaxNesting) +
         " deep; terms of a sum nest too: use several statements");
  }
}

std::vector<ExprPtr> ExprParser::list(std::string_view open, std::string_view close) {
  std::vector<ExprPtr> list;
  int height = 0;
  expect(open);
  while (!is(close)) {
    if (!list.empty()) expect(",");
    list.push_back(expression());
    height = std::max(height, height_);
  }
  expect(close);
  check_depth(height_ = height + 1);
  return list;
}

std::vector<ExprPtr> ExprParser::indices() { return list("[", "]"); }

ExprPtr ExprParser::infix(int weakest) {
  const Nested nested(*this);
  height_ = 0;
  ExprPtr left = unary();
  while (true) {
    auto op = find_binary(peek().text, true);
    if (peek().kind != TokenKind::Symbol || !op || expr::precedence(*op) < weakest) return left;
    ++at_;
    const int left_height = height_;
    ExprPtr right = infix(expr::precedence(*op) + 1);
    check_depth(height_ = std::max(left_height, height_) + 1);
    try {
      left = expr::binary(*op, left, right);
    } catch (const UserError& error) {
      fail(error.what());
    }
  }
}

ExprPtr ExprParser::unary() {
  if (accept("!")) {
    const Nested nested(*this);
    ExprPtr operand = unary();
    check_depth(++height_);
    return expr::logical_not(operand);
  }
  if (!accept("-")) return primary();
  if (peek().kind != TokenKind::Number && !special_float("inf_")) {
    fail("'-' stands before a number only; write 0 - x");
  }
  return literal(true);
}

std::optional<DType> ExprParser::special_float(std::string_view prefix) const {
  std::string_view text = peek().text;
  if (peek().kind != TokenKind::Name || !text.starts_with(prefix)) return std::nullopt;
  auto type = expr::parse_dtype(text.substr(prefix.size()));
  return type && expr::is_float(*type) ? type : std::nullopt;
}

ExprPtr ExprParser::literal(bool negative) {
  Token token = next();
  if (token.kind == TokenKind::Name) {
    double infinity = std::numeric_limits<double>::infinity();
    return expr::float_imm(negative ? -infinity : infinity, *expr::parse_dtype(token.text.substr(4)));
  }
  std::size_t suffix = token.text.find_first_of("iufb");
  DType type = expr::kIndex;
  if (suffix != std::string_view::npos) {
    auto parsed = expr::parse_dtype(token.text.substr(suffix));
    if (!parsed)
      throw UserError(position(token) + "number '" + std::string(token.text) + "' has no known type");
    type = *parsed;
  }
  std::string digits(token.text.substr(0, suffix));
  if (expr::is_float(type)) {
    double value =
        type == DType::F64 ? std::strtod(digits.c_str(), nullptr) : std::strtof(digits.c_str(), nullptr);
    return expr::float_imm(negative ? -value : value, type);
  }
  std::uint64_t magnitude = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
  auto value = static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
  bool fits =
      type == DType::U64 || (expr::wrap(type, value) == value && (value < 0) == (negative && value != 0));
  if (error != std::errc{} || end != digits.data() + digits.size() || !fits) {
    throw UserError(position(token) + "'" + std::string(token.text) + "' is no value of type " +
                    std::string(expr::name(type)));
  }
  return expr::int_imm(value, type);
}

ExprPtr ExprParser::primary() {
  if (accept("(")) {
    ExprPtr inner = expression();
    expect(")");
    return inner;
  }
  if (peek().kind == TokenKind::Number || special_float("inf_")) return literal(false);
  if (accept("true")) return expr::bool_imm(true);
  if (accept("false")) return expr::bool_imm(false);
  if (auto type = special_float("nan_")) {
    ++at_;
    return expr::float_imm(std::nan(""), *type);
  }
  if (tokens_[at_ + (peek().kind != TokenKind::End)].text == "[") {
    BufferPtr from = buffer();
    std::vector<ExprPtr> at = indices();
    try {
      return expr::load(from, at);
    } catch (const UserError& error) {
      fail(error.what());
    }
  }
  std::string text = name("an expression");
  if (is("(")) return call(text);
  auto variable = variables.find(text);
  if (variable == variables.end()) {
    --at_;
    fail("no variable '" + text + "' is in scope here");
  }
  return expr::var_ref(variable->second);
}

std::vector<ExprPtr> ExprParser::arguments() { return list("(", ")"); }

ExprPtr ExprParser::call(const std::string& function) {
  std::vector<ExprPtr> list = arguments();
  auto count = [&](std::size_t wanted) {
    if (list.size() != wanted) {
      fail("'" + function + "' takes " + std::to_string(wanted) + " arguments, got " +
           std::to_string(list.size()));
    }
  };
  try {
    if (auto type = expr::parse_dtype(function)) {
      count(1);
      return expr::cast(*type, list[0]);
    }
    if (function == "select") {
      count(3);
      return expr::select(list[0], list[1], list[2]);
    }
    if (auto op = find_binary(function, false)) {
      count(2);
      return expr::binary(*op, list[0], list[1]);
    }
    if (auto known = find_function(function)) {
      count(static_cast<std::size_t>(expr::arity(*known)));
      return expr::call(*known, std::move(list));
    }
  } catch (const UserError& error) {
    if (std::string_view(error.what()).starts_with("line ")) throw;
    fail(error.what());
  }
  fail("no function '" + function + "'");
}

}  // namespace vdla::loop
