// SPDX-License-Identifier: Apache-2.0
#include "support/inert.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace vdla {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  ///< 0: no UTF-8
};

/// Bytes that a character has whose first byte is this one; 0 where none begins so.
std::size_t length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  if (first >= 0xf0 && first < 0xf5) return 4;
  return 0;
}

Character first_of(std::string_view text) {
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = length_of(first);
  if (bytes == 0 || bytes > text.size()) return {};
  if (bytes == 1) return {first, 1};
  std::uint32_t code = first & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0U) != 0x80) return {};
    code = code << 6 | (next & 0x3fU);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < kLeast[bytes] || code > 0x10ffff || surrogate ? Character{} : Character{code, bytes};
}

/// Characters that move the cursor, end a line, or turn the direction of what follows, and two that XML has
/// no place for.
bool is_control(std::uint32_t code) {
  return code == 0xfffe || code == 0xffff || code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
         code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

std::string escaped(std::uint32_t code) {
  char text[8];
  std::snprintf(text, sizeof text, "\\u%04x", code);
  return text;
}

constexpr bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

/// A backslash before each ASCII character that is neither letter nor digit nor in `plain`.
std::string with_backslashes(std::string_view text, std::string_view plain) {
  std::string made;
  for (const char c : text) {
    if (is_ascii(c) && !is_letter_or_digit(c) && plain.find(c) == std::string_view::npos) made += '\\';
    made += c;
  }
  return made;
}

}  // namespace

std::string visible(std::string_view text, std::string_view kept) {
  std::string made;
  made.reserve(text.size());
  while (!text.empty()) {
    const auto plain = static_cast<std::size_t>(
        std::ranges::find_if_not(text, [](char c) { return c >= ' ' && c <= '~'; }) - text.begin());
    made += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Character c = first_of(text);
    const std::size_t bytes = c.bytes == 0 ? 1 : c.bytes;
    if (c.bytes == 0)
      made += kReplacement;
    else if (is_control(c.code) && kept.find(text[0]) == std::string_view::npos)
      made += escaped(c.code);
    else
      made += text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return made;
}

std::size_t whole_characters(std::string_view text) {
  constexpr std::size_t kLongest = 4;
  for (std::size_t back = 1; back < kLongest && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xc0U) == 0x80) continue;  // not the first of its character
    return length_of(byte) > back ? text.size() - back : text.size();
  }
  return text.size();
}

std::string comment_text(std::string_view text) {
  std::string made = visible(text);
  const std::size_t last = made.find_last_not_of(' ');
  for (std::size_t i = 0; i < made.size(); ++i) {
    const char before = i == 0 ? '/' : made[i - 1], behind = i + 1 == made.size() ? '/' : made[i + 1];
    // GCC looks for them before blanks, too; the second is a backslash where trigraphs are read.
    const bool ends_line =
        i == last && (made[i] == '\\' || std::string_view(made).substr(0, i + 1).ends_with("\?\?/"));
    const bool marks = made[i] == '*' && (before == '/' || behind == '/');
    const bool ends_html = made[i] == '>' && before == '-';
    if (marks || ends_line || ends_html) made[i] = '_';
  }
  return made;
}

std::string c_text(std::string_view text) {
  constexpr std::size_t kMost = 1000;  // C99 has literals of 4095 characters
  std::string made;
  for (const char c : text.substr(0, kMost)) {
    if (c == '"' || c == '\\') made += '\\';
    made += c < ' ' || c > '~' || c == '?' ? '_' : c;
  }
  if (text.size() > kMost) made += "...";
  return made;
}

std::string tcl_text(std::string_view text) { return with_backslashes(visible(text), "_-./:,+=@%"); }

std::string markup_text(std::string_view text) {
  std::string made;
  for (const char c : visible(text)) switch (c) {
      case '&':
        made += "&amp;";
        break;
      case '<':
        made += "&lt;";
        break;
      case '>':
        made += "&gt;";
        break;
      case '"':
        made += "&quot;";
        break;
      default:
        made += c;
    }
  return made;
}

std::string csv_text(std::string_view text) {
  std::string made = "\"";
  for (const char c : visible(text)) made += c == '"' ? "\"\"" : std::string(1, c);
  return made + "\"";
}

std::string markdown_text(std::string_view text) {
  std::string made;
  for (const char c : visible(text)) {
    if (std::string_view("|`*\\").find(c) != std::string_view::npos) made += '\\';
    if (c == '<')
      made += "&lt;";
    else if (c == '(' && made.ends_with(']'))
      made += "\\(";  // no link
    else
      made += c;
  }
  return made;
}

std::string markdown_code(std::string_view text) {
  std::string made = "`" + visible(text);
  for (std::size_t i = 1; i < made.size(); ++i)
    if (made[i] == '`') made[i] = '\'';
  return made + "`";
}

}  // namespace vdla
