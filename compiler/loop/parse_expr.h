// SPDX-License-Identifier: Apache-2.0
// The expression part of the parser, with the token cursor and the names in scope. Private to compiler/loop.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/loop/stmt.h"
#include "compiler/loop/token.h"

namespace vdla::loop {

/// Statements and parentheses within each other, and operators above each other in one expression: whatever
/// walks a tree calls itself that often. Deeper text is a UserError.
inline constexpr int kMaxNesting = 500;

// Long: a method for each rule of the grammar over one cursor.
class ExprParser {
 public:
  explicit ExprParser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  // ---- tokens
  const Token& peek() const { return tokens_[at_]; }
  bool is(std::string_view text) const;
  bool accept(std::string_view text);
  void expect(std::string_view text);
  std::string name(const char* what);
  std::int64_t integer();
  [[noreturn]] void fail(const std::string& message) const;

  // ---- names
  BufferPtr buffer();
  DType dtype();
  std::unordered_map<std::string, BufferPtr> buffers;
  std::unordered_map<std::string, VarPtr> variables;

  // ---- expressions
  ExprPtr expression() { return infix(0); }
  /// Held while a statement or an operand is parsed that may hold others.
  class Nested {
   public:
    explicit Nested(ExprParser& parser) : parser_(parser) { parser_.check_depth(++parser_.nesting_); }
    ~Nested() { --parser_.nesting_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    ExprParser& parser_;
  };
  /// "[e, e, ...]"
  std::vector<ExprPtr> indices();

 private:
  ExprPtr infix(int weakest);
  ExprPtr unary();
  ExprPtr primary();
  ExprPtr literal(bool negative);
  /// The type behind `prefix` where the next token is a name such as inf_f32.
  std::optional<DType> special_float(std::string_view prefix) const;
  ExprPtr call(const std::string& function);
  std::vector<ExprPtr> arguments();
  /// "e, e, ..." between the two; the height is that of the highest.
  std::vector<ExprPtr> list(std::string_view open, std::string_view close);
  void check_depth(int depth) const;
  Token next() { return tokens_[at_++]; }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int nesting_ = 0;
  int height_ = 0;  ///< operators above each other in the expression that was parsed last
};

}  // namespace vdla::loop
