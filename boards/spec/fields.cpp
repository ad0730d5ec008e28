// SPDX-License-Identifier: Apache-2.0
#include "boards/spec/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "support/error.h"
#include "support/inert.h"
#include "support/json_dump.h"
#include "support/nearest.h"

namespace vdla::boards {
namespace {

/// 12 or "0x43c00000"; nothing for other values.
std::optional<std::uint64_t> whole_number(const Fields::Json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (!value.is_string()) return std::nullopt;
  const std::string& digits = value.get_ref<const std::string&>();
  if (!digits.starts_with("0x")) return std::nullopt;
  std::uint64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data() + 2, end, number, 16);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool fits(std::string_view text, const Alphabet& alphabet) {
  const auto within = [](char c, std::string_view others) {
    return is_letter_or_digit(c) || others.find(c) != std::string_view::npos;
  };
  return !text.empty() && within(text[0], alphabet.first) &&
         std::ranges::all_of(text, [&](char c) { return within(c, alphabet.others); });
}

/// "letters, digits and - _ ., a letter or digit first"
std::string in_words(const Alphabet& alphabet) {
  const auto spaced = [](std::string_view characters) {
    std::string words;
    for (const char c : characters) words += c == ' ' ? std::string(" space") : std::string{' ', c};
    return words;
  };
  return "letters, digits and" + spaced(alphabet.others) + ", a letter" +
         (alphabet.first.empty() ? " or digit" : ", digit or" + spaced(alphabet.first)) + " first";
}

}  // namespace

Fields::Fields(const JsonText& text, const Json& value, std::string pointer)
    : text_(text), value_(value), pointer_(std::move(pointer)) {
  VDLA_CHECK_USER(value.is_object()) << text.at(pointer_) << " is " << value.dump() << ", needs an object";
}

bool Fields::has(const std::string& key) {
  if (std::ranges::find(known_, key) == known_.end()) known_.push_back(key);
  return value_.contains(key);
}

void Fields::refuse(const std::string& key, const std::string& need) const {
  throw UserError(at(key) + " is " + json_dump(value_.at(key)) + ", needs " + need);
}

void Fields::need(bool good, const std::string& key, const std::string& need) const {
  if (!good) refuse(key, need);
}

std::string Fields::word(const std::string& key, Alphabet alphabet) {
  const std::string needed = "a text of " + in_words(alphabet);
  const Json& value = take(key, needed);
  need(value.is_string() && fits(value.get_ref<const std::string&>(), alphabet), key, needed);
  return value.get<std::string>();
}

std::string Fields::word_or_none(const std::string& key, Alphabet alphabet) {
  return has(key) && value_.at(key) != "" ? word(key, alphabet) : std::string{};
}

std::string Fields::prose(const std::string& key) {
  const std::string needed = "a text of one line without control characters";
  const Json& value = take(key, needed);
  need(value.is_string(), key, needed);
  const auto& text = value.get_ref<const std::string&>();
  need(!text.empty() && visible(text) == text, key, needed);
  return text;
}

std::uint64_t Fields::number(const std::string& key, std::uint64_t most) {
  const std::string needed = most == UINT64_MAX ? "a whole number from 0 or a text like \"0x43c00000\""
                                                : "a whole number from 0 to " + std::to_string(most) +
                                                      ", also as a text like \"0x1f\"";
  const std::optional<std::uint64_t> number = whole_number(take(key, needed));
  need(number.has_value() && *number <= most, key, needed);
  return *number;
}

bool Fields::yes_or(bool otherwise, const std::string& key) {
  if (!has(key)) return otherwise;
  need(value_.at(key).is_boolean(), key, "true or false");
  return value_.at(key).get<bool>();
}

double Fields::positive(const std::string& key) {
  const Json& value = take(key, "a positive number");
  need(value.is_number() && value.get<double>() > 0, key, "a positive number");
  return value.get<double>();
}

Fields Fields::object(const std::string& key) {
  return {text_, take(key, "an object"), pointer_ + "/" + key};
}

const Fields::Json& Fields::list(const std::string& key) {
  const Json& value = take(key, "a list");
  need(value.is_array(), key, "a list");
  return value;
}

Fields Fields::element(const std::string& key, std::size_t i) const {
  return {text_, value_.at(key).at(i), pointer_ + "/" + key + "/" + std::to_string(i)};
}

void Fields::refuse_others() const {
  for (const auto& [key, value] : value_.items()) {
    if (std::ranges::find(known_, key) != known_.end()) continue;
    const std::string meant = did_you_mean(key, known_);
    throw UserError(fmt::format("{} is an unknown field{} are {}", at(key),
                                meant.empty() ? "; known" : meant + " Known", fmt::join(known_, ", ")));
  }
}

const Fields::Json& Fields::take(const std::string& key, const std::string& needed) {
  VDLA_CHECK_USER(has(key)) << text_.at(pointer_) << " has no field '" << key << "', needs it: " << needed;
  return value_.at(key);
}

}  // namespace vdla::boards
