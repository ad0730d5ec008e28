// SPDX-License-Identifier: Apache-2.0
#include "support/json_text.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "support/error.h"
#include "support/file_kind.h"

namespace vdla {
namespace {

using Json = nlohmann::ordered_json;

/// "3:7" of the byte at `offset`.
std::string place(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? offset : offset - newline - 1;
  return std::to_string(std::ranges::count(before, '\n') + 1) + ":" + std::to_string(column + 1);
}

/// Reads a text and leaves behind how far the reader came.
class Reader {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Reader(const char* at, const char** came) : at_(at), came_(came) {}
  reference operator*() const { return *at_; }
  Reader& operator++() {
    *came_ = ++at_;
    return *this;
  }
  Reader operator++(int) {
    Reader old = *this;
    ++*this;
    return old;
  }
  bool operator==(const Reader& other) const { return at_ == other.at_; }
  bool operator!=(const Reader& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** came_;
};

/// Deeper than anything that a person writes.
constexpr std::size_t kDeepest = 64;

/// Finds where a value of a JSON pointer begins (its key, or the element of an array), or the nearest around
/// it that is there; and what no text should have.
class JsonPlaces final : public nlohmann::json_sax<Json> {
 public:
  JsonPlaces(std::string_view text, std::string wanted)
      : wanted_(std::move(wanted)), text_(text), came_(text.data()) {
    Json::sax_parse(Reader(text.data(), &came_), Reader(text.data() + text.size(), &came_), this,
                    Json::input_format_t::json, true, true);
  }

  std::size_t offset = 0;
  std::string doubled;    ///< the pointer of a key that stands twice
  bool too_deep = false;  ///< nothing was looked at from there on

  bool null() override { return value(came() - 4); }
  bool boolean(bool value_is) override { return value(came() - (value_is ? 4 : 5)); }
  bool number_integer(number_integer_t) override { return value(begin_of_number()); }
  bool number_unsigned(number_unsigned_t) override { return value(begin_of_number()); }
  bool number_float(number_float_t, const string_t&) override { return value(begin_of_number()); }
  bool string(string_t&) override { return value(begin_of_string()); }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return start(false); }
  bool end_object() override { return end(); }
  bool start_array(std::size_t) override { return start(true); }
  bool end_array() override { return end(); }
  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.step = escaped(name);
    if (!level.keys.insert(name).second && doubled.empty()) doubled = pointer();
    return note(begin_of_string());
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;  // the parser of values has said it
  }

 private:
  struct Level {
    bool array = false;
    std::size_t next = 0;  ///< next element of an array
    std::string step;
    std::set<std::string> keys;
  };

  static std::string escaped(const std::string& name) {
    std::string text;
    for (const char c : name) {
      if (c == '~') {
        text += "~0";
      } else if (c == '/') {
        text += "~1";
      } else {
        text += c;
      }
    }
    return text;
  }
  std::string pointer() const {
    std::string text;
    for (const Level& level : levels_) text += "/" + level.step;
    return text;
  }
  std::size_t came() const { return static_cast<std::size_t>(came_ - text_.data()); }
  /// The quote that opens the string whose closing quote was read last.
  std::size_t begin_of_string() const {
    for (std::size_t quote = came() - 1; quote > 0;) {
      quote = text_.rfind('"', quote - 1);
      std::size_t slashes = 0;
      while (slashes < quote && text_[quote - 1 - slashes] == '\\') ++slashes;
      if (slashes % 2 == 0) return quote;
    }
    return 0;
  }
  /// A number's end is seen by the character behind it, which is read as well.
  std::size_t begin_of_number() const {
    constexpr std::string_view kDigits = "0123456789+-.eE";
    std::size_t at = came();
    if (at > 0 && kDigits.find(text_[at - 1]) == std::string_view::npos) --at;
    while (at > 0 && kDigits.find(text_[at - 1]) != std::string_view::npos) --at;
    return at;
  }
  bool value(std::size_t at) {
    if (levels_.empty()) return note(at);
    if (!levels_.back().array) return true;  // its key was seen
    levels_.back().step = std::to_string(levels_.back().next++);
    return note(at);
  }
  bool note(std::size_t at) {
    if (wanted_.empty() && !levels_.empty()) return true;  // the root alone is meant
    const std::string here = pointer();
    const bool around =
        wanted_.starts_with(here) && (wanted_.size() == here.size() || wanted_[here.size()] == '/');
    if (around && here.size() >= nearest_) {
      offset = at;
      nearest_ = here.size();
    }
    return true;
  }
  bool start(bool array) {
    value(came() - 1);
    levels_.push_back({array, 0, "", {}});
    too_deep = levels_.size() > kDeepest;
    return !too_deep;
  }
  bool end() {
    levels_.pop_back();
    return true;
  }

