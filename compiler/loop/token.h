// SPDX-License-Identifier: Apache-2.0
// Tokens of loop IR text. Private to compiler/loop.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vdla::loop {

enum class TokenKind : unsigned char { Name, Number, Symbol, End };

struct Token {
  TokenKind kind;
  std::string_view text;
  int line, column;
};

/// The tokens of `text`, an End last; comments and white space left out. A number carries its type suffix.
/// Throws UserError for a character that no token starts with.
std::vector<Token> tokenize(std::string_view text);

/// "line L, column C: "
std::string position(const Token& token);

}  // namespace vdla::loop
