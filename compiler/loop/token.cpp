// SPDX-License-Identifier: Apache-2.0
// Tokenizer.
#include "compiler/loop/token.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

#include "support/error.h"

namespace vdla::loop {
namespace {

constexpr std::array<std::string_view, 7> kLongSymbols = {"..", "<<", ">>", "==", "!=", "<=", ">="};
constexpr std::string_view kSymbols = "{}[]():,=+-*/<>&|^!@";

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    while (true) {
      skip_space();
      if (at_ == text_.size()) break;
      std::size_t length = token_length();
      TokenKind kind = is_digit(peek())  ? TokenKind::Number
                       : is_name(peek()) ? TokenKind::Name
                                         : TokenKind::Symbol;
      if (text_.substr(at_, length) == "..") kind = TokenKind::Symbol;
      tokens.push_back({kind, text_.substr(at_, length), line_, column()});
      at_ += length;
    }
    tokens.push_back({TokenKind::End, "end of text", line_, column()});
    return tokens;
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  int column() const { return static_cast<int>(at_ - line_start_) + 1; }

  void skip_space() {
    while (at_ < text_.size()) {
      if (text_[at_] == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      } else if (text_[at_] == '#') {
        while (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
      } else if (!std::isspace(static_cast<unsigned char>(text_[at_]))) {
        return;
      }
      ++at_;
    }
  }

  std::size_t token_length() const {
    if (is_digit(peek())) return number_length();
    for (std::string_view symbol : kLongSymbols) {
      if (text_.substr(at_).starts_with(symbol)) return symbol.size();
    }
    if (kSymbols.find(peek()) != std::string_view::npos) return 1;
    std::size_t length = 0;
    while (is_name(peek(length))) ++length;
    VDLA_CHECK_USER(length > 0) << position({TokenKind::Symbol, {}, line_, column()})
                                << "unexpected character '" << peek() << "'";
    return length;
  }

  /// Digits, a fraction, an exponent, and the letters and digits of a type.
  std::size_t number_length() const {
    std::size_t n = 0;
    while (is_digit(peek(n))) ++n;
    if (peek(n) == '.' && is_digit(peek(n + 1))) {
      ++n;
      while (is_digit(peek(n))) ++n;
    }
    if (peek(n) == 'e' && (is_digit(peek(n + 1)) || peek(n + 1) == '-' || peek(n + 1) == '+')) {
      n += 2;
      while (is_digit(peek(n))) ++n;
    }
    while (std::isalnum(static_cast<unsigned char>(peek(n)))) ++n;
    return n;
  }

  std::string_view text_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) { return Tokenizer(text).run(); }

std::string position(const Token& token) {
  return fmt::format("line {}, column {}: ", token.line, token.column);
}

}  // namespace vdla::loop
