// SPDX-License-Identifier: Apache-2.0
#include "tools/common/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

/// A field of a line, " {utilisation*100:>+6.1f}%", in its parts.
struct Field {
  std::string before, align, flags, digits, unit;  ///< " ", ">", "+", ".1f", "%"
  ordered_json::json_pointer key;
  double times = 1;
  std::size_t width = 0;
  bool grows = false;

  /// Whether the column is one of numbers with digits or a sign of their own, whose place no text has.
  bool of_numbers() const { return !flags.empty() || digits.find_first_of("efgx") != std::string::npos; }
};

/// Fields of a line. Text behind one up to a blank is its unit; all of it behind the last one.
std::vector<Field> fields_of(const std::string& line) {
  static const std::regex kField(
      R"(([^{]*)\{([^*:}]+)(?:\*([^:}]+))?(?::([<>]?)([+#0]*)(\d*)([^}+]*)(\+?))?\}([^{]*$|[^ {]*))");
  std::vector<Field> fields;
  for (std::sregex_iterator at(line.begin(), line.end(), kField), end; at != end; ++at) {
    const std::smatch& part = *at;
    std::string path = part[2];
    std::ranges::replace(path, '.', '/');
    fields.push_back({part[1], part[4], part[5], part[7], part[9], ordered_json::json_pointer("/" + path)});
    if (part[3].length() != 0) fields.back().times = std::stod(part[3]);
    if (part[6].length() != 0) fields.back().width = std::stoul(part[6]);
    fields.back().grows = part[8].length() != 0;
  }
  return fields;
}

/// A text that stands in the column, or above it.
std::string padded(const Field& f, const std::string& text, bool with_unit) {
  const std::size_t width = with_unit || f.width == 0 ? f.width : f.width + f.unit.size();
  return fmt::format(fmt::runtime("{}{:" + f.align + "{}}{}"), f.before, text, width,
                     with_unit ? f.unit : "");
}

std::string text_of(const Field& f, const ordered_json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "*" : "";
  if (value.is_null()) return "-";
  const bool cut = !f.of_numbers() && f.digits.starts_with('.');
  return cut_in_the_middle(value, cut ? std::stoul(f.digits.substr(1)) : std::string::npos);
}

std::string cell(const Field& f, const ordered_json& value) {
  if (!value.is_number()) return padded(f, text_of(f, value), !f.of_numbers());
  const std::string form = "{}{:" + f.align + f.flags + "{}" + f.digits + "}{}";
  const auto print = [&](auto n) { return fmt::format(fmt::runtime(form), f.before, n, f.width, f.unit); };
  if (value.is_number_float() || f.times != 1 || f.digits.find_first_of("efg") != std::string::npos)
    return print(f.times * value.get<double>());
  const bool sign = f.flags.starts_with('+') || !value.is_number_unsigned();
  return sign ? print(value.get<std::int64_t>()) : print(value.get<std::uint64_t>());
}

}  // namespace

std::string cut_in_the_middle(const std::string& text, std::size_t most) {
  constexpr std::string_view kCut = "...";
  if (text.size() <= most) return text;
  const auto within_a_letter = [&](std::size_t at) { return at < text.size() && (text[at] & 0xC0) == 0x80; };
  const std::size_t kept = most - std::min(most, kCut.size());
  std::size_t begin = (kept + 1) / 2, end = text.size() - kept / 2;
  while (within_a_letter(begin)) --begin;
  while (within_a_letter(end)) ++end;
  return text.substr(0, begin).append(kCut).append(text, end);
}

std::vector<std::string> table_lines(const ordered_json& rows, const std::string& titles,
                                     const std::string& fields) {
  std::vector<std::string> lines(rows.size() + 1);
  std::size_t title = 0;
  for (Field& f : fields_of(fields)) {
    std::vector<ordered_json> values;
    for (const ordered_json& row : rows)
      values.push_back(row.contains(f.key) ? row.at(f.key) : ordered_json());
    for (const ordered_json& value : values)
      if (f.grows) f.width = std::max(f.width, text_of(f, value).size());
    const std::size_t end = std::min(titles.find('|', title), titles.size());
    lines[0] += padded(f, titles.substr(title, end - title), false);
    title = end + 1;
    for (std::size_t r = 0; r < values.size(); ++r) lines[r + 1] += cell(f, values[r]);
  }
  for (std::string& line : lines) line.erase(line.find_last_not_of(' ') + 1);
  return lines;
}

void print_table(const ordered_json& rows, const std::string& titles, const std::string& fields) {
  for (const std::string& line : table_lines(rows, titles, fields)) fmt::print("{}\n", line);
}

}  // namespace vdla::tools
