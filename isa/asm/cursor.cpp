// SPDX-License-Identifier: Apache-2.0
#include "isa/asm/cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "support/bits.h"
#include "support/error.h"

namespace vdla::isa {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

}  // namespace

Cursor::Cursor(std::string_view line, std::string_view origin, unsigned line_number)
    : line_(line), origin_(origin), line_number_(line_number) {
  const std::size_t comment = std::min(line_.find(';'), line_.find("//"));
  if (comment != std::string_view::npos) line_ = line_.substr(0, comment);
}

void Cursor::skip_blanks() {
  while (at_ < line_.size() && std::isspace(static_cast<unsigned char>(line_[at_])) != 0) ++at_;
}

bool Cursor::at_end() {
  skip_blanks();
  return at_ == line_.size();
}

bool Cursor::take(std::string_view text) {
  skip_blanks();
  if (!line_.substr(at_).starts_with(text)) return false;
  const std::size_t end = at_ + text.size();
  if (is_word(text.back()) && end < line_.size() && is_word(line_[end])) return false;
  last_ = at_;
  at_ = end;
  return true;
}

void Cursor::expect(std::string_view text) {
  if (!take(text)) fail_here(fmt::format("found {}, needs '{}'", next_text(), text));
}

std::string_view Cursor::peek() {
  skip_blanks();
  std::size_t end = at_;
  while (end < line_.size() && is_word(line_[end])) ++end;
  return line_.substr(at_, end - at_);
}

std::string_view Cursor::word() {
  const std::string_view text = peek();
  last_ = at_;
  at_ += text.size();
  return text;
}

bool Cursor::at_number() {
  skip_blanks();
  return at_ < line_.size() && std::isdigit(static_cast<unsigned char>(line_[at_])) != 0;
}

std::int64_t Cursor::number(std::string_view what, unsigned bits, bool is_signed) {
  const bool negative = is_signed && take("-");
  const std::size_t sign_at = last_;
  if (!at_number()) fail_here(fmt::format("found {}, needs a number for {}", next_text(), what));
  const std::string_view text = word();
  const bool is_hex = text.starts_with("0x");
  const std::string_view digits = is_hex ? text.substr(2) : text;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value, is_hex ? 16 : 10);
  if (digits.empty() || end != digits.end() || error == std::errc::invalid_argument)
    fail_last(fmt::format("'{}' is no number", text));
  const auto result = static_cast<std::int64_t>(negative ? 0 - value : value);
  const bool fits =
      value <= low_mask(62) && (is_signed ? fits_signed(result, bits) : fits_unsigned(result, bits));
  if (negative) last_ = sign_at;
  if (!fits || error != std::errc())
    fail_last(fmt::format("{}{} does not fit {}, which has {}{} bits", negative ? "-" : "", text, what,
                          is_signed ? "signed " : "", bits));
  return result;
}

std::uint64_t Cursor::hex(unsigned count) {
  skip_blanks();
  const std::string_view digits = line_.substr(at_, count);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value, 16);
  if (digits.size() != count || end != digits.end() || error != std::errc())
    fail_here(fmt::format("found {}, needs {} hex digits", next_text(), count));
  last_ = at_;
  at_ += count;
  return value;
}

std::string Cursor::next_text() {
  if (at_end()) return "the end of the line";
  const std::string_view text = peek();
  return fmt::format("'{}'", text.empty() ? line_.substr(at_, 1) : text);
}

void Cursor::fail_here(const std::string& message) {
  skip_blanks();
  fail(at_, message);
}

void Cursor::fail_last(const std::string& message) { fail(last_, message); }

void Cursor::fail(std::size_t column, const std::string& message) const {
  throw UserError(fmt::format("{}:{}:{}: {}", origin_, line_number_, column + 1, message));
}

}  // namespace vdla::isa
