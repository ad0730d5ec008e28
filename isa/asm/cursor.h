// SPDX-License-Identifier: Apache-2.0
// A reader of one line of assembler text; every error carries file, line and column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vdla::isa {

class Cursor {
 public:
  Cursor(std::string_view line, std::string_view origin, unsigned line_number);

  /// Nothing but blanks and a comment is left.
  bool at_end();
  /// Takes the text when it comes next; a word only as a whole.
  bool take(std::string_view text);
  void expect(std::string_view text);
  /// A word of letters, digits, _ and ., empty when none comes next.
  std::string_view word();
  /// As word(), but looks only.
  std::string_view peek();
  /// A whole number, decimal or 0x.., with a sign when it may have one. Fails when it does not fit `bits`.
  std::int64_t number(std::string_view what, unsigned bits, bool is_signed = false);
  /// Whether a digit comes next.
  bool at_number();
  /// Hex digits, exactly `count`.
  std::uint64_t hex(unsigned count);

  /// Throws UserError; the column is that of the last thing taken, or of what comes next.
  [[noreturn]] void fail_here(const std::string& message);
  [[noreturn]] void fail_last(const std::string& message);

 private:
  void skip_blanks();
  [[noreturn]] void fail(std::size_t column, const std::string& message) const;
  std::string next_text();

  std::string_view line_;
  std::string_view origin_;
  unsigned line_number_;
  std::size_t at_ = 0;
  std::size_t last_ = 0;
};

}  // namespace vdla::isa