  std::string wanted_;
  std::size_t nearest_ = 0;  ///< length of the pointer that `offset` is of
  std::string_view text_;
  const char* came_;
  std::vector<Level> levels_;
};

/// Reads up to the first key of the outermost object that is one of `keys`.
class FirstKey final : public nlohmann::json_sax<Json> {
 public:
  FirstKey(std::string_view text, std::initializer_list<std::string_view> keys) : keys_(keys) {
    Json::sax_parse(text.begin(), text.end(), this, Json::input_format_t::json, false, true);
  }

  std::string_view found;

  bool null() override { return is_inside(); }
  bool boolean(bool) override { return is_inside(); }
  bool number_integer(number_integer_t) override { return is_inside(); }
  bool number_unsigned(number_unsigned_t) override { return is_inside(); }
  bool number_float(number_float_t, const string_t&) override { return is_inside(); }
  bool string(string_t&) override { return is_inside(); }
  bool binary(binary_t&) override { return is_inside(); }
  bool start_object(std::size_t) override { return ++depth_ <= kDeepest; }
  bool end_object() override { return --depth_ > 0; }
  bool start_array(std::size_t) override { return is_inside() && ++depth_ <= kDeepest; }
  bool end_array() override { return --depth_ > 0; }
  bool key(string_t& name) override {
    if (depth_ != 1) return true;
    const auto* const key = std::ranges::find(keys_, std::string_view(name));
    if (key != keys_.end()) found = *key;
    return found.empty();
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;  // the parser of values says it
  }

 private:
  bool is_inside() const { return depth_ > 0; }

  std::initializer_list<std::string_view> keys_;
  std::size_t depth_ = 0;
};

/// The library's sentence behind its own place, which is "line L, column C".
std::string reason_of(const std::string& what) {
  const auto column = what.find(", column ");
  const auto colon = column == std::string::npos ? column : what.find(": ", column);
  return colon == std::string::npos ? what : what.substr(colon + 2);
}

Json parse(const std::string& text, const std::string& origin) {
  try {
    return Json::parse(text, nullptr, true, true);
  } catch (const Json::parse_error& e) {
    const FileKind kind = file_kind(text);
    VDLA_CHECK_USER(is_text(kind) && kind != FileKind::Html && kind != FileKind::LfsPointer)
        << origin << ": " << wrong_kind(kind, "JSON text");
    throw UserError(origin + ":" + place(text, std::min(text.size(), e.byte == 0 ? 0 : e.byte - 1)) +
                    ": is no JSON: " + reason_of(e.what()));
  } catch (const Json::exception& e) {
    throw UserError(origin + ": is no JSON that can be read: " + e.what());
  }
}

}  // namespace

JsonText::JsonText(std::string text, std::string origin)
    : text_(std::move(text)),
      origin_(std::move(origin)),
      root_(std::make_unique<Json>(parse(text_, origin_))) {
  const JsonPlaces places(text_, "");
  VDLA_CHECK_USER(!places.too_deep) << origin_ << ": is nested deeper than " << kDeepest
                                    << " levels, which no file of the kit is";
  VDLA_CHECK_USER(places.doubled.empty())
      << at(places.doubled) << " stands twice in its object, needs to stand once";
}

JsonText::~JsonText() = default;

std::string_view first_key(std::string_view text, std::initializer_list<std::string_view> keys) {
  return FirstKey(text, keys).found;
}

std::string JsonText::at(const std::string& pointer) const {
  const JsonPlaces places(text_, pointer);
  return origin_ + ":" + place(text_, places.offset) + ":" + (pointer.empty() ? "" : " ") + pointer;
}

}  // namespace vdla
